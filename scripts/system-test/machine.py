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
    """An awaited event did not come in time, or a command in the machine failed."""


def accelerator(image, seconds=15):
    """Returns `kvm` if a machine starts with it, otherwise `tcg`. In a virtual machine, /dev/kvm may exist and not
    work."""
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
        """Creates a disk, as an overlay of the image's disk or of that of a suspended machine (asleep.py)."""
        self.image, self.folder, self.kind, self.asleep = image, folder, kind, asleep
        self.process = self.qmp = self.shell = None
        self.boots = self.asked = 0
        self.sockets = {}
        # As on a real disk, data that the machine has not asked to be flushed may be lost when it is killed: until
        # then, qemu keeps the list of the overlay's new parts only in memory.
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
        """The file with the records that the daemon has written to stdout in this boot, as far as they have left the
        machine."""
        return self.folder / f"witness-{self.boots}.log"

    def power_on(self, *more):
        """Starts the machine. Its clock has no battery and begins in 1970."""
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
        """Starts the machine, and waits until its shell answers."""
        self.power_on()
        self.await_shell(limit)

    def sleep(self, state, limit=120):
        """Suspends the machine to a file and switches it off. All its data are then on its disk."""
        self.qmp.ask("stop")
        # The limit of the bandwidth is practically removed, because nothing else needs the disk.
        self.qmp.ask("migrate-set-parameters", **{"max-bandwidth": 1 << 40})
        self.qmp.ask("migrate", uri=f"exec:cat > {shlex.quote(str(state))}")
        self._until(limit, self._has_moved, "qemu does not put the machine to sleep")
        self.qmp.ask("quit")
        self.process.wait(60)

    def wake(self, limit=120):
        """Resumes the suspended machine."""
        self.power_on("-incoming", "defer")
        # The shell was running all the time, and its line must not be closed.
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
        """Runs a shell script as root in the machine and returns its output; with `check=False` its exit status."""
        self.asked += 1
        text = base64.b64encode(script.encode()).decode()
        self.shell.sendall(f"{self.asked} {text}\n".encode())
        number = 0
        # Skip answers to earlier scripts, for which nobody waits any longer.
        while number < self.asked:
            number, status, output = self._line(limit, script).split(" ")
            number = int(number)
        output = base64.b64decode(output).decode(errors="replace").strip()
        if check and status != "0":
            raise Failed(f"{script.strip()}: status {status}: {output}")
        return output if check else int(status)

    def python(self, name, *arguments, before=":"):
        """Runs a program of inside/ and returns its output. The shell command `before` runs first, in the same
        process."""
        text = (pathlib.Path(__file__).parent / "inside" / name).read_text()
        return self.run(f"{before}\npython3 - {' '.join(arguments)} <<'END'\n{text}\nEND")

    def wait(self, script, limit=90):
        """Repeats a script until it succeeds, and returns its output."""
        return self.run(f"for try in $(seq {limit * 4}); do ( {script} ) && exit 0; sleep 0.25; done; ( {script} )",
                        limit=limit + 60)

    def plug(self, name, port, serial):
        """Plugs in a USB adapter with this serial number and FTDI's ids. Its serial line is connected to a TCP port of
        this host."""
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
        """Returns the number of bytes that were written to the machine's disk since it was started."""
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
        """Copies a folder from the machine's disk while the machine is off. As at the next boot, the file system's
        journal is applied first, here to a copy of the disk."""
        copy = self.folder / "copy.raw"
        tools = dict(os.environ, PATH=os.environ["PATH"] + ":/usr/sbin:/sbin")
        try:
            subprocess.run(["qemu-img", "convert", "-O", "raw", self.disk, copy], check=True)
            checked = subprocess.run(["e2fsck", "-f", "-y", copy], env=tools, stdout=subprocess.PIPE,
                                     stderr=subprocess.STDOUT, text=True, check=False)
            # Status 1 means that errors were corrected, which is also reported if only the journal was applied.
            if checked.returncode not in (0, 1):
                raise Failed(f"the disk is damaged: {checked.stdout}")
            shutil.rmtree(into, ignore_errors=True)
            pathlib.Path(into).mkdir(parents=True)
            subprocess.run(["debugfs", "-R", f"rdump {path} {into}", copy], env=tools, capture_output=True, check=True)
        finally:
            copy.unlink(missing_ok=True)

    def tail(self):
        """Returns the end of the machine's journal; if the machine does not answer, that of its console and of the
        daemon's output."""
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
