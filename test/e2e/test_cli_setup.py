"""What a newcomer runs: demo, doctor, shell completions."""

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import tempfile
import unittest
from pathlib import Path

import path  # noqa: F401
from harness import Sandbox, Server, binary, main
from harness.sandbox import CHECKOUT
from harness.client import copy_program, run_cli
from harness.person import Terminal
from harness.suite import needs


class Demo(unittest.TestCase):
    def test_the_demo_runs_by_itself(self) -> None:
        with Sandbox() as sandbox:
            done = run_cli(sandbox, "demo", timeout=60, env={"TERMINALLY_INSTANCE": "not-this-one"})
            text = done.stdout.decode()
            self.assertEqual((done.returncode, done.stderr), (0, b""))
            sandbox.assert_nothing_left()
            self.assertEqual(list(sandbox.runtime.iterdir()), [])
            for tool in ("create_tab", "execute_command", "start_process", "read_logs_from_tab", "stop_process"):
                self.assertIn(f'"name": "{tool}"', text)
            self.assertIn('"exit_code": 2', text)
            self.assertIn('"success": true', text)
            self.assertRegex(text, r'"content": "(request \d+ served\\n)+')
            self.assertNotIn("\x1b", text)
            log = Path(re.search(r"^/.*\.log$", text, re.MULTILINE).group())
            self.assertIn(b"hello from Linux", log.read_bytes())

    def test_it_ends_with_what_to_type_next(self) -> None:
        """With the path of this very program, as a shell takes it."""
        with Sandbox() as sandbox:
            program = copy_program(sandbox.root / "it's a place")
            done = subprocess.run([str(program), "demo"], env=sandbox.environment(), capture_output=True, timeout=60)
            self.assertEqual((done.returncode, done.stderr), (0, b""))
            last = done.stdout.decode().splitlines()[-1]
            self.assertEqual(shlex.split(last), [str(program), "setup", "claude"])

    def test_colours_are_for_terminals(self) -> None:
        with Sandbox() as sandbox:
            with Terminal([str(binary()), "demo"], sandbox.environment()) as terminal:
                self.assertEqual(terminal.wait(60), 0)
                self.assertIn(b"\x1b[36m--> tools/call", terminal.output)

    def test_a_reader_that_leaves(self) -> None:
        with Sandbox() as sandbox:
            done = subprocess.run(
                ["bash", "-c", f"{shlex.quote(str(binary()))} demo | head -1; echo ${{PIPESTATUS[0]}}"],
                env=sandbox.environment(),
                capture_output=True,
                timeout=30,
            )
            self.assertEqual((done.stdout.split(), done.stderr), ([b"0"], b""))


class ScriptsRun(unittest.TestCase):
    """scripts/run, with what stands for a build."""

    def setUp(self) -> None:
        self.place = self.enterContext(Sandbox()).root / "checkout"
        (self.place / "bin").mkdir(parents=True)
        shutil.copytree(CHECKOUT / "scripts", self.place / "scripts")
        self.script("bin/dpkg-query", "printf 'all:installed '")
        self.script("bin/apt-get", "exit 1")

    def script(self, name: str, text: str) -> None:
        (self.place / name).write_text(f"#!/bin/sh\n{text}\n")
        (self.place / name).chmod(0o755)

    def run_it(self, *arguments: str) -> subprocess.CompletedProcess:
        env = {"PATH": f"{self.place}/bin:/usr/bin:/bin"}
        return subprocess.run([f"{self.place}/scripts/run", *arguments], env=env, capture_output=True, text=True, timeout=20)

    def test_it_says_how_far_it_is_and_what_comes_next(self) -> None:
        build = 'seq 1 40 | sed "s|.*|[&/40] Building|"; echo "echo called: \\$*" >$r/terminally-mcp; chmod +x $r/terminally-mcp'
        self.script("bin/cmake", f'r=build/release; mkdir -p $r; [ "$1" = --preset ] || {{ {build}; }}')
        done = self.run_it()
        self.assertEqual((done.returncode, done.stdout), (0, "called: demo\n"), done.stderr)
        said = done.stderr.splitlines()
        self.assertIn("takes minutes", said[0])
        self.assertEqual(
            said[1:-1], ["run: looking for the compiler and the libraries"] + [f"run: built {10 * tenth} %" for tenth in range(1, 11)]
        )
        self.assertEqual(said[-1], f"run: the program is {self.place}/build/release/terminally-mcp")
        self.assertEqual(self.run_it("doctor", "-x").stdout, "called: doctor -x\n")

    def test_a_build_that_fails_is_shown(self) -> None:
        self.script("bin/cmake", 'mkdir -p build/release; [ "$1" = --preset ] || { echo "no such header"; exit 1; }')
        done = self.run_it()
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("no such header", done.stderr)
        self.assertNotIn("the program is", done.stderr)


