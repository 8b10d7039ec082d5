#!/usr/bin/env python3
"""Writes the web app into a folder that `fleetstore` serves: hashes in names, compressed copies, and `site.json`.

    scripts/web.py LIBRARIES OUT

LIBRARIES: the folder with the packages that `scripts/install.sh web` fetched. OUT: .build/web; replaced as a whole.

No file is transpiled. A file's new name contains a hash of its content, so that browsers keep it for ever; imports are
changed to the new names. Modules that the first pages share are joined into one file, because a browser fetches only six
files at a time over HTTP/1.1. The page names every file that it needs at once, so that they are fetched in parallel.
"""
import gzip
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import zipfile

import outline

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SITE = ROOT + "/Sources/Fleet/FleetWeb/Site"
TYPES = {
    ".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8",
    ".json": "application/json", ".webmanifest": "application/manifest+json", ".svg": "image/svg+xml",
    ".png": "image/png", ".txt": "text/plain; charset=utf-8",
}
# Imports of a module, and its addresses of other files.
IMPORT = re.compile(
    r"""(\bfrom\s+|\bimport\s+|\bimport\(\s*|\bnew URL\(\s*)(["'])(\.{1,2}/[^"']+)\2""")
STATIC = re.compile(r"""(?:\bfrom\s+|\bimport\s+)["'](\.{1,2}/[^"']+)["']""")


def member(libraries, wheel, name):
    """One file of a package."""
    path = next(path for path in os.listdir(libraries) if path.lower().replace("-", "_").startswith(wheel + "_"))
    with zipfile.ZipFile(f"{libraries}/{path}") as archive:
        return archive.read(name)


def maplibre(libraries):
    """MapLibre as a module, and its worker as a file: the content security policy does not allow a script from memory."""
    code = member(libraries, "roadstyle", "roadstyle/vendor/maplibre-gl.js").decode()
    code = re.sub(r"\n//# sourceMappingURL=\S*\s*$", "\n", code)
    parts = [code.index(f'define("{name}",') for name in ("shared", "worker", "index")]
    shared, worker = code[parts[0]:parts[1]], code[parts[1]:parts[2]]
    chunks = [
        part[part.index("(function("):part.rstrip().rstrip(";").rindex(")")]
        for part in (shared, worker)]
    assert all(chunk.endswith(")") for chunk in chunks)
    made = f"var sharedModule = {{}};\n{chunks[0]}(sharedModule);\n{chunks[1]}(sharedModule);\n"
    # The page uses the file instead of a copy in memory.
    begin = code.index("var workerBundleString")
    code = code[:begin] + code[code.index("var sharedModule", begin + 200):] if False else re.sub(
        r"var workerBundleString = [^\n]*\n", "", code)
    code, count = re.subn(
        r"if \(typeof window !== 'undefined'\) \{\s*maplibregl\.setWorkerUrl\([^\n]*\n\s*\}", "", code)
    assert count == 1, "MapLibre sets its worker in another way"
    return (code + "\nexport default globalThis.maplibregl;\n").encode(), made.encode()


def trouble_codes():
    """The texts of generic trouble codes in English, from the tables of the module TroubleCodes, and in German."""
    folder = ROOT + "/Sources/Wire/TroubleCodes/Texts"
    found = {}
    for name in sorted(os.listdir(folder)):
        if not name.startswith("GenericTexts+"):
            continue
        with open(f"{folder}/{name}", encoding="utf-8") as file:
            for code, text in re.findall(r'\.init\(0x([0-9A-F]{4}), "([^"]*)"\)', file.read()):
                number = int(code, 16)
                text = text[0].upper() + text[1:]
                found[f"{'PCBU'[number >> 14]}{number >> 12 & 3}{number & 0xFFF:03X}"] = [text]
    assert len(found) > 1000, "the tables of trouble codes have another form"
    # The most frequent codes are translated; the app marks the others as English.
    with open(SITE + "/texts/trouble-codes.de.json", encoding="utf-8") as file:
        for code, text in json.load(file).items():
            found[code].append(text)
    return json.dumps(found, separators=(",", ":"), ensure_ascii=False).encode()


