#!/usr/bin/env python3
"""Compares what contextd would index with what git knows, for one checkout or all below some folders.

  compare_files.py --bin contextd CHECKOUT...
  compare_files.py --bin contextd --below FOLDER [--below FOLDER...]

Expected are the regular files of `git ls-files --cached --others --exclude-standard` that exist, less those that are
binary (neither UTF-8 nor UTF-16 with a mark, or with a NUL), over the size limit, or named as private. The index's own
folder is no part of either side. Exit status 1 when a checkout differs."""
import argparse
import os
import stat
import subprocess
import sys

PRIVATE = (".private", ".secret")
UTF16 = (b"\xff\xfe", b"\xfe\xff")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkouts", nargs="*")
    parser.add_argument("--bin", default="contextd")
    parser.add_argument("--below", action="append", default=[], help="folder whose folders are checkouts")
    parser.add_argument("--limit", type=int, default=10 << 20, help="bytes over which a file is left out (default 10 MiB)")
    parser.add_argument("--show", type=int, default=10, help="differences shown for each checkout")
    options = parser.parse_args()
    below = [os.path.join(folder, name) for folder in options.below for name in sorted(os.listdir(folder))]
    checkouts = options.checkouts + [path for path in below if os.path.isdir(os.path.join(path, ".git"))]
    differ = [path for path in checkouts if not compare(path, options)]
    print(f"{len(checkouts) - len(differ)} of {len(checkouts)} checkouts are equal")
    sys.exit(1 if differ else 0)


def compare(checkout, options):
    expected = {path for path in known_to_git(checkout) if belongs(checkout, path, options.limit)}
    listed = set(run([options.bin, "--repo", checkout, "list-indexable"]).decode("utf-8", "surrogateescape").splitlines())
    missing, extra = sorted(expected - listed), sorted(listed - expected)
    print(f"{checkout}: {len(listed)} files, {len(missing)} missing, {len(extra)} more")
    for mark, paths in (("-", missing), ("+", extra)):
        for path in paths[: options.show]:
            print(f"  {mark} {path}")
    return not missing and not extra


def known_to_git(checkout):
    names = run(["git", "-C", checkout, "ls-files", "-z", "--cached", "--others", "--exclude-standard"])
    return {name.decode("utf-8", "surrogateescape") for name in names.split(b"\0") if name}


def belongs(checkout, path, limit):
    if path.startswith(".contextd/") or path.endswith(PRIVATE):
        return False
    place = os.path.join(checkout, path)
    try:
        status = os.lstat(place)
        if not stat.S_ISREG(status.st_mode) or status.st_size > limit:
            return False
        with open(place, "rb") as file:
            return is_text(file.read())
    except OSError:
        return False


def is_text(content):
    try:
        encoding = "utf-16" if content.startswith(UTF16) else "utf-8"
        return "\0" not in content.decode(encoding)
    except UnicodeDecodeError:
        return False


def run(command):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False).stdout


if __name__ == "__main__":
    main()
