#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""npu_profile.py PROGRAM: the NPU example as a user meets it: its table, its files read by others' readers, and what it
says to wrong options."""

import collections
import csv
import json
import pathlib
import subprocess
import sys
import tempfile
import xml.dom.minidom

RUNS = [("cnn", "ascend910a", "O2-float16"), ("cnn", "ascend910b1", "O0"), ("cnn", "ascend910b1", "O2-bfloat16"),
        ("cnn", "small_chip", "O2-bfloat16"), ("block", "ascend910a", "O0"), ("block", "ascend910a", "O2-float16"),
        ("block", "ascend910b1", "O2-bfloat16")]


def run(program, *options):
    return subprocess.run([program, *map(str, options)], capture_output=True, text=True)


def table(program, *options):
    done = run(program, "--tsv", *options)
    assert done.returncode == 0, done.stderr
    head, *lines = [line.split("\t") for line in done.stdout.splitlines()]
    return {tuple(line[:3]): dict(zip(head[3:], line[3:])) for line in lines}


def check_table(rows):
    assert list(rows) == RUNS, list(rows)
    figure = {name: {key: float(value) for key, value in row.items() if value != "-"} for name, row in rows.items()}
    full, low, small = (figure[name] for name in (RUNS[1], RUNS[2], RUNS[3]))
    assert low["us_per_step"] < full["us_per_step"] < 2 * low["us_per_step"], (low, full)
    assert small["us_per_step"] > low["us_per_step"], (small, low)
    assert 2 * low["weight_bytes"] == full["weight_bytes"] and 2 * low["activation_bytes"] == full["activation_bytes"]
    assert small["accuracy"] == low["accuracy"] and small["loss"] == low["loss"], "a chip's size changes no value"
    for name, row in figure.items():
        assert 0 < row["mac_ratio"] < 1 and row["bytes_saved_per_step"] > 0 and 0 <= row["accuracy"] <= 1, (name, row)
        assert ("fp16_efficiency" in row) == (name != RUNS[1]), name


def check_csv(path):
    head, *lines = list(csv.reader(path.open(encoding="utf-8", newline=""), strict=True))
    runs = collections.defaultdict(list)
    for line in lines:
        assert len(line) == len(head), line
        runs[tuple(line[:3])].append(dict(zip(head, line)))
    assert list(runs) == RUNS, list(runs)
    for name, kernels in runs.items():
        *each, total = kernels
        assert total["Name"] == "total" and all(k["Name"] != "total" for k in each)
        for column in ("Calls", "Task Duration(us)", "total_cycles", "mac_time(us)", "bytes_in", "useful_flops"):
            found = sum(float(k[column]) for k in each)
            assert abs(found - float(total[column])) <= 1e-9 * found, (name, column, found, total[column])


def check_trace(path):
    events = json.loads(path.read_text(encoding="utf-8"))
    names = {e["pid"]: e["args"]["name"] for e in events if e["ph"] == "M" and e["name"] == "process_name"}
    assert list(names.values()) == [" ".join(name) for name in RUNS], names
    tracks = collections.defaultdict(list)
    for e in events:
        if e["ph"] == "X":
            tracks[e["pid"], e["tid"]].append((e["ts"], e["ts"] + e["dur"]))
    assert len(tracks) > 6 * len(RUNS)
    for where, spans in tracks.items():
        for (_, end), (begin, _) in zip(spans, spans[1:]):
            assert begin >= end - 1e-6, (where, end, begin)


def check_svg(path):
    picture = xml.dom.minidom.parse(str(path)).documentElement
    assert picture.tagName == "svg" and len(picture.getElementsByTagName("circle")) > 20


def main(program):
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        check_table(table(program, "--steps", 2, "--csv", folder / "k.csv", "--trace", folder / "t.json", "--svg",
                          folder / "r.svg"))
        check_csv(folder / "k.csv")
        check_trace(folder / "t.json")
        check_svg(folder / "r.svg")

        shown = run(program, "--steps", 1, "--only", "block ascend910b1", "--kernels")
        assert shown.returncode == 0 and "\nmatmul+bias+gelu " in shown.stdout and "\ntotal " in shown.stdout, shown
        assert max(map(len, shown.stdout.splitlines())) <= 160, "a table is too wide"

        def refused(said, *options):
            done = run(program, *options)
            assert done.returncode != 0 and done.stdout == "", done
            assert said in done.stderr and done.stderr.count("\n") == 1, (said, done)

        refused("no option '--nonsense'", "--nonsense")
        refused("--csv needs a value", "--csv")
        for wrong in ("many", "0", "-3", "1000001", "", "7x"):
            refused("whole number from 1 to 1000000", "--steps", wrong)
        for option in ("--csv", "--trace", "--svg"):
            refused("check its folder", option, folder / "none" / "file")
        refused("part of a run's name", "--only", "resnet")
        assert run(program, "--help").returncode == 0
        full = pathlib.Path("/dev/full")
        if full.exists():
            done = run(program, "--steps", 1, "--only", "block ascend910b1", "--csv", full)
            assert done.returncode != 0 and "room on its disk" in done.stderr, done


if __name__ == "__main__":
    main(sys.argv[1])
