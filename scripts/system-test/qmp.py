"""A client of qemu's machine protocol (QMP): commands with their answers, and events."""

import json
import socket


class QMP:
    def __init__(self, path, limit=60):
        self.events = []
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(limit)
        self.socket.connect(str(path))
        self.stream = self.socket.makefile("rw")
        self._take()
        self.ask("qmp_capabilities")

    def ask(self, command, **arguments):
        """Sends a command and returns its answer; raises RuntimeError with qemu's message if qemu refuses."""
        self.stream.write(json.dumps({"execute": command, "arguments": arguments}) + "\n")
        self.stream.flush()
        while True:
            said = self._take()
            if "return" in said:
                return said["return"]
            if "error" in said:
                raise RuntimeError(f"qemu: {command}: {said['error']['desc']}")
            self.events.append(said)

    def await_event(self, name, **data):
        """Waits for an event with this name and data."""
        while True:
            for event in self.events:
                if event["event"] == name and data.items() <= event.get("data", {}).items():
                    self.events.remove(event)
                    return
            self.events.append(self._take())

    def _take(self):
        line = self.stream.readline()
        if not line:
            raise RuntimeError("qemu has ended")
        return json.loads(line)

    def close(self):
        self.stream.close()
        self.socket.close()
