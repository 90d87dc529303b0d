#!/usr/bin/env python3
"""Fits the weights of the task ranking, leaving one repository out at a time.

  fit.py --repos FOLDER --tasks TASKS.jsonl --matching FOLDER_OF_matching.py --out FOLDER
         [--bin target/release/contextd] [--labels recall|precision] [--all-out recall.toml]

FOLDER holds one indexed checkout per repository. For each repository the signals of all candidates are dumped with
`contextd eval --signals`, labelled with the tasks' ground truth, and a linear ranking over the named signals is
fitted (softmax over each task's candidates) on the other repositories; `fold-<repo>.toml` is written for `contextd eval --weights`. With --all-out the
weights fitted on every repository are written too: these ship. Needs numpy."""
import argparse, json, os, subprocess, sys, tempfile
import numpy as np


def read(path):
    with open(path, encoding="utf-8") as lines:
        return [json.loads(line) for line in lines if line.strip()]


def same_name(a, b):
    a, b = a.lower().replace("::", "."), b.lower().replace("::", ".")
    return bool(a and b) and (a == b or a.endswith("." + b) or b.endswith("." + a))


def dump(binary, repo, tasks, folder):
    mine, signals = os.path.join(folder, "t.jsonl"), os.path.join(folder, "s.jsonl")
    with open(mine, "w") as out:
        out.writelines(json.dumps({"id": t["id"], "query": t["description"]}) + "\n" for t in tasks)
    subprocess.run([binary, "index", "--repo", repo, "--quiet"], check=True)
    subprocess.run([binary, "eval", "--repo", repo, "--tasks", mine, "--out", os.path.join(folder, "o.jsonl"), "--signals", signals, "--quiet"], check=True)
    return read(signals)


def table(rows, tasks, labels, matching):
    """Signals and labels of each task that has a right candidate; labels of a task sum to one."""
    lists = []
    for task in tasks:
        about_tests = "test" in task["description"].lower()
        kept = [r for r in rows if r["id"] == task["id"] and (not r["test"] or about_tests)]
        if not kept:
            continue
        got = [matching.normalize(r["symbol"]) for r in kept]
        want = [matching.normalize(name) for name in task["ground_truth"]]
        published = np.array([[matching.match_normalized(g, w) for w in want] for g in got], dtype=float)
        strict = np.array([[same_name(g, w) for w in want] for g in got], dtype=float)
        y = LABELS[labels](published, strict)
        if y.sum() > 0:
            place = {r["number"]: at for at, r in enumerate(kept)}
            edges = [(at, place[n]) for at, r in enumerate(kept) for n in r["out"] if n in place]
            lists.append((np.array([r["values"] for r in kept]), y / y.sum(), np.array(edges, dtype=int).reshape(-1, 2)))
    return lists


LABELS = {
    # Any match counts, exact ones double: many right results.
    "precision": lambda published, strict: published.any(1) * 0.5 + strict.any(1) * 0.5,
    # Each truth counts once, shared by what matches it: many distinct truths.
    "recall": lambda published, strict: (published / np.maximum(1, published.sum(0))).sum(1),
}


FADE = 0.7  # as in crates/retrieve/src/near.rs


def near(x, edges, first):
    """The signals near_out and near_in, as the ranking sets them from the first scores."""
    scores = x @ first
    voice = np.exp((scores - scores.max()) / FADE)
    sources, targets = edges[:, 0], edges[:, 1]
    uses, used = np.sqrt(1 + np.bincount(sources, minlength=len(x))), np.sqrt(1 + np.bincount(targets, minlength=len(x)))
    out, into = np.zeros(len(x)), np.zeros(len(x))
    np.add.at(out, sources, (voice / used)[targets])
    np.add.at(into, targets, (voice / uses)[sources])
    whole = x.copy()
    whole[:, -2], whole[:, -1] = np.log1p(out), np.log1p(into)
    return whole


