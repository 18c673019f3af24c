#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""instructions.py NAME PROGRAM BY_HAND: instructions executed by each program, counted by valgrind, and their ratio.

valgrind hides AVX-512, so the counts are of the AVX2 path. They do not depend on the machine's load.
"""

import pathlib
import re
import shutil
import subprocess
import sys

SKIPPED = 77


def instructions(program):
    done = subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", program],
                          capture_output=True, text=True, check=True)
    return int(re.search(r"Collected : (\d+)", done.stderr)[1])


def main(name, programs):
    if not shutil.which("valgrind"):
        print("skipped: valgrind not found")
        sys.exit(SKIPPED)
    counts = [instructions(program) for program in programs]
    for program, count in zip(programs, counts):
        print("instructions", pathlib.Path(program).name, name, 1, "count", count, sep="\t")
    print("instructions", "mezzo/hand", name, 1, "ratio", f"{counts[0] / counts[1]:.4f}", sep="\t")


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2:])
