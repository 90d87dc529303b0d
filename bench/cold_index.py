#!/usr/bin/env python3
"""Measures what an index costs, against reading and parsing the same files and nothing else.

  cold_index.py CHECKOUT… [--bin target/release/contextd] [--bench target/release/contextd-bench] [--runs 3] [--edits 5]

CHECKOUT: folders to write to; their index is removed before every cold run, and one file is edited and put back.
Floor and cold runs take turns, so that other load falls on both; each figure is the median of its runs:
  cold     CPU seconds (user and system) of `contextd index` without an index, over those of the floor right before and
           after it, because a machine is not as fast in one minute as in the next; and wall time
  refresh  CPU seconds of `contextd refresh` when nothing changed, over those of the floor
  edit     milliseconds from the change of a file to the new snapshot of a running server, less the debounce: for a line
           more at the end of a file, for one in its first half, by which the lines of its references move, for a new
           function, for one whose name other files use, and for a function that is renamed in its file alone
  question milliseconds of a search in a new process right after an edit, while that server runs; and what the server held
  memory   the most the cold run held; size: bytes of the index folder after it over the bytes of the indexed files"""
import argparse, os, re, shutil, socket, statistics, subprocess, sys, tempfile, time


def cpu(command, folder):
    """Runs a command; returns its CPU seconds, wall seconds, the most memory in MB, and what it printed."""
    with tempfile.TemporaryFile() as out:
        start = time.perf_counter()
        process = subprocess.Popen(command, cwd=folder, stdout=out, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        printed = out.read().decode(errors="replace")
    if process.returncode not in (0, 1):
        sys.exit(f"{' '.join(command)} ended with {process.returncode} in {folder}")
    return usage.ru_utime + usage.ru_stime, wall, usage.ru_maxrss / 1024, printed


def forget(checkout):
    shutil.rmtree(os.path.join(checkout, ".contextd/index"), ignore_errors=True)
    shutil.rmtree(os.path.join(checkout, ".git/contextd"), ignore_errors=True)


def folder_bytes(folder):
    return sum(os.lstat(os.path.join(at, name)).st_size for at, _, names in os.walk(folder) for name in names)


def published(checkout):
    try:
        with open(os.path.join(checkout, ".contextd/index/CURRENT")) as current:
            return current.read()
    except OSError:
        return ""


# What is put at the end of a file so that it defines something more.
DEFINITIONS = {
    ".py": "\n\ndef NAME(one):\n    return len(one)\n",
    ".go": "\nfunc NAME(one string) int {\n\treturn len(one)\n}\n",
    ".rs": "\npub fn NAME(one: &str) -> usize {\n    one.len()\n}\n",
    ".ts": "\nexport function NAME(one: string) {\n  return one.length;\n}\n",
    ".js": "\nfunction NAME(one) {\n  return one.length;\n}\n",
    ".java": "\nclass NAME {\n    int NAME(String one) { return one.length(); }\n}\n",
}


def versions(path, text):
    """Returns new versions of a file by what they change: a line more at the end, a line more in the middle, a function more,
    one more whose name other files use, and the first function under another name, which others still call by the old one."""
    middle = text.find(b"\n", len(text) // 3) + 1
    definition = DEFINITIONS.get(os.path.splitext(path)[1], "\n")
    defining = lambda name: text + definition.replace("NAME", name).encode()
    named = re.search(rb"(?m)^\s*(?:pub |export |async )*(?:func|def|fn|function) (\w{3,})", text)
    renamed = text.replace(named[1], named[1] + b"Measured") if named else defining("measuredToo")
    return {"ends": text + b"\n", "moves": text[:middle] + b"\n" + text[middle:], "defines": defining("measuredHere"), "shares": defining("close"), "renames": renamed}


def edits(binary, checkout, paths, count, debounce):
    """Edits files of middling size while a server watches; returns milliseconds until each is published, by what it changes, until a search
    right after an edit has answered, and the most memory in MB that the server held."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"
    server = subprocess.Popen([binary, "serve", "--http", address], cwd=checkout, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    times, answers = {}, []
    try:
        # Time to start watching, and for the tables that linking keeps.
        time.sleep(8 if len(paths) > 10_000 else 3)
        code = [path for path in paths if path.endswith(tuple(DEFINITIONS))] or paths
        code.sort(key=lambda path: os.path.getsize(os.path.join(checkout, path)))
        for at in range(count):
            path = os.path.join(checkout, code[len(code) * (at + 3) // (count + 6)])
            text = open(path, "rb").read()
            for kind, version in versions(path, text).items():
                for content in (version, text):
                    before, start = published(checkout), time.perf_counter()
                    with open(path, "wb") as out:
                        out.write(content)
                    while published(checkout) == before and time.perf_counter() - start < 30:
                        time.sleep(0.0005)
                    times.setdefault(kind, []).append((time.perf_counter() - start) * 1e3 - debounce)
                    time.sleep(4 if len(paths) > 10_000 else 1)
            for content in (text + b"\n", text):
                with open(path, "wb") as out:
                    out.write(content)
                start = time.perf_counter()
                subprocess.run([binary, "search", "configuration"], cwd=checkout, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                answers.append((time.perf_counter() - start) * 1e3)
                time.sleep(2)
    finally:
        server.terminate()
        _, status, usage = os.wait4(server.pid, 0)
        server.returncode = os.waitstatus_to_exitcode(status)
    return times, answers, usage.ru_maxrss / 1024


def measure(options, checkout):
    forget(checkout)
    listed = cpu([options.bin, "list-indexable"], checkout)[3]
    paths = listed.splitlines()
    source = sum(os.path.getsize(os.path.join(checkout, path)) for path in paths)
    floors, colds, ratios, walls, peaks = [], [], [], [], []
    with tempfile.NamedTemporaryFile("w") as list_file:
        list_file.write(listed)
        list_file.flush()
        floor_now = lambda: cpu([options.bench, "floor", list_file.name, checkout], None)[0]
        floors.append(floor_now())
        for _ in range(options.runs):
            forget(checkout)
            used, wall, peak, _ = cpu([options.bin, "index"], checkout)
            floors.append(floor_now())
            ratios.append(used / statistics.mean(floors[-2:]))
            colds.append(used)
            walls.append(wall)
            peaks.append(peak)
        size = folder_bytes(os.path.join(checkout, ".contextd/index"))
        cpu([options.bin, "refresh"], checkout)
        refreshes = [cpu([options.bin, "refresh"], checkout)[0] for _ in range(options.runs)]
    floor, cold = statistics.median(floors), statistics.median(colds)
    name = os.path.basename(os.path.normpath(checkout))
    print(f"{name}: {len(paths)} files, {source / 1e6:.1f} MB, floor {floor:.2f} CPU s")
    print(f"  cold     {cold:.2f} CPU s, {statistics.median(ratios):.2f} x the floor ({min(ratios):.2f} to {max(ratios):.2f}); wall {statistics.median(walls):.2f} s, {cold / statistics.median(walls):.2f} cores busy")
    print(f"  refresh  {statistics.median(refreshes):.3f} CPU s, {statistics.median(refreshes) / floor:.3f} x the floor")
    print(f"  memory   {max(peaks):.0f} MB at most; size {size / source:.2f} of the source")
    if options.edits:
        times, answers, held = edits(options.bin, checkout, paths, options.edits, options.debounce)
        ends, moves, defines, shares, renames = (statistics.median(times[kind]) for kind in ("ends", "moves", "defines", "shares", "renames"))
        worst = max(one for kind in times for one in times[kind])
        print(f"  edit     {ends:.0f} ms until published, {moves:.0f} ms when lines move, {defines:.0f} ms with a new function")
        print(f"           {shares:.0f} ms with one whose name other files use, {renames:.0f} ms with one renamed, {worst:.0f} ms at worst, of {len(times['ends'])} each")
        print(f"  question {statistics.median(answers):.0f} ms for a search right after an edit, of {len(answers)}; the server held {held:.0f} MB at most")


def main():
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("checkouts", nargs="+")
    words.add_argument("--bin", default="target/release/contextd")
    words.add_argument("--bench", default="target/release/contextd-bench")
    words.add_argument("--runs", type=int, default=3)
    words.add_argument("--edits", type=int, default=5)
    words.add_argument("--debounce", type=float, default=500, help="milliseconds, as configured")
    options = words.parse_args()
    options.bin, options.bench = os.path.abspath(options.bin), os.path.abspath(options.bench)
    for checkout in options.checkouts:
        measure(options, os.path.abspath(checkout))


if __name__ == "__main__":
    main()
