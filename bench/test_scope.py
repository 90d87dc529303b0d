#!/usr/bin/env python3
"""Test scope against truth: break functions one at a time, run the whole suite, compare what fails with what
`contextd tests --since HEAD` predicted.

  bench/test_scope.py break   --repo CLONE --lang python --out truth.json [--count 30] [--python VENV/bin/python]
  bench/test_scope.py break   --repo CLONE --lang rust   --out truth.json
  bench/test_scope.py predict --repo CLONE --truth truth.json --bin target/release/contextd [--misses 10]

`break` is slow (one run of the suite for each function) and needs no contextd; `predict` is quick. CLONE is a clean
clone that may be written to: each mutation replaces the body of a function by a raise or a panic and is undone again.
Tests that fail before any mutation are left out. Functions that no test notices are passed over and counted.
"""
import argparse, ast, json, os, random, re, statistics, subprocess, sys


def run(command, folder, limit, env=None):
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=limit, errors="replace", env=env)
        return done.returncode, done.stdout + done.stderr
    except subprocess.TimeoutExpired as error:
        return 124, ((error.stdout or b"").decode(errors="replace") if isinstance(error.stdout, bytes) else error.stdout or "")


def tracked(repo, ending):
    listed = subprocess.run(["git", "ls-files", "*" + ending], cwd=repo, capture_output=True, text=True, check=True).stdout
    return [path for path in listed.splitlines() if path]


def is_test_path(path):
    return re.search(r"(^|/)(tests?|benches|examples|docs|fuzz)/", path) is not None or os.path.basename(path).startswith(("test_", "conftest"))


class Python:
    ending = ".py"

    def __init__(self, args):
        self.python = args.python or sys.executable

    def functions(self, path, text):
        """Yields (qualified name, first line, start and end offsets of the body, replacement)."""
        lines = text.splitlines(keepends=True)
        starts = [0]
        for line in lines:
            starts.append(starts[-1] + len(line))

        def visit(node, scope):
            for child in ast.iter_child_nodes(node):
                if isinstance(child, ast.ClassDef):
                    yield from visit(child, scope + [child.name])
                elif isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef)):
                    first, last = child.body[0], child.body[-1]
                    one_line = first.lineno == child.lineno
                    overload = any("overload" in ast.unparse(d) or "abstract" in ast.unparse(d) for d in child.decorator_list)
                    if one_line or overload or len(child.body) == 1 and isinstance(first, (ast.Pass, ast.Expr)) or last.end_lineno - first.lineno < 1:
                        continue
                    indent = " " * first.col_offset
                    yield ".".join(scope + [child.name]), child.lineno, starts[first.lineno - 1], starts[last.end_lineno], f'{indent}raise RuntimeError("broken on purpose")\n'

        yield from visit(ast.parse(text), [])

    def suite(self, repo, limit):
        """Runs everything; returns test → passed."""
        env = dict(os.environ, PYTHONDONTWRITEBYTECODE="1", PYTHONPATH=os.path.join(repo, "src"))
        code, output = run([self.python, "-m", "pytest", "-q", "-rA", "--tb=no", "-p", "no:cacheprovider", "--continue-on-collection-errors"], repo, limit, env)
        found = {}
        for line in output.splitlines():
            match = re.match(r"(PASSED|FAILED|ERROR) (\S+?::[^\s\[]+)", line)
            if match:
                name = match[2]
                found[name] = found.get(name, True) and match[1] == "PASSED"
        return found


class Rust:
    ending = ".rs"

    def __init__(self, args):
        self.flags = args.cargo_flags.split()

    def functions(self, path, text):
        blank = re.sub(r'//[^\n]*|/\*.*?\*/|r#*".*?"#*|"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])\'', lambda m: re.sub(r"[^\n]", " ", m[0]), text, flags=re.S)
        tests = [match.start() for match in re.finditer(r"#\[cfg\(test\)\]", blank)]
        for match in re.finditer(r"(?m)^([ \t]*)((?:pub(?:\([^)]*\))? )?(?:async )?(?:unsafe )?)fn (\w+)", blank):
            opening = re.compile(r"[{;]").search(blank, match.end())
            head = blank[match.start():opening.start()] if opening else ""
            if not opening or opening[0] == ";" or "-> impl" in head or any(start < match.start() for start in tests):
                continue
            depth, at = 0, opening.start()
            while at < len(blank):
                depth += {"{": 1, "}": -1}.get(blank[at], 0)
                at += 1
                if depth == 0:
                    break
            if blank.count("\n", opening.start(), at) >= 2 and "macro_rules" not in blank[:match.start()].rsplit("\n}\n", 1)[-1]:
                yield match[3], text.count("\n", 0, match.start(3)) + 1, opening.start() + 1, at - 1, ' panic!("broken on purpose") '

    def suite(self, repo, limit):
        env = dict(os.environ, CARGO_TERM_COLOR="never", RUSTFLAGS="--cap-lints allow")
        code, output = run(["cargo", "test", "--no-fail-fast", *self.flags], repo, limit, env)
        if re.search(r"^error(\[|:) ?.*", output, re.M) and "could not compile" in output:
            return None
        found = {}
        for line in output.splitlines():
            match = re.match(r"test (\S+)(?: - should panic)? \.\.\. (ok|FAILED)", line)
            if match:
                found[match[1]] = found.get(match[1], True) and match[2] == "ok"
        return found