def signals():
    """The standard name and the unit of each numeric signal, from the table of the module OBDWire."""
    folder = ROOT + "/Sources/Wire/OBDWire"
    with open(folder + "/Unit.swift", encoding="utf-8") as file:
        units = dict(re.findall(r'case \.(\w+): "([^"]*)"', file.read()))
    # Rows of these kinds have a fixed unit. Flags and codes are no numbers.
    fixed = {"percent": "%", "trim": "%", "sensorTrim": "%", "celsius": "°C", "celsius16": "°C", "wideVoltage": "V", "wideCurrent": "mA", "nox": "ppm", "lambda": ""}
    found = {}
    with open(folder + "/Tables/SAESignalTable.swift", encoding="utf-8") as file:
        rows = re.findall(r'\.(\w+)\(\s*(?:0x[0-9A-F]+,\s*)?(?:\w+,\s*)*"(\w+)",\s*"([^"]+)"(?:,\s*\.(\w+))?', file.read())
    for kind, name, title, unit in rows:
        if kind not in ("flag", "ready", "support", "enumeration"):
            found.setdefault(name, [title, fixed.get(kind, units.get(unit, ""))])
    assert found["rpm"] == ["Engine speed", "rpm"] and len(found) > 400, "the table of signals has another form"
    return json.dumps(found, separators=(",", ":"), ensure_ascii=False).encode()


def libraries_of(folder):
    """The files of libraries by their path in the site."""
    library, worker = maplibre(folder)
    uplot = member(folder, "youplot", "youplot/vendor/uplot.iife.min.js")
    with open(folder + "/outline.json", "w", encoding="utf-8") as file:
        json.dump(outline.countries(folder + "/natural-earth"), file, separators=(",", ":"), ensure_ascii=False)
    with open(folder + "/outline.json", "rb") as file:
        land = file.read()
    return {
        "lib/preact.js": member(folder, "datasette_preact", "datasette_preact/static/preact-10.27.2-htm-3.1.1.min.js"),
        "lib/uplot.js": uplot + b"\nexport default uPlot;\n",
        "lib/uplot.css": member(folder, "youplot", "youplot/vendor/uplot.min.css"),
        "lib/maplibre.js": library,
        "lib/maplibre-worker.js": worker,
        "lib/maplibre.css": member(folder, "roadstyle", "roadstyle/vendor/maplibre-gl.css"),
        "lib/three.js": re.sub(rb"\n//# sourceMappingURL=\S*\s*$", b"\n", member(folder, "nicegui", "nicegui/elements/scene/dist/index.js")),
        "lib/land.json": land,
        "lib/trouble-codes.json": trouble_codes(),
        "lib/signals.json": signals(),
    }


def sources():
    found = {}
    for folder, _, names in os.walk(SITE):
        for name in names:
            path = os.path.relpath(f"{folder}/{name}", SITE)
            if not name.endswith((".d.ts", "tsconfig.json")):
                with open(f"{folder}/{name}", "rb") as file:
                    found[path] = file.read()
    return found


# An import of names, a side effect, or a default, on one line; and exported declarations.
NAMES = re.compile(r"""^import (?:\{([^}]*)\}|(\w+)) from ["'](\.{1,2}/[^"']+)["'];\n""", re.M)
EXPORT = re.compile(r"^export (?:(default) )?((?:async )?function|class|const)(\*? )(\w+)", re.M)
# Comments that describe types; browsers need none.
COMMENT = re.compile(r"^[ \t]*/\*\*(?:(?!\*/).)*\*/[ \t]*\n|/\*\*(?:(?!\*/).)*\*/ ?", re.M | re.S)


