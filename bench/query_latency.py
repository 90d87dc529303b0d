#!/usr/bin/env python3
"""Measures how long a query takes: warm in one process, as a whole process, and in instructions.

  query_latency.py REPO… [--bin target/release/contextd] [--tasks QUERIES.jsonl] [--count 60] [--runs 15] [--callgrind] [--watch]

REPO: indexed checkouts. The queries are the lines of --tasks ({"id", "query"}) whose `repo` is the checkout's name or
absent, else the subjects of the checkout's last commits. Warm times are taken inside `contextd eval` on a second pass
over the queries; process times are wall and CPU of `contextd search QUERY`. With --callgrind valgrind counts the
instructions of one search and one task in a warm process (the difference of runs with different numbers of queries).
With --watch only whole processes are measured, alone and while `contextd index --watch` runs."""
import argparse, json, os, resource, subprocess, tempfile, time


def queries(repo, tasks, count):
    name = os.path.basename(os.path.normpath(repo))
    if tasks:
        rows = [json.loads(line) for line in open(tasks, encoding="utf-8") if line.strip()]
        found = [r.get("query") or r["description"] for r in rows if r.get("repo") in (None, name)]
        if found:
            return found[:count]
    log = subprocess.run(["git", "-C", repo, "log", "--no-merges", "--format=%s", f"-{count}"], capture_output=True, text=True, check=True)
    return [line for line in log.stdout.splitlines() if len(line.split()) > 1]


def share(values, part):
    values = sorted(values)
    return values[min(len(values) - 1, int(len(values) * part))]


def write(path, texts):
    with open(path, "w") as out:
        out.writelines(json.dumps({"id": at, "query": text}) + "\n" for at, text in enumerate(texts))


def warm(binary, repo, texts, ranking, folder):
    tasks, out = os.path.join(folder, "t.jsonl"), os.path.join(folder, "o.jsonl")
    write(tasks, texts + texts)
    subprocess.run([binary, "eval", "--repo", repo, "--tasks", tasks, "--out", out, "--as", ranking, "--quiet"], check=True, stdout=subprocess.DEVNULL)
    times = [json.loads(line)["latency_ms"] for line in open(out)][len(texts):]
    return share(times, 0.5), share(times, 0.95)


def process(binary, repo, commands, runs):
    walls, cpus = [], []
    for command in (commands * (runs + 2))[: runs + 2]:
        before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        subprocess.run([binary, *command, "--repo", repo, "--quiet"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        walls.append((time.perf_counter() - start) * 1e3)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        cpus.append((after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) * 1e3)
    return share(walls[2:], 0.5), share(cpus[2:], 0.5)


def watched(binary, repo, texts, runs):
    """Rows of wall and CPU time of whole processes, alone and with a watcher."""
    kinds = {"no work (`--version`)": [["--version"]], "status": [["status"]], "index": [["index"]], "search": [["search", text] for text in texts]}
    measure = lambda: {kind: process(binary, repo, commands, runs) for kind, commands in kinds.items()}
    subprocess.run([binary, "index", "--repo", repo, "--quiet"], check=True)
    alone = measure()
    watcher = subprocess.Popen([binary, "index", "--watch", "--repo", repo, "--quiet"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        asks = os.path.join(repo, ".contextd", "index", "asks")
        while watcher.poll() is None and not os.path.isdir(asks):
            time.sleep(0.1)
        time.sleep(5)  # Its first look at everything.
        with_watcher = measure()
    finally:
        watcher.terminate()
        watcher.wait()
    name = os.path.basename(os.path.normpath(repo))
    return [f"| {name} | {kind} | {alone[kind][0]:.1f} / {alone[kind][1]:.1f} | {with_watcher[kind][0]:.1f} / {with_watcher[kind][1]:.1f} |" for kind in kinds]


def instructions(binary, repo, texts, ranking, folder):
    counts = []
    for times in (1, 3):
        tasks, out = os.path.join(folder, "t.jsonl"), os.path.join(folder, "c.out")
        write(tasks, texts[:5] * times)
        subprocess.run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", binary, "eval", "--repo", repo, "--tasks", tasks, "--out", os.path.join(folder, "o.jsonl"), "--as", ranking, "--quiet"], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        counts.append(next(int(line.split()[1]) for line in open(out) if line.startswith(("totals:", "summary:"))))
    return (counts[1] - counts[0]) / (2 * min(5, len(texts)))


def main():
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("repos", nargs="+")
    a.add_argument("--bin", default="target/release/contextd")
    a.add_argument("--tasks")
    a.add_argument("--count", type=int, default=60)
    a.add_argument("--runs", type=int, default=15)
    a.add_argument("--callgrind", action="store_true")
    a.add_argument("--watch", action="store_true")
    o = a.parse_args()
    if o.watch:
        print("| repository | process | alone, wall / CPU ms | with a watcher |\n|---|---|---|---|")
        for repo in o.repos:
            print("\n".join(watched(o.bin, repo, queries(repo, o.tasks, o.count), o.runs)), flush=True)
        return
    print("| repository | task p50 / p95 ms | search p50 / p95 ms | process wall / CPU ms |" + (" task / search, million instructions |" if o.callgrind else ""))
    print("|---|---|---|---|" + ("---|" if o.callgrind else ""))
    for repo in o.repos:
        texts = queries(repo, o.tasks, o.count)
        with tempfile.TemporaryDirectory() as folder:
            task, search = (warm(o.bin, repo, texts, ranking, folder) for ranking in ("task", "search"))
            whole = process(o.bin, repo, [["search", text] for text in texts], o.runs)
            row = f"| {os.path.basename(os.path.normpath(repo))} | {task[0]:.1f} / {task[1]:.1f} | {search[0]:.1f} / {search[1]:.1f} | {whole[0]:.0f} / {whole[1]:.0f} |"
            if o.callgrind:
                row += " %.1f / %.1f |" % tuple(instructions(o.bin, repo, texts, ranking, folder) / 1e6 for ranking in ("task", "search"))
            print(row, flush=True)


if __name__ == "__main__":
    main()
