#!/usr/bin/env python3
"""Fits the weights of the task ranking, leaving one repository out at a time.

  fit.py --repos FOLDER --tasks TASKS.jsonl --matching FOLDER_OF_matching.py --out FOLDER
         [--bin target/release/contextd] [--labels strict|published] [--all-out recall.toml]

FOLDER holds one indexed checkout per repository. For each repository the signals of all candidates are dumped with
`contextd eval --signals`, labelled with the tasks' ground truth, and a logistic regression over the named signals is
fitted on the other repositories; `fold-<repo>.toml` is written for `contextd eval --weights`. With --all-out the
weights fitted on every repository are written too: these ship. Needs numpy."""
import argparse, json, os, subprocess, sys, tempfile
import numpy as np

SCALE_FREE = {"nlen", "lines", "in_degree"}


def read(path):
    with open(path, encoding="utf-8") as lines:
        return [json.loads(line) for line in lines if line.strip()]


def same_name(a, b):
    a, b = a.lower().replace("::", "."), b.lower().replace("::", ".")
    return bool(a and b) and (a == b or a.endswith("." + b) or b.endswith("." + a))


def label(symbol, truth, published, matching):
    got = matching.normalize(symbol)
    want = [matching.normalize(name) for name in truth]
    rule = matching.match_normalized if published else same_name
    return any(rule(got, name) for name in want)


def dump(binary, repo, tasks, folder):
    mine, signals = os.path.join(folder, "t.jsonl"), os.path.join(folder, "s.jsonl")
    with open(mine, "w") as out:
        out.writelines(json.dumps({"id": t["id"], "query": t["description"]}) + "\n" for t in tasks)
    subprocess.run([binary, "index", "--repo", repo, "--quiet"], check=True)
    subprocess.run([binary, "eval", "--repo", repo, "--tasks", mine, "--out", os.path.join(folder, "o.jsonl"), "--signals", signals, "--quiet"], check=True)
    return read(signals)


def table(rows, tasks, published, matching):
    """Arrays of signals, labels and weights; each task weighs the same, whatever its number of candidates."""
    truth = {t["id"]: t["ground_truth"] for t in tasks}
    about_tests = {t["id"]: "test" in t["description"].lower() for t in tasks}
    kept = [r for r in rows if not r["test"] or about_tests[r["id"]]]
    x = np.array([r["values"] for r in kept], dtype=np.float64)
    y = np.array([label(r["symbol"], truth[r["id"]], published, matching) for r in kept], dtype=np.float64)
    ids = np.array([r["id"] for r in kept])
    w = np.zeros(len(kept))
    for task in set(ids):
        here = ids == task
        positives = max(1.0, y[here].sum())
        w[here] = np.where(y[here] > 0, 1.0 / positives, 1.0 / max(1.0, (1 - y[here]).sum())) if y[here].sum() else 0.0
    return x, y, w


def fit(x, y, w, keep, ridge):
    """Weighted logistic regression by Newton's method; signals outside `keep` have no weight."""
    columns = [i for i in range(x.shape[1]) if keep[i]]
    mean, deviation = x[:, columns].mean(0), x[:, columns].std(0) + 1e-9
    a = np.hstack([(x[:, columns] - mean) / deviation, np.ones((len(x), 1))])
    beta = np.zeros(a.shape[1])
    penalty = np.full(a.shape[1], ridge)
    penalty[-1] = 0
    for _ in range(30):
        p = 1 / (1 + np.exp(-np.clip(a @ beta, -30, 30)))
        gradient = a.T @ (w * (y - p)) - penalty * beta
        hessian = (a * (w * p * (1 - p))[:, None]).T @ a + np.diag(penalty + 1e-9)
        step = np.linalg.solve(hessian, gradient)
        beta += step
        if np.abs(step).max() < 1e-7:
            break
    weights = np.zeros(x.shape[1])
    weights[columns] = beta[:-1] / deviation
    return weights


def toml(names, with_history, without_history, note):
    def section(title, weights):
        return f"[{title}]\n" + "".join(f"{n} = {v:.4f}\n" for n, v in zip(names, weights) if abs(v) > 5e-5)
    return f'set_by = "{note}"\n\n' + section("task", with_history) + "\n" + section("task_without_history", without_history)


def main():
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("--repos", required=True)
    a.add_argument("--tasks", required=True)
    a.add_argument("--matching", required=True)
    a.add_argument("--out", required=True)
    a.add_argument("--bin", default="target/release/contextd")
    a.add_argument("--labels", choices=["strict", "published"], default="strict")
    a.add_argument("--drop", default="", help="signals to leave out, comma-separated")
    a.add_argument("--ridge", type=float, default=1.0)
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
        data[repo] = table(rows, mine, o.labels == "published", matching)
        print(repo, len(rows), "candidates,", int(data[repo][1].sum()), "right", file=sys.stderr)
    dropped = set(o.drop.split(","))
    keep = [n not in dropped for n in names]
    without = [k and n != "git_file" for n, k in zip(names, keep)]
    os.makedirs(o.out, exist_ok=True)

    def write(path, chosen, note):
        x, y, w = (np.concatenate([data[r][i] for r in chosen]) for i in range(3))
        with open(path, "w") as out:
            out.write(toml(names, fit(x, y, w, keep, o.ridge), fit(x, y, w, without, o.ridge), note))

    for repo in repos:
        write(os.path.join(o.out, f"fold-{repo}.toml"), [r for r in repos if r != repo], f"eval/fit.py, {o.labels} labels, without one repository")
    if o.all_out:
        write(o.all_out, repos, f"eval/fit.py, {o.labels} labels, all development repositories")


if __name__ == "__main__":
    main()
