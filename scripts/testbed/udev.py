#!/usr/bin/python3
"""Runs a program on an imitated machine whose serial devices are plugged in and unplugged by a list of steps.

    umockdev-wrapper /usr/bin/python3 scripts/testbed/udev.py STEPS.json PROGRAM [ARGUMENTS…]

Devices exist only for the program: in its /sys, in its /dev, and in the messages that libudev receives. Its stdout is
passed on line by line. STEPS.json is a list of these steps, executed in order:

    {"plug": "a", "socket": "1-1", "number": 0, "vendor": "0403", "product": "6015", "serial": "1130",
     "maker": "ScanTool.net LLC", "name": "OBDLink SX", "properties": {"OBDGATE": "adapter"},
     "links": ["serial/by-id/usb-…"], "answers": {"ATZ": "ELM327 v1.5"}}
    {"unplug": "a"}                  removes its folder in /sys and the other end of its terminal, with a uevent
    {"await": "appeared /dev/ttyUSB0"}   waits for a line of the program with this text for at most a minute
    {"start": true}                  starts the program; devices plugged in before are found by listing
    {"patience": 300}                time limit in seconds for lines and the end, instead of sixty
    {"tell": "back"}                 prints a line on stderr, which reports the progress

"answers" has the device's replies to lines that end in CR; a prompt follows. Without it, the device is silent. With
"says": "track.nmea" instead, the device repeats the lines of the file, one every 0.05 s, as a satellite receiver does; at
the end, a line on stderr has the number of bytes sent to it: `ttyUSB1 was sent 0 bytes`. With "tcp": "127.0.0.1:35000"
instead, a server answers for the device, such as obdgate simulate --tcp. "number" is the number of ttyUSB. "links" are in
the message of plugging in; a program that lists devices plugged in before finds none, because libudev reads them from
files of udevd. A SIGTERM is passed to the program. Exit status: that of the program; 70 if a step timed out.

Needs Debian's umockdev, gir1.2-umockdev-1.0 and python3-gi.
"""
import json
import os
import select
import signal
import socket
import subprocess
import sys
import threading
import time
import tty

import gi

gi.require_version("UMockdev", "1.0")
from gi.repository import UMockdev  # noqa: E402  the version must be chosen first

patience = 60


