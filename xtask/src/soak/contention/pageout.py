"""Takes a process's pages away, again and again: pageout.py PID SECONDS (root, swap, Linux 5.10)."""

import ctypes
import os
import sys
import time

SYS_PROCESS_MADVISE = 440
MADV_PAGEOUT = 21
# So that the process gets somewhere in between.
PAUSE_S = 0.002


class Region(ctypes.Structure):
    _fields_ = [("base", ctypes.c_void_p), ("length", ctypes.c_size_t)]


def regions(pid):
    """All that it has mapped but the kernel's own pages."""
    with open(f"/proc/{pid}/maps") as maps:
        lines = [line for line in maps if "[v" not in line]
    spans = ([int(end, 16) for end in line.split()[0].split("-")] for line in lines)
    return [Region(first, last - first) for first, last in spans]


pid, seconds = int(sys.argv[1]), float(sys.argv[2])
libc = ctypes.CDLL(None, use_errno=True)
process = os.pidfd_open(pid)
known = regions(pid)
until = time.monotonic() + seconds
while time.monotonic() < until:
    # A region that is refused (nothing of it can go) is not the last.
    done = [
        libc.syscall(SYS_PROCESS_MADVISE, process, ctypes.byref(region), ctypes.c_size_t(1), MADV_PAGEOUT, 0)
        for region in known
    ]
    if max(done) < 0:
        sys.exit(f"process_madvise: {os.strerror(ctypes.get_errno())}")
    time.sleep(PAUSE_S)
