#!/usr/bin/env python3
"""Draws the icons of the web app from its SVG, with Chromium: for phones that show no SVG, and masked by others.

    scripts/icons.py        writes the PNG files beside Sources/Fleet/FleetWeb/Site/icons/app.svg
"""
import base64
import os
import re
import subprocess
import tempfile

ICONS = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + "/Sources/Fleet/FleetWeb/Site/icons"
# The part of a masked icon that every mask shows is a circle of 80 % of its width.
SAFE = 0.8


def masked(svg):
    """The same drawing, within the safe part of an icon without corners."""
    square = re.search(r'<rect width="(\d+)" height="\d+" rx="\d+" (fill="[^"]+")/>', svg)
    size = int(square[1])
    margin = size * (1 - SAFE) / 2
    whole = f'<rect width="{size}" height="{size}" {square[2]}/><g transform="translate({margin} {margin}) scale({SAFE})">'
    return svg.replace(square[0], whole).replace("</svg>", "</g></svg>")


PAGE = """<!doctype html><body><script>
  const image = new Image();
  image.onload = () => {
    const canvas = document.createElement("canvas");
    canvas.width = canvas.height = SIZE;
    canvas.getContext("2d").drawImage(image, 0, 0, SIZE, SIZE);
    document.body.textContent = canvas.toDataURL("image/png");
  };
  image.src = "data:image/svg+xml;base64,SVG";
</script>"""


def draw(svg, size, path):
    page = PAGE.replace("SIZE", str(size)).replace("SVG", base64.b64encode(svg.encode()).decode())
    with tempfile.TemporaryDirectory() as folder:
        with open(folder + "/icon.html", "w", encoding="utf-8") as file:
            file.write(page)
        shown = subprocess.run(["chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--force-color-profile=srgb", "--virtual-time-budget=5000", "--dump-dom",
                                f"file://{folder}/icon.html"], check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
    with open(path, "wb") as file:
        file.write(base64.b64decode(re.search(r"data:image/png;base64,([\w+/=]+)", shown)[1]))


def main():
    with open(ICONS + "/app.svg", encoding="utf-8") as file:
        svg = file.read()
    for size in (192, 512):
        draw(svg, size, f"{ICONS}/app-{size}.png")
    draw(masked(svg), 512, ICONS + "/masked-512.png")
    # iOS draws its own corners.
    draw(masked(svg), 180, ICONS + "/touch-180.png")


if __name__ == "__main__":
    main()
