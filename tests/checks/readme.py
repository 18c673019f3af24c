#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every C++ fence of README.md stands in a file under examples/, which is compiled and run, and the command that the
README gives for the tests is the one that .ci/run runs."""

import re

from common import ROOT, report


def flat(text):
    """Lines without indentation and blank ones."""
    return "\n" + "\n".join(filter(None, map(str.strip, text.splitlines()))) + "\n"


def main():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    examples = [flat(e.read_text(encoding="utf-8")) for e in (ROOT / "examples").rglob("*.[ch]pp")]
    fences = re.findall(r"^ *```cpp\n(.*?)^ *```", readme, re.M | re.S)
    problems = [f"README.md: no file under examples/ holds this program:\n{fence}"
                for fence in fences if not any(flat(fence) in example for example in examples)]

    commands = re.findall(r"^ *(apt-get .*meson test.*?) *$", readme, re.M)
    if len(commands) != 1:
        problems.append(f"README.md: {len(commands)} lines install and test, which should be one")
    elif commands[0] not in (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines():
        problems.append(f"README.md: .ci/run has no line\n{commands[0]}")
    report(problems, f"{len(fences)} programs and the test command of README.md")


if __name__ == "__main__":
    main()
