#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""consumers.py meson|subproject|cmake|pkgconfig: a program outside the tree finds mezzo that way, builds and runs."""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

from common import ROOT, SKIPPED, TESTS

NEEDED = {"meson": ["meson", "pkg-config"], "subproject": ["meson"], "cmake": ["cmake"], "pkgconfig": ["pkg-config"]}
WRAP = "[wrap-file]\ndirectory = mezzo\n\n[provide]\ndependency_names = mezzo\n"


def run(*command, **options):
    done = subprocess.run([*map(str, command)], capture_output=True, text=True, **options)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done.stdout


def install(folder):
    """Installs mezzo into a prefix of its own."""
    options = ["-Dtests=disabled", "-Dexamples=disabled", "-Dbenchmarks=disabled", "-Dinstall_single_header=true"]
    run("meson", "setup", folder / "build", ROOT, f"--prefix={folder / 'prefix'}", *options)
    run("meson", "install", "-C", folder / "build")
    prefix = folder / "prefix"
    missing = [h for h in (ROOT / "include/mezzo").rglob("*.hpp") if not (prefix / h.relative_to(ROOT)).is_file()]
    if missing or not (prefix / "include/mezzo_single/mezzo.hpp").is_file():
        sys.exit(f"not installed: {missing or 'the single header'}")
    return prefix


def consume(how, source, folder):
    """Builds the program in `source` and gives its path."""
    build = source / "build"
    if how == "subproject":
        (source / "subprojects").mkdir()
        (source / "subprojects/mezzo.wrap").write_text(WRAP)
        (source / "subprojects/mezzo").symlink_to(ROOT)
        run("meson", "setup", build, source, "--force-fallback-for=mezzo")
        run("meson", "compile", "-C", build)
        return build / "consumer"

    prefix = install(folder)
    environment = {**os.environ, "PKG_CONFIG_PATH": str(prefix / "share/pkgconfig")}
    if how == "meson":
        run("meson", "setup", build, source, "--wrap-mode=nofallback", env=environment)
        run("meson", "compile", "-C", build)
    elif how == "cmake":
        moved = prefix.rename(folder / "moved")  # the CMake package finds its headers wherever the tree is put
        run("cmake", "-S", source, "-B", build, f"-DCMAKE_PREFIX_PATH={moved}")
        run("cmake", "--build", build)
    else:
        build.mkdir()
        flags = run("pkg-config", "--cflags", "--libs", "mezzo", env=environment).split()
        run(os.environ.get("CXX", "c++"), "-std=c++20", source / "main.cpp", *flags, "-o", build / "consumer")
    return build / "consumer"


def main(how):
    lacking = [tool for tool in NEEDED[how] if not shutil.which(tool)]
    if lacking:
        print(f"skipped: {' and '.join(lacking)} not found")
        sys.exit(SKIPPED)
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        (folder / "consumer").mkdir()
        for file in ("main.cpp", "meson.build", "CMakeLists.txt"):
            shutil.copy(TESTS / "consumers" / file, folder / "consumer")
        run(consume(how, folder / "consumer", folder))
    print(f"ok: a program that finds mezzo by {how}")


if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1] not in NEEDED:
        sys.exit(__doc__)
    main(sys.argv[1])
