#!/usr/bin/env python3
"""What learning does for tasks that were never reported on, computed from dumped candidates.

  learn.py --repos FOLDER --tasks TASKS.jsonl --weights recall.toml [--bin contextd] [--only a,b]

FOLDER holds one indexed checkout per repository. The candidates of every task are dumped with `contextd eval --signals`.
A simulated caller sees the first 60 candidates of half of a repository's tasks for five rounds, uses those that the task
needs and reports the rest as unused; the terms of `retrieve::learned` are then added for the other half. Prints strict
R@10 and MRR, cold and learned, with bootstrap intervals of the difference. `contextd-bench learn` does the same with the
program itself. Needs numpy."""
import argparse, collections, json, math, os, random, re, subprocess, tempfile, tomllib
import numpy as np

SHOWN, ROUNDS, MOST_OF_ONE = 60, 5, 3
FEEDBACK, AGAINST, KIND, VOCABULARY, ACROSS = 0.5, 0.2, 1.0, 1.0, 0.05
SYMBOL_PRIOR, KIND_PRIOR = 2, 9
STOP = set("a about after all an and any are as at be but by can do does each for from has have how if in into is it its no not of on or out over should so some than that the their then there these they this to up was what when where which while who why will with without".split())


def same(a, b):
    a, b = a.lower().replace("::", "."), b.lower().replace("::", ".")
    return bool(a and b) and (a == b or a.endswith("." + b) or b.endswith("." + a))


def words(text):
    """Distinct words, endings cut."""
    found = set()
    for part in re.findall(r"[A-Z]?[a-z]+|[A-Z]+", text):
        part = part.lower()
        if part not in STOP and len(part) > 2:
            found.add(next((part[: -len(end)] for end in ("ing", "ies", "es", "ed", "s") if part.endswith(end) and len(part) - len(end) >= 3), part))
    return found


def load(options, repo, tasks, weights):
    with tempfile.TemporaryDirectory() as folder:
        mine, signals = os.path.join(folder, "t.jsonl"), os.path.join(folder, "s.jsonl")
        with open(mine, "w") as out:
            out.writelines(json.dumps({"id": t["id"], "query": t["description"]}) + "\n" for t in tasks)
        subprocess.run([options.bin, "eval", "--repo", os.path.join(options.repos, repo), "--tasks", mine, "--out", os.path.join(folder, "o.jsonl"), "--signals", signals, "--quiet"], check=True, stdout=subprocess.DEVNULL)
        rows = collections.defaultdict(list)
        for line in open(signals):
            row = json.loads(line)
            rows[row["id"]].append(row)
    found = {}
    for task in tasks:
        own = [row for row in rows[task["id"]] if not row["test"] or "test" in task["description"].lower()]
        if not own:
            continue
        table = weights["task" if own[0]["history"] else "task_without_history"]
        score = np.array([row["values"] for row in own]) @ np.array([table.get(name, 0) for name in own[0]["names"]])
        best = {}
        for at in np.argsort(-score, kind="stable"):
            best.setdefault((own[at]["file"], own[at]["symbol"]), at)
        order = list(best.values())
        right = np.array([[same(own[at]["symbol"], truth) for truth in task["ground_truth"]] for at in order])
        found[task["id"]] = {"keys": list(best), "kinds": [own[at]["kind"] for at in order], "score": score[order], "chance": chance(score[order], options.calibration["recall"]["task"]), "right": right, "words": words(task["description"])}
    return found


def chance(score, map):
    """How often a result with that score is right, as retrieve::calibration estimates it."""
    return 1 / (1 + np.exp(-(map["slope"] * score + map["top"] * score[0] + map["offset"])))


def quality(task, score):
    order = np.argsort(-score, kind="stable")
    first = np.nonzero(task["right"].any(1)[order])[0]
    return task["right"][order[:10]].any(0).mean(), 1 / (first[0] + 1) if len(first) else 0.0


