#!/usr/bin/env python3
"""Checks that `contextd prime` names what bench/prime_expected.tsv says it must, in under 2,000 tokens.

    bench/check_prime.py --bin target/release/contextd --repos FOLDER

FOLDER holds a checkout of every repository in the table, under its name.
"""
import argparse
import json
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).parent


def rows():
    for line in (HERE / "prime_expected.tsv").read_text().splitlines():
        if line and not line.startswith("#"):
            name, entry, test, parts, place = line.split("\t")
            yield name, entry.split("|"), test.split("|"), parts.split(";"), place


def section(brief, *names):
    return "\n".join(line for part in brief["sections"] if part["name"] in names for line in part["lines"])


def has(text, word):
    return re.search(r"(?<![A-Za-z])" + re.escape(word) + r"(?![A-Za-z])", text) is not None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True)
    parser.add_argument("--repos", required=True, type=pathlib.Path)
    options = parser.parse_args()
    failed = False
    for name, entry, test, parts, _ in rows():
        command = [options.bin, "--repo", str(options.repos / name), "--quiet", "--json", "prime"]
        brief = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        missing = []
        if not any(has(section(brief, "Entry points"), word) for word in entry):
            missing.append("entry point " + "|".join(entry))
        commands = [line for line in section(brief, "Commands").splitlines() if line.startswith("test:")]
        if not any(word in line for word in test for line in commands):
            missing.append("test command " + "|".join(test))
        missing += ["part " + part for part in parts if not any(has(section(brief, "Main parts"), word) for word in part.split("|"))]
        if brief["tokens"] >= 2000:
            missing.append("room: it has %d tokens" % brief["tokens"])
        failed |= bool(missing)
        print(f"{name:10} {brief['tokens']:5} tokens  " + ("names all five" if not missing else "lacks " + ", ".join(missing)))
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
