"""The steps of the test drive of `make system-test`."""

import json
import time

import ledger
from drive import OWN_RADIO, RADIO, RADIO_VIN, VIN, of
from machine import Failed

UNIT = "obdgated.service"

# What inside/reach.py reports in a process of the service. Processes outside the service may do all of it.
REACHED = {"/dev/null": "done", "/dev/ttyUSB0": "done", "/dev/ttyS0": "refused", "/dev/vda": "refused",
           "10.0.2.2": "done", "224.0.0.251": "refused", "255.255.255.255": "refused"}


def expect(what, found, wanted):
    if found != wanted:
        raise Failed(f"{what}: {found}, and not {wanted}")


def polled(rows, vin, **values):
    """Returns the telemetry of a vehicle."""
    return [row for row in of(rows, "telemetry", vehicleId=vin, **values) if "rpm" in row.record]


def events(rows, device, *names):
    """Returns the `adapter` records with one of these events whose device contains a text."""
    return [row for row in of(rows, "adapter") if device in row.record["device"] and row.record["event"] in names]


def prepare(drive, step, **configured):
    with step("everything outside runs"):
        drive.start()
    with step("the package of this tree"):
        drive.pack()
    with step("a machine that has booted wakes") as note:
        drive.wake(note)
        clock = drive.machine.run("cat /sys/class/rtc/rtc0/date; date -u +%F").split()
        expect("the clock without a battery", clock[0], "1970-01-01")
        note(f"its clock says {clock[0]}, systemd makes that {clock[1]}")
    with step("dpkg installs the package, and the service runs"):
        drive.install()
        drive.machine.wait(f"systemctl --quiet is-active {UNIT}")
        drive.machine.run(f"systemctl stop {UNIT}; rm /etc/systemd/system/multi-user.target.wants/{UNIT}")
    with step("it is configured"):
        drive.configure(**configured)


def run(drive, step):
    machine = drive.machine
    with step("a USB adapter that is plugged in starts the service") as note:
        expect("the service before", machine.run(f"systemctl is-active {UNIT} || true"), "inactive")
        drive.plug_adapter()
        machine.wait(f"systemctl --quiet is-active {UNIT}")
        note(machine.run("ls /dev/ttyUSB*"))
        machine.run(f"systemctl enable --quiet {UNIT}")
    with step("its records are in the store, without a date") as note:
        first = drive.await_rows("telemetry over USB", lambda rows: polled(rows, VIN))[0]
        expect("the quality of its time", first.record["timeQuality"], "unset")
        note(f"{first.record['rpm']} rpm")
    with step("the service is no root and reaches what it must alone"):
        confined(machine)
    with step("a Bluetooth adapter is found by service discovery and polled") as note:
        drive.await_rows("the adapter behind BlueZ", lambda rows: events(rows, RADIO, "connected"))
        row = drive.await_rows("telemetry over RFCOMM", lambda rows: polled(rows, RADIO_VIN))[0]
        note(f"{row.record['rpm']} rpm")
    with step("a channel that nobody listens to is refused"):
        asked = machine.run(f"obdgate vin --device rfcomm:{RADIO}/9", check=False)
        expect("the exit status for a wrong channel", asked, 69)
    with step("the radio link is lost, and comes back") as note:
        before = drive.rows()[-1].key
        # End the whole link at the adapter's side, without closing the RFCOMM channel first.
        machine.run(f"hcitool -i hci1 dc {OWN_RADIO}")
        note(again(drive, RADIO, RADIO_VIN, before).record["event"])
    with step("unplugged, and plugged in behind a GPS receiver: another ttyUSB") as note:
        before = drive.rows()[-1].key
        machine.unplug("adapter")
        drive.await_rows("the adapter that was unplugged", lambda rows: events(rows, "ttyUSB0", "lost"))
        drive.plug_receiver()
        machine.wait("test -c /dev/ttyUSB0")
        drive.plug_adapter()
        machine.wait("test -c /dev/ttyUSB1")
        back = again(drive, "ttyUSB1", VIN, before)
        note(back.record["device"])
    with step("the receiver is heard: positions and a date") as note:
        row = drive.await_rows("a position", lambda rows: [
            row for row in polled(rows, VIN, timeQuality="gps") if "latitude" in row.record])[0]
        note(row.record["timestamp"])
    with step("the clock steps, and is kept by NTP from then on") as note:
        note(clock_steps(drive))
    with step("nobody has paired the adapter, which wants no key"):
        expect("BlueZ' word", machine.run(f"bluetoothctl info {RADIO} | grep Bonded:"), "Bonded: no")
    with step("the power is cut while the store is away") as note:
        drive.store.stop()
        had = len(drive.rows())
        drive.await_witness("records that only the spool has",
                            lambda rows: len(rows) >= had + 9)
        spool = drive.cut()
        kept = len(drive.ledger.missing(drive.rows()))
        note(f"{len(drive.ledger.committed)} records committed, {kept} of them in the spool alone")
        if kept < 8 or len(spool.lines) < 8:
            raise Failed(f"only {kept} records wait in the spool: the cut proves little")
    boot_again(drive, step)
    with step("every committed record has arrived once, and a gap record reports the cut") as note:
        rows = drive.await_all()
        gap = next(row.record for row in of(rows, "gap", reason="powerLoss"))
        note(f"{len(rows)} records, no. {gap['fromSeq']} to {gap['toSeq']} told as lost")
    with step("it ends on request") as note:
        note(costs(machine))
        machine.run(f"systemctl stop {UNIT}")
        expect("the end", machine.run(f"systemctl show --value -p Result {UNIT}"), "success")


