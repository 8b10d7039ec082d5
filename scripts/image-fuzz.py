#!/usr/bin/python3
"""Decodes damaged images with the program that decodes uploads, each in a process of its own with that program's limits.

image-fuzz.py [COUNT] [SEED]

Each image must be answered with copies or with a reason, or its process must end within the server's time limit. The death of a
process is an answer for the server, and is counted. Any other answer is printed and fails the run.
"""

import collections
import io
import json
import os
import random
import select
import signal
import struct
import subprocess
import sys
import tempfile
import time
import zlib

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "Sources/Fleet/FleetFiles/Helper"))

import images  # noqa: E402
from PIL import Image, features  # noqa: E402

# The server's time limit, s, and its limit of the answer, bytes.
SECONDS, MOST_BYTES = 40, 64 << 20
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


def damaged(whole, chance):
    image = bytearray(chance.choice(whole))
    for _ in range(chance.choice((0, 1, 1, 2, 4, 16, 64))):
        kind, at = chance.randrange(7), chance.randrange(max(len(image), 1))
        if kind == 0 and image:
            image[at] ^= 1 << chance.randrange(8)
        elif kind == 1 and image:
            image[at] = chance.choice((0, 1, 0x7F, 0x80, 0xFF, chance.randrange(256)))
        elif kind == 2:
            image[at : at + 4] = struct.pack(">I", chance.choice((0, 1, 0x7FFFFFFF, 0xFFFFFFFF, chance.randrange(1 << 32))))
        elif kind == 3:
            end = at + chance.randrange(64)
            image[at:at] = image[at:end] * chance.choice((1, 2, 100))
        elif kind == 4:
            del image[at : at + chance.randrange(1, 64)]
        elif kind == 5:
            image[at:at] = chance.choice(MARKS)
        else:
            other = chance.choice(whole)
            start = chance.randrange(len(other))
            image[at : at + 64] = other[start : start + 64]
    if chance.random() < 0.3:
        del image[chance.randrange(len(image) + 1) :]
    return bytes(image)


def run(data, arguments):
    """The kind of answer that a process of its own gives for an image, and a fault of the answer."""
    output, given = os.pipe()
    process = os.fork()
    if process == 0:
        try:
            os.close(output)
            images.limit(images.MEMORY)
            found, bodies = images.answer(data, arguments)
            head = json.dumps(found).encode()
            with open(given, "wb") as file:
                file.write(struct.pack(">I", len(head)) + head + b"".join(bodies))
            os._exit(0)
        finally:
            os._exit(1)
    os.close(given)
    deadline, received = time.monotonic() + SECONDS, bytearray()
    while True:
        left = deadline - time.monotonic()
        if left <= 0 or len(received) > MOST_BYTES or not select.select([output], [], [], left)[0]:
            os.kill(process, signal.SIGKILL)
            break
        piece = os.read(output, 1 << 16)
        if not piece:
            break
        received += piece
    os.close(output)
    status = os.waitpid(process, 0)[1]
    if time.monotonic() >= deadline:
        return "too slow", None
    if status:
        return f"died by signal {os.WTERMSIG(status)}" if os.WIFSIGNALED(status) else f"ended with {os.WEXITSTATUS(status)}", None
    return checked(bytes(received))


def checked(received):
    try:
        length = struct.unpack(">I", received[:4])[0]
        found, rest = json.loads(received[4 : 4 + length]), received[4 + length :]
        if "error" in found:
            if rest or not isinstance(found["error"], str):
                return "invalid", "an error with copies"
            return "reported", None
        if "versions" not in found:
            return "read", None
        for version in found["versions"]:
            copy, rest = rest[: version["size"]], rest[version["size"] :]
            # The copies were encoded here, so that they are whole.
            with Image.open(io.BytesIO(copy), formats=("JPEG",)) as image:
                if image.size != (version["width"], version["height"]) or image.getexif() or "comment" in image.info:
                    return "invalid", f"a copy differs from {version}"
        return ("invalid", "bytes after the copies") if rest else ("copied", None)
    except Exception as error:
        return "invalid", repr(error)


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 20_261_128
    chance, kinds, faults, slowest = random.Random(seed), collections.Counter(), 0, 0.0
    with tempfile.TemporaryDirectory() as folder:
        whole = whole_images(folder)
    for image in whole:
        if run(image, ["copies"])[0] != "copied":
            sys.exit("image-fuzz.py: an undamaged image was not decoded")
    hostile = list(hostile_images(whole))
    for number in range(count):
        data = hostile[number] if number < len(hostile) else damaged(whole, chance)
        # Few are read, because that takes more time.
        arguments = ["copies", "--position"] if number % 500 else [("receipt", "vin", "odometer")[number // 500 % 3]]
        started = time.monotonic()
        kind, fault = run(data, arguments)
        slowest = max(slowest, time.monotonic() - started)
        kinds[kind] += 1
        if fault:
            faults += 1
            print(f"image-fuzz.py: seed {seed}, image {number}: {fault}")
    print(f"{count} images: " + ", ".join(f"{number} {kind}" for kind, number in kinds.most_common()) + f"; slowest {slowest:.1f} s")
    if faults:
        sys.exit(f"image-fuzz.py: {faults} invalid answers")


if __name__ == "__main__":
    main()
