"""A Debian in qemu: its power, its disk, its USB sockets, and a root shell in it.

    machine = Machine(image, folder, accelerator(image))
    machine.boot()
    machine.run("systemctl is-active obdgated")
    machine.cut()
    machine.read("/var/lib/private/obdgate", folder / "state")
"""

import base64
import os
import pathlib
import select
import shlex
import shutil
import socket
import subprocess
import time

from qmp import QMP

KERNEL = ("root=/dev/vda rw console=ttyS0 quiet loglevel=4 panic=1 mitigations=off cryptomgr.notests net.ifnames=0 "
          "tsc=reliable systemd.condition-needs-update=no")


class Failed(Exception):
    """What was waited for did not come, or a command in the machine failed."""


def accelerator(image, seconds=15):
    """`kvm` where a machine starts with it, else `tcg`: inside another machine /dev/kvm may be there and not work."""
    if not os.access("/dev/kvm", os.R_OK | os.W_OK):
        return "tcg"
    command = ["qemu-system-x86_64", "-accel", "kvm", "-cpu", "host", "-m", "256", "-nodefaults", "-no-user-config",
               "-no-reboot", "-display", "none", "-serial", "stdio", "-kernel", image / "vmlinuz",
               "-initrd", image / "initrd", "-append", "console=ttyS0 quiet testbed.alive"]
    try:
        said = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                              timeout=seconds, check=False).stdout
    except subprocess.TimeoutExpired:
        return "tcg"
    return "kvm" if b"alive" in said else "tcg"