class Lines:
    """The program's output, which is passed on as it arrives."""

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
        """Returns True if a line that was not examined before contains the text. Lines before that line then count as
        examined."""
        with self.changed:
            deadline = time.monotonic() + patience
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
    """One device in one USB socket."""

    def __init__(self, bed, step):
        self.bed = bed
        self.number = step["number"]
        self.usb = f"/devices/pci0000:00/0000:00:14.0/usb1/{step['socket']}"
        self.tty = f"{self.usb}/{step['socket']}:1.0/ttyUSB{self.number}/tty/ttyUSB{self.number}"
        self.line, self.nodes = self.terminal()
        bed.add_from_string(self.description(step))
        self.gone = threading.Event()
        # Number of bytes that were sent to a device that repeats the lines of a file; None for other devices.
        self.sent = 0 if "says" in step else None
        if "tcp" in step:
            self.thread = threading.Thread(target=self.relay, args=(step["tcp"],), daemon=True)
        elif "says" in step:
            self.thread = threading.Thread(target=self.recite, args=(step["says"],), daemon=True)
        else:
            self.thread = threading.Thread(target=self.talk, args=(step.get("answers", {}),), daemon=True)
        self.thread.start()

    def terminal(self):
        """Returns the device's end of a pseudo-terminal, and the file in /dev for the other end.

        umockdev could make one itself, but each name only once. Here, a device may return with the number that it had before.
        """
        line, other = os.openpty()
        tty.setraw(other)
        name, identity = os.ttyname(other), f"4:{64 + self.number}"
        os.close(other)
        os.set_blocking(line, False)
        devices = self.bed.get_root_dir() + "/dev/"
        nodes = {f"ttyUSB{self.number}": name, ".ptymap/" + name.replace("/", "_"): identity}
        for path, target in nodes.items():
            os.makedirs(os.path.dirname(devices + path), exist_ok=True)
            os.symlink(target, devices + path)
        # The attribute "dev" has umockdev make this one.
        return line, [devices + path for path in [*nodes, f".node/ttyUSB{self.number}"]]

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
            f"P: {self.tty}\n"
            # The number must be that of a serial driver, because otherwise the node is no terminal.
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
                # The other end is not open, or there is nothing to read. Do not block in read, because that would
                # prevent the terminal from being closed.
                self.gone.wait(0.005)
                continue
            while b"\r" in line:
                command, line = line.split(b"\r", 1)
                answer = answers.get(command.decode("ascii", "replace"))
                if answer is not None:
                    os.write(self.line, f"\r{answer}\r\r>".encode())

    def recite(self, path):
        lines = [line for line in open(path, "rb")]
        while not self.gone.is_set():
            for line in lines:
                if self.gone.wait(0.05):
                    return
                self.listen()
                try:
                    os.write(self.line, line)
                except OSError:
                    # Output that nobody reads is lost, as on a serial line.
                    continue

    def listen(self):
        """Counts the bytes that were sent to the device; returns False if the terminal was closed."""
        try:
            count = len(os.read(self.line, 4096))
        except OSError:
            return False
        self.sent += count
        return True

    def settle(self):
        """Reports the number of bytes that were sent to the device, after the program has ended."""
        if self.sent is None:
            return
        self.gone.set()
        self.thread.join()
        while self.listen():
            pass
        print(f"ttyUSB{self.number} was sent {self.sent} bytes", file=sys.stderr, flush=True)

    def relay(self, address):
        host, port = address.rsplit(":", 1)
        with socket.create_connection((host, int(port)), timeout=patience) as server:
            while not self.gone.is_set():
                # A terminal that nobody has open is always reported as ready, and reading fails. So do not wait for it,
                # but try to read.
                ready, _, _ = select.select([server], [], [], 0.002)
                if ready:
                    self.pass_on(server.recv(4096), lambda chunk: os.write(self.line, chunk))
                try:
                    self.pass_on(os.read(self.line, 4096), server.send)
                except OSError:
                    continue

    def pass_on(self, chunk, write):
        while chunk and not self.gone.is_set():
            try:
                chunk = chunk[write(chunk):]
            except BlockingIOError:
                self.gone.wait(0.002)

    def unplug(self):
        self.gone.set()
        self.thread.join()
        self.bed.uevent("/sys" + self.tty, "remove")
        self.bed.remove_device("/sys" + self.usb)
        self.sweep()
        os.close(self.line)

    def sweep(self):
        """Removes files that umockdev leaves. As long as they exist, no device of the same name can be plugged in."""
        for folder, folders, files in os.walk(self.bed.get_sys_dir()):
            for path in (os.path.join(folder, name) for name in folders + files):
                if os.path.islink(path) and not os.path.exists(path):
                    os.unlink(path)
        for path in self.nodes:
            os.unlink(path)


def main():
    global patience
    steps = json.load(open(sys.argv[1]))
    bed = UMockdev.Testbed.new()
    lines, devices, program, collector = Lines(), {}, None, None
    for step in steps:
        if "plug" in step:
            devices[step["plug"]] = Device(bed, step)
        elif "unplug" in step:
            devices.pop(step["unplug"]).unplug()
        elif "start" in step:
            program = subprocess.Popen(sys.argv[2:], stdout=subprocess.PIPE, text=True)
            collector = threading.Thread(target=lines.collect, args=(program.stdout,))
            collector.start()
            signal.signal(signal.SIGTERM, lambda *_: program.terminate())
        elif "patience" in step:
            patience = step["patience"]
        elif "tell" in step:
            print(step["tell"], file=sys.stderr, flush=True)
        elif "await" in step:
            if not lines.wait(step["await"]):
                print(f"udev.py: no line with: {step['await']}", file=sys.stderr, flush=True)
                program.kill()
                os._exit(70)
        else:
            sys.exit(f"udev.py: unknown step: {step}")
    try:
        status = program.wait(patience)
    except subprocess.TimeoutExpired:
        print("udev.py: the program does not end", file=sys.stderr, flush=True)
        program.kill()
        status = 70
    # The last lines may still be in the pipe, so wait for the thread that reads them.
    collector.join(patience)
    sys.stdout.flush()
    for device in devices.values():
        device.settle()
    # Exit without waiting for threads that still read from devices which are plugged in.
    os._exit(status)


main()
