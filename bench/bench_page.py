#!/usr/bin/env python3
"""What the page shows how soon, and what it costs: the figures of a person who looks on.

    cmake --preset release && cmake --build --preset release
    python3 bench/bench_page.py [--megabytes N] [--seconds N] [PROGRAM]       (default: build/release/terminally-mcp)

Prints figures; nothing here passes or fails. Needs Debian's Chromium, and `npm ci --ignore-scripts --prefix web`; Chromium draws without
a graphics card here, which is the most of what it takes. The rate of a tab stands beside its rate with no page, in turns.
"""

import argparse
import gzip
import os
import statistics
import sys
import time
import urllib.request
from pathlib import Path

from bench_commands import CHECKOUT, quantile
from bench_http import resident_bytes
from bench_many_tabs import processor_seconds

sys.path.insert(0, str(CHECKOUT / "test" / "e2e"))
from harness import Sandbox, Server  # noqa: E402
from harness.browser import PageServer  # noqa: E402
from harness.chromium import Chromium, ChromiumPage  # noqa: E402

ROUNDS = 3
LINES = "[...document.querySelectorAll('.cmd-block:last-of-type .ln-text')].map((l) => l.textContent)"
# It is connected, shows a tab where there is one, and was painted: the browser notes that some time after it is in the document.
OPENED = """() => document.querySelector('.foot:not(.off)') !== null && document.querySelector('#transcript, .empty') !== null
&& performance.getEntriesByName('first-contentful-paint').length > 0"""
# A line that has the time in it is seen at the time that the page notes for it.
SEEN = """() => { window.seen = {}; new MutationObserver(() => { for (const l of document.querySelectorAll('.ln-text')) if (/^at \\d+$/.test(l.textContent))
window.seen[l.textContent] ??= performance.timeOrigin + performance.now(); }).observe(document.body, { childList: true, subtree: true, characterData: true }); }"""
# The longest frame, by the browser's own count: to ask for each frame would have each drawn.
FRAMES = """() => { window.worst = 0; new PerformanceObserver((seen) => { for (const frame of seen.getEntries())
window.worst = Math.max(window.worst, frame.duration); }).observe({ type: 'long-animation-frame' }); }"""
STAMPS = "for i in $(seq 60); do echo at $(date +%s%6N); sleep 0.1; done; echo the end"


class Scene:
    def __init__(self, chromium: Chromium, sandbox: Sandbox, server: Server, serve: PageServer):
        self.chromium, self.sandbox, self.server, self.serve = chromium, sandbox, server, serve

    def page(self, *arguments: str) -> ChromiumPage:
        page = self.chromium.open(self.serve.link(*arguments))
        page.wait(OPENED)
        return page

    def close(self, *pages: ChromiumPage) -> None:
        for page in pages:
            page.ask("close")


def latency(scene: Scene) -> None:
    tab = scene.server.create_tab()
    page = scene.page()
    page.run(SEEN)
    tab.execute(STAMPS, timeout_ms=60_000)
    page.wait(f"() => {LINES}.at(-1) === 'the end'")
    took = [at - int(line.removeprefix("at ")) / 1000 for line, at in page.run("() => window.seen").items()]
    print(
        f"a line is on the page {quantile(took, 0.5):.0f} ms after it was printed (p50 of {len(took)}; p99 {quantile(took, 0.99):.0f}); asked: 100"
    )
    scene.close(page)


def cancels(scene: Scene) -> None:
    tab = scene.server.create_tab()
    page, second = scene.page("--exec"), scene.page()
    took = []
    for _ in range(10):
        tab.start("sleep 300")
        page.wait("() => document.querySelector('.cmd-block:last-of-type .cancel') !== null")
        begin = time.monotonic()
        page.click(".cmd-block:last-of-type .cancel")
        second.wait("() => document.querySelector('.cmd-block:last-of-type .said')?.textContent.includes('by a person')")
        took.append((time.monotonic() - begin) * 1000)
    print(f"a person's cancel is on a second page after {statistics.median(took):.0f} ms (longest {max(took):.0f}); asked: 1000")
    scene.close(page, second)


