"""A machine that has booted and was suspended to files in the image's folder. A test resumes it in a second instead of
booting.

    asleep = Asleep(image, kind)
    if not asleep.there: asleep.make(folder)
    machine = Machine(image, folder, kind, asleep)

Its disk is an overlay of the image; the file `state` has its memory, devices and clock. Both are valid only for one version
of qemu and one processor, and are created again for others.
"""

import hashlib
import pathlib
import shutil
import subprocess

from machine import Machine


class Asleep:
    def __init__(self, image, kind):
        self.image, self.kind = image, kind
        self.folder = image / f"asleep-{self._key()}"

    @property
    def there(self):
        return self.folder.exists()

    @property
    def disk(self):
        return self.folder / "disk.qcow2"

    @property
    def state(self):
        return self.folder / "state"

    def make(self, folder):
        """Boots a machine and suspends it when all its services have started. Returns the state that systemd
        reports."""
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        machine = Machine(self.image, folder, self.kind)
        try:
            machine.boot()
            # If a unit has failed, the state is `degraded`. The test drive finds out whether that matters.
            how = machine.run("systemctl is-system-running --wait || true", limit=300)
            machine.run("sync; echo 3 > /proc/sys/vm/drop_caches")
            machine.sleep(folder / "state")
        finally:
            machine.cut()
        for old in self.image.glob("asleep-*"):
            shutil.rmtree(old)
        shutil.move(folder, self.folder)
        return how

    def _key(self):
        said = subprocess.run(["qemu-system-x86_64", "--version"], stdout=subprocess.PIPE, check=True).stdout
        processor = next((line for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines()
                          if line.startswith("model name")), "")
        here = pathlib.Path(__file__).parent
        texts = [said, self.kind.encode(), processor.encode(), *((here / name).read_bytes()
                                                                for name in ("asleep.py", "machine.py"))]
        return hashlib.sha256(b"\0".join(texts)).hexdigest()[:16]