def boot_again(drive, step):
    """Switches the power on again; adapter and receiver are plugged in from the start."""
    drive.store.start()
    began = time.monotonic()
    with step("power returns, the machine boots and the daemon continues") as note:
        drive.machine.power_on()
        drive.plug_receiver()
        drive.plug_adapter()
        drive.await_witness("the first record", lambda rows: rows, limit=300)
        first = time.monotonic() - began
        drive.await_rows("telemetry of this boot", lambda rows: polled(drive.fresh(rows), VIN), limit=300)
        note(f"first record after {first:.1f} s, first telemetry in the store after {time.monotonic() - began:.1f} s")
        drive.machine.await_shell()


def again(drive, device, vin, before):
    """Waits until a device that was lost after the record `before` is back and polled. Returns the record of its
    return."""
    def back(rows):
        lost = [row.key for row in of(rows, "adapter", event="lost") if row.key > before]
        return [row for row in events(rows, device, "recovered", "connected") if lost and row.key > lost[0]]
    row = drive.await_rows(f"{device} after its loss", back)[0]
    drive.await_rows(f"telemetry of {device} after its loss",
                     lambda rows: [one for one in polled(rows, vin) if one.key > row.key])
    return row


def confined(machine):
    process = machine.run(f"systemctl show --value -p MainPID {UNIT}")
    lines = machine.run(f"cat /proc/{process}/status").splitlines()
    status = {name: value.split() for name, value in (line.split(":", 1) for line in lines)}
    if "0" in status["Uid"]:
        raise Failed("the service runs as root")
    for name in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"):
        expect(f"its {name}", status[name], ["0" * 16])
    inside = machine.python("reach.py", before=f"echo $$ > /sys/fs/cgroup/system.slice/{UNIT}/cgroup.procs")
    expect("what its processes reach", json.loads(inside), REACHED)
    expect("what others reach", json.loads(machine.python("reach.py")), dict.fromkeys(REACHED, "done"))


def clock_steps(drive):
    before = drive.rows()[-1].key
    # Set the clock in the same way as systemd-timesyncd.
    drive.machine.python("synchronised.py", before=f"""date --set=@{time.time():.3f} >/dev/null
        mkdir -p /run/systemd/timesync && touch /run/systemd/timesync/synchronized""")
    drive.await_rows("a time from NTP", lambda rows: polled(rows, VIN, timeQuality="ntp"))
    rows = [row for row in polled(drive.rows(), VIN) if row.record["timeQuality"] in ("gps", "ntp")]
    seconds = [ledger.seconds(row.record["timestamp"]) for row in rows]
    pauses = [later - earlier for earlier, later in zip(seconds, seconds[1:])]
    # The records must stay about a second apart, although the machine's clock was set forward by years between them.
    if rows[0].key > before or min(pauses) <= 0 or max(pauses) > 30:
        raise Failed(f"the step of the clock is in the records: {pauses}")
    return f"records are {min(pauses):.2f} to {max(pauses):.2f} s apart"


def costs(machine):
    """Returns what the daemon has cost in this boot, as text."""
    process = machine.run(f"systemctl show --value -p MainPID {UNIT}")
    memory = dict(line.split(":", 1) for line in machine.run(f"cat /proc/{process}/smaps_rollup").splitlines()[1:])
    kilobytes = {name: int(memory[name].split()[0]) for name in ("Rss", "Pss")}
    return f"resident {kilobytes['Rss'] / 1024:.1f} MiB, its share {kilobytes['Pss'] / 1024:.1f} MiB"
