#!/usr/bin/env python3
"""Writes the web app into a folder that `fleetstore` serves: hashes in names, compressed copies, and `site.json`.

    scripts/web.py LIBRARIES OUT

LIBRARIES: the folder with the packages that `scripts/install.sh web` fetched. OUT: .build/web; replaced as a whole.

No file is transpiled. A file's new name contains a hash of its content, so that browsers keep it for ever; imports are
changed to the new names. The page names every module that it needs at once, so that they are fetched in parallel.
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
    """The texts of generic trouble codes, from the tables of the module TroubleCodes."""
    folder = ROOT + "/Sources/Wire/TroubleCodes/Texts"
    found = {}
    for name in sorted(os.listdir(folder)):
        if not name.startswith("GenericTexts+"):
            continue
        with open(f"{folder}/{name}", encoding="utf-8") as file:
            for code, text in re.findall(r'\.init\(0x([0-9A-F]{4}), "([^"]*)"\)', file.read()):
                number = int(code, 16)
                text = text[0].upper() + text[1:]
                found[f"{'PCBU'[number >> 14]}{number >> 12 & 3}{number & 0xFFF:03X}"] = text
    assert len(found) > 1000, "the tables of trouble codes have another form"
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
        "lib/land.json": land,
        "lib/trouble-codes.json": trouble_codes(),
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


class Site:
    """The files with their new names."""

    def __init__(self, files):
        self.files, self.names, self.output, self.busy = files, {}, {}, []

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
            content = IMPORT.sub(lambda found: self.changed(path, found), content.decode()).encode()
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
    preload = "\n".join(
        f'<link rel="modulepreload" href="/{site.name(path)}">' for path in site.closure("views/sign-in.js", site.closure("app.js")))
    text = text.replace("<!-- modules -->", preload)
    return re.sub(r'(src|href)="/((?:app\.js|icons/[^"]+))"', lambda found: f'{found[1]}="/{site.name(found[2])}"', text)


def main(libraries, out):
    site = Site({**sources(), **libraries_of(libraries)})
    site.output["index.html"] = page(site).encode()
    manifest = site.files["manifest.webmanifest"].decode()
    site.output["manifest.webmanifest"] = re.sub(
        r'"/(icons/[^"]+)"', lambda found: f'"/{site.name(found[1])}"', manifest).encode()
    # The service worker keeps what the app needs without a network: everything except the map and its data.
    kept = sorted(name for name in site.output if name.startswith("assets/") and "/maplibre" not in name
                  and "/land." not in name)
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
