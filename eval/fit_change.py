#!/usr/bin/env python3
"""Fits the weights of the ranking for a change on the commits of some repositories, and shows them on others.

  fit_change.py --train FOLDER --test FOLDER [--out change.toml] [--bin target/release/contextd] [--count 150]

Each folder holds indexed checkouts with history. Their last commits become tasks (`contextd eval --from-git N
--signals F`), a linear ranking over the named signals is fitted (softmax over each task's candidates) on all of
--train, and recall@10 and MRR of it are printed for every repository of --test, which take no part in the fit.
Needs numpy."""
import argparse, json, os, subprocess, sys
import numpy as np
from fit import fit

HISTORY = {"git", "git_best", "git_doc", "activity", "recent", "latest"}


def dump(binary, repo, count, cache):
    path = os.path.join(cache, os.path.basename(repo) + ".jsonl")
    if not os.path.exists(path):
        subprocess.run([binary, "eval", "--repo", repo, "--from-git", str(count), "--signals", path, "--quiet"], check=True)
    names, tasks = None, []
    with open(path) as lines:
        for line in lines:
            task = json.loads(line)
            names = task["names"]
            if task["files"]:
                labels = np.array([f[0] for f in task["files"]], dtype=float)
                tasks.append((np.array([f[1] for f in task["files"]], dtype=float), labels, task["wanted"]))
    return names, tasks


def fit_change(tasks, columns, ridge, steps=400):
    """Weights of the chosen columns, fitted on the tasks that have a right file."""
    width = tasks[0][0].shape[1]
    lists = [(x, y / y.sum()) for x, y, _ in tasks if y.sum() > 0]
    return fit(lists, [at in set(columns) for at in range(width)], ridge, steps)[columns]


def measure(tasks, columns, weights):
    recall, mrr = [], []
    for x, y, wanted in tasks:
        order = np.argsort(-(x[:, columns] @ weights), kind="stable")
        hits = y[order]
        recall.append(hits[:10].sum() / wanted)
        found = np.flatnonzero(hits)
        mrr.append(1 / (found[0] + 1) if len(found) else 0.0)
    return np.mean(recall), np.mean(mrr)


def main():
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("--train", required=True)
    a.add_argument("--test", required=True)
    a.add_argument("--out")
    a.add_argument("--bin", default="target/release/contextd")
    a.add_argument("--count", type=int, default=150)
    a.add_argument("--ridge", type=float, default=0.01)
    a.add_argument("--drop", default="", help="signals to leave out, comma-separated")
    a.add_argument("--cache", default="/tmp/contextd-change-signals")
    o = a.parse_args()
    os.makedirs(o.cache, exist_ok=True)
    load = lambda folder: {name: dump(o.bin, os.path.join(folder, name), o.count, o.cache) for name in sorted(os.listdir(folder))}
    train, test = load(o.train), load(o.test)
    names = next(names for names, _ in train.values() if names)
    tasks = [task for _, repo in train.values() for task in repo]
    dropped = set(o.drop.split(","))
    text = 'set_by = "eval/fit_change.py, %d commits of %d repositories that are not among those measured"\n' % (len(tasks), len(train))
    for title, out in (("change", dropped), ("change_without_history", dropped | HISTORY)):
        columns = [at for at, name in enumerate(names) if name not in out]
        weights = fit_change(tasks, columns, o.ridge)
        rows = [(name, *measure(repo, columns, weights)) for name, (_, repo) in test.items()]
        print(title, " ".join(f"{names[c]}={w:.2f}" for c, w in zip(columns, weights)))
        for name, recall, mrr in rows + [("mean", np.mean([r[1] for r in rows]), np.mean([r[2] for r in rows]))]:
            print(f"  {name:<12} recall@10 {recall:.3f}  MRR {mrr:.3f}")
        print("  (on the training commits: recall@10 %.3f  MRR %.3f)" % measure(tasks, columns, weights))
        text += f"\n[{title}]\n" + "".join(f"{names[c]} = {w:.4f}\n" for c, w in zip(columns, weights))
    if o.out:
        with open(o.out, "w") as out:
            out.write(text)


if __name__ == "__main__":
    main()
