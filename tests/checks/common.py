# SPDX-License-Identifier: MIT
"""What the checks share: where things are, which compilers exist, and how to say what is wrong."""

import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
INCLUDE = ROOT / "include"
TESTS = ROOT / "tests"
SKIPPED = 77  # meson's exit code for a test that could not run

STANDARD = ["-std=c++20", f"-I{INCLUDE}"]
WARNINGS = "-Werror -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wold-style-cast".split()

COMMENT = r"//[^\n]*|/\*.*?\*/"
STRING = r'"(?:[^"\\\n]|\\.)*"'


def compilers():
    return [name for name in ("g++", "clang++", "clang++-19") if shutil.which(name)]


def compile_only(compiler, arguments, source=None):
    """Checks a file, or the text `source`, without output; gives the exit code and the diagnostics."""
    command = [compiler, *STANDARD, "-fsyntax-only", "-fdiagnostics-color=never", *map(str, arguments)]
    if source is not None:
        command += ["-x", "c++", "-"]
    done = subprocess.run(command, input=source, capture_output=True, text=True)
    return done.returncode, done.stderr


def in_parallel(function, items):
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(function, items))


def without_comments(text):
    """The text with each comment replaced by a space; string literals are kept."""
    return re.sub(f"{STRING}|{COMMENT}", lambda m: m[0] if m[0][0] == '"' else " ", text, flags=re.S)


def report(problems, checked):
    """Ends the script: prints the problems, or what was checked."""
    for problem in problems:
        print(problem)
    print(f"{len(problems)} problems in {checked}" if problems else f"ok: {checked}")
    sys.exit(1 if problems else 0)