class Machine:
    def __init__(self, image, folder, kind, asleep=None):
        """A new disk over the image's, or over that of a machine that is asleep (asleep.py)."""
        self.image, self.folder, self.kind, self.asleep = image, folder, kind, asleep
        self.process = self.qmp = self.shell = None
        self.boots = self.asked = 0
        self.sockets = {}
        # What the machine has not asked to be written may be lost when it is killed, as in a disk's own memory: qemu
        # keeps the list of the file's new parts to itself until then.
        below = ["-b", asleep.disk, "-F", "qcow2"] if asleep else ["-b", image / "disk", "-F", "raw"]
        subprocess.run(["qemu-img", "create", "-q", "-f", "qcow2", *below, self.disk], check=True)

    @property
    def disk(self):
        return self.folder / "disk.qcow2"

    @property
    def console(self):
        return self.folder / f"console-{self.boots}.log"

    @property
    def witness(self):
        """What the daemon wrote in this boot, as far as it came out of the machine."""
        return self.folder / f"witness-{self.boots}.log"

    def power_on(self, *more):
        """Starts it; its clock has no battery, and says 1970."""
        self.boots += 1
        for name in ("qmp", "shell"):
            (self.folder / name).unlink(missing_ok=True)
        self.witness.touch()
        command = [
            "qemu-system-x86_64", "-machine", "pc", "-nodefaults", "-no-user-config", "-no-reboot", "-display", "none",
            "-m", "1024", "-smp", "2", "-kernel", self.image / "vmlinuz", "-initrd", self.image / "initrd",
            "-append", KERNEL, "-rtc", "base=1970-01-01T00:00:00,clock=vm", "-serial", f"file:{self.console}",
            "-qmp", f"unix:{self.folder}/qmp,server=on,wait=off",
            "-drive", f"file={self.disk},if=virtio,format=qcow2,cache=writeback",
            "-netdev", "user,id=net,ipv6=off", "-device", "virtio-net-pci,netdev=net,romfile=",
            "-device", "virtio-rng-pci", "-device", "qemu-xhci,id=usb", "-device", "virtio-serial-pci",
            "-chardev", f"socket,id=shell,path={self.folder}/shell,server=on,wait=off",
            "-device", "virtserialport,chardev=shell,name=shell",
            "-chardev", f"file,id=witness,path={self.witness}",
            "-device", "virtserialport,chardev=witness,name=witness"]
        command += (["-accel", "kvm", "-cpu", "host"] if self.kind == "kvm" else
                    ["-accel", "tcg,thread=multi,tb-size=512", "-cpu", "Nehalem"]) + list(more)
        with open(self.folder / f"qemu-{self.boots}.log", "wb") as log:
            self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        self._until(60, lambda: all((self.folder / name).exists() for name in ("shell", "qmp")), "qemu does not start")
        self.qmp = QMP(self.folder / "qmp")
        self.shell = socket.socket(socket.AF_UNIX)
        self.shell.connect(str(self.folder / "shell"))
        self.heard = b""

    def boot(self, limit=300):
        """Until its shell answers."""
        self.power_on()
        self.await_shell(limit)

    def sleep(self, state, limit=120):
        """Stops it and writes what it is into that file; its disk is whole then. It is switched off."""
        self.qmp.ask("stop")
        # It writes as fast as it can: nothing else waits for the disk.
        self.qmp.ask("migrate-set-parameters", **{"max-bandwidth": 1 << 40})
        self.qmp.ask("migrate", uri=f"exec:cat > {shlex.quote(str(state))}")
        self._until(limit, self._has_moved, "qemu does not put the machine to sleep")
        self.qmp.ask("quit")
        self.process.wait(60)

    def wake(self, limit=120):
        """Resumes the suspended machine."""
        self.power_on("-incoming", "defer")
        # Its shell has been there all the time, and must not see its line closed.
        self.qmp.ask("migrate-incoming", uri=f"exec:cat {shlex.quote(str(self.asleep.state))}")
        self._until(limit, self._has_moved, "qemu does not wake the machine")
        self.qmp.ask("cont")

    def _has_moved(self):
        status = self.qmp.ask("query-migrate").get("status")
        if status == "failed":
            raise Failed("qemu neither puts the machine to sleep nor wakes it")
        return status == "completed"

    def await_shell(self, limit=300):
        if self._line(limit) != "ready":
            raise Failed("the machine's shell said something else than ready")

    def run(self, script, limit=90, check=True):
        """What a script says, run by root; its exit status instead where that is asked for by `check=False`."""
        self.asked += 1
        text = base64.b64encode(script.encode()).decode()
        self.shell.sendall(f"{self.asked} {text}\n".encode())
        number = 0
        # An answer to what nobody waited for any longer comes first.
        while number < self.asked:
            number, status, output = self._line(limit, script).split(" ")
            number = int(number)
        output = base64.b64decode(output).decode(errors="replace").strip()
        if check and status != "0":
            raise Failed(f"{script.strip()}: status {status}: {output}")
        return output if check else int(status)

    def python(self, name, *arguments, before=":"):
        """What a program of inside/ says, run in one process with the line of shell before it."""
        text = (pathlib.Path(__file__).parent / "inside" / name).read_text()
        return self.run(f"{before}\npython3 - {' '.join(arguments)} <<'END'\n{text}\nEND")

    def wait(self, script, limit=90):
        """Until a script succeeds; what it says then."""
        return self.run(f"for try in $(seq {limit * 4}); do ( {script} ) && exit 0; sleep 0.25; done; ( {script} )",
                        limit=limit + 60)

    def plug(self, name, port, serial):
        """A USB adapter with that serial number (FTDI's ids), whose line is a TCP port of this host."""
        line = f"{name}-line"
        address = {"type": "inet", "data": {"host": "127.0.0.1", "port": str(port)}}
        self.qmp.ask("chardev-add", id=line,
                     backend={"type": "socket", "data": {"addr": address, "server": False, "nodelay": True}})
        self.qmp.ask("device_add", driver="usb-serial", id=name, bus="usb.0", chardev=line, serial=serial)
        self.sockets[name] = line

    def unplug(self, name):
        self.qmp.ask("device_del", id=name)
        self.qmp.await_event("DEVICE_DELETED", device=name)
        self.qmp.ask("chardev-remove", id=self.sockets.pop(name))

    def written(self):
        """Bytes that were written to its disk since it was started."""
        return sum(one["stats"]["wr_bytes"] for one in self.qmp.ask("query-blockstats") if one.get("qdev"))

    def cut(self):
        """Cuts the power: no program is notified, and nothing is flushed."""
        if self.process:
            self.process.kill()
            self.process.wait()
            self.qmp.close()
            self.shell.close()
            self.process = None
            self.sockets = {}

    def read(self, path, into):
        """Copies a folder out of its disk while it is off. The journal is played back on a copy, as the next boot does."""
        copy = self.folder / "copy.raw"
        tools = dict(os.environ, PATH=os.environ["PATH"] + ":/usr/sbin:/sbin")
        try:
            subprocess.run(["qemu-img", "convert", "-O", "raw", self.disk, copy], check=True)
            checked = subprocess.run(["e2fsck", "-f", "-y", copy], env=tools, stdout=subprocess.PIPE,
                                     stderr=subprocess.STDOUT, text=True, check=False)
            # 1: put right, which the journal alone is already.
            if checked.returncode not in (0, 1):
                raise Failed(f"the disk is damaged: {checked.stdout}")
            shutil.rmtree(into, ignore_errors=True)
            pathlib.Path(into).mkdir(parents=True)
            subprocess.run(["debugfs", "-R", f"rdump {path} {into}", copy], env=tools, capture_output=True, check=True)
        finally:
            copy.unlink(missing_ok=True)

    def tail(self):
        """The end of its journal; of its console, and of what the daemon wrote, where it does not answer."""
        try:
            return self.run("journalctl --no-pager --boot --output=short-monotonic | grep -v '{\"type\":' | tail -n 80",
                            limit=60)
        except (Failed, OSError, ValueError, AttributeError):
            files = [file for file in (self.console, self.witness) if file.exists()]
            lines = [line for file in files for line in file.read_text(errors="replace").splitlines()]
            return "\n".join(line for line in lines if not line.startswith("{"))[-6000:]

    def _line(self, limit, what="the machine's shell"):
        deadline = time.monotonic() + limit
        while b"\n" not in self.heard:
            if self.process.poll() is not None:
                raise Failed(f"{what}: qemu has ended with {self.process.returncode}")
            if time.monotonic() > deadline:
                raise Failed(f"{what}: no answer in {limit} s")
            if select.select([self.shell], [], [], 0.5)[0]:
                self.heard += self.shell.recv(65536)
        line, self.heard = self.heard.split(b"\n", 1)
        return line.decode()

    def _until(self, limit, condition, complaint):
        deadline = time.monotonic() + limit
        while not condition():
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise Failed(complaint)
            time.sleep(0.02)
