#!/usr/bin/python3
"""Generates the names of adapters in systemd/70-obdgate.rules from Sources/Vehicle/Ports/Discovery/KnownProducts.swift.

adapter-rules.py [--check]

udev's patterns are case-sensitive and have no optional characters. Each word is therefore written with both cases of each
letter: once without a separator, and once for each place at which a space, dash or underscore may be.

--check: writes nothing; if the rules are stale, reports it and exits with status 1.
"""
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
WORDS = os.path.join(ROOT, "Sources/Vehicle/Ports/Discovery/KnownProducts.swift")
RULES = os.path.join(ROOT, "systemd/70-obdgate.rules")
BEGIN, END = "# Made by scripts/adapter-rules.py:\n", "# End of the generated rules.\n"
# This word counts as an adapter's only if it is the whole name.
WHOLE = "obd"


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def words():
    listed = re.search(r"static let adapterWords = \[(.*?)\]", read(WORDS), re.DOTALL)
    found = re.findall(r'"([^"]*)"', listed.group(1)) if listed else []
    if not found or not all(re.fullmatch("[a-z0-9]+", word) for word in found):
        sys.exit(f"{WORDS}: expected adapterWords, a list of words in small letters and digits")
    return found


def either(text):
    return "".join(f"[{letter.upper()}{letter}]" if letter.isalpha() else letter for letter in text)


def rule(word):
    forms = [either(word)] + [either(word[:place]) + "[ _-]" + either(word[place:]) for place in range(1, len(word))]
    return f'ENV{{.OBDGATE_NAME}}=="{"|".join(f"*{form}*" for form in forms)}", ENV{{OBDGATE}}="adapter"\n'


def main(arguments):
    old = read(RULES)
    before, begin, rest = old.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        sys.exit(f"{RULES}: expected the lines {BEGIN.strip()!r} and {END.strip()!r}")
    alone = f'ENV{{.OBDGATE_NAME}}=="{either(WHOLE)} | {either(WHOLE)}", ENV{{OBDGATE}}="adapter"\n'
    new = before + begin + "".join(rule(word) for word in words()) + alone + end + after
    if new == old:
        return 0
    if arguments == ["--check"]:
        print("systemd/70-obdgate.rules: stale; run scripts/adapter-rules.py", file=sys.stderr)
        return 1
    with open(RULES, "w", encoding="utf-8") as file:
        file.write(new)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
