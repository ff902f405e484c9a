"""What `scripts/package` puts into dist/, as its users have it: on a Debian 12 with tmux and Node.js and nothing else, each is
installed and runs the demo. What is for aarch64 runs there under qemu-user.

`scripts/test package` builds it and runs this; so does `scripts/test all`.
"""

import hashlib
import json
import os
import shutil
import signal
import subprocess
import tempfile
import unittest
import zipfile
from pathlib import Path

import path  # noqa: F401
from harness import Sandbox, Server, binary, main, needs, needs_root
from harness.chroot import Chroot, install_debian

DIST = Path(__file__).resolve().parents[2] / "dist"
LAUNCHER = "usr/local/bin/terminally-mcp"
ENVIRONMENT = {"HOME": "/root", "SHELL": "/bin/bash"}


def made(pattern: str) -> Path:
    [file] = DIST.glob(pattern)
    return file


def run(*argv: str | Path, **options) -> str:
    return subprocess.run(argv, check=True, capture_output=True, text=True, **options).stdout


def digest(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


def unpack_bundle(bundle: Path, folder: Path) -> dict:
    """As a client does, with the modes that the archive has; returns the manifest."""
    with zipfile.ZipFile(bundle) as archive:
        for entry in archive.infolist():
            Path(archive.extract(entry, folder)).chmod(entry.external_attr >> 16 & 0o777)
    return json.loads((folder / "manifest.json").read_text())


class Packages(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        needs_root()
        needs("debootstrap", "unshare", "chroot", "npm", "qemu-aarch64-static")
        if not (DIST / "SHA256SUMS").exists():
            raise AssertionError(f"{DIST} is what is tested here: scripts/package makes it")
        bare = binary().parent / "debian12"
        install_debian(bare, "bookworm", "tmux", "nodejs")
        cls.folder = Path(tempfile.mkdtemp(prefix="te-root-", dir="/tmp"))
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        subprocess.run(["cp", "-a", f"{bare}/.", cls.folder], check=True)
        cls.chroot = Chroot(cls.folder)

    def assert_demo_runs(self, program: str, **mounts) -> None:
        done = self.chroot.run(program, "demo", env=ENVIRONMENT, timeout=120, **mounts)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        text = done.stdout.decode()
        self.assertIn("hello from Linux", text)
        self.assertRegex(text, r'"content": "(request \d+ served\\n)+')

    def server(self, program: str, *arguments: str) -> Server:
        wrapper = [*self.chroot.enter(), "/usr/bin/env", *(f"{name}={value}" for name, value in ENVIRONMENT.items())]
        return Server(*arguments, sandbox=self.enterContext(Sandbox()), wrapper=wrapper, program=Path(program))

    def install_by_npm(self, prefix: Path) -> None:
        run("npm", "install", "--global", "--offline", "--no-audit", "--no-fund", "--prefix", prefix, made("*[0-9].tgz"))

    def test_the_checksums(self) -> None:
        listed = {name: given for given, name in (line.split() for line in (DIST / "SHA256SUMS").read_text().splitlines())}
        self.assertEqual(listed, {file.name: digest(file) for file in DIST.iterdir() if file.name != "SHA256SUMS"})
        self.assertEqual(len(listed), 9)

    def test_the_file(self) -> None:
        self.chroot.put(made("*-x86_64"), "opt/terminally-mcp")
        self.assert_demo_runs("/opt/terminally-mcp")

    def test_the_debian_package(self) -> None:
        self.chroot.put(made("*_amd64.deb"), "tmp/terminally-mcp.deb")
        done = self.chroot.run("dpkg", "--install", "/tmp/terminally-mcp.deb")
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        self.assert_demo_runs("terminally-mcp")
        files = self.chroot.run("dpkg", "-L", "terminally-mcp").stdout.decode().split()
        self.assertLessEqual({f"/usr/share/man/man1/terminally-mcp{page}.1.gz" for page in ("", "-exec", "-setup")}, set(files))
        self.assertIn("/usr/share/zsh/vendor-completions/_terminally-mcp", files)
        self.assertIn("/usr/share/fish/vendor_completions.d/terminally-mcp.fish", files)
        self.assertIn("/usr/lib/systemd/user/terminally-mcp.service", files)
        load = ". /usr/share/bash-completion/completions/terminally-mcp; complete -p terminally-mcp"
        self.assertIn(b"terminally-mcp", self.chroot.run("bash", "-euc", load).stdout)
        self.assertEqual(self.chroot.run("dpkg", "--purge", "terminally-mcp").returncode, 0)
        self.assertEqual([file for file in files if "terminally" in file and os.path.lexists(f"{self.folder}{file}")], [])

    def test_the_npm_package(self) -> None:
        self.install_by_npm(self.folder / "usr/local")
        self.assert_demo_runs(f"/{LAUNCHER}")
        with self.server(f"/{LAUNCHER}") as server:  # at its end, stdin is closed
            self.assertEqual(server.call("execute_command", command="echo here; (exit 5)").exit_code, 5)
        self.assertEqual(self.chroot.run(f"/{LAUNCHER}", "nonsense", env=ENVIRONMENT).returncode, 2)

    def test_the_npm_package_passes_signals_on(self) -> None:
        sandbox = self.enterContext(Sandbox())
        self.install_by_npm(sandbox.root / "npm")
        ends = []
        for program in (binary(), sandbox.root / "npm/bin/terminally-mcp"):
            with subprocess.Popen([program], env=sandbox.environment(), stdin=subprocess.PIPE, stdout=subprocess.PIPE) as started:
                started.stdin.write(b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n')
                started.stdin.flush()
                self.assertIn(b'"id":1', started.stdout.readline())
                started.send_signal(signal.SIGTERM)
                ends.append(started.wait(20))
        self.assertEqual(ends[0], ends[1])

    def test_npx_sets_up_npx(self) -> None:
        """Its cache comes and goes, so what is written names npx; the trial starts that, as the client will."""
        sandbox = self.enterContext(Sandbox())
        prefix = sandbox.root / "npm"
        self.install_by_npm(prefix)  # where npx finds it by its name, as it would in the registry
        env = sandbox.environment(PATH=f"{prefix}/bin:{os.environ['PATH']}", npm_config_cache=f"{sandbox.root}/cache")
        (sandbox.home / ".npmrc").write_text(f"prefix={prefix}\n")
        said = run("npx", "--offline", "--yes", f"--package={made('*[0-9].tgz')}", "terminally-mcp", "setup", "claude", "--yes", env=env)
        self.assertIn("and ran a command in a tab", said)
        entry = json.loads((sandbox.home / ".claude.json").read_text())["mcpServers"]["terminally"]
        self.assertEqual(entry, {"command": "npx", "args": ["-y", "terminally-mcp", "--agent"]})

    def test_what_npx_sets_reaches_no_tab(self) -> None:
        sandbox = self.enterContext(Sandbox())
        npx = ("npx", "--offline", "--yes", f"--package={made('*[0-9].tgz')}")
        env = {"npm_config_cache": f"{sandbox.root}/cache"}
        with Server(sandbox=sandbox, wrapper=npx, program=Path("terminally-mcp"), env=env) as server:
            said = server.call("execute_command", command="env").output
        there = dict(line.split("=", 1) for line in said.splitlines() if "=" in line)
        self.assertEqual([name for name in there if name.startswith("npm_") or name in ("INIT_CWD", "NODE", "COLOR")], [])
        self.assertNotIn("node_modules", there["PATH"])

    def test_the_bundle(self) -> None:
        place = self.folder / "opt/bundle"
        launch = unpack_bundle(made("*-x86_64.mcpb"), place)["server"]["mcp_config"]
        program = launch["command"].replace("${__dirname}", "/opt/bundle")
        self.assert_demo_runs(program)
        with self.server(program, *launch["args"], "--answers", "json") as server:
            self.assertEqual(server.call("execute_command", command="echo here").output, "here\n")

    def test_aarch64(self) -> None:
        program = made("*-aarch64")
        self.chroot.put(program, "opt/aarch64/terminally-mcp")
        said = self.chroot.run("/opt/aarch64/terminally-mcp", "--version", env=ENVIRONMENT, aarch64=True).stdout.decode()
        self.assertEqual(said.split()[2], "aarch64")
        self.assert_demo_runs("/opt/aarch64/terminally-mcp", aarch64=True)

    def test_every_package_has_the_same_program(self) -> None:
        place = Path(self.enterContext(tempfile.TemporaryDirectory()))
        run("tar", "-xzf", made("*[0-9].tgz"), "-C", place)
        for ours, debian, node in (("x86_64", "amd64", "x64"), ("aarch64", "arm64", "arm64")):
            run("dpkg-deb", "--extract", made(f"*_{debian}.deb"), place / debian)
            unpack_bundle(made(f"*-{ours}.mcpb"), place / ours)
            programs = (
                place / debian / "usr/bin/terminally-mcp",
                place / ours / "server/terminally-mcp",
                place / f"package/terminally-mcp-{node}",
            )
            for program in programs:
                self.assertEqual(digest(program), digest(made(f"*-{ours}")), program)
                self.assertEqual(program.stat().st_mode & 0o777, 0o755, program)

    def test_the_registry_names_the_npm_package(self) -> None:
        server = json.loads(made("server.json").read_text())
        package = json.loads(run("tar", "-xzOf", made("*[0-9].tgz"), "package/package.json"))
        [named] = server["packages"]
        self.assertEqual((server["name"], named["identifier"]), (package["mcpName"], package["name"]))
        self.assertEqual({server["version"], named["version"]}, {package["version"]})
        self.assertLessEqual(len(server["description"]), 100)


if __name__ == "__main__":
    main()
