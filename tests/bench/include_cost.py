#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What the single header costs a program: milliseconds to read it, seconds to compile an example on it."""

import pathlib
import shutil
import statistics
import subprocess
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
RUNS = 7


def seconds(command, runs):
    def once():
        start = time.perf_counter()
        subprocess.run(command, check=True)
        return time.perf_counter() - start

    once()  # fills the file cache
    return statistics.median(once() for _ in range(runs))


def figure(bench, compiler, shape, metric, value):
    print(bench, f"mezzo-{compiler}", shape, 1, metric, f"{value:.3f}", sep="\t", flush=True)


def main():
    example = ROOT / "examples" / "digits.cpp"
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "include.cpp").write_text("#include <mezzo.hpp>\n")
        (folder / "empty.cpp").write_text("\n")
        (folder / "mezzo").mkdir()
        (folder / "mezzo" / "mezzo.hpp").write_text("#include <mezzo.hpp>\n")  # so that the example is used as it is
        for compiler in filter(shutil.which, ("g++", "clang++", "clang++-19")):
            command = [compiler, "-std=c++20", f"-I{ROOT / 'single_include'}", f"-I{folder}"]
            for source in ("empty", "include"):
                spent = seconds([*command, "-fsyntax-only", folder / f"{source}.cpp"], RUNS)
                figure("include_cost", compiler, source, "ms_med", 1000 * spent)
            if example.is_file():
                spent = seconds([*command, "-O3", "-c", example, "-o", folder / "example.o"], 3)
                figure("compile_cost", compiler, "digits", "s_med", spent)


if __name__ == "__main__":
    main()
