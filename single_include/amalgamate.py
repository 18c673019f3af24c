#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Folds include/mezzo/mezzo.hpp and all that it includes into the one file single_include/mezzo.hpp.

A header under an `#if` of the umbrella is inlined there, its standard includes with it; all other standard includes
are gathered at the top. Every macro is undefined at the end, except one that the program predefined. Usage:

    amalgamate.py            write single_include/mezzo.hpp
    amalgamate.py --check    fail unless single_include/mezzo.hpp is what the sources give
    amalgamate.py --line     write it with #line, so that diagnostics name the sources
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
INCLUDE = ROOT / "include"
OUTPUT = ROOT / "single_include" / "mezzo.hpp"
GUARD = "MEZZO_SINGLE_HEADER_HPP"

DIRECTIVE = re.compile(r"\s*#\s*(\w+)\s*(.*)")
INCLUDED = re.compile(r"([<\"])([^>\"]+)[>\"]")


class Amalgamation:
    """Headers in the order of their first inclusion, each once."""

    def __init__(self, lines=False):
        self.with_lines = lines
        self.body = []  # output lines
        self.standard = set()  # standard headers that every program gets
        self.conditions = {}  # header -> the #if lines it was inlined under
        self.open = []  # headers being read, outermost first
        self.defined = {}  # macro -> may a program predefine it
        self.expected = None  # (file, line) that the compiler counts on

    def emit(self, name, number, line):
        if self.with_lines and self.expected != (name, number):
            self.body.append(f'#line {number} "include/{name}"')
        self.expected = (name, number + 1)
        self.body.append(line)

    def include(self, name, condition=()):
        if name in self.open:
            raise SystemExit(f"include cycle: {' -> '.join([*self.open, name])}; a header must include downwards")
        if name in self.conditions:
            first = self.conditions[name]
            if condition[: len(first)] != first:
                raise SystemExit(
                    f"{name} is inlined under {' && '.join(first)} but {self.open[-1]} needs it under"
                    f" {' && '.join(condition) or 'no condition'}; include it earlier in mezzo/mezzo.hpp, under no #if")
            return
        self.conditions[name] = condition
        path = INCLUDE / name
        if not path.is_file():
            raise SystemExit(f"{self.open[-1] if self.open else 'amalgamate.py'} includes {name}, which does not exist")
        self.open.append(name)
        self.body += ["", f"// ---- {name}"]
        self.expected = None
        self.read(name, path.read_text(encoding="utf-8").splitlines(), condition)
        self.open.pop()
        self.body += [f"// ---- end of {name}", ""]
        self.expected = None

    def read(self, name, lines, condition):
        outer = len(condition)
        header_comment = True
        for number, line in enumerate(lines, 1):
            if header_comment and (line.startswith("// SPDX") or line == "//"):
                continue
            header_comment = line.startswith("//")
            keyword, rest = DIRECTIVE.match(line).groups() if DIRECTIVE.match(line) else ("", "")
            if keyword in ("if", "ifdef", "ifndef"):
                condition += (line.strip(),)
            elif keyword in ("else", "elif"):
                condition = condition[:-1] + (f"{condition[-1]} / {line.strip()}",)
            elif keyword == "endif":
                condition = condition[:-1]
            elif keyword == "define":
                self.define(name, re.match(r"\w+", rest)[0], condition)
            elif line.strip() == "#pragma once" or keyword == "include" and self.replaces(name, rest, condition):
                continue
            self.emit(name, number, line)
        if len(condition) != outer:
            raise SystemExit(f"{name} leaves {condition[-1]} open")

    def replaces(self, name, rest, condition):
        """True if the line goes away: a header inlined here, or a standard header moved to the top."""
        match = INCLUDED.match(rest)
        if not match or match[1] == '"':
            raise SystemExit(f"{name} includes {rest}; write <mezzo/...> or <standard header>")
        if match[2].startswith("mezzo/"):
            self.include(match[2], condition)
        elif condition:
            return False
        else:
            self.standard.add(match[2])
        return True

    def define(self, name, macro, condition):
        if not macro.startswith("MEZZO_"):
            raise SystemExit(f"{name} defines {macro}; a macro of the library begins with MEZZO_")
        guards = (f"#if !defined({macro})", f"#ifndef {macro}")
        self.defined[macro] = self.defined.get(macro, False) or any(g in guards for g in condition)

    def text(self):
        self.include("mezzo/mezzo.hpp")
        version = ".".join(re.findall(r"#define MEZZO_VERSION_\w+ (\d+)", "\n".join(self.body)))
        licence = (ROOT / "LICENSE").read_text(encoding="utf-8").splitlines()
        predefinable = sorted(m for m, may in self.defined.items() if may)
        out = [f"// mezzo {version}: mixed-precision training in one header, C++20. SPDX-License-Identifier: MIT", "//",
               "// Generated by single_include/amalgamate.py from include/mezzo; edit the sources, not this file."]
        out += ["//"] + [f"// {line}".rstrip() for line in licence]
        out += ["", f"#ifndef {GUARD}", f"#define {GUARD}", ""]
        for macro in predefinable:
            out += [f"#if defined({macro})", f"#define {macro}_IS_PREDEFINED", "#endif"]
        out += [""] + [f"#include <{name}>" for name in sorted(self.standard)] + self.body + [""]
        if self.with_lines:
            out += [f'#line {len(out) + 2} "single_include/mezzo.hpp"']
        for macro in predefinable:
            mark = f"{macro}_IS_PREDEFINED"
            out += [f"#if defined({mark})", f"#undef {mark}", "#else", f"#undef {macro}", "#endif"]
        out += [f"#undef {macro}" for macro in sorted(set(self.defined) - set(predefinable))]
        out += ["", f"#endif  // {GUARD}", ""]
        text = "\n".join(out)
        if not self.with_lines:
            text = re.sub(r"\n{3,}", "\n\n", text)

        markers = re.findall(r"^// ---- (mezzo/\S+)$", text, re.M)
        assert len(markers) == len(set(markers)) == len(self.conditions), "a header was inlined twice"
        defined, undefined = (set(re.findall(rf"^\s*#\s*{word}\s+(\w+)", text, re.M)) for word in ("define", "undef"))
        left = defined - undefined
        if left != {GUARD}:
            raise SystemExit(f"macros leak from the single header: {', '.join(sorted(left - {GUARD}))}")
        return text


def main(arguments):
    if set(arguments) - {"--check", "--line"}:
        sys.exit(__doc__)
    text = Amalgamation("--line" in arguments).text()
    if "--check" not in arguments:
        OUTPUT.write_text(text, encoding="utf-8")
    elif not OUTPUT.is_file() or OUTPUT.read_text(encoding="utf-8") != text:
        sys.exit("single_include/mezzo.hpp does not match include/mezzo; run python3 single_include/amalgamate.py")


if __name__ == "__main__":
    main(sys.argv[1:])
