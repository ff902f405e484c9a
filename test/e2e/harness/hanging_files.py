"""A file system that hangs on demand, by FUSE and without its library: what is asked of `hang` waits."""

import ctypes
import os
import struct
import subprocess
import sys
import threading
import time
import unittest
from pathlib import Path

LOOKUP, GETATTR, OPEN, READ, STATFS, RELEASE, FLUSH, INIT = 1, 3, 14, 15, 17, 18, 25, 26
FORGETS = (2, 42)
CONTENT = b"data\n"


class HangingFiles:
    """Mounted at `path`: the file `hang`. While `hangs` is there, reading it waits in the kernel, also for a process
    that is killed; with `hangs_at_once` even looking for the name does. As a context manager."""

    def __init__(self, place: Path):
        self.path = place / "mnt"
        self.hangs = place / "hangs"
        self.hangs_at_once = place / "hangs_at_once"

    def __enter__(self) -> "HangingFiles":
        if not os.access("/dev/fuse", os.R_OK | os.W_OK):
            raise unittest.SkipTest("needs /dev/fuse")
        self.path.mkdir()
        self.hangs.touch()
        command = [sys.executable, __file__, self.path, self.hangs, self.hangs_at_once]
        self.server = subprocess.Popen(command, stdout=subprocess.PIPE, env={})
        if not self.server.stdout.readline():
            self.server.wait()
            self.server.stdout.close()
            raise unittest.SkipTest("FUSE cannot be mounted here")
        return self

    def __exit__(self, *error) -> None:
        self.mend()
        subprocess.run(["umount", "-l", str(self.path)], check=True)
        self.server.kill()
        self.server.wait()
        self.server.stdout.close()

    def mend(self) -> None:
        self.hangs.unlink(missing_ok=True)
        self.hangs_at_once.unlink(missing_ok=True)


def attributes(node: int) -> bytes:
    mode, size = (0o40755, 0) if node == 1 else (0o100666, len(CONTENT))
    return struct.pack("<QQQQQQIIIIIIIIII", node, size, 1, 0, 0, 0, 0, 0, 0, mode, 1, 0, 0, 0, 4096, 0)


def serve(path: str, hangs: str, hangs_at_once: str) -> None:
    device = os.open("/dev/fuse", os.O_RDWR)
    libc = ctypes.CDLL(None, use_errno=True)
    options = f"fd={device},rootmode=40000,user_id=0,group_id=0,allow_other".encode()
    if libc.mount(b"fuse", path.encode(), b"fuse", 0, options) != 0:
        return

    def reply(request: int, data: bytes = b"", error: int = 0) -> None:
        try:
            os.write(device, struct.pack("<IiQ", 16 + len(data), -error, request) + data)
        except OSError:
            pass  # who asked is gone

    def answer(operation: int, request: int, node: int, body: bytes) -> None:
        while (operation == READ and os.path.exists(hangs)) or (operation == LOOKUP and os.path.exists(hangs_at_once)):
            time.sleep(0.02)
        if operation == LOOKUP and body == b"hang\0":
            return reply(request, struct.pack("<QQQQII", 2, 0, 0, 0, 0, 0) + attributes(2))
        if operation == LOOKUP:
            return reply(request, error=2)
        answers = {GETATTR: struct.pack("<QII", 0, 0, 0) + attributes(node), OPEN: struct.pack("<QII", 0, 1, 0)}
        answers |= {READ: CONTENT if body[8:16] == bytes(8) else b"", STATFS: bytes(80), RELEASE: b"", FLUSH: b""}
        return reply(request, answers[operation]) if operation in answers else reply(request, error=38)

    while True:
        try:
            message = os.read(device, 1 << 20)
        except OSError:
            return  # unmounted
        _, operation, request, node = struct.unpack("<IIQQ", message[:24])
        if operation == INIT:
            reply(request, struct.pack("<IIIIHHIIHHI", 7, 31, 65536, 0, 12, 10, 65536, 1, 0, 0, 0) + bytes(28))
            print("ready", flush=True)
        elif operation not in FORGETS:
            threading.Thread(target=answer, args=(operation, request, node, message[40:]), daemon=True).start()


if __name__ == "__main__":
    serve(*sys.argv[1:])
