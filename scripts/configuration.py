#!/usr/bin/python3
"""Generates docs/Configuration.md from config.schema.json and fleetstore.schema.json.

configuration.py OBDGATE [--check]

OBDGATE: the built program. The signals that it lists are first written into config.schema.json.
--check: writes nothing; prints the files that are stale and exits with status 1.
"""
import json
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SCHEMA = "config.schema.json"
PAGE = "docs/Configuration.md"

INTRODUCTION = """\
# Configuration

<!-- `make docs` generates this page from config.schema.json and fleetstore.schema.json. Edit those files instead. -->

The configuration of each program is one JSON object. It is read strictly: an unknown key, a wrong type or an impossible
value is an error with file, line, column, path and the expected value. All faults of a file are reported, each on its
own line. Every key is optional, unless its default is *required*. Some keys have no default value; the column *default*
then describes what happens if the key is absent. *whole* means that a number must be a whole number.

To check a file without starting the program, run `obdgated --check --config FILE` or
`fleetstore serve --check --config FILE`.

If you want completion in an editor, name the schema (JSON Schema 2020-12) in the key `"$schema"`; the programs ignore
that key. The packages install the schemas as `/usr/share/obdgate/config.schema.json` and
`/usr/share/fleetstore/fleetstore.schema.json`.
"""


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


def with_signals(text, program):
    """The schema with the names of the signals that can be polled."""
    lines = subprocess.run([program, "signals", "--json"], capture_output=True, check=True, text=True).stdout
    rows = [json.loads(line) for line in lines.splitlines()]
    names = sorted({row["name"] for row in rows if row["pid"] == "ATRV" or row["pid"].startswith("01")})
    out, line = [], "       "
    for name in (json.dumps(name) + "," for name in names):
        if len(line) + len(name) + 1 > 120:
            out.append(line)
            line = "       "
        line += " " + name
    out.append(line.rstrip(","))
    listed = '"signal": {\n      "enum": [\n' + "\n".join(out) + "\n      ]"
    return re.sub(r'"signal": \{\n      "enum": \[[^\]]*\]', lambda found: listed, text)


class Page:
    def __init__(self, schema):
        self.schema = schema
        self.lines = []

    def resolved(self, node):
        """Returns a node, merged with the node to which it refers."""
        if "$ref" not in node:
            return node
        return {**self.resolved(self.schema["$defs"][node["$ref"].rsplit("/", 1)[1]]), **node}

    def values(self, node):
        """Returns a short description of the allowed values."""
        node = self.resolved(node)
        unit = " " + node["x-unit"] if "x-unit" in node else ""
        if "const" in node:
            return f"`{json.dumps(node['const'])}`"
        if "enum" in node:
            return ", ".join(f"`{json.dumps(value)}`" for value in node["enum"])
        if "oneOf" in node and node.get("type") != "array":
            return "; ".join(self.values({**{"x-unit": node.get("x-unit", "")}, **one}).strip() for one in node["oneOf"])
        kind = node.get("type")
        if kind in ("number", "integer"):
            whole = "whole, " if kind == "integer" else ""
            return f"{whole}{plain(node['minimum'])} to {plain(node['maximum'])}{unit}"
        if kind == "boolean":
            return "`true`, `false`"
        if kind == "array":
            least = f"{node['minItems']} to " if "minItems" in node else "at most "
            return f"{least}{node['maxItems']}"
        if kind == "object":
            each = node.get("additionalProperties") or {}
            most = f"at most {node['maxProperties']}, each " if "maxProperties" in node else ""
            return most + self.values({**each, "x-unit": node.get("x-unit", "")}).strip() if each else "an object"
        return "a path" if node.get("title") == "a path" or node.get("pattern") == "^[^\\u0000]+$" else "a string"

    def absent(self, node):
        node = self.resolved(node)
        if "default" in node:
            return f"`{json.dumps(node['default'], ensure_ascii=False)}`"
        return node.get("x-absent", "")

    def says(self, node, path):
        node = self.resolved(node)
        text = node.get("title", "")
        if "x-see" in node and path:
            text += f"; see [{os.path.basename(node['x-see'].split('#')[0])}]({node['x-see']})"
        return text

    def table(self, node, path):
        """Writes the keys of one object, then those of its nested objects."""
        required = node.get("required", [])
        rows, inner = [], []
        for key, value in node["properties"].items():
            value = self.resolved(value)
            name = f"{path}.{key}" if path else key
            parts = self.parts(value, name)
            inner += parts
            absent = "required" if key in required else self.absent(value)
            shown = "see below" if parts and value.get("type") != "array" and "oneOf" not in value else self.values(value)
            example = value["examples"][0] if "examples" in value and not parts else None
            rows.append((f"`{key}`", self.says(value, name), shown, absent,
                         f"`{json.dumps(example, ensure_ascii=False)}`" if example is not None else ""))
        self.lines += ["", "| key | meaning | values | default | example |", "|---|---|---|---|---|"]
        self.lines += ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows]
        for title, part, name in inner:
            self.lines += ["", f"### `{title}`"]
            if "title" in part:
                text = part["title"][0].upper() + part["title"][1:]
                self.lines += ["", self.sentence(text, part)]
            self.table(part, name)

    def sentence(self, text, node):
        if "x-see" in node:
            text += f"; see [{os.path.basename(node['x-see'])}]({node['x-see']})" if "#" not in node["x-see"] else ""
        out = text + "."
        if "description" in node:
            out += " " + node["description"].rstrip(".") + "."
        return out

    def parts(self, node, name):
        """Returns the objects below a key, each as (heading, object, path)."""
        node = self.resolved(node)
        if node.get("type") == "object":
            return [(name, node, name)] if "properties" in node else []
        if node.get("type") == "array" and "items" in node:
            items = self.resolved(node["items"])
            found = []
            for one in items.get("oneOf", []):
                one = self.resolved(one)
                if "properties" not in one:
                    continue
                first = one["required"][0]
                mark = one["properties"][first].get("const", first)
                found.append((f"{name}[]: {mark}", one, f"{name}[]: {mark}"))
            return found
        return [part for one in node.get("oneOf", []) for part in self.parts(one, name)]


def plain(number):
    return f"{number:,}" if isinstance(number, int) and number >= 100000 else str(number)


def section(schema, heading):
    page = Page(schema)
    page.lines += ["", f"## {heading}", "", schema["description"]]
    page.table(schema, "")
    return "\n".join(page.lines) + "\n"


def main():
    arguments = [argument for argument in sys.argv[1:] if argument != "--check"]
    if len(arguments) != 1:
        sys.exit(__doc__)
    gateway = with_signals(read(SCHEMA), arguments[0])
    made = {
        SCHEMA: gateway,
        PAGE: INTRODUCTION + section(json.loads(gateway), "obdgated")
        + section(json.loads(read("fleetstore.schema.json")), "fleetstore"),
    }
    stale = [path for path, text in made.items()
             if not os.path.exists(os.path.join(ROOT, path)) or read(path) != text]
    if "--check" in sys.argv:
        for path in stale:
            print(f"{path} is stale: run make docs", file=sys.stderr)
        sys.exit(1 if stale else 0)
    for path in stale:
        with open(os.path.join(ROOT, path), "w", encoding="utf-8") as file:
            file.write(made[path])


main()
