#!/usr/bin/python3
"""Decodes damaged images, and those made to harm, with the program that decodes uploads, as helper_fuzz.py describes.

image-fuzz.py [COUNT] [SEED]
"""

import io
import os
import struct
import subprocess
import sys
import tempfile
import zlib

import helper_fuzz
import images
from PIL import Image, features

MARKS = [b"\xff\xd8\xff\xe1", b"\xff\xc2", b"\xff\xda", b"\xff\xdb", b"IHDR", b"IDAT", b"acTL", b"iCCP", b"ftypheic", b"meta", b"iloc", b"iprp"]


def encoded(image, form, **options):
    file = io.BytesIO()
    image.save(file, form, **options)
    return file.getvalue()


def whole_images(folder):
    """Valid images of the kinds that phones and browsers send."""
    noise = Image.effect_noise((96, 72), 90)
    colours = Image.merge("RGB", [noise, noise.rotate(180), Image.linear_gradient("L").resize(noise.size)])
    exif = Image.Exif()
    exif[0x0112], exif[0x010F] = 6, "maker"
    exif.get_ifd(0x8769)[0x9003] = "2026:05:04 10:20:30"
    exif.get_ifd(0x8825).update({1: "N", 2: (48.0, 12.0, 0.0), 3: "E", 4: (16.0, 30.0, 0.0)})
    found = [
        encoded(colours, "JPEG", quality=80, exif=exif),
        encoded(colours, "JPEG", quality=80, progressive=True),
        encoded(colours.convert("CMYK"), "JPEG"),
        encoded(noise, "JPEG"),
        encoded(colours, "PNG", exif=exif),
        encoded(colours.convert("RGBA"), "PNG"),
        encoded(colours.convert("P"), "PNG", transparency=0),
        encoded(noise.convert("I"), "PNG"),
        encoded(noise.convert("1"), "PNG", optimize=True),
    ]
    if features.check("webp"):
        found += [encoded(colours, "WEBP"), encoded(colours, "WEBP", lossless=True)]
    source, photo = os.path.join(folder, "a.png"), os.path.join(folder, "a.heic")
    colours.save(source)
    subprocess.run(["heif-enc", "-o", photo, source], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    with open(photo, "rb") as file:
        return found + [file.read()] * 3


def chunk(kind, body):
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def hostile_images(whole):
    """Images that were made to harm: bombs of pixels, two formats in one, and formats that are not accepted."""
    zeros = zlib.compress(bytes(1 << 20), 9)
    for width, height in [(2**31 - 1, 2**31 - 1), (60_000, 60_000), (20_000, 2_500), (1, 50_000_001), (0, 5), (7_000, 7_000)]:
        for depth, kind in [(1, 0), (8, 2), (16, 6), (8, 3)]:
            head = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, depth, kind, 0, 0, 0))
            yield b"\x89PNG\r\n\x1a\n" + head + chunk(b"IDAT", zeros) + chunk(b"IEND", b"")
            # A text that grows a thousandfold.
            text = chunk(b"zTXt", b"a\0\0" + zlib.compress(bytes(200 << 20), 9)) if (width, depth) == (7_000, 1) else b""
            yield b"\x89PNG\r\n\x1a\n" + head + text + chunk(b"IDAT", zeros) + chunk(b"IEND", b"")
    for image in whole:
        # A frame of 65,535 × 65,535 pixels.
        at = image.find(b"\xff\xc0")
        if image[:2] == b"\xff\xd8" and at > 0:
            yield image[: at + 5] + b"\xff\xff\xff\xff" + image[at + 9 :]
        for other in (b"PK\3\4" + bytes(64), b"<script>alert(1)</script>", b"%PDF-1.7\n", *whole[:3]):
            yield image + other
            yield other + image
    for text in (
        b'<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>',
        b'<?xml version="1.0"?><!DOCTYPE svg [<!ENTITY a "aaaa">]><svg>&a;</svg>',
        b"GIF89a" + bytes(64), b"BM" + bytes(64), b"II*\0" + bytes(64), b"%!PS\n", b"\0\0\0\x18ftypheic" + bytes(200), b"",
    ):
        yield text


def check(version, copy):
    """The fault of a copy. The copies were encoded here, so that they are whole."""
    with Image.open(io.BytesIO(copy), formats=("JPEG",)) as image:
        if image.size != (version["width"], version["height"]) or image.getexif() or "comment" in image.info:
            return f"a copy differs from {version}"
    return None


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 20_261_128
    with tempfile.TemporaryDirectory() as folder:
        whole = whole_images(folder)
    for image in whole:
        if helper_fuzz.run(image, ["copies"], images.MEMORY, check).kind != "copied":
            sys.exit("image-fuzz.py: an undamaged image was not decoded")
    hostile = list(hostile_images(whole))

    def image(number, chance):
        data = hostile[number] if number < len(hostile) else helper_fuzz.damaged(whole, chance, MARKS)
        # Few are read, because that takes more time.
        return data, ["copies", "--position"] if number % 500 else [("receipt", "vin", "odometer")[number // 500 % 3]]

    helper_fuzz.main("image-fuzz.py", "image", count, seed, image, images.MEMORY, check)


if __name__ == "__main__":
    main()