def flood(scene: Scene, megabytes: int) -> None:
    tab = scene.server.create_tab()
    command = f"yes {'x' * 99} | head -c {megabytes}M"
    took: dict[str, list[float]] = {"no page": [], "three pages": []}
    worst, before = 0.0, resident_bytes(scene.serve.process.pid)
    for _ in range(ROUNDS):
        for name in took:
            pages = [scene.page() for _ in range(3)] if name == "three pages" else []
            for page in pages[:2]:
                page.run(FRAMES)
            begin = time.monotonic()
            tab.execute(command, timeout_ms=600_000, max_output_bytes=1000)
            took[name].append(time.monotonic() - begin)
            worst = max([worst, *(page.run("() => window.worst") for page in pages[:2])])
            grown = resident_bytes(scene.serve.process.pid) - before
            scene.close(*pages)
    rates = {name: megabytes / statistics.median(values) for name, values in took.items()}
    print(
        f"{megabytes} MB into a tab: {rates['no page']:.1f} MB/s with no page, {rates['three pages']:.1f} with three "
        f"({rates['three pages'] / rates['no page']:.2f}; asked: 0.95); worst frame {worst:.0f} ms (asked: 200); serve grew by {grown / 2**20:.1f} MiB (asked: 3)"
    )


def wake_ups(pid: int) -> int:
    return sum(
        int(line.split()[1])
        for thread in Path(f"/proc/{pid}/task").iterdir()
        for line in (thread / "status").read_text(encoding="ascii").splitlines()
        if line.startswith("voluntary_ctxt_switches")
    )


def run_seconds(pid: int) -> float:
    """To the nanosecond: what runs for less than a tick is seldom met by one."""
    return sum(int((thread / "schedstat").read_text(encoding="ascii").split()[0]) for thread in Path(f"/proc/{pid}/task").iterdir()) / 1e9


def parent(pid: str) -> str:
    return Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rsplit(")", 1)[1].split()[1]


def seconds_below(pid: int) -> float:
    """Of all that a process started: others may run a Chromium of their own."""
    total = 0.0
    for process in Path("/proc").iterdir():
        if process.name.isdigit():
            try:
                if parent(process.name) == str(pid):
                    total += run_seconds(int(process.name)) + seconds_below(int(process.name))
            except OSError:
                continue
    return total


def idle(scene: Scene, seconds: float) -> None:
    for _ in range(20):
        scene.server.create_tab()
    pid = scene.serve.process.pid
    time.sleep(2)
    before = wake_ups(pid)
    time.sleep(seconds)
    alone = wake_ups(pid) - before
    page = scene.page()
    time.sleep(2)
    driver = scene.chromium.process.pid
    serve, browser, begin = run_seconds(pid), seconds_below(driver), time.monotonic()
    time.sleep(seconds)
    passed = time.monotonic() - begin
    print(
        f"20 tabs and a page, nobody does anything: serve {(run_seconds(pid) - serve) / passed:.2%} of a core (asked: 0.2 %), the browser "
        f"{(seconds_below(driver) - browser) / passed:.2%} (asked: 1 %); no page: serve woke up {alone} times in {seconds:.0f} s (asked: 0)"
    )
    scene.close(page)


def first_paint(scene: Scene) -> None:
    took = []
    for _ in range(5):
        page = scene.page()
        took.append(page.run("() => performance.getEntriesByName('first-contentful-paint')[0].startTime"))
        scene.close(page)
    sizes = {}
    for name in ("app.js", "terminal.js", "addon-webgl.js"):
        with urllib.request.urlopen(f"http://127.0.0.1:{scene.serve.port}/{name}") as answer:
            sizes[name] = len(gzip.compress(answer.read(), 9))
    print(
        f"first paint after {statistics.median(took):.0f} ms (asked: 300); JavaScript by gzip {sum(sizes.values()) / 1000:.0f} KB of 230: {sizes}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--megabytes", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=20, help="how long idleness is looked at")
    parser.add_argument("program", nargs="?", type=Path, default=CHECKOUT / "build/release/terminally-mcp")
    arguments = parser.parse_args()
    os.environ["TERMINALLY_BIN"] = str(arguments.program.absolute())
    with Chromium() as chromium, Sandbox() as sandbox, Server(sandbox=sandbox) as server, PageServer(sandbox) as serve:
        scene = Scene(chromium, sandbox, server, serve)
        first_paint(scene)
        latency(scene)
        cancels(scene)
        idle(scene, arguments.seconds)
        flood(scene, arguments.megabytes)


if __name__ == "__main__":
    main()
