"""Damages files, and gives them to the program that decodes uploads, each in a process of its own with that program's limits.

image-fuzz.py and model-fuzz.py use this. Each file must be answered with copies or with a reason, or its process must end within
the server's time limit. The death of a process is an answer for the server, and is counted. Any other answer is printed and fails
the run.
"""

import collections
import json
import os
import random
import select
import signal
import struct
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "Sources/Fleet/FleetFiles/Helper"))

import images  # noqa: E402

# The server's time limit, s, and its limit of the answer, bytes.
SECONDS, MOST_BYTES = 40, 64 << 20


def damaged(whole, chance, marks):
    """One of the whole files with some errors. `marks` are bytes that change the meaning of what follows them."""
    data = bytearray(chance.choice(whole))
    for _ in range(chance.choice((0, 1, 1, 2, 4, 16, 64))):
        kind, at = chance.randrange(7), chance.randrange(max(len(data), 1))
        if kind == 0 and data:
            data[at] ^= 1 << chance.randrange(8)
        elif kind == 1 and data:
            data[at] = chance.choice((0, 1, 0x7F, 0x80, 0xFF, chance.randrange(256)))
        elif kind == 2:
            data[at : at + 4] = struct.pack(">I", chance.choice((0, 1, 0x7FFFFFFF, 0xFFFFFFFF, chance.randrange(1 << 32))))
        elif kind == 3:
            end = at + chance.randrange(64)
            data[at:at] = data[at:end] * chance.choice((1, 2, 100))
        elif kind == 4:
            del data[at : at + chance.randrange(1, 64)]
        elif kind == 5:
            data[at:at] = chance.choice(marks)
        else:
            other = chance.choice(whole)
            start = chance.randrange(len(other))
            data[at : at + 64] = other[start : start + 64]
    if chance.random() < 0.3:
        del data[chance.randrange(len(data) + 1) :]
    return bytes(data)


class Outcome:
    """What a process did: its kind, a fault of its answer, its processor time in s and its largest resident memory in bytes."""

    def __init__(self, kind, fault, seconds, memory):
        self.kind, self.fault, self.seconds, self.memory = kind, fault, seconds, memory


def run(data, arguments, memory, check):
    """Gives a file to a process of its own. `check` returns the kind of an answer, and its fault."""
    output, given = os.pipe()
    process = os.fork()
    if process == 0:
        try:
            os.close(output)
            # Libraries in C report errors, too.
            os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
            images.limit(memory)
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
    _, status, use = os.wait4(process, 0)
    kind, fault = None, None
    if time.monotonic() >= deadline:
        kind = "too slow"
    elif status:
        kind = f"died by signal {os.WTERMSIG(status)}" if os.WIFSIGNALED(status) else f"ended with {os.WEXITSTATUS(status)}"
    else:
        kind, fault = checked(bytes(received), check)
    return Outcome(kind, fault, use.ru_utime + use.ru_stime, use.ru_maxrss << 10)


def checked(received, check):
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
            fault = check(version, copy)
            if fault:
                return "invalid", fault
        if rest:
            return "invalid", "bytes after the copies"
        return ("reported" if found.get("problem") else "copied"), None
    except Exception as error:
        return "invalid", repr(error)


def main(program, noun, count, seed, file, memory, check):
    """Gives `count` files to the program. `file` returns the file with a number, and its arguments, from a source of random
    numbers."""
    chance, kinds, faults, slowest, largest = random.Random(seed), collections.Counter(), 0, 0.0, 0
    for number in range(count):
        data, arguments = file(number, chance)
        outcome = run(data, arguments, memory, check)
        slowest, largest = max(slowest, outcome.seconds), max(largest, outcome.memory)
        kinds[outcome.kind] += 1
        if outcome.fault:
            faults += 1
            print(f"{program}: seed {seed}, {noun} {number}: {outcome.fault}")
        if (number + 1) % 10_000 == 0 and number + 1 < count:
            print(f"{number + 1} {noun}s …", file=sys.stderr, flush=True)
    answers = ", ".join(f"{number} {kind}" for kind, number in kinds.most_common())
    print(f"{count} {noun}s: {answers}; most processor time {slowest:.1f} s; most memory {largest >> 20} MB")
    if faults:
        sys.exit(f"{program}: {faults} invalid answers")
