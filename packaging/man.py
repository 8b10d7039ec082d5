#!/usr/bin/python3
"""Makes the manual page of a command from its own definitions.

usage: PROGRAM --experimental-dump-help | packaging/man.py SECTION VERSION > PROGRAM.SECTION
       packaging/man.py --usage PROGRAM SECTION VERSION < USAGE      for a program that has only a usage text
"""

import json
import re
import sys


def escaped(text):
    text = text.replace("\\", "\\e").replace("-", "\\-")
    # Allow line breaks in JSON, which has no spaces.
    text = text.replace(',"', ',\\:"')
    return "\n".join("\\&" + line if line[:1] in (".", "'") else line for line in text.split("\n"))


def is_shown(thing):
    return thing.get("shouldDisplay", True)


def spelled(name):
    return ("--" if name["kind"] == "long" else "-") + name["name"]


def synopsis(command, path):
    parts = ["\\fB" + escaped(" ".join(path)) + "\\fR"]
    for argument in command.get("arguments", []):
        if not is_shown(argument) or named(argument) & {"--help", "--version"}:
            continue
        value = "\\fI" + escaped(argument.get("valueName", "")) + "\\fR"
        if argument["kind"] == "positional":
            part = value
        else:
            part = "\\fB" + escaped(spelled(argument["preferredName"])) + "\\fR"
            if argument["kind"] == "option":
                part += " " + value
        if argument["isOptional"]:
            part = "[" + part + "]"
        parts.append(part + (" ..." if argument["isRepeating"] else ""))
    if commands(command):
        parts.append("\\fIsubcommand\\fR ...")
    return " ".join(parts)


def named(argument):
    return {spelled(name) for name in argument.get("names", [])}


def commands(command):
    return [one for one in command.get("subcommands", []) if is_shown(one) and one["commandName"] != "help"]


def description(argument):
    text = argument.get("abstract", "")
    if argument.get("allValues") and argument.get("kind") == "option":
        text += " One of " + ", ".join(argument["allValues"]) + "."
    if "defaultValue" in argument:
        text += " Default: " + argument["defaultValue"] + "."
    if argument.get("discussion"):
        text += " " + argument["discussion"]
    return escaped(" ".join(text.split()))


def options(command, without=frozenset()):
    lines = []
    for argument in command.get("arguments", []):
        if not is_shown(argument) or named(argument) & without:
            continue
        value = escaped(argument.get("valueName", ""))
        if argument["kind"] == "positional":
            title = "\\fI" + value + "\\fR"
        else:
            title = ", ".join("\\fB" + escaped(spelled(name)) + "\\fR" for name in argument["names"])
            if argument["kind"] == "option":
                title += " \\fI" + value + "\\fR"
        lines += [".TP", title, description(argument)]
    return lines


def paragraphs(text):
    lines = []
    for paragraph in text.strip().split("\n\n"):
        lines += [".PP", escaped(" ".join(paragraph.split()))]
    return lines


def section(command, path, lines):
    """Writes a subcommand and its own subcommands."""
    lines += [".SS " + escaped(" ".join(path[1:])), synopsis(command, path)]
    for key in ("abstract", "discussion"):
        if command.get(key):
            lines += paragraphs(command[key])
    lines += options(command, {"--help", "--version"})
    for one in commands(command):
        section(one, path + [one["commandName"]], lines)


def heading(name, number, version):
    # Left-aligned, because options and addresses allow few line breaks.
    return [f'.TH {name.upper()} {number} "" "obdgate {version}" "obdgate"', ".ad l", ".nh", ".SH NAME"]


def page(definition, number, version):
    command = definition["command"]
    name = command["commandName"]
    lines = heading(name, number, version)
    lines += [f"{name} \\- {escaped(command['abstract'].rstrip('.'))}", ".SH SYNOPSIS", synopsis(command, [name])]
    if command.get("discussion"):
        lines += [".SH DESCRIPTION"] + paragraphs(command["discussion"])
    lines += [".SH OPTIONS"] + options(command)
    if commands(command):
        lines += [".SH SUBCOMMANDS"]
        for one in commands(command):
            section(one, [name, one["commandName"]], lines)
    return lines


def usage_page(text, name, number, version):
    """Makes a page from a text with a usage line, paragraphs, and options that begin with two dashes."""
    usage, *rest = text.strip("\n").split("\n\n")
    lines = heading(name, number, version)
    about = " ".join(rest[0].split())
    lines += [f"{name} \\- {escaped(about.rstrip('.'))}", ".SH SYNOPSIS"]
    lines += ["\\fB" + escaped(re.sub(r"^usage: ", "", usage)) + "\\fR", ".SH DESCRIPTION"]
    for block in rest:
        if not block.lstrip().startswith("--"):
            lines += paragraphs(block)
            continue
        for line in block.split("\n"):
            option, what = re.split(r"  +", line.strip(), maxsplit=1)
            lines += [".TP", "\\fB" + escaped(option) + "\\fR", escaped(what)]
    return lines


def main(arguments):
    if arguments[:1] == ["--usage"]:
        name, number, version = arguments[1:]
        lines = usage_page(sys.stdin.read(), name, number, version)
    else:
        number, version = arguments
        lines = page(json.load(sys.stdin), number, version)
    more = {
        "obdgate": ["\\fBobdgated\\fR(8)", "/usr/share/doc/obdgate"],
        "obdgated": ["\\fBobdgate\\fR(1), \\fBfleetstore\\fR(1)", "/usr/share/doc/obdgate"],
        "fleetstore": ["\\fBobdgated\\fR(8)", "/usr/share/doc/fleetstore"],
    }
    name = lines[4].split(" ")[0]
    if name in more:
        lines += [".SH SEE ALSO"] + ["\n.br\n".join(more[name])]
    print("\n".join(lines))


main(sys.argv[1:])
