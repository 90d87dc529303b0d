#!/usr/bin/env python3
"""Changed symbols of `contextd pr` against Python's own parser, and the size of the packs.

  bench/pr_symbols.py --repo django --bin target/release/contextd [--count 10] [--misses]

Takes the newest commits of a Python repository that change functions or classes of 2 to 30 Python files (merges aside),
asks for each with `pr COMMIT^!` under the default budget, and compares the functions, methods and classes that the
summary names, with what happened to them, to what `ast` says about both sides of the diff.
"""
import argparse, ast, collections, json, re, subprocess, sys


def git(repo, *arguments):
    return subprocess.run(["git", "-C", repo, *arguments], capture_output=True, text=True, errors="replace").stdout


def folded(text):
    return " ".join(text.split())


def plain(lines):
    lines = [line.rstrip() for line in lines if line.strip()]
    least = min((len(line) - len(line.lstrip()) for line in lines), default=0)
    return "\n".join(line[least:] for line in lines)


def units(text):
    """Returns name → list of (kind, declaration, body) for what is not inside a function."""
    found = collections.defaultdict(list)
    lines = text.split("\n")

    def visit(node, scope):
        for child in ast.iter_child_nodes(node):
            if isinstance(child, (ast.If, ast.Try, ast.With, ast.For, ast.While)):
                visit(child, scope)
            if not isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                continue
            name = ".".join(scope + [child.name])
            start = min([child.lineno] + [d.lineno for d in child.decorator_list])
            first = child.body[0]
            head = lines[start - 1 : first.lineno - 1] + [lines[first.lineno - 1][: first.col_offset]]
            # Comments between the header and the first statement belong to the body.
            while len(head) > 1 and (not head[-1].strip() or head[-1].strip().startswith("#")):
                head.pop()
            if isinstance(child, ast.ClassDef):
                own = [ast.unparse(s) for s in child.body if not isinstance(s, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))]
                found[name].append(("class", folded("\n".join(head)), "\n".join(own)))
                visit(child, scope + [child.name])
            else:
                found[name].append(("function", folded("\n".join(head)), plain(lines[start - 1 + len(head) : child.end_lineno]) or lines[child.end_lineno - 1]))

    visit(ast.parse(text), [])
    return found


def expected(repo, commit):
    """Returns the changed symbols of a commit: (path, name) → what happened; `None` when it is not parsed."""
    changes = {}
    status = git(repo, "diff", "--name-status", "-M", "--diff-filter=ADMR", f"{commit}^", commit)
    for line in status.splitlines():
        kind, *paths = line.split("\t")
        if not paths[-1].endswith(".py") or not paths[0].endswith(".py"):
            continue
        try:
            old = units(git(repo, "show", f"{commit}^:{paths[0]}")) if kind[0] != "A" else {}
            new = units(git(repo, "show", f"{commit}:{paths[-1]}")) if kind[0] != "D" else {}
        except SyntaxError:
            return None
        for name in sorted(set(old) | set(new)):
            before, after = sorted(old.get(name, [])), sorted(new.get(name, []))
            if before == after:
                continue
            if not before or not after or len(before) != len(after):
                change = "added" if len(after) > len(before) else "removed"
            else:
                change = "signature" if sorted(b[1] for b in before) != sorted(a[1] for a in after) else "body"
            changes[(paths[-1], name)] = change
    return changes


def asked(args, commit):
    done = subprocess.run([args.bin, "--repo", args.repo, "--json", "-q", "pr", f"{commit}^!"], capture_output=True, text=True)
    pack = json.loads(done.stdout)
    summary = next(item for section in pack["sections"] for item in section["items"] if item["kind"] == "summary")["excerpt"]["text"]
    changes, path = {}, ""
    for line in summary.splitlines()[1:]:
        found = re.match(r"  (added|removed|signature|body|doc) (\w+) (\S+)$", line)
        if found:
            change, kind, name = found.groups()
            if kind in ("function", "method", "constructor", "class"):
                changes.setdefault((path, name), change)
            elif "." in name and change != "doc":
                # A changed member of a class body is a changed body.
                changes.setdefault((path, name.rsplit(".", 1)[0]), "body")
        else:
            header = re.match(r"(?:added |deleted )?(\S+)(?: \(was \S+\))? (?:\+\d+ -\d+|binary)", line)
            path = header[1] if header else path
    return changes, pack


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repo", required=True)
    parser.add_argument("--bin", default="target/release/contextd")
    parser.add_argument("--count", type=int, default=10)
    parser.add_argument("--misses", action="store_true")
    args = parser.parse_args()
    done, right, all_right, named = 0, 0, 0, 0
    for commit in git(args.repo, "log", "--no-merges", "--format=%H", "-400").split():
        if done == args.count:
            break
        files = [path for path in git(args.repo, "diff", "--name-only", f"{commit}^", commit).splitlines() if path.endswith(".py")]
        truth = expected(args.repo, commit) if 2 <= len(files) <= 30 else None
        if not truth or all(change == "doc" for change in truth.values()):
            continue
        done += 1
        found, pack = asked(args, commit)
        same = {key for key in truth if found.get(key) == truth[key]}
        named += len(found)
        right += len(same)
        all_right += len(truth)
        fits = pack["stats"]["tokens"] <= pack["budgets"]["maxTotalTokens"]
        print(f"{commit[:10]} {len(truth):3} symbols, {len(same):3} named exactly, {len(set(found) - set(truth)):2} more; {pack['stats']['tokens']} tokens{'' if fits else ' TOO MANY'}")
        if args.misses:
            for key in sorted(set(truth) | set(found)):
                if truth.get(key) != found.get(key):
                    print("   ", *key, "expected", truth.get(key), "found", found.get(key))
    print(f"{done} commits: {right} of {all_right} changed symbols named exactly ({right / max(all_right, 1):.3f}), {right} of {named} named are right ({right / max(named, 1):.3f})")
    return 0 if right == all_right == named else 1


if __name__ == "__main__":
    sys.exit(main())