def fit(lists, keep, ridge, steps=300):
    """Weights that make the labels likely under a softmax over each task's candidates (Adam, from zero)."""
    columns = [i for i, kept in enumerate(keep) if kept]
    everything = np.concatenate([x[:, columns] for x, *_ in lists])
    mean, deviation = everything.mean(0), everything.std(0) + 1e-9
    data = [((x[:, columns] - mean) / deviation, y) for x, y, *_ in lists]
    beta = np.zeros(len(columns))
    first, second = np.zeros_like(beta), np.zeros_like(beta)
    for step in range(1, steps + 1):
        gradient = ridge * beta
        for x, y in data:
            scores = x @ beta
            p = np.exp(scores - scores.max())
            gradient = gradient - x.T @ (y - p / p.sum()) / len(data)
        first, second = 0.9 * first + 0.1 * gradient, 0.99 * second + 0.01 * gradient * gradient
        beta -= 0.05 * (first / (1 - 0.9**step)) / (np.sqrt(second / (1 - 0.99**step)) + 1e-8)
    weights = np.zeros(len(keep))
    weights[columns] = beta / deviation
    return weights


def fit_twice(lists, keep, ridge):
    """Weights of the first scoring, and of the last, which also hears the neighbours."""
    first = fit(lists, [k and at < len(keep) - 2 for at, k in enumerate(keep)], ridge)
    return first, fit([(near(x, edges, first), y) for x, y, edges in lists], keep, ridge)


def toml(names, with_history, without_history, note):
    def section(title, weights):
        return f"[{title}]\n" + "".join(f"{n} = {v:.4f}\n" for n, v in zip(names, weights) if abs(v) > 5e-5)
    titles = ["first", "task", "first_without_history", "task_without_history"]
    return f'set_by = "{note}"\n\n' + "\n".join(map(section, titles, [*with_history, *without_history]))


def main():
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("--repos", required=True)
    a.add_argument("--tasks", required=True)
    a.add_argument("--matching", required=True)
    a.add_argument("--out", required=True)
    a.add_argument("--bin", default="target/release/contextd")
    a.add_argument("--labels", choices=sorted(LABELS), default="recall")
    a.add_argument("--drop", default="", help="signals to leave out, comma-separated")
    a.add_argument("--ridge", type=float, default=0.1)
    a.add_argument("--all-out")
    a.add_argument("--cache", help="folder to keep the dumped signals in")
    o = a.parse_args()
    sys.path.insert(0, o.matching)
    import matching
    tasks = read(o.tasks)
    repos = sorted({t["repo"] for t in tasks if os.path.isdir(os.path.join(o.repos, t["repo"]))})
    data, names = {}, None
    for repo in repos:
        mine = [t for t in tasks if t["repo"] == repo]
        cached = o.cache and os.path.join(o.cache, repo + ".jsonl")
        if cached and os.path.exists(cached):
            rows = read(cached)
        else:
            with tempfile.TemporaryDirectory() as folder:
                rows = dump(o.bin, os.path.join(o.repos, repo), mine, folder)
            if cached:
                os.makedirs(o.cache, exist_ok=True)
                with open(cached, "w") as out:
                    out.writelines(json.dumps(r) + "\n" for r in rows)
        names = rows[0]["names"]
        data[repo] = table(rows, mine, o.labels, matching)
        print(repo, len(rows), "candidates,", len(data[repo]), "of", len(mine), "tasks with a right one", file=sys.stderr)
    dropped = set(o.drop.split(","))
    keep = [n not in dropped for n in names]
    without = [k and n != "git_file" for n, k in zip(names, keep)]
    os.makedirs(o.out, exist_ok=True)

    def write(path, chosen, note):
        lists = [task for repo in chosen for task in data[repo]]
        with open(path, "w") as out:
            out.write(toml(names, fit_twice(lists, keep, o.ridge), fit_twice(lists, without, o.ridge), note))

    for repo in repos:
        write(os.path.join(o.out, f"fold-{repo}.toml"), [r for r in repos if r != repo], f"eval/fit.py, {o.labels} labels, without one repository")
    if o.all_out:
        write(o.all_out, repos, f"eval/fit.py, {o.labels} labels, all development repositories")


if __name__ == "__main__":
    main()
