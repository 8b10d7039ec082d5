"""Marks the kernel's clock as synchronised, as an NTP client does when it knows the time."""

import ctypes
import struct

# The structure timex of 64-bit Linux: modes (status and both errors are set), offset, frequency, the errors in µs,
# status STA_PLL.
timex = ctypes.create_string_buffer(208)
struct.pack_into("I4xqqqqi", timex, 0, 0x10 | 0x04 | 0x08, 0, 0, 1000, 1000, 1)
if ctypes.CDLL(None).adjtimex(timex) < 0:
    raise SystemExit("adjtimex failed")
