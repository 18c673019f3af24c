#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The shape of the tree: who may include whom, how long a header may be, and that each has its mirror test."""

import re

from common import INCLUDE, ROOT, TESTS, report

FLOORS = ["base", "number", "tensor", "policy", "expr", "backend", "store", "nn", "train"]  # each sees those before it
SIBLINGS = ["io", "diagnose", "parallel"]  # on top, blind to one another
ISLANDS = ["backend/reference", "backend/cpu", "backend/npu"]  # within one floor, blind to one another
MAY_USE_ALL = ["io", "diagnose", "parallel"]
COSTLY = "memory functional iostream random chrono ranges regex thread string algorithm cmath vector format".split()
LONGEST, WIDEST = 400, 120
UNFINISHED = re.compile(r"\b(TODO|FIXME|XXX|HACK|WIP|not implemented|placeholder|stub|dummy)\b", re.I)


def rank(floor):
    return FLOORS.index(floor) if floor in FLOORS else len(FLOORS)


def island(path):
    return next((i for i in ISLANDS if path.startswith(i + "/")), None)


def includes(path, text):
    floor = path.split("/")[0]
    for number, line in enumerate(text.splitlines(), 1):
        named = re.match(r"\s*#\s*include\s+<([^>]+)>(.*)", line)
        if not named:
            continue
        if not named[1].startswith("mezzo/"):
            if named[1] in COSTLY and floor not in MAY_USE_ALL:
                yield f"{number}: <{named[1]}> is too costly a header for this floor"
            if "//" not in named[2]:
                yield f"{number}: <{named[1]}> lacks its reason, a trailing comment"
            continue
        target = named[1].removeprefix("mezzo/")
        above = target.split("/")[0]
        if rank(above) > rank(floor) or (rank(above) == rank(floor) and above != floor):
            yield f"{number}: floor {floor} does not know {above}"
        if island(path) and island(target) and island(path) != island(target):
            yield f"{number}: {island(path)} does not know {island(target)}"


def shape(path, text, listed):
    lines = text.splitlines()
    mirror = path.replace(".hpp", ".cpp")
    if path.split("/")[0] not in FLOORS + SIBLINGS:
        yield f"1: no such floor, choose among {' '.join(FLOORS + SIBLINGS)}"
    if lines[:2] != ["// SPDX-License-Identifier: MIT", "//"] or not lines[2].startswith("// "):
        yield "1: begin with `// SPDX-License-Identifier: MIT`, `//` and the idea of the header"
    if "#pragma once" not in lines:
        yield "1: #pragma once is missing"
    if len(lines) > LONGEST:
        yield f"{len(lines)}: longer than {LONGEST} lines; find the second idea in it and give it a file"
    if path != "base/config.hpp" and re.search(r"^\s*#\s*define\b", text, re.M):
        yield "1: macros are defined in base/config.hpp alone"
    if not (TESTS / mirror).is_file():
        yield f"1: its test tests/{mirror} is missing"
        return
    if f"'{mirror}'" not in listed:
        yield f"1: its test {mirror} is not listed in tests/meson.build"
    first = re.search(r"^#include\s+(.*)", (TESTS / mirror).read_text(encoding="utf-8"), re.M)
    if not first or first[1] != f"<mezzo/{path}>":
        yield f"1: its test does not include <mezzo/{path}> first"


def style(text):
    for number, line in enumerate(text.splitlines(), 1):
        if len(line) > WIDEST:
            yield f"{number}: wider than {WIDEST} columns"
        if UNFINISHED.search(line):
            yield f"{number}: `{UNFINISHED.search(line)[0]}` marks unfinished work"


def main():
    problems = []
    listed = (TESTS / "meson.build").read_text(encoding="utf-8")
    umbrella = (INCLUDE / "mezzo/mezzo.hpp").read_text(encoding="utf-8")
    headers = sorted(h for h in (INCLUDE / "mezzo").rglob("*.hpp") if h.name != "mezzo.hpp")
    reached, todo = set(), re.findall(r"#include <(mezzo/[^>]+)>", umbrella)
    while todo:
        name = todo.pop()
        if name not in reached and (INCLUDE / name).is_file():
            reached.add(name)
            todo += re.findall(r"#include <(mezzo/[^>]+)>", (INCLUDE / name).read_text(encoding="utf-8"))
    for header in headers:
        text = header.read_text(encoding="utf-8")
        path = header.relative_to(INCLUDE / "mezzo").as_posix()
        found = [*shape(path, text, listed), *includes(path, text), *style(text)]
        if f"mezzo/{path}" not in reached:
            found.append("1: mezzo/mezzo.hpp does not reach it")
        problems += [f"include/mezzo/{path}:{problem}" for problem in found]

    for test in sorted(TESTS.rglob("*.cpp")):
        path = test.relative_to(TESTS).as_posix()
        if path.split("/")[0] in FLOORS + SIBLINGS and f"'{path}'" not in listed:
            problems.append(f"tests/{path}:1: not listed in tests/meson.build")
        if "// SPDX-License-Identifier: MIT\n" not in test.read_text(encoding="utf-8"):
            problems.append(f"tests/{path}:1: lacks its SPDX line")
        problems += [f"tests/{path}:{problem}" for problem in style(test.read_text(encoding="utf-8"))]

    config = (INCLUDE / "mezzo/base/config.hpp").read_text(encoding="utf-8")
    version = ".".join(re.findall(r"#define MEZZO_VERSION_\w+ (\d+)", config))
    if f"version: '{version}'" not in (ROOT / "meson.build").read_text(encoding="utf-8"):
        problems.append(f"meson.build:1: its version is not {version}, which base/config.hpp has")
    report(problems, f"{len(headers)} headers and their tests")


if __name__ == "__main__":
    main()