def learned(tasks, taught, asked):
    counts = collections.Counter(word for name in taught for word in tasks[name]["words"])
    rarity = lambda word: math.log(1 + len(taught) / counts[word]) if word in counts else 1.0
    norm = lambda of: sum(rarity(word) ** 2 for word in of)
    judged, kinds, vocabulary = collections.defaultdict(dict), collections.defaultdict(lambda: [0, 0, 0]), collections.Counter()
    for name in taught:
        task = tasks[name]
        for at in range(min(SHOWN, len(task["keys"]))):
            useful, times = task["right"][at].any(), min(ROUNDS, MOST_OF_ONE)
            expected = times * task["chance"][at]
            judged[task["keys"][at]][name] = (times * useful, expected)
            kind = kinds[task["kinds"][at]]
            kind[0], kind[1], kind[2] = kind[0] + times * useful, kind[1] + expected, kind[2] + times
            if useful:
                vocabulary.update({(word, task["keys"][at]): times for word in task["words"]})
    useful, expected, all_of = (sum(kind[side] for kind in kinds.values()) for side in (0, 1, 2))
    rate = min(0.35, max(0.02, (useful + 1) / (all_of + 6)))
    lift = useful / expected if expected else 1
    surprise = lambda yes, expected, prior: math.log((yes + prior) / (expected + prior))
    spread = collections.Counter(word for (word, _), count in vocabulary.items() if count >= 2)
    rows = []
    for name in asked:
        task, own = tasks[name], tasks[name]["words"]
        share = {other: min(1, ACROSS + norm(own & tasks[other]["words"]) / math.sqrt(norm(own) * norm(tasks[other]["words"]) or 1)) for other in taught}
        total, added = sum(map(rarity, own)) or 1, np.zeros(len(task["keys"]))
        for at, (key, kind) in enumerate(zip(task["keys"], task["kinds"])):
            added[at] = KIND * surprise(kinds[kind][0], kinds[kind][1] * lift, KIND_PRIOR) if kind in kinds else 0
            if key in judged:
                value = surprise(sum(share[other] * pair[0] for other, pair in judged[key].items()), sum(share[other] * pair[1] for other, pair in judged[key].items()), SYMBOL_PRIOR * rate)
                added[at] += FEEDBACK * (value if value > 0 else AGAINST * value)
                added[at] += VOCABULARY * sum(rarity(word) / total * (0.3 + 0.5 * (min(10, vocabulary[word, key]) - 2) / 8) for word in own if vocabulary[word, key] >= 2 and spread[word] <= 12)
        rows.append((quality(task, task["score"]), quality(task, task["score"] + added)))
    return rows


def interval(values, source=random.Random(1)):
    means = [np.mean(source.choices(values, k=len(values))) for _ in range(4000)]
    return f"{np.mean(values):+.4f} ({np.quantile(means, 0.025):+.4f} to {np.quantile(means, 0.975):+.4f})"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("repos", "tasks", "weights"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--bin", default="target/release/contextd")
    parser.add_argument("--only")
    options = parser.parse_args()
    tasks = [json.loads(line) for line in open(options.tasks) if line.strip()]
    weights = tomllib.load(open(options.weights, "rb"))
    options.calibration = tomllib.load(open(os.path.join(os.path.dirname(options.weights), "calibration.toml"), "rb"))
    pooled = []
    print("| repository | tasks | strict R@10 cold | learned | MRR cold | learned |\n|---|---|---|---|---|---|")
    for repo in options.only.split(",") if options.only else sorted({task["repo"] for task in tasks}):
        own = load(options, repo, [task for task in tasks if task["repo"] == repo], weights)
        names = sorted(own)
        rows = [row for half in (0, 1) for row in learned(own, names[half::2], names[1 - half :: 2])]
        means = [np.mean([row[side][metric] for row in rows]) for metric in (0, 1) for side in (0, 1)]
        print(f"| {repo} | {len(rows)} | " + " | ".join(f"{mean:.3f}" for mean in means) + " |", flush=True)
        pooled += rows
    print(f"\n| {len(pooled)} unseen tasks, difference to cold | 95 % interval |\n|---|---|")
    for metric, name in enumerate(("strict R@10", "MRR")):
        print(f"| {name} | {interval([row[1][metric] - row[0][metric] for row in pooled])} |")


if __name__ == "__main__":
    main()
