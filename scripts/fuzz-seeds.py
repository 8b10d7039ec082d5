"""Writes the inputs with which fuzzing starts: pieces of the project's captures and, if they are available, of the public
recordings that tests read.

    fuzz-seeds.py TARGET FOLDER
"""

import base64
import json
import os
import pathlib
import re
import sys

# Maximum length of an input. Short inputs run fast and mutate well; all important sentences and answers are shorter.
PIECE = 160
# The number of capture formats, one of which the first byte of an input selects.
FORMATS = 12


def unescaped(text):
    """Returns the bytes of one event of a .capture file."""
    table = {"r": b"\r", "n": b"\n", "\\": b"\\"}
    parts = re.split(r"\\(x[0-9A-Fa-f]{2}|[rn\\])", text)
    out = b""
    for index, part in enumerate(parts):
        if index % 2 == 0:
            out += part.encode()
        elif part.startswith("x"):
            out += bytes([int(part[1:], 16)])
        else:
            out += table[part]
    return out


def events(path, kinds):
    """Returns the bytes of all events of these kinds in a .capture file, joined."""
    out = b""
    for line in path.read_text(encoding="utf-8").splitlines():
        match = re.match(r"[0-9.]+ ([<>g]) (.*)", line)
        if match and match.group(1) in kinds:
            out += unescaped(match.group(2))
    return out


def pieces(data):
    return [data[at : at + PIECE] for at in range(0, min(len(data), 16 * PIECE), PIECE)]


def framing(captures, recordings):
    for path in captures:
        yield from pieces(events(path, "<"))
        # With the echo on, the command precedes its answer.
        yield from pieces(events(path, "<>"))
    for path in recordings.glob("elm/*.jsonl"):
        for line in path.read_text(encoding="utf-8").splitlines():
            for text in strings(json.loads(line)):
                if "\r" in text or ">" in text:
                    yield from pieces(text.encode("utf-8", "replace"))


def strings(value):
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for item in value:
            yield from strings(item)
    elif isinstance(value, dict):
        for item in value.values():
            yield from strings(item)


def nmea(captures, recordings):
    """Yields inputs that begin with two bytes. If the first is even, a stream follows; if it is odd, bodies follow to
    which the fuzzer adds `$` and a right checksum. The second is the size of the chunks."""
    for path in captures:
        for piece in pieces(events(path, "g")):
            yield b"\x00\x3f" + piece
    for path in sorted(recordings.glob("nmea/*.log")):
        data = path.read_bytes()
        yield b"\x00\x3f" + data[: 2 * PIECE]
        bodies = re.findall(rb"^\$([^*\r\n]+)\*", data, re.MULTILINE)[:12]
        for at in range(0, len(bodies), 3):
            yield b"\x01\x3f" + b"\n".join(bodies[at : at + 3])


def captures_of_all_formats(captures, recordings):
    """Yields inputs that begin with two bytes. The first selects the format; from 128 on, the format is also detected
    from the content. The second is the size of the chunks."""
    bodies = [path.read_bytes()[: 2 * PIECE] for path in captures]
    bodies += [piece for path in captures for piece in pieces(events(path, "<>"))[:1]]
    bodies += [path.read_bytes()[:PIECE] for path in sorted(recordings.glob("nmea/*.log"))[:8]]
    bodies += [
        b"(1609459200.000000) can0 7E8#04410C1AF8000000\n",
        b"  can0  7E8   [8]  04 41 0C 1A F8 00 00 00\n",
        b"1609459200.000000 1R11 7E8 04 41 0C 1A F8 00 00 00\n",
        b"> 2021/01/01 00:00:00.000000  length=5 from=0 to=4\n010C\r< 2021/01/01 00:00:00.100000  length=3 from=0 to=2\n41 \n",
        b"[obd.elm327] write: b'010C\\r'\n[obd.elm327] read: b'41 0C 1A F8\\r\\r>'\n",
        b"0.200 W 010C\\r\n0.328 R 41 0C 1A F8\\r\\r>\n",
        b">010C\n<41 0C 1A F8\n>>010D\n<<41 0D 20\n",
    ]
    for body in bodies:
        for number in range(FORMATS):
            yield bytes([number, 0x3F]) + body
        yield bytes([128, 0x07]) + body


def passkeys(_captures, _recordings):
    """Yields inputs whose first byte selects an item (0), authenticator data (2), what follows its first 37 bytes (3),
    client data (4), a key (5), a token (6), or the parts of a token with zero bytes between them (7)."""
    key = bytes.fromhex("a5010203262001215820") + bytes(range(32)) + bytes.fromhex("225820") + bytes(range(32, 64))
    items = [
        key, bytes.fromhex("a301010327200621") + b"\x58\x20" + bytes(32), bytes.fromhex("a1686372656450726f7465637402"),
        b"\xa3\x63fmt\x64none\x67attStmt\xa0\x68authData\x41\x00", bytes.fromhex("84f4f5f63903e7"),
        bytes.fromhex("1bffffffffffffffff"), bytes.fromhex("8181818100"), bytes.fromhex("a2613060613160"),
    ]
    for item in items:
        yield b"\x00" + item
    credential = bytes(16) + b"\x00\x10" + bytes(range(16)) + key
    head = bytes(32)
    yield b"\x02" + head + b"\x05\x00\x00\x00\x07"
    yield b"\x02" + head + b"\x45\x00\x00\x00\x00" + credential
    yield b"\x03" + credential + items[2]
    client = b'{"type":"webauthn.get","challenge":"AQID","origin":"https://a.bc"'
    for more in [b"}", b',"crossOrigin":false}', b',"crossOrigin":true}', b',"topOrigin":"https://a.bc"}', b',"x":[{}]}']:
        yield b"\x04" + client + more
    point = [bytes.fromhex(number) for number in (
        "6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296",
        "4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5")]
    yield b"\x05" + key[:10] + point[0] + bytes.fromhex("225820") + point[1]
    for number in range(3):
        yield bytes([5, number, 0xFF, 0x01])
    for algorithm in [b"ES256", b"RS256", b"none", b"HS256"]:
        parts = [b'{"alg":"' + algorithm + b'","kid":"k"}', b'{"sub":"a"}', b"\x01" * 64]
        yield b"\x07" + b"\x00".join(parts)
        yield b"\x06" + b".".join(base64.urlsafe_b64encode(part).rstrip(b"=") for part in parts)


def models(_captures, recordings):
    formats = ["glb", "gltf", "usdz", "ply", "obj", "stl"]
    for path in sorted((recordings / "models3d").iterdir()):
        kind = path.suffix[1:].lower()
        if kind in formats and path.stat().st_size <= 2_000:
            yield bytes([formats.index(kind)]) + path.read_bytes()


SEEDS = {
    "Framing": framing, "Decode": framing, "NMEA": nmea, "Captures": captures_of_all_formats, "Passkeys": passkeys,
    "Models": models,
}


def main(target, folder):
    root = pathlib.Path(__file__).resolve().parent.parent
    recordings = pathlib.Path(os.environ.get("OBDGATE_TEST_DATA", root / "../shared/data"))
    captures = sorted((root / "captures").glob("*.capture"))
    out = pathlib.Path(folder)
    out.mkdir(parents=True, exist_ok=True)
    for old in out.iterdir():
        old.unlink()
    seeds = sorted({seed for seed in SEEDS[target](captures, recordings) if seed})
    for index, seed in enumerate(seeds):
        (out / f"{index:05}").write_bytes(seed)


if __name__ == "__main__":
    main(*sys.argv[1:])
