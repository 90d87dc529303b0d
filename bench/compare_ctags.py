#!/usr/bin/env python3
"""Compares contextd's symbols with those of universal-ctags and prints recall per language.

  compare_ctags.py --repo DIR --bin contextd
  compare_ctags.py --repo DIR --symbols symbols.jsonl [--files files.txt] [--misses 20] [--exceptions errors.tsv]

Only files that contextd indexes are looked at. A ctags symbol is found when contextd has one of the same file and name
that starts within one line of it, or, where contextd's range starts earlier (at a decorator, an attribute, a `template`
line), one whose range holds that line. One contextd symbol answers for one ctags symbol of a kind.

An exceptions file lists reviewed errors of ctags itself, one a line: language, file, name, line, why, split by tabs.
`*` in file, name or line stands for anything, for errors that ctags makes wherever the same construct appears."""
import argparse
import collections
import fnmatch
import json
import re
import subprocess
import sys

from answers import lines_of, run, share

# What counts as a function, a method, a class or a type, by ctags language. Modules and namespaces are no part of it.
KINDS = {
    "C": "function struct union enum typedef",
    "C#": "class struct interface enum method typedef",
    "C++": "function class struct union enum typedef",
    "Elixir": "function macro protocol type exception guard delegate",
    "Erlang": "function record type",
    "Go": "func struct interface type talias methodSpec",
    "Haskell": "function type",
    "Java": "class interface enum annotation method",
    "JavaScript": "function class method generator getter setter",
    "Julia": "function struct type",
    "Kotlin": "class interface object method typealias",
    "Lua": "function",
    "Perl": "subroutine",
    "PHP": "class interface trait function",
    "PowerShell": "function",
    "Protobuf": "message enum service rpc",
    "Python": "class function member",
    "Ruby": "class method singletonMethod",
    "Rust": "struct enum interface function method typedef",
    "Sh": "function",
    "TypeScript": "function class interface enum alias method generator",
}
# What a line must say to declare something of a kind. ctags takes parameters of Kotlin's lambdas and variables of its
# loops for methods, and in JavaScript every object literal that has a name for a class.
DECLARED_BY = {
    "Kotlin": {"method": r"\bfun\b", "class": r"\bclass\b", "interface": r"\binterface\b", "object": r"\bobject\b"},
    "JavaScript": {"class": r"\bclass\b"},
}
# A file with lines this long, on average, is a program's output: contextd keeps its text and takes no symbols from it.
MINIFIED = 600
# Languages whose functions are written as several clauses, each of which ctags lists: a run of them is one function.
CLAUSES = {"Elixir", "Erlang", "Haskell"}
HEADERS = (".h", ".hh", ".hpp", ".hxx", ".inc", ".ipp")
CTAGS_OPTIONS = [
    "--output-format=json", "--fields=+nKzl", "--extras=-{anonymous}{subparser}", "--sort=no", "--links=yes",
    "--kinds-C=+p", "--kinds-C++=+p", "--map-Python=+.pyi",
    "--map-TypeScript=+.tsx", "--map-TypeScript=+.mts", "--map-TypeScript=+.cts",
    "--map-JavaScript=+.cjs", "--map-JavaScript=+.mjs", "--map-JavaScript=+.jsx",
]

Tag = collections.namedtuple("Tag", "language file name line kind")


def main():
    """Reads both sides, matches them and prints the table."""
    options = parse_arguments()
    symbols, files = contextd_side(options)
    tags = ctags_side(options, files)
    reviewed = read_exceptions(options.exceptions)
    excused = [tag for tag in tags if is_excused(tag, reviewed)]
    tags = sorted(set(tags) - set(excused))
    found, near = match(tags, symbols)
    print_table(tags, found, near, excused, options.kinds)
    if options.misses:
        print_misses([tag for tag in tags if tag not in found], options.misses)
    rows = [tag for tag in tags if tag.kind != "prototype"]
    recall = share(sum(tag in found for tag in rows), len(rows))
    sys.exit(1 if options.min is not None and recall < options.min else 0)


