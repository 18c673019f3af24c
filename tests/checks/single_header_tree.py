#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""single_header_tree.py FOLDER: fills FOLDER with headers named as the library's, each including the single header."""

import pathlib
import sys

include = pathlib.Path(__file__).resolve().parents[2] / "include"
folder = pathlib.Path(sys.argv[1])
for header in include.rglob("*.hpp"):
    forward = folder / header.relative_to(include)
    if not forward.exists():
        forward.parent.mkdir(parents=True, exist_ok=True)
        forward.write_text("#pragma once\n#include <mezzo.hpp>\n")
