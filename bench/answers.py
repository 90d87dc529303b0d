"""What the comparisons of contextd with other programs share."""
import os
import subprocess


def lines_of(options, path, command):
    """Returns the lines of a file, or of contextd's own answer where no file was given."""
    if path:
        with open(path, encoding="utf-8") as stream:
            text = stream.read()
    else:
        words = [options.bin, *command, "--repo", options.repo]
        text = subprocess.run(words, check=True, stdout=subprocess.PIPE, encoding="utf-8").stdout
    return [line for line in text.split("\n") if line.strip()]


def share(part, whole):
    """Returns part / whole; 1 where there is nothing to find."""
    return part / whole if whole else 1.0


def run(main):
    """Runs a program whose reader may go away."""
    try:
        main()
    except BrokenPipeError:
        os._exit(0)