def parse_arguments():
    """Returns the command line's options, checked."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repo", required=True, help="the folder that contextd has indexed")
    parser.add_argument("--bin", help="the contextd binary; it makes what --symbols and --files do not give")
    parser.add_argument("--symbols", help="output of `contextd export symbols`")
    parser.add_argument("--files", help="output of `contextd list-indexable`; without it and --bin: the files of --symbols")
    parser.add_argument("--ctags", default="ctags", help="the universal-ctags binary")
    parser.add_argument("--exceptions", help="reviewed errors of ctags, which do not count")
    parser.add_argument("--languages", help="only these ctags languages, split by commas, e.g. Python,Go")
    parser.add_argument("--kinds", action="store_true", help="a row per language and kind")
    parser.add_argument("--misses", type=int, default=0, metavar="N", help="print the first N missing symbols per language")
    parser.add_argument("--min", type=float, help="exit with 1 when the recall over all languages is below this")
    options = parser.parse_args()
    if not (options.bin or options.symbols):
        parser.error("one of --bin and --symbols is needed")
    return options


def contextd_side(options):
    """Returns contextd's symbols by (file, plain name), and the files it indexes."""
    rows = [json.loads(line) for line in lines_of(options, options.symbols, ["export", "symbols"])]
    symbols = collections.defaultdict(list)
    for row in rows:
        symbols[row["file"], plain(row["name"])].append((row["startLine"], row["endLine"]))
    if options.files or options.bin:
        files = lines_of(options, options.files, ["list-indexable"])
    else:
        files = sorted({row["file"] for row in rows})
    return symbols, files


def ctags_side(options, files):
    """Returns ctags' functions, methods, classes and types in the given files."""
    only = set(options.languages.split(",")) if options.languages else set(KINDS)
    files = [file for file in files if not (file.endswith((".js", ".cjs", ".mjs")) and is_minified(options.repo, file))]
    answer = subprocess.run([options.ctags, "--options=NONE", *CTAGS_OPTIONS, "-L", "-", "-f", "-"], cwd=options.repo,
                            input="\n".join(files), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                            encoding="utf-8", errors="replace", check=True).stdout
    tags = []
    for line in answer.split("\n"):
        row = json.loads(line) if line.startswith("{") else {}
        if row.get("language") in only and wanted(row):
            tags.append(Tag(row["language"], row["path"], row["name"], row["line"], row["kind"]))
    return first_clauses(tags)


def is_minified(repo, file):
    """Tells a program's output from what people write, by the length of its lines."""
    with open(f"{repo}/{file}", "rb") as source:
        text = source.read()
    return len(text) > max(20_000, MINIFIED * (text.count(b"\n") + 1))


def wanted(row):
    """Tells whether a tag has a name and a kind that counts; prototypes do in headers only, in a row of their own."""
    if not row.get("name") or row["name"].startswith(("<", "__anon", "anonymous", "Anonymous")):
        return False
    if row["kind"] == "prototype":
        return row["path"].endswith(HEADERS)
    if row["language"] == "TypeScript" and row["kind"] == "alias" and not declares_type(row):
        return False
    if row["language"] in DECLARED_BY and not re.search(DECLARED_BY[row["language"]].get(row["kind"], ""), row.get("pattern", "")):
        return False
    return row["kind"] in KINDS[row["language"]].split()


def declares_type(row):
    """Tells a declared type from a type that is only imported, which ctags takes for an alias as well."""
    return re.search(rf"\btype\s+{re.escape(row['name'])}\s*(<|=|\$/?$)", row.get("pattern", "")) is not None


def first_clauses(tags):
    """Returns the tags without the later clauses of a function that the tag before them began."""
    ordered = sorted(tags, key=lambda tag: (tag.file, tag.line))
    return [tag for before, tag in zip([None, *ordered], ordered)
            if tag.language not in CLAUSES or before is None or before._replace(line=tag.line) != tag]


