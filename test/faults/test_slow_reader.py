"""R20: a client that reads one byte a second while a tab prints 20 MB/s: the tab is not slowed, memory stays bounded."""

import json
import subprocess
import threading
import unittest

from faults import at_least, at_most, quick_on_an_idle_machine, resident_mib, row, runs
from harness import Sandbox, Server, binary, main, poll

# 20 MB a second, and how long it took.
GENERATOR = """
import sys, time
seconds = int(sys.argv[1])
chunk = (b"x" * 99 + b"\\n") * 2000
begin = time.monotonic()
for n in range(seconds * 100):
    sys.stdout.buffer.write(chunk)
    sys.stdout.buffer.flush()
    time.sleep(max(0, begin + (n + 1) / 100 - time.monotonic()))
open(sys.argv[2], "w").write(str(time.monotonic() - begin))
"""


class SlowReader(unittest.TestCase):
    def seconds(self, sandbox: Sandbox, name: str) -> float:
        path = sandbox.home / name
        return float(poll(lambda: path.exists() and path.read_text(), 300, f"the end of {name}"))

    def test_one_byte_a_second(self) -> None:
        length = runs(3, 20)
        with Server() as server:
            (server.sandbox.home / "print.py").write_text(GENERATOR)
            tab = server.create_tab()
            tab.start(f"python3 ~/print.py {length} ~/alone")
            alone = self.seconds(server.sandbox, "alone")
        sandbox = self.enterContext(Sandbox())
        (sandbox.home / "print.py").write_text(GENERATOR)
        process = subprocess.Popen(
            [str(binary())], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=sandbox.environment(), cwd=sandbox.home, bufsize=0
        )
        done = threading.Event()
        read = bytearray()

        def read_slowly() -> None:
            while not done.wait(1):
                read.extend(process.stdout.read(1))

        reader = threading.Thread(target=read_slowly)
        reader.start()
        try:
            for message in (
                {
                    "id": 1,
                    "method": "initialize",
                    "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "slow", "version": "1"}},
                },
                {
                    "id": 2,
                    "method": "tools/call",
                    "params": {
                        "name": "execute_command",
                        "_meta": {"progressToken": 1},
                        "arguments": {"command": f"python3 ~/print.py {length} ~/read", "timeout_ms": 600_000, "max_output_bytes": 1000},
                    },
                },
            ):
                process.stdin.write(json.dumps({"jsonrpc": "2.0"} | message).encode() + b"\n")
            slowly = self.seconds(sandbox, "read")
            read_by_then = len(read)
            resident = resident_mib(process.pid)
        finally:
            done.set()
            reader.join()
        answer: dict = {}
        rest = open(process.stdout.fileno(), "rb", closefd=False)
        rest.readline()  # the rest of the line that was read by bytes
        while answer.get("id") != 2:
            answer = json.loads(rest.readline())
        self.assertEqual(answer["result"]["structuredContent"]["exit_code"], 0)
        process.stdin.close()
        process.stdout.close()
        self.assertEqual(process.wait(10), 0)
        row(
            f"client of one byte a second beside 20 MB/s for {length} s",
            quick_on_an_idle_machine("time, of that without a client", slowly / alone, 1.05),
            at_most("read when the tab had printed it all", read_by_then, 10 * length, "bytes"),
            at_least("skipped and said so", answer["result"]["structuredContent"]["omitted_bytes"], 1_000_000, "bytes"),
            at_most("server", resident, 64, "MB"),
        )


if __name__ == "__main__":
    main()