class ByHand(unittest.TestCase):
    """The program itself, started by a person or without what it needs."""

    def test_on_a_terminal_it_says_what_it_is(self) -> None:
        with Sandbox() as sandbox:
            out = sandbox.home / "out"
            with Terminal(["/bin/sh", "-c", f'exec {shlex.quote(str(binary()))} >{out}'], sandbox.environment()) as terminal:
                for text in ("this is an MCP server", "C-d ends it", "terminally-mcp demo", "terminally-mcp --help"):
                    terminal.expect(text)
                terminal.write("\x04")
                self.assertEqual(terminal.wait(), 0)
            self.assertEqual(out.read_bytes(), b"")
            done = run_cli(sandbox)
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, b"", b""), "a client's pipe is told nothing")

    def test_without_tmux_it_says_what_to_do(self) -> None:
        for arguments, named in ((("--tmux", "/no/such"), '"/no/such"'), (("--tmux", "no-such-tmux"), '"no-such-tmux" on PATH')):
            with self.subTest(arguments), Sandbox() as sandbox, Server(*arguments, sandbox=sandbox) as server:
                for said in (server.call_error("create_tab"), server.raw.stderr_path.read_text()):
                    for part in (named, "install tmux", "--tmux"):
                        self.assertIn(part, said)


class Doctor(unittest.TestCase):
    def setUp(self) -> None:
        self.sandbox = self.enterContext(Sandbox())

    def doctor(self, *arguments: str, code: int = 0, **env: str) -> str:
        done = run_cli(self.sandbox, *arguments, "doctor", env=env)
        text = done.stdout.decode()
        self.assertEqual((done.returncode, done.stderr), (code, b""), text)
        for line in text.splitlines():
            self.assertRegex(line, r"^(ok      |warning |wrong   |         -> )\S")
        self.assertEqual(code == 1, "\nwrong " in "\n" + text, text)
        return text

    def test_all_is_well(self) -> None:
        text = self.doctor()
        for word in (
            r"tmux 3\.\d",
            "terminally-log",
            "terminally-shell",
            "C.UTF-8",
            "socket path",
            "inotify",
            "pidfd",
            "ok +pseudo terminals: there",
            "ok +terminal description: /.*/tmux-256color",
            "open files",
            "/bash",
            "none runs",
        ):
            self.assertRegex(text, word)
        self.assertFalse(self.sandbox.runtime.exists() or self.sandbox.state.exists())  # it only looks

    def test_the_running_instance_is_named(self) -> None:
        with Server(sandbox=self.sandbox) as server:
            server.create_tab()
            text = self.doctor()
            self.assertIn(f"{server.socket.parent.name}, 1 tabs, its server is pid {server.raw.process.pid}", text)
            self.assertIn("yours, mode 0700", text)

    def test_without_tmux(self) -> None:
        self.assertRegex(self.doctor(code=1, PATH="/nonexistent"), r"(?m)^wrong +tmux.*\n +-> .*apt-get install tmux")

    def test_a_tmux_that_cannot_ask_is_no_reason_to_kill_the_server(self) -> None:
        other = self.sandbox.root / "other-tmux"
        other.write_text('#!/bin/sh\n[ "$1" = -V ] && exec echo tmux 3.4\necho protocol version mismatch >&2; exit 1\n')
        other.chmod(0o755)
        with Server(sandbox=self.sandbox) as server:
            server.create_tab()
            pid = json.loads(run_cli(self.sandbox, "instances", "--json").stdout)[0]["tmux_pid"]
            text = self.doctor(code=1, PATH="/nonexistent")
            self.assertRegex(text, r"warning instance: .*cannot be asked without tmux\n +-> mend tmux")
            self.assertNotIn("kill", text)
            text = self.doctor("--tmux", str(other), code=1)
            self.assertRegex(
                text, rf"wrong +instance: .*mismatch\n +-> nothing need be ended: .*\(pid {pid}\) can ask it: --tmux /\S*tmux\n"
            )
            os.kill(pid, signal.SIGSTOP)
            try:
                self.assertRegex(
                    self.doctor(code=1), rf"wrong +instance: .*\n +-> if its tmux server \(pid {pid}\) hangs, kill it; the logs stay\n"
                )
            finally:
                os.kill(pid, signal.SIGCONT)

    def test_an_old_tmux(self) -> None:
        old = self.sandbox.root / "old-tmux"
        old.write_text("#!/bin/sh\necho tmux 2.9a\n")
        old.chmod(0o755)
        self.assertRegex(self.doctor("--tmux", str(old), code=1), r"wrong +tmux: tmux 2\.9a.*too old")

    def test_a_socket_path_that_is_too_long(self) -> None:
        self.assertRegex(self.doctor("--runtime-dir", "/tmp/" + "x" * 100, code=1), "wrong +socket path: 1.. of at most 107")

    def test_directories_that_cannot_be_trusted(self) -> None:
        self.sandbox.runtime.mkdir()
        self.sandbox.runtime.chmod(0o777)
        self.sandbox.state.symlink_to("/tmp")
        text = self.doctor(code=1)
        self.assertRegex(text, r"wrong +runtime directory .*mode 0777\n +-> chmod 700")
        self.assertRegex(text, r"wrong +state directory .*symbolic")

    def test_logs_in_memory_are_warned_of(self) -> None:
        with tempfile.TemporaryDirectory(dir="/dev/shm") as memory:
            self.assertRegex(self.doctor("--state-dir", memory), "warning +state directory: .*tmpfs")

    def test_helpers_that_are_missing(self) -> None:
        program = copy_program(self.sandbox.root / "bin")
        os.remove(program.parent / "terminally-shell")
        done = subprocess.run([str(program), "doctor"], env=self.sandbox.environment(), capture_output=True, timeout=10)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stdout.decode(), r"(?m)^wrong +helper: .*terminally-shell is missing")