def match(tags, symbols):
    """Returns the tags that contextd has, and those among them that start within a line of each other."""
    near, inside, taken = set(), set(), set()
    for distance in (0, 1):
        for tag in tags:
            if tag not in near and take(tag, symbols, taken, lambda start, _: abs(start - tag.line) == distance):
                near.add(tag)
    for tag in tags:
        if tag not in near and take(tag, symbols, taken, lambda start, end: start <= tag.line <= end):
            inside.add(tag)
    return near | inside, near


def take(tag, symbols, taken, fits):
    """Takes the first fitting symbol that no other tag of this kind has taken; tells whether there was one."""
    for start, end in symbols.get((tag.file, plain(tag.name)), ()):
        place = (tag.file, plain(tag.name), start, end, tag.kind)
        if place not in taken and fits(start, end):
            taken.add(place)
            return True
    return False


def plain(name):
    """Returns a name without spaces, quotes and what stands before its last dot or colons."""
    name = "".join(name.split()).strip("`\"'")
    if name.startswith("operator") or not name.strip(".:"):
        return name
    return name.rstrip(".:").replace("::", ".").replace(":", ".").rsplit(".", 1)[-1]


def read_exceptions(path):
    """Returns the reviewed (language, file, name, line) of an exceptions file, by language, plain ones and patterns."""
    reviewed = collections.defaultdict(lambda: (set(), []))
    if not path:
        return reviewed
    with open(path, encoding="utf-8") as stream:
        for number, line in enumerate(stream, 1):
            if not line.strip() or line.startswith("#"):
                continue
            fields = line.rstrip("\n").split("\t")
            if len(fields) != 5 or not fields[4].strip():
                sys.exit(f"{path}:{number}: five fields split by tabs are needed: language, file, name, line, why")
            exact, patterns = reviewed[fields[0].lower()]
            if any("*" in field for field in fields[1:4]):
                patterns.append(fields[1:4])
            else:
                exact.add(tuple(fields[1:4]))
    return reviewed


def is_excused(tag, reviewed):
    """Tells whether a tag is a reviewed error of ctags."""
    exact, patterns = reviewed[tag.language.lower()]
    place = (tag.file, tag.name, str(tag.line))
    return place in exact or any(all(map(fnmatch.fnmatchcase, place, pattern)) for pattern in patterns)


def print_table(tags, found, near, excused, by_kind):
    """Prints recall per language (and kind), prototypes in headers apart."""
    def row_of(tag):
        if tag.kind == "prototype" or by_kind:
            return f"{tag.language} {tag.kind}"
        return tag.language

    totals = collections.Counter(row_of(tag) for tag in tags)
    right = collections.Counter(row_of(tag) for tag in found)
    close = collections.Counter(row_of(tag) for tag in near)
    left_out = collections.Counter(row_of(tag) for tag in excused)
    print(f"{'language':24} {'ctags':>8} {'found':>8} {'recall':>8} {'±1 line':>8} {'excused':>8}")
    for row in sorted(totals):
        print(f"{row:24} {totals[row]:8} {right[row]:8} {share(right[row], totals[row]):8.4f} "
              f"{share(close[row], totals[row]):8.4f} {left_out[row]:8}")
    main_rows = [tag for tag in tags if tag.kind != "prototype"]
    hits = sum(tag in found for tag in main_rows)
    closer = sum(tag in near for tag in main_rows)
    print(f"{'all but prototypes':24} {len(main_rows):8} {hits:8} {share(hits, len(main_rows)):8.4f} "
          f"{share(closer, len(main_rows)):8.4f} {len(excused):8}")


def print_misses(missing, limit):
    """Prints the first missing symbols per language, in the form of an exceptions file without its reason."""
    per_language = collections.defaultdict(list)
    for tag in missing:
        per_language[tag.language].append(tag)
    for language, some in sorted(per_language.items()):
        print(f"\n# {language}: {len(some)} missing")
        for tag in some[:limit]:
            print(f"{language.lower()}\t{tag.file}\t{tag.name}\t{tag.line}\t{tag.kind}")


if __name__ == "__main__":
    run(main)
