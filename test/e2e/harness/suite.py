"""How a test file is run, and what it may demand of the machine."""

import functools
import os
import shutil
import subprocess
import unittest


def main() -> None:
    """Every test file ends with this, so that `python3 test/e2e/test_x.py [Class.test]` runs it alone."""
    unittest.main(module="__main__", verbosity=2)


def needs(*programs: str) -> None:
    """A test that lacks what it needs fails and says so; it does not skip."""
    search = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"
    missing = [program for program in programs if not shutil.which(program, path=search)]
    if missing:
        raise AssertionError(f"this test needs {', '.join(missing)}: not installed")


def needs_root() -> None:
    if os.geteuid() != 0:
        raise AssertionError("this test needs root: it starts processes as another user")


@functools.cache
def own_mounts() -> list[str]:
    """What a command begins with that mounts something for itself alone. A chroot has no mount of its own that could be made private."""
    unshare = ["unshare", "--mount"]
    private = subprocess.run([*unshare, "true"], capture_output=True).returncode == 0
    return unshare if private else [*unshare, "--propagation", "unchanged"]