class Completions(unittest.TestCase):
    def setUp(self) -> None:
        self.sandbox = self.enterContext(Sandbox())
        self.server = self.enterContext(Server(sandbox=self.sandbox))
        self.tab = self.server.create_tab(name="the tab")
        self.instance = self.server.socket.parent.name
        self.env = self.sandbox.environment(PATH=f"{binary().parent}:/usr/bin:/bin")

    def candidates(self, *words: str) -> set[str]:
        done = run_cli(self.sandbox, "complete", "--", *words)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        lines = [line.split("\t") for line in done.stdout.decode().splitlines()]
        self.assertTrue(all(len(line) == 2 and all(line) for line in lines), "each is described")
        return {line[0] for line in lines}

    def test_every_command_and_flag_is_there(self) -> None:
        def said(*command: str) -> str:
            return run_cli(self.sandbox, *command, "--help").stdout.decode()

        commands = re.findall(r"^  ([a-z]+) ", said().split("Subcommands:")[1].split("Examples:")[0], re.MULTILINE)
        self.assertLessEqual({"ls", "tail", "exec", "attach", "doctor", "demo", "completions"}, set(commands))
        self.assertEqual(self.candidates(""), set(commands))
        for command in commands:
            flags = re.findall(r"^  (-\w)?,?(--[a-z-]+)", said(command), re.MULTILINE)
            self.assertLessEqual({name for names in flags for name in names if name}, self.candidates(command, "-"), command)

    # What is typed, and what is offered there (U8).
    def offers(self) -> dict[str, list[str]]:
        instances = run_cli(self.sandbox, "instances", "-q").stdout.decode().split()
        self.assertEqual(len(instances), 1)
        return {
            "at": ["attach"],
            "tail @": [self.tab.id],
            "tail --fol": ["--follow"],
            "--instance x ls --js": ["--json"],
            "instances cl": ["clean"],
            "instances clean ": [],
            "instances clean cl": [],
            "ls ": [],
            "tail @0 ": [],
            "--instance ": instances,
            "--view ": ["raw", "plain", "rendered"],
            "tail --redact ": ["off", "rules", "all"],
            "--view raw att": ["attach"],
            "--history-limit ": [],
            "tail -n ": [],
            "completions ": ["bash", "zsh", "fish"],
            "setup op": ["opencode"],
            "--mask-file ./fi": ["./file"],
            "exec @0 ./fi": ["./file"],
            "export ./fi": ["./file"],
            "--runtime-dir ./fi": ["./file"],
            f"--instance {self.instance} tail ": [self.tab.id],
            "--view=re": ["rendered"],
        }

    def directory(self) -> str:
        directory = self.sandbox.home / "empty"
        directory.mkdir()
        (directory / "file").touch()
        return str(directory)

    def test_bash(self) -> None:
        ask = r'''. <(terminally-mcp completions bash); compopt() { :; }
            while IFS= read -r typed; do
              COMP_LINE="terminally-mcp $typed"; COMP_POINT=${#COMP_LINE}; _terminally_mcp
              echo "${COMPREPLY[*]}"
            done'''
        offers = {typed: wanted for typed, wanted in self.offers().items() if "./fi" not in typed}
        done = subprocess.run(
            ["/bin/bash", "--norc", "-c", ask],
            env=self.env,
            input="".join(f"{typed}\n" for typed in offers).encode(),
            capture_output=True,
            timeout=60,
        )
        self.assertEqual(done.stderr, b"")
        got = [line.split() for line in done.stdout.decode().splitlines()]
        self.assertEqual(dict(zip(offers, got)), offers)

    def test_bash_by_keys(self) -> None:
        with Terminal(["/bin/bash", "--norc", "-i"], self.env, cwd=self.directory()) as terminal:
            terminal.write(
                'set -eu; . <(terminally-mcp completions bash); echo sour"ced"; set +eu; bind "set enable-bracketed-paste off"\n'
            )
            at = terminal.expect("sourced")
            for typed, wanted in self.offers().items():
                if wanted and len(wanted) == 1:
                    terminal.write(f"terminally-mcp {typed}\t")
                    before = typed[: typed.rindex("=") + 1] if "=" in typed else typed[: typed.rindex(" ") + 1] if " " in typed else ""
                    at = terminal.expect(f"terminally-mcp {before}{wanted[0]} ", start=at)
                    terminal.write("\x15")
                    at = terminal.expect("\x1b[K", start=at)
            terminal.write("exit\n")

    def test_zsh(self) -> None:
        needs("zsh")
        with Terminal([shutil.which("zsh"), "-f", "-i"], self.env, cwd=self.directory()) as terminal:
            terminal.write(
                'autoload -U compinit; compinit -u -D; source <(terminally-mcp completions zsh); unsetopt automenu listambiguous; '
                'show() { zle -M "<$LBUFFER>" }; zle -N show; bindkey "^T" show; echo sour"ced"\n'
            )
            at = terminal.expect("sourced")
            for typed, wanted in self.offers().items():
                terminal.write(f"terminally-mcp {typed}\t\x14")
                before = typed[: typed.rindex("=") + 1] if "=" in typed else typed[: typed.rindex(" ") + 1] if " " in typed else ""
                begin = "terminally-mcp " + (before + wanted[0] if len(wanted) == 1 else typed)
                at = terminal.expect(f"<{begin}", start=at)
                self.assertIn(terminal.output[at : at + 2].rstrip(b">\r\n"), (b"", b" "), typed)
                terminal.write("\x15")
            terminal.write("exit\n")

    def test_zsh_from_a_file(self) -> None:
        """As packages install it: the first TAB makes it known, and is answered."""
        needs("zsh")
        folder = self.sandbox.root / "functions"
        folder.mkdir()
        (folder / "_terminally-mcp").write_bytes(run_cli(self.sandbox, "completions", "zsh").stdout)
        with Terminal([shutil.which("zsh"), "-f", "-i"], self.env, cwd=self.directory()) as terminal:
            terminal.write(
                f'fpath=({folder} $fpath); autoload -U compinit; compinit -u -D; '
                'show() { zle -M "<$LBUFFER>" }; zle -N show; bindkey "^T" show; echo sour"ced"\n'
            )
            at = terminal.expect("sourced")
            for typed, wanted in (("at", "attach "), ("setup op", "setup opencode ")):
                terminal.write(f"terminally-mcp {typed}\t\x14")
                at = terminal.expect(f"<terminally-mcp {wanted}", start=at)
                terminal.write("\x15")
            terminal.write("exit\n")

    def test_fish(self) -> None:
        needs("fish")
        offers = self.offers()
        ask = 'terminally-mcp completions fish | source; while read -l typed; echo (complete -C "terminally-mcp $typed" | string replace -r "\t.*" "" | string join " "); end'
        done = subprocess.run(
            ["fish", "--no-config", "-c", ask],
            env=self.env,
            cwd=self.directory(),
            input="".join(f"{typed}\n" for typed in offers).encode(),
            capture_output=True,
            timeout=60,
        )
        self.assertEqual(done.stderr, b"")
        got = [sorted(line.split()) for line in done.stdout.decode().splitlines()]
        wanted = {typed: sorted(words) for typed, words in offers.items()} | {"--view=re": ["--view=rendered"]}
        self.assertEqual(dict(zip(offers, got)), wanted)


class Manual(unittest.TestCase):
    """`help --man` has what `--help` has, in the form that man(1) reads."""

    def test_each_page_has_each_flag(self) -> None:
        with Sandbox() as sandbox:

            def said(*words: str) -> str:
                done = run_cli(sandbox, *words)
                self.assertEqual((done.returncode, done.stderr), (0, b""), words)
                return done.stdout.decode()

            commands = [line.split("\t")[0] for line in said("complete", "--", "").splitlines()]
            self.assertIn("exec", commands)
            for command in [[], *([name] for name in commands)]:
                page = said("help", "--man", *command)
                self.assertTrue(page.startswith(".TH " + "\\-".join(["terminally\\-mcp", *command]) + " 1 "), page[:80])
                flags = set(re.findall(r"--[a-z][a-z-]+", said("help", *command)))
                plain = page.replace("\\-", "-")
                self.assertEqual({flag for flag in flags if flag not in plain}, set(), command)


if __name__ == "__main__":
    main()
