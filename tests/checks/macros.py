#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""After the single header no macro is left but its guard, whatever a program predefined stays, and the headers define
none that does not begin with MEZZO_."""

import re
import subprocess

from common import ROOT, SKIPPED, STANDARD, compilers, report

PREDEFINED = ["-DMEZZO_INLINE=inline", "-DMEZZO_THROW(sentence)=__builtin_abort()"]
OPT_IN = ["-DMEZZO_WITH_THREADS", "-DMEZZO_WITH_FILES", "-DMEZZO_WITH_REPORTS"]


def macros(compiler, header, arguments, only_standard=False):
    """Names of the macros after the header, or after the standard headers that it pulls in."""
    command = [compiler, *STANDARD, f"-I{ROOT / 'single_include'}", *arguments, "-x", "c++", "-E", "-"]
    source = f"#include <{header}>\n"
    if only_standard:
        text = subprocess.run(command, input=source, capture_output=True, text=True, check=True).stdout
        own = re.compile(rf'# \d+ "{re.escape(str(ROOT))}')
        source, ours = "", False
        for line in text.splitlines():
            entered = re.match(r'# 1 "([^"<]+)" 1', line)
            if entered and ours and str(ROOT) not in entered[1]:
                source += f'#include "{entered[1]}"\n'
            if line.startswith("# "):
                ours = bool(own.match(line))
    listing = subprocess.run([*command, "-dM"], input=source, capture_output=True, text=True, check=True).stdout
    return set(re.findall(r"^#define (\w+)", listing, re.M))


def main():
    problems = []
    for compiler in compilers():
        for arguments in ([], PREDEFINED, OPT_IN):
            given = {re.match(r"-D(\w+)", a)[1] for a in arguments}
            for header, allowed in (("mezzo.hpp", r"MEZZO_SINGLE_HEADER_HPP$"), ("mezzo/mezzo.hpp", r"MEZZO_")):
                left = macros(compiler, header, arguments)
                added = left - macros(compiler, header, arguments, only_standard=True) - given
                problems += [f"{compiler} {' '.join(arguments)}: <{header}> leaks the macro {name}"
                             for name in sorted(added) if not re.match(allowed, name)]
                problems += [f"{compiler}: <{header}> takes the program's own {name} away"
                             for name in sorted(given - left)]
    if not compilers():
        raise SystemExit(SKIPPED)
    report(problems, f"macros after the headers, {' and '.join(compilers())}")


if __name__ == "__main__":
    main()