LANGUAGES = {"python": Python, "rust": Rust}


def break_functions(args):
    language = LANGUAGES[args.lang](args)
    repo = os.path.abspath(args.repo)
    candidates = []
    for path in tracked(repo, language.ending):
        if is_test_path(path) or (args.only and not path.startswith(args.only)) or os.path.basename(path) in ("build.rs", "setup.py"):
            continue
        text = open(os.path.join(repo, path), encoding="utf-8").read()
        candidates += [(path, *found) for found in language.functions(path, text)]
    random.Random(args.seed).shuffle(candidates)
    before = language.suite(repo, args.limit)
    passing = sorted(name for name, passed in (before or {}).items() if passed)
    print(f"{len(candidates)} functions, {len(passing)} passing tests", flush=True)
    truth = {"lang": args.lang, "tests": passing, "functions": [], "unnoticed": 0, "unbuilt": 0}
    for path, name, line, start, end, replacement in candidates:
        if len(truth["functions"]) >= args.count:
            break
        full = os.path.join(repo, path)
        text = open(full, encoding="utf-8").read()
        try:
            open(full, "w", encoding="utf-8").write(text[:start] + replacement + text[end:])
            after = language.suite(repo, args.limit)
        finally:
            open(full, "w", encoding="utf-8").write(text)
        if after is None:
            truth["unbuilt"] += 1
            continue
        failing = [test for test in passing if not after.get(test, False)]
        if not failing:
            truth["unnoticed"] += 1
            continue
        truth["functions"].append({"file": path, "name": name, "line": line, "start": start, "end": end, "replacement": replacement, "failing": failing})
        print(f"{len(truth['functions'])} {path}:{line} {name}: {len(failing)} fail", flush=True)
        json.dump(truth, open(args.out, "w"))
    json.dump(truth, open(args.out, "w"))


def predict(args):
    truth = json.load(open(args.truth))
    repo = os.path.abspath(args.repo)
    every, rows = truth["tests"], []
    for function in truth["functions"][: args.count]:
        full = os.path.join(repo, function["file"])
        text = open(full, encoding="utf-8").read()
        try:
            open(full, "w", encoding="utf-8").write(text[: function["start"]] + function["replacement"] + text[function["end"]:])
            done = subprocess.run([args.bin, "--repo", repo, "--json", "-q", "tests", "--since", "HEAD"], capture_output=True, text=True)
        finally:
            open(full, "w", encoding="utf-8").write(text)
        answer = json.loads(done.stdout or "{}")
        # pytest prints ids, cargo names inside a target.
        predicted = {test["id" if truth["lang"] == "python" else "name"] for test in answer.get("tests", [])}
        failing = set(function["failing"])
        hit = {test for test in every if test in predicted}
        rows.append((len(failing & hit) / len(failing), len(hit) / len(every), len(failing), function, failing - hit))
    micro = sum(row[0] * row[2] for row in rows) / sum(row[2] for row in rows)
    for recall, share, count, function, missed in rows:
        print(f"{recall:5.2f} recall {share:5.2f} share {count:4} fail  {function['file']}:{function['line']} {function['name']}")
        for test in sorted(missed)[: args.misses]:
            print("        missed", test)
    mean = statistics.mean(row[0] for row in rows)
    print(f"{len(rows)} functions, {len(every)} tests: recall {mean:.3f} (mean over functions), {micro:.3f} (over failing tests), "
          f"median share {statistics.median(row[1] for row in rows):.3f}; {truth['unnoticed']} functions noticed by no test, {truth['unbuilt']} not built")
    return 0 if mean >= 0.85 and statistics.median(row[1] for row in rows) <= 0.4 else 1


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["break", "predict"])
    parser.add_argument("--repo", required=True)
    parser.add_argument("--lang", choices=sorted(LANGUAGES), default="python")
    parser.add_argument("--out", default="truth.json")
    parser.add_argument("--truth", default="truth.json")
    parser.add_argument("--bin", default="target/release/contextd")
    parser.add_argument("--python")
    parser.add_argument("--cargo-flags", default="--lib --tests")
    parser.add_argument("--only", default="", help="only functions of files below this folder")
    parser.add_argument("--count", type=int, default=30)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--limit", type=int, default=600, help="seconds for one run of the suite")
    parser.add_argument("--misses", type=int, default=0)
    args = parser.parse_args()
    return break_functions(args) if args.what == "break" else predict(args)


if __name__ == "__main__":
    sys.exit(main())
