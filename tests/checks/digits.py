#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""digits.py PROGRAM [--all]: the digits example as a user meets it.

Short: one seed, fewer epochs, its options, its files and what it says to wrong ones. --all: five seeds at full length,
the table printed, the accuracies of low precision held against float32's.
"""

import pathlib
import struct
import subprocess
import sys
import tempfile
import xml.dom.minidom

POLICIES = ["O0", "O1-bfloat16", "O2-bfloat16", "O2-float16", "O3-float16"]
STRESS = ["--policy", "O2-float16", "--scale", str(2**24), "--interval", "50"]


def run(program, *options):
    return subprocess.run([program, *map(str, options)], capture_output=True, text=True)


def table(program, *options):
    done = run(program, "--tsv", *options)
    assert done.returncode == 0, done.stderr
    head, *lines = [line.split("\t") for line in done.stdout.splitlines()]
    return {line[0]: dict(zip(head[1:], map(float, line[1:]))) for line in lines}


def idx(path, magic, sizes, content):
    path.write_bytes(struct.pack(f">I{len(sizes)}I", magic, *sizes) + content)


def check_table(rows, margin):
    assert list(rows) == POLICIES, rows
    full = rows["O0"]
    for name in POLICIES[1:4]:
        low = rows[name]
        assert low["accuracy"] >= full["accuracy"] - margin, (name, low, full)
        assert low["activation_bytes"] <= 0.55 * full["activation_bytes"], (name, low, full)
    assert rows["O2-bfloat16"]["weight_bytes"] * 2 == full["weight_bytes"]
    # Masters and two moments against two moments.
    assert rows["O2-bfloat16"]["optimizer_bytes"] * 2 == full["optimizer_bytes"] * 3
    assert full["skipped"] == 0 and full["scale"] == 1


def check_stress(row, full, margin):
    assert row["skipped"] >= 5 and row["growths"] >= 2, row
    assert row["accuracy"] >= full["accuracy"] - margin, row


def short(program):
    # With one seed, one test image is 0.28 points.
    rows = table(program, "--epochs", 12)
    check_table(rows, 1.0)
    check_stress(table(program, "--epochs", 12, *STRESS)["O2-float16"], rows["O0"], 1.0)

    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        done = run(program, "--epochs", 2, "--policy", "O0", "--csv", folder / "l.csv", "--svg", folder / "l.svg")
        assert done.returncode == 0 and "accuracy" in done.stdout and "epoch" in done.stderr, done
        curve = (folder / "l.csv").read_text().splitlines()
        assert curve[0] == "step,O0" and len(curve) == 1 + 2 * 46, curve[:2]
        picture = xml.dom.minidom.parse(str(folder / "l.svg")).documentElement
        assert picture.tagName == "svg" and picture.getElementsByTagName("polyline"), "no curve"
        again = run(program, "--epochs", 2, "--policy", "O0", "--csv", folder / "m.csv")
        assert again.returncode == 0 and (folder / "m.csv").read_bytes() == (folder / "l.csv").read_bytes(), "other bits"

        pixels = bytes(i * 7 % 256 for i in range(40 * 784))
        idx(folder / "train-images-idx3-ubyte", 0x803, (40, 28, 28), pixels)
        idx(folder / "train-labels-idx1-ubyte", 0x801, (40,), bytes(i % 10 for i in range(40)))
        idx(folder / "t10k-images-idx3-ubyte", 0x803, (10, 28, 28), pixels[:7840])
        idx(folder / "t10k-labels-idx1-ubyte", 0x801, (10,), bytes(range(10)))
        fits = run(program, "--data", folder, "--policy", "O2-bfloat16", "--epochs", 1)
        assert fits.returncode == 0, fits.stderr

        def refused(said, *options):
            done = run(program, *options)
            assert done.returncode != 0 and said in done.stderr and done.stdout == "", (said, done)

        good = (folder / "t10k-labels-idx1-ubyte").read_bytes()
        for content, said in ((good[:-1], "truncated"), (good[:2] + b"\x0d" + good[3:], ""), (b"", ""),
                              (good[:-1] + b"\x0a", "labels must be from 0 to 9")):
            (folder / "t10k-labels-idx1-ubyte").write_bytes(content)
            refused(said if said != "truncated" else "t10k-labels-idx1-ubyte", "--data", folder)
        (folder / "t10k-labels-idx1-ubyte").unlink()
        refused("t10k-labels-idx1-ubyte", "--data", folder)
        refused("unknown option", "--nonsense")
        refused("unknown policy", "--policy", "O9", "--epochs", 1)
        refused("whole number", "--epochs", "many")


def complete(program):
    rows = table(program, "--seeds", 5)
    stress = table(program, "--seeds", 5, *STRESS)["O2-float16"]
    for name, row in [*rows.items(), ("O2-float16-stress", stress)]:
        for metric, value in row.items():
            print("digits", name, "1797x8x8 5 seeds", 1, metric, f"{value:g}", sep="\t")
    assert rows["O0"]["accuracy"] >= 97, rows["O0"]
    check_table(rows, 0.5)
    check_stress(stress, rows["O0"], 0.5)


if __name__ == "__main__":
    complete(sys.argv[1]) if "--all" in sys.argv else short(sys.argv[1])
