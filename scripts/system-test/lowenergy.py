"""Tests an adapter with Bluetooth LE only, through the real BlueZ: it is found, polled, lost, and found again."""

from drive import OWN_RADIO, RADIO, RADIO_VIN
from steps import UNIT, again, events, expect, polled

CONFIGURED = {"kind": "ble", "unit": "ble"}


def run(drive, step):
    machine = drive.machine
    with step("an adapter with Bluetooth LE is found and polled") as note:
        machine.wait("journalctl --unit ble --output cat | grep -qx ready")
        machine.run(f"systemctl start {UNIT}")
        found = drive.await_rows("the adapter with Bluetooth LE", lambda rows: events(rows, RADIO, "connected"))[0]
        row = drive.await_rows("its telemetry", lambda rows: polled(rows, RADIO_VIN))[0]
        expect("its line", found.record["device"], f"ble:{RADIO}")
        note(f"{row.record['rpm']} rpm")
    with step("its link is lost, and comes back") as note:
        before = drive.rows()[-1].key
        machine.run("hcitool -i hci1 ledc $(hcitool -i hci1 con | sed -n 's/.*LE.* handle \\([0-9]*\\).*/\\1/p')")
        note(again(drive, RADIO, RADIO_VIN, before).record["event"])
    with step("bluetoothd is restarted, and the adapter comes back") as note:
        before = drive.rows()[-1].key
        machine.run("systemctl restart bluetooth && systemctl restart ble")
        note(again(drive, RADIO, RADIO_VIN, before).record["event"])
    with step("bluetoothd crashes, and the adapter comes back") as note:
        before = drive.rows()[-1].key
        machine.run("systemctl kill --signal=ABRT bluetooth")
        note(again(drive, RADIO, RADIO_VIN, before).record["event"])
    with step("the service ends, and takes its connection with it"):
        machine.run(f"systemctl stop {UNIT}")
        machine.wait(f"! hcitool -i hci0 con | grep -q {RADIO}")
