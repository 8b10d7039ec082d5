#!/usr/bin/env python3
"""Compares a JSON Schema with the program that reads such files.

    schema-agreement.py ROOT SCHEMA FOLDER PROGRAM ARGUMENT…

ROOT: the project's folder. SCHEMA: the schema of the configuration. FOLDER: an empty folder for temporary files. PROGRAM ARGUMENT… FILE ends
with 0 if the file is valid, else with 78 and a line for each fault. If the program prints its settings as JSON, their
defaults are compared, too.

The schema and the program must both accept every key with its examples, limits, default and choices, and every configuration in
the project's files. Both must reject a value one step beyond each limit, another type, a text that does not match the pattern,
and an unknown key. The schema must contain every key that the program names as known. Each difference is printed on a line.
The exit status is 0 if there is none.
"""
import concurrent.futures
import copy
import glob
import itertools
import json
import os
import re
import subprocess
import sys

import jsonschema

ROOT, SCHEMA, FOLDER = sys.argv[1:4]
COMMAND = sys.argv[4:]
UNKNOWN = "zzzzzzzzzzzzzzzz"
# Texts of which each pattern rejects at least one.
TEXTS = [
    "", " ", "a b", "a\u0000b", "x" * 4096, "\u0001", "x" * 64, "x" * 65, "x" * 129, "x" * 201, "x" * 257, "ü", "a#b", "a+b", ".x", "-x",
    "/x", "x/", "$x", "../x", "A:b", "elm", "elm:0", "elm:1", "elm:65535", "elm:65536", "elm:+80", "elm:080", "elm:x", "elm:",
    "[::1]", "[::1]:80", "[::1", "::1", "00:1D:A5:68:98:8A", "00:1d:a5:68:98:8a", "00:1D:A5:68:98", "00:1D:A5:68:98:+A",
    "http://a", "HTTPS://a:1/b", "http://a:0", "http://a:+1", "http://a?b", "http://a b", "http://u@a", "ftp://a", "http://",
    "mqtt://a", "mqtts://[::1]:1", "mqtt://a/b", "sqlite:", "sqlite:a", "postgres://a", "mysql://a", "auto", "AUTO", "0", "B",
    "default", "Default", "info", "loud", "true",
]
TYPES = [None, True, 7, "zzz", [], {UNKNOWN: 7}]
# Number of texts to try that do not match a pattern.
WRONG_TEXTS = 14
# Objects for which `--check` also asks another program. S3SettingsTests has their cases.
REMOTE = {"files.s3"}
# Keys that a configuration also needs if it has another key.
COMPANIONS = {
    "privacy.fences": {"geofences": "fences.geojson"},
    "limits.memoryBytes": {"limits": {"unpackedBytes": 1024}},
    "accounts.providers": {"accounts": {"url": "https://fleet.example"}},
    "mail": {"accounts": {"url": "https://fleet.example"}},
}
ITEMS = {
    "adapters": lambda number: {"tcp": f"elm{number}"},
    "accounts.providers": lambda number: {
        "id": f"p{number}", "name": "P", "issuer": "https://id.example", "clientId": "fleet"},
    "sinks": lambda number: {"type": "stdout", "name": f"s{number}"},
}

with open(SCHEMA, encoding="utf-8") as file:
    schema = json.load(file)
jsonschema.Draft202012Validator.check_schema(schema)
validator = jsonschema.Draft202012Validator(schema)


def shown(value):
    text = json.dumps(value)
    return text if len(text) < 80 else text[:77] + "…"


def resolved(node):
    if "$ref" not in node:
        return node
    return {**resolved(schema["$defs"][node["$ref"].rsplit("/", 1)[1]]), **node}


def part(node):
    """Returns a validator for one place in the schema."""
    return jsonschema.Draft202012Validator({**node, "$defs": schema["$defs"]})


def put(document, more):
    for key, value in more.items():
        if isinstance(value, dict) and isinstance(document.get(key), dict):
            put(document[key], value)
        else:
            document[key] = copy.deepcopy(value)
    return document


class Place:
    """A place in a configuration: its path, its schema, and a function that makes a whole file with a value there."""

    def __init__(self, path, node, file):
        self.path, self.node, self.file = path, resolved(node), file


def example(node):
    node = resolved(node)
    return node["const"] if "const" in node else node["examples"][0]