class Site:
    """The files with their new names."""

    def __init__(self, files):
        self.files, self.names, self.output, self.busy = files, {}, {}, []
        # The bundle of each module that is in one, and the modules of each bundle in the order in which they run.
        self.bundle_of, self.bundles = {}, {}
        for path in files:
            if path.endswith(".js") and not path.startswith("lib/"):
                files[path] = COMMENT.sub("", files[path].decode()).encode()

    def join(self, bundle, paths):
        """Joins modules into one file. Each becomes a function, so that its own names stay its own."""
        self.bundles[bundle] = paths
        for path in paths:
            self.bundle_of[path] = bundle
        self.files[bundle] = b""

    def variable(self, path):
        """The name of a module in its bundle."""
        return re.sub(r"\W", "_", path[:-3])

    def joined(self, bundle):
        """The text of a bundle."""
        parts, outside = [], {}
        for path in self.bundles[bundle]:
            text = self.files[path].decode()

            def taken(found):
                target = self.target(path, found[3])
                if self.bundle_of.get(target) == bundle:
                    source = self.variable(target)
                else:
                    source = outside.setdefault(target, f"outside{len(outside)}")
                names = found[1] if found[1] is not None else f"default as {found[2]}"
                names = re.sub(r"(\w+) as (\w+)", r"\1: \2", names)
                prefix = self.variable(target) + "$" if source.startswith("outside") and target in self.bundle_of else ""
                return "const {" + ",".join(prefix + (one if ":" in one or not prefix else f"{one.strip()}: {one.strip()}").strip()
                                            for one in names.split(",") if one.strip()) + f"}} = {source};\n"

            text = NAMES.sub(taken, text)
            exports = [f"{'default: ' if default else ''}{name}" for default, _, _, name in EXPORT.findall(text)]
            text = EXPORT.sub(lambda found: f"{found[2]}{found[3]}{found[4]}", text)
            # Addresses in the module are relative to the bundle from now on.
            text = IMPORT.sub(lambda found: f"{found[1]}{found[2]}{self.relative(self.target(path, found[3]), bundle)}{found[2]}", text)
            assert not re.search(r"^(import|export)\b", text, re.M), f"{path}: an import or export of another form"
            parts.append(f"const {self.variable(path)} = (() => {{\n{text}return {{ {', '.join(exports)} }};\n}})();\n")
            parts.append("".join(f"export const {self.variable(path)}${name} = {self.variable(path)}.{name};\n"
                                 for default, _, _, name in EXPORT.findall(self.files[path].decode()) if not default))
        imports = "".join(f'import * as {name} from "{self.relative(self.bundle_of.get(target, target), bundle)}";\n' for target, name in outside.items())
        return imports + "".join(parts)

    @staticmethod
    def relative(path, place):
        found = os.path.relpath(path, os.path.dirname(place))
        return found if found.startswith(".") else "./" + found

    def redirected(self, path, text):
        """The text of a module that imports names from bundles."""
        def taken(found):
            target = self.target(path, found[3])
            bundle = self.bundle_of.get(target)
            if not bundle:
                return found[0]
            names = [one.strip().split(" as ") for one in (found[1] or "").split(",") if one.strip()]
            assert names, f"{path}: imports the default of {target}"
            return "import { " + ", ".join(f"{self.variable(target)}${one[0]} as {one[-1]}" for one in names) + f' }} from "{self.relative(bundle, path)}";\n'
        return NAMES.sub(taken, text)

    def name(self, path):
        """Returns the new name of a file. The files that it imports get their names first."""
        if path in self.names:
            return self.names[path]
        if path in self.busy:
            raise SystemExit("a circle of imports: " + " → ".join(self.busy + [path]))
        if path not in self.files:
            raise SystemExit(f"{self.busy[-1]}: imports {path}, which is not there")
        self.busy.append(path)
        content = self.files[path]
        if path.endswith(".js") and not path.startswith("lib/"):
            text = self.joined(path) if path in self.bundles else self.redirected(path, content.decode())
            content = IMPORT.sub(lambda found: self.changed(path, found), text).encode()
        self.busy.pop()
        stem, suffix = os.path.splitext(path)
        self.names[path] = f"assets/{stem}.{hashlib.sha256(content).hexdigest()[:10]}{suffix}"
        self.output[self.names[path]] = content
        return self.names[path]

    def target(self, path, address):
        return os.path.normpath(os.path.join(os.path.dirname(path), address))

    def changed(self, path, found):
        new = os.path.relpath(
            self.name(self.target(path, found[3])), os.path.dirname("assets/" + path))
        return f"{found[1]}{found[2]}{new if new.startswith('.') else './' + new}{found[2]}"

    def ordered(self, *views):
        """The modules that views import, each after those that it imports itself; without the views and libraries."""
        found = []

        def visit(path):
            if path in found or path.startswith("lib/"):
                return
            for address in STATIC.findall(self.files[path].decode()):
                visit(self.target(path, address))
            found.append(path)

        for view in views:
            visit(view)
        return [path for path in found if path not in views]

    def closure(self, path, seen=None):
        """Returns a module with all modules that it imports statically."""
        seen = [] if seen is None else seen
        if path not in seen:
            seen.append(path)
            if not path.startswith("lib/"):
                for address in STATIC.findall(self.files[path].decode()):
                    self.closure(self.target(path, address), seen)
        return seen


