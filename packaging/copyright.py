#!/usr/bin/python3
"""Makes the copyright file of a package from the link lists of its programs.

usage: packaging/copyright.py BUILD_FOLDER CHECKOUTS RUNTIME_LICENCE PROGRAM... > copyright

The file names our own sources and the linked Swift packages with their versions. Licences that are not among Debian's
common licences are included in full: whole files, and the headers of C sources that have their own licence.
"""

import json
import pathlib
import re
import sys

SOURCES = (".c", ".cc", ".cpp", ".h", ".inc", ".S")
GRANT = re.compile(r"Permission is hereby granted|Permission to use, copy|Redistribution and use in source")
HERE = pathlib.Path(__file__).resolve().parent


def modules(build, program):
    """Returns the modules of the objects from which a program is linked."""
    objects = (build / f"{program}.product" / "Objects.LinkFileList").read_text().split()
    return {found.group(1) for one in objects if (found := re.search(r"/([^/]+)\.build/", one))}


def versions(resolved):
    if not resolved.is_file():
        return {}
    pins = json.loads(resolved.read_text())["pins"]
    return {pin["identity"]: pin["state"].get("version", "") for pin in pins}


def headers(folder):
    """Returns the licences in the leading comments of C sources, each once."""
    found = {}
    for file in sorted(folder.rglob("*")):
        if file.suffix not in SOURCES or not file.is_file():
            continue
        text = file.read_text(errors="replace")[:6000]
        comments = re.findall(r"/\*.*?\*/|(?:^//[^\n]*\n)+", text, re.S | re.M)
        for comment in comments:
            if GRANT.search(comment):
                lines = [re.sub(r"^\s*(/\*+-?|\*+/|\*|//)? ?", "", line).rstrip(" */") for line in comment.split("\n")]
                found.setdefault("\n".join(lines).strip(), file.name)
    return found


def holders(folder):
    """Returns the copyright holders that the C sources of a module name."""
    named = set()
    for file in folder.rglob("*"):
        if file.suffix in SOURCES and file.is_file():
            text = file.read_text(errors="replace")[:1500]
            named |= {" ".join(one.split()) for one in re.findall(r"Copyright (?:\([cC]\)|[12]\d{3})[^\n*]*", text)}
    return sorted(one.removesuffix(" All Rights Reserved.").removesuffix(" All rights reserved.") for one in named)


def quoted(text):
    return "\n".join("  " + line.rstrip() if line.strip() else "" for line in text.strip().split("\n"))


def licence_of(folder):
    return next(iter(sorted(folder.glob("LICENSE*"))))


def main():
    build, checkouts, runtime = map(pathlib.Path, sys.argv[1:4])
    programs = sys.argv[4:]
    linked = set().union(*(modules(build, program) for program in programs))
    resolved = versions(checkouts.parent.parent / "Package.resolved")
    packages = {}
    for folder in sorted(checkouts.iterdir()):
        mine = {one.name for base in ("Sources", "Source") for one in (folder / base).glob("*")} & linked
        if folder.name == "GRDB.swift" and "GRDB" in linked:
            mine = {"GRDB"}
        if mine:
            packages[folder] = mine
    print(f"""Programs of this package: {", ".join(programs)}.

Sources of obdgate: Copyright 2026 the obdgate authors, under the Apache License 2.0.

The programs are linked statically with what follows; each part stays under its own licence. Libraries of Debian's own
packages are linked dynamically or opened at run time, and are not part of this package.

Apache-2.0: on Debian systems the text is in /usr/share/common-licenses/Apache-2.0.

Swift runtime and standard library, libdispatch, Foundation where linked: Copyright Apple Inc. and the Swift project
authors, Apache-2.0 with this exception:
""")
    text = runtime.read_text()
    print(quoted(text[text.index("As an exception") :]))
    print("""
libstdc++ (GNU Compiler Collection): Copyright Free Software Foundation, Inc., GPL-3 or later (on Debian systems in
/usr/share/common-licenses/GPL-3) with the GCC Runtime Library Exception 3.1, which lets programs that are compiled with
GCC or Clang be conveyed under terms of their own choice.
""")
    for folder in sorted(packages, key=lambda one: one.name.lower()):
        text = licence_of(folder).read_text()
        version = resolved.get(folder.name.lower().removesuffix(".git"), "") or resolved.get(folder.name.lower(), "")
        notice = next(iter(sorted(folder.glob("NOTICE*"))), None)
        who = f"Copyright the {folder.name} project authors"
        if notice and (found := re.search(r"^Copyright .*$", notice.read_text(), re.M)):
            who = found.group(0)
        name = f"{folder.name} {version}".strip()
        if "Apache License" not in text[:400]:
            print(f"{name}:\n\n{quoted(text)}\n")
            continue
        exception = " with the Runtime Library Exception above" if "Runtime Library Exception" in text else ""
        print(f"{name}: {who}, Apache-2.0{exception}.\n")
        for module in sorted(packages[folder]):
            place = folder / "Sources" / module
            if named := holders(place):
                print(f"{name}, {module}: also\n\n{quoted(chr(10).join(dict.fromkeys(named)))}\n")
            for nested in sorted(place.rglob("LICENSE*")):
                print(f"{name}, {module}:\n\n{quoted(nested.read_text())}\n")
            for header, file in headers(place).items():
                print(f"{name}, {module} ({file} and others of the same header):\n\n{quoted(header)}\n")
    if "GRDB" in linked:
        # GRDB uses Foundation, which contains ICU.
        print(f"ICU, inside Foundation:\n\n{quoted((HERE / 'licences/Unicode-3.0').read_text())}")


main()
