"""Recognizes text with tesseract, if the networks of recognizer.py are not installed."""

import io
import subprocess

from text_rows import Word

# The longest time that one reading may need. The server ends the helper after the time for two of them.
SECONDS = 18


def is_installed():
    """Whether tesseract and its data for English are installed."""
    try:
        listed = subprocess.run(
            ["tesseract", "--list-langs"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=SECONDS, check=False)
    except FileNotFoundError:
        return False
    return b"eng" in listed.stdout.split()


def words(image, layout, width):
    """The words of an upright RGB image, with boxes in its pixels.

    `layout` is tesseract's page segmentation mode; the image is scaled to `width` pixels, at which the letters of a
    receipt have the height of some 30 pixels that tesseract wants."""
    from PIL import Image, ImageOps

    grey = image.convert("L")
    factor = min(width / grey.width, 6000 / grey.height)
    if factor > 1 or factor < 0.7:
        grey = grey.resize((round(grey.width * factor), round(grey.height * factor)), Image.LANCZOS)
    else:
        factor = 1
    margin = 20
    grey = ImageOps.expand(grey, margin, 255)
    file = io.BytesIO()
    grey.save(file, "PNG", compress_level=1)
    try:
        result = subprocess.run(
            # Method 2 is Sauvola's, which copes with shadows.
            ["tesseract", "-", "-", "--psm", str(layout), "-l", "eng", "-c", "thresholding_method=2", "tsv"],
            input=file.getvalue(), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=SECONDS, check=True,
        )
    except subprocess.TimeoutExpired:
        raise TimeoutError from None
    return [
        Word(
            word.text, (word.left - margin) / factor, (word.top - margin) / factor, word.width / factor,
            word.height / factor, word.confidence,
        )
        for word in parse(result.stdout.decode(errors="replace"))
    ]


def parse(tsv):
    """The words of tesseract's table."""
    found = []
    for line in tsv.splitlines()[1:]:
        parts = line.split("\t")
        if len(parts) == 12 and parts[0] == "5" and parts[11].strip():
            left, top, width, height = (int(part) for part in parts[6:10])
            found.append(Word(parts[11].strip(), left, top, width, height, max(float(parts[10]), 0) / 100))
    return found