def places(path, node, file):
    """Returns the objects of a schema, each with the places of its keys."""
    node = resolved(node)
    least = {key: example(node["properties"][key]) for key in node.get("required", [])}
    yield Place(path, {**node, "x-object": True}, lambda more, file=file, least=least: file({**least, **more}))
    for key, value in node["properties"].items():
        needed = {other: example(node["properties"][other]) for other in node.get("dependentRequired", {}).get(key, [])}

        def inside(content, key=key, needed=needed, file=file, least=least):
            return file({**least, **needed, key: content})

        name = f"{path}.{key}" if path else key
        if name in COMPANIONS:
            inside = (lambda inner, more: lambda content: put(copy.deepcopy(more), inner(content)))(inside, COMPANIONS[name])
        value = resolved(value)
        yield Place(name, value, inside)
        if name in REMOTE:
            continue
        if value.get("type") == "object" and "properties" in value:
            yield from places(name, value, inside)
        elif value.get("type") == "array" and "items" in value:
            for one in resolved(value["items"]).get("oneOf", []):
                yield from places(f"{name}[]", one, lambda content, inside=inside: inside([content]))
        elif "oneOf" in value:
            for one in map(resolved, value["oneOf"]):
                if one.get("type") == "object":
                    yield from places(name, one, inside)


def numbers(node):
    """Returns valid and invalid numbers at the limits."""
    for one in [node] + [resolved(one) for one in node.get("oneOf", [])]:
        if "minimum" not in one:
            continue
        least, most = one["minimum"], one["maximum"]
        step = 1 if one["type"] == "integer" else (most - least) / 1e6
        yield True, [least, most]
        yield False, [least - step, most + step] + ([least + 0.5] if one["type"] == "integer" else [])


