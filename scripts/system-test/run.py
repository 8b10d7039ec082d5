#!/usr/bin/python3
"""Tests the package in a virtual machine: Debian in qemu, with a USB adapter, a Bluetooth adapter through BlueZ and a GPS
receiver. It drives and loses its power. Afterwards, a fleet store outside must have every committed record exactly once.

    scripts/system-test/run.py              one drive with one power cut; prints a line with the seconds of each step
    scripts/system-test/run.py --cuts N     N power cuts at random instants with one disk; --seed S repeats the instants
    scripts/system-test/run.py --ble        no drive; an adapter with Bluetooth LE through BlueZ
    scripts/system-test/run.py --figures M  measures what the daemon costs, for M minutes
    scripts/system-test/run.py --keep       does not remove the folder with logs and disk

OBDGATE_PROGRAM, OBDGATED_PROGRAM, FLEETSTORE_PROGRAM: other programs than the release build's; VM_IMAGE: another image.
The machine boots once for each image and is then suspended; later drives resume it. Needs the image that
scripts/system-test/image.sh makes, and Debian's qemu-system-x86, qemu-utils and e2fsprogs. Exit status: 0 if all was right.
"""

import argparse
import contextlib
import pathlib
import shutil
import signal
import sys
import tempfile
import time

import figures
import lowenergy
import steps
import torture
from drive import Drive
from machine import Failed

BEGAN = time.monotonic()


@contextlib.contextmanager
def step(name):
    """Prints a line with the name and duration of a step; the text of `note` is added to it."""
    notes = []
    began = time.monotonic()
    try:
        yield notes.append
    except BaseException:
        print(f"{time.monotonic() - BEGAN:7.1f} s  FAILED  {name}", flush=True)
        raise
    ended = time.monotonic()
    told = f"{name}: {', '.join(notes)}" if notes else name
    print(f"{ended - BEGAN:7.1f} s  {ended - began:6.1f}  {told}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cuts", type=int, default=0)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--ble", action="store_true")
    parser.add_argument("--figures", type=float, default=0)
    parser.add_argument("--keep", action="store_true")
    options = parser.parse_args()
    # On SIGTERM, exit in an orderly way, so that the machine is ended, too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    folder = pathlib.Path(tempfile.mkdtemp(prefix="system-test-"))
    drive = None
    passed = False
    try:
        drive = Drive(folder)
        steps.prepare(drive, step, **(lowenergy.CONFIGURED if options.ble else {}))
        if options.ble:
            lowenergy.run(drive, step)
        elif options.cuts:
            torture.run(drive, step, options.cuts, options.seed)
        elif options.figures:
            figures.run(drive, step, options.figures)
        else:
            steps.run(drive, step)
        passed = True
        print(f"{time.monotonic() - BEGAN:7.1f} s  all steps passed", flush=True)
    except (Failed, RuntimeError, OSError, ValueError) as error:
        if drive and drive.machine:
            print(f"the machine's last words:\n{drive.machine.tail()}", file=sys.stderr)
        # The last lines are those that the totals of a CI run repeat.
        print(f"system-test: {error}", file=sys.stderr, flush=True)
    finally:
        if drive:
            drive.end()
        if options.keep:
            print(f"kept: {folder}", file=sys.stderr)
        else:
            shutil.rmtree(folder)
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())
