#!/usr/bin/env python3
"""Fits the maps from raw scores to scores between 0 and 1 on tasks whose answers are known.

  calibrate.py --symbols TASKS.jsonl --symbol-repos FOLDER --files TASKS.jsonl --file-repos FOLDER --matching FOLDER
               [--bin target/release/contextd] [--out crates/retrieve/src/weights/calibration.toml]

The folders hold indexed checkouts, named as the field `repo` of the tasks says. For each ranking a logistic map from
the raw score and the best raw score of the request to the share of right results is fitted (Newton's method) and
printed with a table of what it says and what is so. Needs numpy."""
import argparse, json, os, subprocess, sys, tempfile
import numpy as np


def read(path):
    with open(path, encoding="utf-8") as lines:
        return [json.loads(line) for line in lines if line.strip()]


def answers(binary, tasks, repos, ranking, profile, history=True):
    """Asks with a profile, or with weights that fuse the lists of all channels where the profile is `fused`."""
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "o.jsonl")
        words = [binary, "eval", "--repos", repos, "--tasks", tasks, "--out", out, "--as", ranking, "-k", "40", "--quiet"]
        if profile == "fused":
            with open(os.path.join(folder, "fused.toml"), "w") as weights:
                weights.write(FUSED)
            words += ["--weights", weights.name]
        else:
            words += ["--profile", profile]
        subprocess.run(words + ([] if history else ["--no-history"]), check=True, stdout=subprocess.DEVNULL)
        return {line["task_id"]: line["results"] for line in read(out)}


FUSED = "[task]\nfused = 1.0\n[task_without_history]\nfused = 1.0\n[search]\nsymbols = 0.0\nblocks = 0.0\ndefinition = 0.0\nstem = 0.0\ngit = 0.0\nactivity = 0.0\ndeclares = 0.0\nfused = 1.0\n"


def symbol_rows(tasks, found, matching):
    rows = []
    for task in tasks:
        want = [matching.normalize(name) for name in task["ground_truth"]]
        results = found.get(task["id"], [])
        for result in results[:30]:
            right = any(matching.match_normalized(matching.normalize(result["symbol"]), name) for name in want)
            rows.append((result["score"], results[0]["score"], float(right)))
    return rows


def file_rows(tasks, found):
    rows = []
    for task in tasks:
        targets = [t if isinstance(t, str) else t["path"] for t in task["relevant"] + task["secondary"]]
        seen, results = set(), found.get(task["id"], [])
        for result in results:
            path = os.path.join(task.get("root", ""), result["file"])
            if path not in seen and len(seen) < 15:
                seen.add(path)
                rows.append((result["score"], results[0]["score"], float(any(path == t or path.endswith("/" + t) for t in targets))))
    return rows


def fit(rows):
    data = np.array(rows)
    x, y = np.column_stack([data[:, 0], data[:, 1], np.ones(len(data))]), data[:, 2]
    beta = newton(x, y)
    # A better score must not be said to be worse: then the best score of the request tells nothing.
    if beta[0] <= 0:
        slope, offset = newton(x[:, [0, 2]], y)
        beta = np.array([max(slope, 0.1), 0, offset])
    p = 1 / (1 + np.exp(-x @ beta))
    order = np.argsort(p)
    print("   said   is    (tenths of the results)")
    for part in np.array_split(order, 10):
        print(f"   {p[part].mean():.3f}  {y[part].mean():.3f}")
    return "{ slope = %.4f, top = %.4f, offset = %.4f }" % tuple(beta)


def newton(x, y):
    beta = np.zeros(x.shape[1])
    for _ in range(50):
        p = 1 / (1 + np.exp(-x @ beta))
        beta += np.linalg.solve(x.T @ (x * (p * (1 - p))[:, None]) + 1e-3 * np.eye(len(beta)), x.T @ (y - p) - 1e-3 * beta)
    return beta


def main():
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("--symbols", "--symbol-repos", "--files", "--file-repos", "--matching"):
        a.add_argument(name, required=True)
    a.add_argument("--bin", default="target/release/contextd")
    a.add_argument("--out")
    o = a.parse_args()
    sys.path.insert(0, o.matching)
    import matching
    symbols, files = read(o.symbols), read(o.files)
    text = "# Set by eval/calibrate.py on the development tasks; see retrieve::calibration for the formula.\n"
    search = fit(file_rows(files, answers(o.bin, o.files, o.file_repos, "search", "recall")))
    for profile in ("recall", "precision", "impact", "seed004", "seed004-base"):
        print(profile)
        maps = [fit(symbol_rows(symbols, answers(o.bin, o.symbols, o.symbol_repos, "task", profile, history), matching)) for history in (True, False)]
        text += f"\n[{profile}]\ntask = {maps[0]}\ntask_without_history = {maps[1]}\nsearch = {search}\n"
    print("fused")
    maps = [fit(symbol_rows(symbols, answers(o.bin, o.symbols, o.symbol_repos, "task", "fused", history), matching)) for history in (True, False)]
    text += f"\n[fused]\ntask = {maps[0]}\ntask_without_history = {maps[1]}\nsearch = {fit(file_rows(files, answers(o.bin, o.files, o.file_repos, 'search', 'fused')))}\n"
    print(text)
    if o.out:
        with open(o.out, "w") as out:
            out.write(text)


if __name__ == "__main__":
    main()
