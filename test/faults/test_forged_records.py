"""Fault: END records that are random or forged, in the scanner itself and printed in a tab (R10)."""

import os
import re
import subprocess
import unittest

from faults import at_least, exactly, none, row, runs
from harness import Server, binary, main

# Prints $1 records with nonces that are no command's, cut and whole, with every exit code.
FORGER = r"""
import random, sys
random.seed(7)
out = sys.stdout.buffer
for i in range(int(sys.argv[1])):
    nonce = "%032x" % random.getrandbits(128)
    record = b"\x1b]133;D;%d;mcp=END:%s\x07" % (i % 400, nonce.encode())
    out.write(record[:random.randrange(len(record))] if i % 2 else record)
"""


class ForgedRecords(unittest.TestCase):
    def test_in_the_scanner(self) -> None:
        wanted = runs(100_000, 1_000_000)
        done = subprocess.run(
            [str(binary().parent / "unit_tests"), "-tc=markers: no false end*"],
            capture_output=True,
            text=True,
            timeout=1800,
            env=os.environ | {"TERMINALLY_FORGED_RECORDS": str(wanted)},
        )
        self.assertEqual(done.returncode, 0, done.stdout)
        line = re.search(r"forged records: (\d+), false ends: (\d+), true ends found: (\d+)", done.stdout)
        self.assertIsNotNone(line, done.stdout)
        forged, false_ends, found = map(int, line.groups())
        row(
            "random and forged END records in the scanner, each true one split at another of its bytes",
            exactly("forged", forged, wanted),
            none("false ends", false_ends),
            exactly("true ends found", found, wanted),
        )

    def test_in_a_tab(self) -> None:
        count = runs(20_000, 200_000)
        with Server() as server:
            (server.sandbox.home / "forger.py").write_text(FORGER, encoding="utf-8")
            tab = server.create_tab(name="forged")
            tab.execute("echo one; exit_code() { return 3; }; exit_code")
            # The tab's own log holds true records of commands that are over: they are printed once more.
            [old] = re.findall(rb"mcp=END:[0-9a-f]{32}", tab.log())
            result = tab.execute(
                f"head -c {tab.log_path.stat().st_size} {tab.log_path}; python3 forger.py {count}; echo the end; (exit 42)",
                timeout_ms=300_000,
                max_output_bytes=1024,
                verbose=True,
            )
            self.assertEqual(result.state, "completed")
            self.assertTrue(result.output.endswith("the end\n"), result.output[-200:])
            output = tab.log()[result.start_byte : result.end_byte]
            self.assertIn(old, output)
            whole = output.count(b"mcp=END:")
            row(
                "forged and old END records printed by one command in a tab, which ends with its own",
                at_least("whole ones", whole, count // 2),
                exactly("exit code", result.exit_code, 42),
            )


if __name__ == "__main__":
    main()
