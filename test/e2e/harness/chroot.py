"""A root directory with nothing in it but what a test puts there, and with a /proc, devices and terminals of its own."""

import os
import re
import shutil
import subprocess
from pathlib import Path

# In a namespace of its own, so that all that is mounted and all that runs there goes with it. Its first process waits, as an
# init does, and so signals and orphans are what they are elsewhere. NAME=no leaves a mount out.
_ENTER = r"""
root=$1 proc=$2 terminals=$3 noexec=$4 emulated=$5; shift 5
if [ "$emulated" != no ]; then
  mount -t binfmt_misc binfmt_misc /proc/sys/fs/binfmt_misc && printf %s "$emulated" >/proc/sys/fs/binfmt_misc/register || exit 125
fi
for device in null zero full random urandom tty; do mount --bind "/dev/$device" "$root/dev/$device" || exit 125; done
[ "$proc" = no ] || mount -t proc proc "$root/proc" || exit 125
[ "$terminals" = no ] || mount -t devpts -o newinstance,ptmxmode=0666 devpts "$root/dev/pts" || exit 125
[ -z "$noexec" ] || mount -t tmpfs -o noexec,mode=755 tmpfs "$root/$noexec" || exit 125
chroot "$root" "$@"
exit $?
"""

# Has the kernel run programs for aarch64 by qemu, in this namespace of users alone (since Linux 6.7).
_AARCH64 = (
    r":aarch64:M::\x7fELF\x02\x01\x01"
    + r"\x00" * 9
    + r"\x02\x00\xb7\x00:"
    + r"\xff" * 7
    + r"\x00"
    + r"\xff" * 8
    # an executable, or one that may lie anywhere
    + r"\xfe\xff\xff\xff:/usr/bin/qemu-aarch64-static:F"
)


def install_debian(folder: Path, suite: str, *packages: str) -> None:
    """That Debian and nothing else but these packages. Made once, which takes minutes."""
    if not (folder / "complete").exists():
        shutil.rmtree(folder, ignore_errors=True)
        include = [f"--include={','.join(packages)}"] if packages else []
        command = ["debootstrap", "--variant=minbase", *include, suite, folder, *_mirror()]
        subprocess.run(command, check=True, stdin=subprocess.DEVNULL)
        (folder / "complete").touch()


def _mirror() -> list[str]:
    """Debian's, as this machine reaches it; none: debootstrap's own."""
    sources = [Path("/etc/apt/sources.list"), *Path("/etc/apt/sources.list.d").glob("*")]
    texts = "".join(source.read_text() for source in sources if source.is_file())
    return re.findall(r"https?://\S+/debian/?(?=\s)", texts)[:1]


class Chroot:
    def __init__(self, root: Path):
        self.root = root
        for folder in ("bin", "dev/pts", "proc", "tmp", "root"):
            (root / folder).mkdir(parents=True, exist_ok=True)
        for device in ("null", "zero", "full", "random", "urandom", "tty"):
            if not (root / "dev" / device).exists():
                (root / "dev" / device).touch()
        if not os.path.lexists(root / "dev/ptmx"):
            (root / "dev/ptmx").symlink_to("pts/ptmx")
        done = self.run("/terminally-none")
        if done.returncode != 127:  # else all is mounted, and chroot(1) or env(1) has come, and found no such program
            raise AssertionError(f"this test needs a machine that can mount and chroot; here: {done.stderr.decode()}")

    def enter(self, proc: bool = True, terminals: bool = True, noexec: str = "", aarch64: bool = False) -> list[str]:
        """What goes before a command that is to run there."""
        unshare = ["unshare", "--mount", "--pid", "--fork", "--kill-child", "--propagation", "private"]
        unshare += ["--user", "--map-root-user"] if aarch64 else []
        there = ("yes" if mounted else "no" for mounted in (proc, terminals))
        return [*unshare, "sh", "-c", _ENTER, "sh", str(self.root), *there, noexec, _AARCH64 if aarch64 else "no"]

    def run(self, *argv: str, env: dict[str, str] | None = None, timeout: float = 60, **mounts) -> subprocess.CompletedProcess:
        """Runs it there, with nothing in its environment but `env` and a PATH."""
        command = [
            *self.enter(**mounts),
            "/usr/bin/env",
            "-i",
            *(f"{name}={value}" for name, value in self.environment(env).items()),
            *argv,
        ]
        if not (self.root / "usr/bin/env").exists():
            command = [*self.enter(**mounts), *argv]
        return subprocess.run(command, env=self.environment(env), stdin=subprocess.DEVNULL, capture_output=True, timeout=timeout)

    def environment(self, env: dict[str, str] | None = None) -> dict[str, str]:
        return {"PATH": "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"} | (env or {})

    def put(self, program: Path, place: str) -> None:
        """A program alone, without the libraries that it needs."""
        (self.root / place).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(program, self.root / place)

    def put_busybox(self) -> None:
        """It is linked statically, and is every program that it has a name of."""
        busybox = Path(shutil.which("busybox"))
        self.put(busybox, "bin/busybox")
        for name in subprocess.run([busybox, "--list"], capture_output=True, text=True, check=True).stdout.split():
            if not os.path.lexists(self.root / "bin" / name):
                (self.root / "bin" / name).symlink_to("busybox")

    def put_locale(self) -> None:
        """The one that tmux needs, where its C library has it in a file."""
        for place in Path("/usr/lib/locale").glob("C.utf*/LC_CTYPE"):
            self.put(place, str(place).lstrip("/"))

    def put_with_libraries(self, program: Path, folder: str = "") -> None:
        """A program with its libraries and its loader: where they are here, or all in a folder of their own, for a system that
        has libraries of another version. Then the loader is told where they are."""
        listed = subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout
        files = [Path(found) for found in re.findall(r"(?:=> |\t)(/\S+)", listed)]
        if not folder:
            for file in [*files, program]:
                self.put(file, str(file).lstrip("/"))
            return
        for file in [*files, program]:
            self.put(file, f"{folder}/{file.name}")
        (self.root / "usr/local/bin").mkdir(parents=True, exist_ok=True)
        [loader] = [file.name for file in files if file.name.startswith("ld-")]
        script = self.root / "usr/local/bin" / program.name
        script.write_text(
            f'#!/bin/sh\nexec /{folder}/{loader} --argv0 {program.name} --library-path /{folder} /{folder}/{program.name} "$@"\n'
        )
        script.chmod(0o755)
