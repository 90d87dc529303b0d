#!/usr/bin/env python3
"""Draws edges at random for reading by hand: each with the line it stands on and the line it leads to.

    sample_edges.py --repo FOLDER --language go [--bin contextd] [--count 60] [--seed 1] [--min 0.9]

The same index, seed and count draw the same edges. Nesting is left out. Judge each line "does the
source line mean this target?" and divide the right ones by all.
"""

import argparse
import json
import random
import subprocess
from pathlib import Path

STRUCTURAL = {"contains", "member_of", "exports", "owned_by"}


def export(binary, repo, what):
    output = subprocess.run([binary, "export", what, "--repo", repo], check=True, capture_output=True, text=True)
    return [json.loads(line) for line in output.stdout.splitlines()]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repo", required=True)
    parser.add_argument("--language", required=True)
    parser.add_argument("--bin", default="contextd")
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--min", type=float, default=0.9, help="lowest confidence that is drawn")
    args = parser.parse_args()
    symbols = {row["symbolId"]: row for row in export(args.bin, args.repo, "symbols")}
    edges = [
        edge
        for edge in export(args.bin, args.repo, "edges")
        if edge["kind"] not in STRUCTURAL
        and edge["confidence"] >= args.min
        and edge["to"] in symbols
        and symbols[edge["from"]]["language"] == args.language
    ]
    random.Random(args.seed).shuffle(edges)
    texts = {}

    def line(path, number):
        if path not in texts:
            texts[path] = (Path(args.repo) / path).read_text(errors="replace").splitlines()
        lines = texts[path]
        return lines[number - 1].strip()[:150] if 0 < number <= len(lines) else ""

    for number, edge in enumerate(edges[: args.count], 1):
        source, target = symbols[edge["from"]], symbols[edge["to"]]
        # Results flow from the callee to the caller: the line is the caller's.
        place = target if edge["kind"] == "dataflow" and target["kind"] in ("function", "method") else source
        print(f"{number:2} {edge['kind']} {edge['confidence']:.2f} {source['qualifiedName'] or source['file']} -> {target['qualifiedName'] or target['file']} [{target['kind']}]")
        print(f"     {place['file']}:{edge['line']}: {line(place['file'], edge['line'])}")
        print(f"     {target['file']}:{target['startLine']}: {line(target['file'], target['startLine'])}")


if __name__ == "__main__":
    main()