def cases():
    """Returns tuples: a name, the file, and whether it is valid (None if the schema decides)."""
    yield "nothing", {}, True
    for place in places("", schema, lambda more: more):
        node = place.node
        if node.get("x-object"):
            yield f"{place.path}: an unknown key", place.file({UNKNOWN: 1}), "known"
            continue
        good = list(node.get("examples", [])) + ([node["default"]] if "default" in node else [])
        good += node.get("enum", []) + ([node["const"]] if "const" in node else [])
        if node.get("type") == "boolean":
            good += [True, False]
        for isRight, values in numbers(node):
            if isRight:
                good += values
            else:
                for value in values:
                    yield f"{place.path}: {value}", place.file(value), False
        for value in good:
            yield f"{place.path}: {shown(value)}", place.file(value), True
        for value in TYPES:
            if not part(node).is_valid(value):
                yield f"{place.path}: {shown(value)}", place.file(value), False
        if not part(node).is_valid(7) and node.get("type") not in ("array", "object", "boolean") and place.path != "$schema":
            isPath = "\\u0000" in node.get("pattern", "") or "oneOf" in node
            right = [value for value in TEXTS if validator.is_valid(place.file(value))]
            wrong = [value for value in TEXTS if value not in right]
            for value in wrong[:: max(1, len(wrong) // WRONG_TEXTS)]:
                yield f"{place.path}: {shown(value)}", place.file(value), False
            for value in right if not isPath else []:
                yield f"{place.path}: {shown(value)}", place.file(value), True
        if "maxItems" in node:
            item = ITEMS.get(place.path) or (lambda number, node=node: (node.get("examples") or [[None]])[0][0])
            if place.path in ITEMS or node.get("examples"):
                yield f"{place.path}: as many as may be", place.file([item(n) for n in range(node["maxItems"])]), True
                yield f"{place.path}: too many", place.file([item(n) for n in range(node["maxItems"] + 1)]), False
        if "maxProperties" in node:
            value = next(iter((node["examples"][0]).values()))
            yield f"{place.path}: too many", place.file({f"A{n}": value for n in range(node["maxProperties"] + 1)}), False


def configurations():
    """The configurations of this kind in the project's files."""
    keys = set(schema["properties"])
    listed = subprocess.run(
        ["git", "-C", ROOT, "ls-files", "--cached", "--others", "--exclude-standard"], capture_output=True, text=True)
    paths = listed.stdout.splitlines() if listed.returncode == 0 else glob.glob("**/*", root_dir=ROOT, recursive=True)
    for path in sorted(path for path in paths if os.path.exists(os.path.join(ROOT, path))):
        if path.startswith(("Benchmarks/", "Fuzz/")) or not path.endswith((".json", ".md")):
            continue
        with open(os.path.join(ROOT, path), encoding="utf-8") as file:
            text = file.read()
        texts = [text]
        if path.endswith(".md"):
            texts = re.findall(r"```json\n(.*?)```", text, re.S) + re.findall(r"<<'END'\n(.*?)\nEND\n", text, re.S)
        for number, text in enumerate(texts):
            try:
                value = json.loads(text)
            except ValueError:
                continue
            # A sample of one sink, as its folder has it.
            if isinstance(value, dict) and "sinks" in keys and path.startswith("Sources/Vehicle/Sinks/") and "type" in value:
                value = {"sinks": [value]}
            if isinstance(value, dict) and value and set(value) <= keys:
                yield f"{path}, text {number + 1}", value, True


counter = itertools.count()


def asked(document):
    path = os.path.join(FOLDER, f"case-{next(counter)}.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump(document, file)
    ran = subprocess.run(COMMAND + [path], capture_output=True, text=True, timeout=120)
    os.remove(path)
    return ran


def known(message, document, what):
    """Returns the differences between the keys of an object that the program knows and those in the schema."""
    found = re.search(r"; (?:known here: (.*)|no key belongs here)$", message.strip())
    if not found:
        return f"{what}: no list of keys in: {message.strip()}"
    here = set((found[1] or "").split(", ")) - {""}
    for place in places("", schema, lambda more: more):
        if place.node.get("x-object") and place.file({UNKNOWN: 1}) == document:
            there = set(place.node["properties"])
            # Keys that distinguish kinds of an object are searched in each kind.
            others = {key for one in kinds(place.path) for key in one.get("required", [])}
            if here - others != there - others:
                return f"{what}: the program knows {sorted(here - there - others)}, the schema {sorted(there - here - others)}"
    return None


def kinds(path):
    if not path.endswith("[]"):
        return []
    return [resolved(one) for one in resolved(schema["properties"][path[:-2]]["items"]).get("oneOf", [])]


def look(case):
    what, document, isRight = case
    isKnown = isRight == "known"
    isRight = isRight is True
    schemaSays = validator.is_valid(document)
    ran = asked(document)
    wrong = []
    if schemaSays != isRight:
        wrong.append(f"{what}: the schema {'takes' if schemaSays else 'refuses'} it")
    if (ran.returncode == 0) != isRight:
        wrong.append(f"{what}: the program {'takes' if ran.returncode == 0 else 'refuses'} it: {ran.stderr.strip()}")
    lines = ran.stderr.splitlines()
    placed = lines and all(re.search(r"\.json:[0-9]+:[0-9]+: ", line) for line in lines)
    if not isRight and (ran.returncode != 78 or not placed):
        wrong.append(f"{what}: status {ran.returncode}, expected 78 and lines with places: {ran.stderr.strip()}")
    if isKnown:
        said = known(ran.stderr, document, what)
        if said:
            wrong.append(said)
    return wrong


def defaults():
    """Returns the default of a key, from a program that prints its settings."""
    for place in places("", schema, lambda more: more):
        if place.node.get("x-object") or "[" in place.path or ("default" not in place.node):
            continue
        key = place.path.rsplit(".", 1)[-1]

        def value(document):
            printed = asked(document).stdout
            found = json.loads(printed) if printed.startswith("{") else None
            for name in place.path.split("."):
                found = found.get(name) if found else None
            return found

        def without(document, names):
            document = copy.deepcopy(document)
            inner = document
            for name in names[:-1]:
                inner = inner[name]
            inner.pop(names[-1], None)
            return document

        names = place.path.split(".")
        here = value(without(place.file(place.node["default"]), names)) if not place.path in COMPANIONS else value({})
        if here != place.node["default"]:
            yield f"{place.path}: without it {json.dumps(here)} holds, the schema says {json.dumps(place.node['default'])}"
        other = next(one for one in place.node["examples"] if one != place.node["default"])
        if key not in ("database",) and value(place.file(other)) != other:
            yield f"{place.path}: {json.dumps(other)} is not what holds then: {json.dumps(value(place.file(other)))}"


everything = list(cases()) + list(configurations())
with concurrent.futures.ThreadPoolExecutor(4) as pool:
    differences = [line for wrong in pool.map(look, everything) for line in wrong]
if asked({}).stdout.startswith("{"):
    differences += list(defaults())
for line in differences[:40]:
    print(line, file=sys.stderr)
print(json.dumps({"cases": len(everything), "differences": len(differences)}))
sys.exit(1 if differences else 0)
