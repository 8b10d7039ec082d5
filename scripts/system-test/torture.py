"""Cuts the power at random instants, always of the same disk."""

import random
import time

from drive import VIN
from machine import Failed
from steps import polled


def run(drive, step, cuts, seed):
    generator = random.Random(seed)
    # The duration of a boot in seconds, measured in the first one. The daemon is running after 1.5 times as long.
    boot = None
    print(f"           {cuts} cuts, seed {seed}", flush=True)
    drive.plug_receiver()
    drive.plug_adapter()
    drive.await_rows("telemetry", lambda rows: polled(rows, VIN))
    for number in range(1, cuts + 1):
        # One in four cuts falls into a boot. In half of the others, the store is stopped.
        early = number > 2 and generator.random() < 0.25
        away = not early and generator.random() < 0.5
        instant = generator.uniform(0.02, 1.5) * boot if early else generator.uniform(0.5, 8)
        with step(f"cut {number}") as note:
            if number > 1:
                began = time.monotonic()
                drive.machine.power_on()
                drive.plug_receiver()
                drive.plug_adapter()
            if not early and number > 1:
                drive.machine.await_shell()
                boot = boot or time.monotonic() - began
                arrives(drive)
            if away:
                drive.store.stop()
            time.sleep(instant)
            spool = drive.cut()
            if away:
                drive.store.start()
            note(f"{instant:.1f} s {'into the boot' if early else 'without the store' if away else 'with the store'}, "
                 f"{len(drive.ledger.committed)} committed, {len(spool.lines)} in the spool")
    with step("after the last cut") as note:
        drive.machine.power_on()
        drive.plug_receiver()
        drive.plug_adapter()
        drive.machine.await_shell()
        rows = arrives(drive)
        powered = {row.key for row in rows if row.type == "gap" and row.record["reason"] == "powerLoss"}
        note(f"{len(rows)} records, {len(powered)} gaps of powerLoss, none missing, none twice")
        if not powered:
            raise Failed("no gap record reports any cut")


def arrives(drive):
    """Waits until all records that were committed before, and telemetry of this boot, are in the store."""
    drive.await_rows("telemetry of this boot", lambda rows: polled(drive.fresh(rows), VIN), limit=300)
    return drive.await_all()
