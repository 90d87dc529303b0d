#!/usr/bin/env python3
"""Writes hashes of the phrases and names of benchmark tasks, so that a test can look for them without holding them.

  phrases.py TASKS.jsonl… --out crates/retrieve/tests/it/phrases.bin

A phrase is four words in a row of a query; a name is an identifier of a ground truth that no other text would have by
chance (at least ten letters with a capital inside). Stored are sorted 32-bit FNV-1a hashes, little-endian."""
import argparse, json, re, struct


def fnv(text):
    value = 0x811C9DC5
    for byte in text.encode():
        value = ((value ^ byte) * 0x01000193) & 0xFFFFFFFF
    return value


def main():
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("tasks", nargs="+")
    a.add_argument("--out", required=True)
    o = a.parse_args()
    found = set()
    for path in o.tasks:
        for line in open(path, encoding="utf-8"):
            task = json.loads(line)
            words = re.findall(r"[a-z]+", (task.get("query") or task["description"]).lower())
            found.update(" ".join(words[at : at + 4]) for at in range(len(words) - 3))
            for name in task.get("ground_truth", []):
                for part in re.split(r"[^A-Za-z]+", name):
                    if len(part) >= 10 and re.search(r"[a-z][A-Z]", part):
                        found.add(part.lower())
    hashes = sorted({fnv(text) for text in found})
    with open(o.out, "wb") as out:
        out.write(struct.pack(f"<{len(hashes)}I", *hashes))
    print(len(hashes), "hashes")


if __name__ == "__main__":
    main()
