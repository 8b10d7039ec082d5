"""Measures obdgate and other programs with the same bytes in the same run; prints a table in Markdown.

    bench.py OBDGATE SCRATCH      SCRATCH: a folder with counter.so (Tests/Support/allocation-counter.c)

For whole programs, the best of several runs is used. If the machine has other work, this is the run that was disturbed
least. Ratios between rows of one run mean more than the figures themselves.
"""

import json
import os
import pathlib
import platform
import shutil
import subprocess
import sys
import time

OBDGATE, SCRATCH = sys.argv[1], pathlib.Path(sys.argv[2])
ROOT = pathlib.Path(__file__).resolve().parent.parent
PYTHON = ROOT / ".tools/venv/bin/python3"
REPLAYED = 300_000_000


def run(*command, stdin=None, env=None):
    """Runs a program to its end and returns its stdout. If it fails, this script ends with the program's message."""
    done = subprocess.run(
        [str(word) for word in command], stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env
    )
    if done.returncode != 0:
        sys.exit(f"{command}: status {done.returncode}: {done.stderr.decode(errors='replace')}")
    return done.stdout


def timed(*command, source=None, times=3):
    """Returns the best wall time of several runs of a program whose output goes to /dev/null."""
    best = float("inf")
    for _ in range(times):
        with open(source or os.devnull, "rb") as stdin, open(os.devnull, "wb") as out:
            start = time.perf_counter()
            subprocess.run([str(word) for word in command], stdin=stdin, stdout=out, stderr=out, check=True)
            best = min(best, time.perf_counter() - start)
    return best


def peak_and_allocations(*command, source=None):
    """Returns the peak of a program's resident memory in KiB, and the number of allocations of all its threads."""
    report = SCRATCH / "counts"
    report.unlink(missing_ok=True)
    env = dict(os.environ, LD_PRELOAD=str(SCRATCH / "counter.so"), ALLOCATION_COUNTS=str(report))
    with open(source or os.devnull, "rb") as stdin, open(os.devnull, "wb") as out:
        subprocess.run([str(word) for word in command], stdin=stdin, stdout=out, stderr=out, env=env, check=True)
    lines = report.read_text().splitlines()
    peak = next(int(line.split()[1]) for line in reversed(lines) if line.startswith("peak"))
    return peak, sum(int(line.split()[-1]) for line in lines if line.startswith("thread"))


def row(what, tool, size, seconds, number=None, unit="", base=None):
    """Prints one row: MB/s, items a second, and how many times slower than obdgate."""
    speed = size / seconds / 1e6
    rate = f"{number / seconds / 1e6:.3g} M {unit}/s" if number else ""
    ratio = f"1 : {base / speed:,.0f}" if base and base >= 10 * speed else f"1 : {base / speed:.2g}" if base else ""
    print(f"| {what} | {tool} | {speed:,.3g} | {rate} | {ratio} |")
    return speed


def outsiders(kind, source):
    """Lets python-OBD or pynmea2 decode as much of the same bytes as they can in a few seconds."""
    for line in run(PYTHON, ROOT / "scripts/compare.py", kind, source).decode().splitlines():
        yield json.loads(line)


def repeated(source, target, size):
    """Writes the same bytes repeatedly, until the file has about `size` bytes."""
    block = source.read_bytes()
    with open(target, "wb") as out:
        for _ in range(max(1, size // len(block))):
            out.write(block)
    return target, target.stat().st_size


def processor():
    with open("/proc/cpuinfo", encoding="utf-8") as info:
        return next((line.split(":")[1].strip() for line in info if line.startswith("model name")), platform.machine())


def main():
    run(OBDGATE, "bench", "--write-corpus", SCRATCH)
    adapter, gps = SCRATCH / "adapter.txt", SCRATCH / "gps.nmea"
    bench = json.loads(run(OBDGATE, "bench", "--iterations", "20", "--json", adapter, gps))

    print(f"{processor()}, {os.cpu_count()} cores, {run('swift', '--version').decode().splitlines()[0]}, ", end="")
    print(f"{time.strftime('%Y-%m-%d', time.gmtime())}\n")
    print("| what | program | MB/s | | ratio |\n|---|---|---|---|---|")
    part = bench["adapter"]
    base = row("adapter → readings", "obdgate", part["bytes"], part["seconds"], part["replies"], "replies")
    for other in outsiders("adapter", adapter):
        row("", other["tool"], other["bytes"], other["seconds"], other["count"], "replies", base)
    part = bench["nmea"]
    base = row("NMEA → fixes", "obdgate", part["bytes"], part["seconds"], part["sentences"], "sentences")
    for other in outsiders("nmea", gps):
        row("", other["tool"], other["bytes"], other["seconds"], other["count"], "sentences", base)
    text_base = row("NMEA → JSON lines", "obdgate nmea", gps.stat().st_size, timed(OBDGATE, "nmea", gps))
    if shutil.which("gpsdecode"):
        seconds = timed("gpsdecode", "-j", source=gps, times=1)
        row("", "gpsdecode -j", gps.stat().st_size, seconds, base=text_base)
    part = bench["records"]
    row("encoder alone", "obdgate", part["bytes"], part["seconds"], part["records"], "records")

    long, size = repeated(adapter, SCRATCH / "long.txt", REPLAYED)
    row("replay, a record a second", "obdgate", size, timed(OBDGATE, "replay", long))
    row("replay --every cycle", "obdgate", size, timed(OBDGATE, "replay", "--every", "cycle", long))
    print()
    for options in ([], ["--every", "cycle"]):
        peak, _ = peak_and_allocations(OBDGATE, "replay", *options, long)
        print(f"- {' '.join(['replay'] + options)} of {size / 1e6:.0f} MB: at most {peak / 1024:.1f} MiB resident")
    few = peak_and_allocations(OBDGATE, "bench", "--iterations", "2", adapter, gps)[1]
    many = peak_and_allocations(OBDGATE, "bench", "--iterations", "34", adapter, gps)[1]
    print(f"- bench: {many - few} more allocations in 32 more rounds")
    print(f"- obdgate --version: {timed(OBDGATE, '--version', times=30) * 1000:.1f} ms")
    print(f"- checksums of all readings: adapter {bench['adapter']['checksum']}, NMEA {bench['nmea']['checksum']}")


main()
