#!/usr/bin/env python3
"""Fits the weights of the ranking of places, on requests whose change is known.

  fit_places.py --tasks REQUESTS.jsonl --trees FOLDER --candidates FOLDER [--bin target/release/contextd] [--out places.toml]

A task is {"id", "query", "names", "files", "lines": {file: [[first line, count], …]}}; FOLDER/<id> is an indexed tree at the
commit before the change (its files are not read, the index is). Each task is asked with its guesses and without them;
`contextd eval --candidates` writes the signals of every candidate. A candidate that holds a changed line is right, the
tightest counts twice; a quarter of a task's weight goes to all candidates of the changed files. A linear ranking with two sets of weights is
fitted by a softmax over each task's candidates. Needs numpy and scipy. Prints the map from scores to chances as well."""
import argparse, json, os, subprocess, tempfile
import numpy as np
from scipy.optimize import minimize

LONGEST = 120   # A larger place shows nothing.
# Signals that are dear or belong to other profiles, and numbers that are the same for all candidates of a task.
LEFT_OUT = {"fused", "blast", "confidence", "recency", "distance", "authority", "authority_other", "hub", "query_words", "query_names", "has_body"}


def dump(o, task, with_names):
    folder = os.path.join(o.candidates, "names" if with_names else "plain")
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, task["id"])
    if not os.path.exists(path + ".f32"):
        line = {"id": task["id"], "repo": task["id"], "query": task["query"], **({"names": task["names"]} if with_names else {})}
        with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as tasks:
            tasks.write(json.dumps(line) + "\n")
            tasks.flush()
            subprocess.run([o.bin, "eval", "--repo", os.path.dirname(os.path.abspath(__file__)), "--repos", o.trees, "--tasks", tasks.name,
                            "--candidates", folder, "--quiet"], capture_output=True)
    if not os.path.exists(path + ".f32"):
        return None
    with open(path + ".json") as f:
        head = json.load(f)
    signals = np.fromfile(path + ".f32", "<f4").reshape(-1, len(head["names"]))
    return head["names"], head["places"], signals


def labels(task, places):
    right = np.zeros(len(places))
    for file, hunks in task["lines"].items():
        for line in {max(first, 1) for first, _ in hunks}:
            holding = [i for i, p in enumerate(places) if p[0] == file and p[1] <= line <= p[2] and p[2] - p[1] < LONGEST]
            tightest = min((places[i][2] - places[i][1] for i in holding), default=0)
            for i in holding:
                right[i] = max(right[i], 1.0 if places[i][2] - places[i][1] == tightest else .5)
    return right, np.array([p[0] in task["files"] for p in places], float)


def fit(lists, names, penalty=1e-2, of_file=.25):
    """Weights without guesses and with them, for signals as they are."""
    kept = [i for i, name in enumerate(names) if name not in LEFT_OUT]
    rows = np.concatenate([signals[:, kept] for signals, _, _, _ in lists])
    mean, spread = rows.mean(0), rows.std(0) + 1e-6
    scaled = [(signals[:, kept] - mean) / spread for signals, _, _, _ in lists]
    rows = np.concatenate([np.concatenate([s, s * guessed], 1) for s, (_, _, _, guessed) in zip(scaled, lists)]).astype("f4")
    ends = np.cumsum([0] + [len(s) for s in scaled])
    wanted = np.concatenate([(lambda w: w / w.sum())(right + of_file * in_file / max(in_file.sum(), 1)) for _, right, in_file, _ in lists])

    def loss(weights):
        scores, total = rows @ weights.astype("f4"), 0.0
        slope = np.zeros_like(scores)
        for first, last in zip(ends, ends[1:]):
            part = scores[first:last] - scores[first:last].max()
            chances = np.exp(part) / np.exp(part).sum()
            total -= (wanted[first:last] * (part - np.log(np.exp(part).sum()))).sum()
            slope[first:last] = chances - wanted[first:last]
        tasks = len(ends) - 1
        return total / tasks + penalty * weights @ weights, (rows.T @ slope).astype("f8") / tasks + 2 * penalty * weights

    found = minimize(loss, np.zeros(rows.shape[1]), jac=True, method="L-BFGS-B", options={"maxiter": 200}).x
    half = len(kept)
    named = lambda values: {names[i]: value / s for i, value, s in zip(kept, values, spread)}
    return named(found[:half]), named(found[:half] + found[half:])


def calibrate(lists, names, tables):
    """A logistic map from a score and the best score to the chance to be right, by whether guesses were there."""
    for guessed in (0, 1):
        rows, right = [], []
        weights = np.array([tables[guessed].get(name, 0) for name in names])
        for signals, correct, _, own in lists:
            if own == guessed:
                scores = signals @ weights
                best = np.argsort(-scores)[:40]
                rows += [[scores[i], scores[best[0]], 1] for i in best]
                right += [float(correct[i] > 0) for i in best]
        rows, right = np.array(rows), np.array(right)

        def loss(w):
            scores = rows @ w
            return np.logaddexp(0, scores).sum() - right @ scores + 1e-3 * w @ w, rows.T @ (1 / (1 + np.exp(-scores)) - right) + 2e-3 * w

        slope, top, offset = minimize(loss, np.zeros(3), jac=True).x
        print(["places", "places_with_names"][guessed], f"= {{ slope = {slope:.4f}, top = {top:.4f}, offset = {offset:.4f} }}")


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for flag in ("--tasks", "--trees", "--candidates"):
        p.add_argument(flag, required=True)
    p.add_argument("--bin", default="target/release/contextd")
    p.add_argument("--out", default="places.toml")
    o = p.parse_args()
    lists, names = [], []
    with open(o.tasks, encoding="utf-8") as f:
        tasks = [json.loads(line) for line in f if line.strip()]
    for task in tasks:
        for with_names in (True, False):
            found = dump(o, task, with_names)
            if found:
                names, places, signals = found
                right, in_file = labels(task, places)
                if right.max(initial=0) >= .5:
                    lists.append((signals, right, in_file, float(with_names)))
    tables = fit(lists, names)
    with open(o.out, "w") as out:
        out.write(f"# Ranking of places for a request. Set by eval/fit_places.py on {len(tasks)} requests, none of a repository in a measured set.\n")
        for head, weights in zip(("without_names", "with_names"), tables):
            out.write(f"\n[{head}]\n" + "".join(f"{name} = {value:.6f}\n" for name, value in weights.items() if abs(value) > 1e-5))
    calibrate(lists, names, tables)


if __name__ == "__main__":
    main()
