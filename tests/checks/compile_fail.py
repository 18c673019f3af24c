#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""compile_fail.py [--strict] [CASE...]: mistakes that must not compile, and the sentences that say why.

A case tests/compile_fail/<floor>/<case>.cpp begins with lines `// expect-error: <text>`. As it stands it must compile:
that is the control. With MEZZO_EXPECT_ERROR defined it must not, and every text must appear in the diagnostics of each
compiler. Then every sentence in the headers must be quoted: one of unsatisfied<"..."> or static_assert by a case, one
of expects, fail or sentence by a test. A quotation is any 20 characters of a sentence that no other sentence has.
With --strict a first diagnostic longer than 25 lines of g++ is an error too, not only a remark.
"""

import collections
import pathlib
import re
import sys
import tempfile

from common import (INCLUDE, ROOT, SKIPPED, STRING, TESTS, compile_only, compilers, in_parallel, report,
                    without_comments)

LONGEST_DIAGNOSTIC = 25
QUOTATION = 20
STRINGS = rf"{STRING}(?:\s*{STRING})*"
STATIC, DYNAMIC = ("unsatisfied", "static_assert"), ("expects", "fail", "sentence")

SOUND = "sound"
SELF_TEST = {
    "no such text": "// expect-error: a text that no compiler prints\n#ifdef MEZZO_EXPECT_ERROR\n#error no\n#endif\n",
    "compiles all the same": "// expect-error: some text\nint x;\n",
    "control is broken": '// expect-error: shown\n#error "shown"\n',
    "expects nothing": "#ifdef MEZZO_EXPECT_ERROR\n#error no\n#endif\n",
    SOUND: '// expect-error: shown here\n#ifdef MEZZO_EXPECT_ERROR\n#error "shown here"\n#endif\n',
}


def expected(text):
    return re.findall(r"^// expect-error: (.+?)\s*$", text, re.M)


def check(job):
    """Problems of one case under one compiler, and the length of its first diagnostic."""
    compiler, case = job
    name = f"{compiler}: {case.relative_to(ROOT) if case.is_relative_to(ROOT) else case.stem}"
    texts = expected(case.read_text(encoding="utf-8"))
    if not texts:
        return [f"{name}: begins with no `// expect-error: <text>`"], 0
    code, diagnostics = compile_only(compiler, [case])
    if code:
        return [f"{name}: the control, without MEZZO_EXPECT_ERROR, does not compile\n{diagnostics}"], 0
    code, diagnostics = compile_only(compiler, ["-DMEZZO_EXPECT_ERROR", case])
    if not code:
        return [f"{name}: compiles with MEZZO_EXPECT_ERROR"], 0
    missing = [f"{name}: the diagnostics lack `{text}`\n{diagnostics}" for text in texts if text not in diagnostics]
    first = re.split(r"^.*\berror: ", diagnostics, flags=re.M)[1:2]
    return missing, len("".join(first).splitlines())


def self_test(compiler):
    """The driver finds each kind of fault, and none in a sound case."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in SELF_TEST.items():
            case = pathlib.Path(folder) / f"{name}.cpp"
            case.write_text(text, encoding="utf-8")
            if bool(check((compiler, case))[0]) == (name == SOUND):
                yield f"{compiler}: the driver itself is wrong about the case `{name}`"


def value(run):
    """What one or several neighbouring string literals say."""
    return "".join(part[1:-1] for part in re.findall(STRING, run)).replace('\\"', '"')


def sentences(text):
    """(kind, its literals) of each sentence in C++ source: those of one outermost call belong together."""
    token = re.compile(rf"{STRINGS}|\w+|<<|\S")
    found, calls, before = {}, [], ["", ""]
    for match in token.finditer(without_comments(text)):
        word = match[0]
        if word in "({[":
            calls.append((before[-1], match.start()))
        elif word in ")}]" and calls:
            calls.pop()
        elif word[0] == '"':
            literal = value(word)
            kind = "unsatisfied" if before == ["unsatisfied", "<"] else calls[-1][0] if calls else ""
            if kind in STATIC:
                found[match.start()] = (kind, [literal])
            elif kind in DYNAMIC and (len(literal) >= QUOTATION or before[-1] != "<<"):
                outermost = next(at for name, at in calls if name in DYNAMIC)
                found.setdefault(outermost, (kind, []))[1].append(literal)
        before = [before[1], word]
    return found.values()


def quotations(texts):
    """Every run of 20 characters in the texts; a shorter text stands for itself."""
    return {text[i : i + QUOTATION] for text in texts for i in range(max(1, len(text) - QUOTATION + 1))}


def unquoted(cases):
    """Sentences of the headers that no case and no test quotes."""
    sources = {h: h.read_text(encoding="utf-8") for h in sorted((INCLUDE / "mezzo").rglob("*.hpp"))}
    found = {}
    for header, text in sources.items():
        for kind, parts in sentences(text):
            found.setdefault((kind in STATIC, tuple(parts)), header)
    quoted = {
        True: quotations(t for case in cases for t in expected(case.read_text(encoding="utf-8"))),
        False: quotations(value(run) for test in TESTS.rglob("*.cpp") if "compile_fail" not in test.parts
                          for run in re.findall(STRINGS, without_comments(test.read_text("utf-8")))),
    }
    quoted[False] |= quoted[True]  # a contract broken in constant evaluation does not compile either
    times = collections.Counter(q for _, parts in found for q in quotations(parts))
    for (static, parts), header in found.items():
        own = quotations(parts)
        if not ({q for q in own if times[q] == 1} or own) & quoted[static]:
            by = "a compile-fail case" if static else "a test"
            yield f"{header.relative_to(ROOT)}: quoted by {by} nowhere: {' ... '.join(parts)}"


def main(arguments):
    strict = "--strict" in arguments
    named = [pathlib.Path(a).resolve() for a in arguments if a != "--strict"]
    cases = named or sorted((TESTS / "compile_fail").rglob("*.cpp"))
    if not compilers():
        raise SystemExit(SKIPPED)
    jobs = [(compiler, case) for case in cases for compiler in compilers()]
    problems = [p for compiler in compilers() for p in self_test(compiler)]
    for (compiler, case), (found, length) in zip(jobs, in_parallel(check, jobs)):
        problems += found
        if compiler == "g++" and length > LONGEST_DIAGNOSTIC:
            remark = f"{case.stem}: the first diagnostic of g++ has {length} lines, more than {LONGEST_DIAGNOSTIC}"
            problems += [remark] if strict else []
            print(f"remark: {remark}")
    if not named:
        problems += unquoted(cases)
    report(problems, f"{len(cases)} cases by {' and '.join(compilers())}, and the sentences in include/")


if __name__ == "__main__":
    main(sys.argv[1:])