def page(site):
    """The page, with the new names, one style sheet, and the modules that it needs."""
    text = site.files["index.html"].decode()
    sheets = re.findall(r'<link rel="stylesheet" href="/([^"]+)">', text)
    site.files["styles.css"] = b"\n".join(site.files[sheet] for sheet in sheets)
    text = re.sub(r'(<link rel="stylesheet" href="/[^"]+">\s*)+',
                  f'<link rel="stylesheet" href="/{site.name("styles.css")}">\n', text, count=1)
    needed = [site.bundle_of.get(path, path) for path in site.closure("views/sign-in.js", site.closure("app.js"))]
    preload = "\n".join(f'<link rel="modulepreload" href="/{site.name(path)}">' for path in dict.fromkeys(needed))
    text = text.replace("<!-- modules -->", preload)
    return re.sub(r'(src|href)="/((?:app\.js|icons/[^"]+))"', lambda found: f'{found[1]}="/{site.name(found[2])}"', text)


def main(libraries, out):
    site = Site({**sources(), **libraries_of(libraries)})
    first = site.ordered("app.js", "views/sign-in.js")
    site.join("first.js", first)
    site.join("forms.js", [path for path in site.ordered("views/mine.js") if path not in first])
    site.output["index.html"] = page(site).encode()
    manifest = site.files["manifest.webmanifest"].decode()
    site.output["manifest.webmanifest"] = re.sub(
        r'"/(icons/[^"]+)"', lambda found: f'"/{site.name(found[1])}"', manifest).encode()
    # The service worker keeps what the app needs without a network: everything except the map and its data,
    # and the viewer of 3D models.
    kept = sorted(name for name in site.output if name.startswith("assets/") and "/maplibre" not in name
                  and "/land." not in name and "/three." not in name)
    version = hashlib.sha256("".join(kept).encode() + site.output["index.html"]).hexdigest()[:10]
    worker = site.files["sw.js"].decode().replace(
        "const FILES = []", "const FILES = " + json.dumps(["/" + name for name in kept]))
    site.output["sw.js"] = worker.replace("development", version).encode()
    draft = out + ".new"
    shutil.rmtree(draft, ignore_errors=True)
    entries = []
    for name, content in sorted(site.output.items()):
        path = f"{draft}/{name}"
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(content)
        codings = []
        if len(content) >= 256 and not name.endswith(".png"):
            packed = subprocess.run(["brotli", "-q", "11", "-c"], input=content, stdout=subprocess.PIPE, check=True).stdout
            for coding, suffix, body in [("br", ".br", packed), ("gzip", ".gz", gzip.compress(content, 9, mtime=0))]:
                if len(body) < len(content):
                    codings.append(coding)
                    with open(path + suffix, "wb") as file:
                        file.write(body)
        entries.append({
            "path": "/" + name, "type": TYPES[os.path.splitext(name)[1]],
            "tag": hashlib.sha256(content).hexdigest()[:20], "immutable": name.startswith("assets/"), "codings": codings,
        })
    with open(draft + "/site.json", "w", encoding="utf-8") as file:
        json.dump({"files": entries}, file, indent=1)
    shutil.rmtree(out, ignore_errors=True)
    os.rename(draft, out)


if __name__ == "__main__":
    main(*sys.argv[1:])
