#!/usr/bin/python3
"""Runs a program in a machine whose serial devices are plugged in and out by a script.

    umockdev-wrapper /usr/bin/python3 scripts/testbed/udev.py STEPS.json PROGRAM [ARGUMENTS…]

Devices exist for the program alone: in its /sys, in its /dev, and in the messages that libudev receives. What it
writes to stdout goes through to ours, line by line. STEPS.json is a list of these, carried out one after another:

    {"plug": "a", "socket": "1-1", "number": 0, "vendor": "0403", "product": "6015", "serial": "1130",
     "maker": "ScanTool.net LLC", "name": "OBDLink SX", "properties": {"OBDGATE": "adapter"},
     "links": ["serial/by-id/usb-…"], "answers": {"ATZ": "ELM327 v1.5"}}
    {"unplug": "a"}                  its uevent, its folder in /sys, and the other end of its line go
    {"await": "appeared /dev/ttyUSB0"}   a line of the program that holds this text, now or within ten seconds
    {"start": true}                  starts the program; what is plugged in before it is found by looking

"number" is that of ttyUSB. "answers": what the device says to a line ending in CR; then a prompt. Without it, it is
silent. Exit status: the program's; 70 where a step waited in vain.

Needs Debian's umockdev, gir1.2-umockdev-1.0 and python3-gi.
"""
import json
import os
import subprocess
import sys
import threading
import time

import gi

gi.require_version("UMockdev", "1.0")
from gi.repository import UMockdev  # noqa: E402  the version must be chosen first

PATIENCE = 10


class Lines:
    """What the program has written, passed on as it comes."""

    def __init__(self):
        self.all = []
        self.changed = threading.Condition()
        self.ended = False

    def collect(self, stream):
        for line in stream:
            sys.stdout.write(line)
            sys.stdout.flush()
            with self.changed:
                self.all.append(line)
                self.changed.notify_all()
        with self.changed:
            self.ended = True
            self.changed.notify_all()

    def wait(self, text):
        """True once an unseen line holds the text; what stands before it counts as seen."""
        with self.changed:
            deadline = time.monotonic() + PATIENCE
            seen = 0
            while True:
                for at in range(seen, len(self.all)):
                    if text in self.all[at]:
                        del self.all[: at + 1]
                        return True
                seen = len(self.all)
                left = deadline - time.monotonic()
                if left <= 0 or self.ended:
                    return False
                self.changed.wait(left)


class Device:
    """One adapter on one socket."""

    def __init__(self, bed, step):
        self.bed = bed
        self.number = step["number"]
        self.usb = f"/devices/pci0000:00/0000:00:14.0/usb1/{step['socket']}"
        self.tty = f"{self.usb}/{step['socket']}:1.0/ttyUSB{self.number}/tty/ttyUSB{self.number}"
        bed.add_from_string(self.description(step))
        self.line = bed.get_dev_fd(f"/dev/ttyUSB{self.number}")
        os.set_blocking(self.line, False)
        self.gone = threading.Event()
        self.thread = threading.Thread(target=self.talk, args=(step.get("answers", {}),), daemon=True)
        self.thread.start()

    def description(self, step):
        socket, n = step["socket"], self.number
        texts = {"idVendor": "vendor", "idProduct": "product", "serial": "serial", "manufacturer": "maker",
                 "product": "name"}
        attributes = "".join(f"A: {key}={step[name]}\\n\n" for key, name in texts.items() if step.get(name))
        properties = {"ID_BUS": "usb", "ID_VENDOR_ID": step["vendor"], "ID_MODEL_ID": step["product"],
                      "ID_USB_INTERFACE_NUM": "00", "ID_PATH": f"pci-0000:00:14.0-usb-0:{socket}:1.0"}
        properties |= step.get("properties", {})
        return (
            f"P: {self.usb}\nE: DEVTYPE=usb_device\nE: SUBSYSTEM=usb\n{attributes}\n"
            f"P: {self.usb}/{socket}:1.0\nE: DEVTYPE=usb_interface\nE: SUBSYSTEM=usb\n\n"
            f"P: {self.usb}/{socket}:1.0/ttyUSB{n}\nE: SUBSYSTEM=usb-serial\n\n"
            f"P: {self.tty}\nN: ttyUSB{n}\n"
            + "".join(f"S: {link}\n" for link in step.get("links", []))
            # A serial driver's major number: without one of those the node is no terminal.
            + f"E: SUBSYSTEM=tty\nE: DEVNAME=/dev/ttyUSB{n}\nE: MAJOR=4\nE: MINOR={64 + n}\n"
            + "".join(f"E: {key}={value}\n" for key, value in properties.items())
            + ("E: DEVLINKS=" + " ".join(f"/dev/{link}" for link in step["links"]) + "\n" if "links" in step else "")
            + f"A: dev=4:{64 + n}\\n\n"
        )

    def talk(self, answers):
        line = b""
        while not self.gone.is_set():
            try:
                line += os.read(self.line, 256)
            except OSError:
                # Nothing there, or nobody has opened the device yet. A read that waits would keep the line from closing.
                self.gone.wait(0.005)
                continue
            while b"\r" in line:
                command, line = line.split(b"\r", 1)
                answer = answers.get(command.decode("ascii", "replace"))
                if answer is not None:
                    os.write(self.line, f"\r{answer}\r\r>".encode())

    def unplug(self):
        self.gone.set()
        self.thread.join()
        self.bed.uevent("/sys" + self.tty, "remove")
        self.bed.remove_device("/sys" + self.usb)
        os.close(self.line)


def main():
    steps = json.load(open(sys.argv[1]))
    bed = UMockdev.Testbed.new()
    lines, devices, program = Lines(), {}, None
    for step in steps:
        if "plug" in step:
            devices[step["plug"]] = Device(bed, step)
        elif "unplug" in step:
            devices.pop(step["unplug"]).unplug()
        elif "start" in step:
            program = subprocess.Popen(sys.argv[2:], stdout=subprocess.PIPE, text=True)
            threading.Thread(target=lines.collect, args=(program.stdout,)).start()
        elif "await" in step:
            if not lines.wait(step["await"]):
                print(f"udev.py: no line with: {step['await']}", file=sys.stderr, flush=True)
                program.kill()
                os._exit(70)
        else:
            sys.exit(f"udev.py: unknown step: {step}")
    try:
        status = program.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        print("udev.py: the program does not end", file=sys.stderr, flush=True)
        program.kill()
        status = 70
    sys.stdout.flush()
    # Threads that wait on lines of devices still plugged in end here.
    os._exit(status)


main()
