#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""headers.py headers|sources [--built-with gcc|clang]: no warnings from any compiler on this machine.

headers: each compiles alone, included twice. sources: tests and examples are checked by the compilers that the build
did not use.
"""

import sys

from common import INCLUDE, ROOT, SKIPPED, TESTS, WARNINGS, compile_only, compilers, in_parallel, report


def check(job):
    compiler, name, source = job
    code, diagnostics = compile_only(compiler, WARNINGS + ([] if source else [name]), source)
    return f"{compiler}: {name}\n{diagnostics}" if code else None


def jobs(what, built_with):
    if what == "headers":
        names = sorted(h.relative_to(INCLUDE).as_posix() for h in (INCLUDE / "mezzo").rglob("*.hpp"))
        return [(c, f"<{n}>", f"#include <{n}>\n#include <{n}>\n") for n in names for c in compilers()]
    sources = [s for folder in (TESTS, ROOT / "examples") for s in sorted(folder.rglob("*.cpp"))
               if not {"compile_fail", "consumers"} & set(s.parts)]
    used = {"gcc": "g++", "clang": "clang++"}.get(built_with)
    return [(c, s, None) for s in sources for c in compilers() if c != used]


def main(what, built_with):
    todo = jobs(what, built_with)
    if not todo:
        raise SystemExit(SKIPPED)
    problems = [p for p in in_parallel(check, todo) if p]
    report(problems, f"{len(todo)} compilations by {' and '.join(sorted({job[0] for job in todo}))}")


if __name__ == "__main__":
    if len(sys.argv) < 2 or sys.argv[1] not in ("headers", "sources"):
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[3] if len(sys.argv) > 3 else None)
