#!/usr/bin/python3
"""Stops one thread of a process, as a hung disk or driver would. The thread continues when this program ends.

usage: stop-thread.py PID NAME
"""

import ctypes
import os
import pathlib
import sys

SEIZE, INTERRUPT = 0x4206, 0x4207  # ptrace(2)

process, name = sys.argv[1:]
found = [one.name for one in pathlib.Path(f"/proc/{process}/task").iterdir() if (one / "comm").read_text().strip() == name]
if len(found) != 1:
    sys.exit(f"{len(found)} threads named {name}")
libc = ctypes.CDLL(None, use_errno=True)
libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
libc.ptrace.restype = ctypes.c_long
for request in (SEIZE, INTERRUPT):
    if libc.ptrace(request, int(found[0]), None, None) < 0:
        sys.exit(os.strerror(ctypes.get_errno()))
# The stop is a state of the thread once it has been waited for (__WALL).
os.waitpid(int(found[0]), 0x40000000)
print("stopped", flush=True)
# The tracer of a thread is notified of its end before other processes.
os.waitpid(int(found[0]), 0x40000000)
