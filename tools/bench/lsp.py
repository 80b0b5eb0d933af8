"""Measures `ptxray lsp`: the time from a keystroke to its diagnostics, for answers, and to start, and the memory."""

import pathlib
import random
import statistics
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "test" / "lsp"))
from client import LATEST, Client  # noqa: E402

URI = "file:///big.ptx"


def timed(action):
    begin = time.perf_counter()
    action()
    return (time.perf_counter() - begin) * 1e3


def resident(client):
    """Returns the resident memory in megabytes."""
    for line in pathlib.Path(f"/proc/{client.process.pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    return 0


def note(report, what, values, aim, worst=None):
    """Prints median and maximum in milliseconds. Only the median of many values has a limit, since it has little
    noise."""
    report.line(f"{what}, ms", statistics.median(values), aim, False)
    report.note(f"{what}: worst {max(values):.1f} ms" + (f", at most {worst} wanted" if worst else ""))


def starts(report, program):
    values = []
    for _ in range(20):
        begin = time.perf_counter()
        client = Client(program)
        values.append((time.perf_counter() - begin) * 1e3)
        client.finish()
    note(report, "lsp: from its start to the answer of `initialize`", values, 10)


def instruction_lines(text):
    lines = text.split("\n")
    return [n for n, line in enumerate(lines) if line.startswith("\t") and line.rstrip().endswith(";") and "," in line]


class Session:
    """Represents an open document, and a random position in it for each query."""

    def __init__(self, program, text):
        self.client = Client(program, capabilities=LATEST, timeout=60)
        self.lines = text.split("\n")
        self.places = instruction_lines(text)
        self.random = random.Random(1)
        self.opening = timed(lambda: (self.client.open(URI, text), self.client.diagnostics(URI)))

    def place(self):
        line = self.random.choice(self.places)
        return line, self.lines[line].index("\t") + 2

    def settled(self):
        """Returns the memory in megabytes after all work is done."""
        self.client.error("textDocument/hover", {})
        time.sleep(0.1)
        return resident(self.client)

    def insert(self, line, column, text):
        at = {"line": line, "character": column}
        self.client.change(URI, [{"range": {"start": at, "end": at}, "text": text}])

    def keystroke(self):
        """Types a letter that makes a word wrong, or deletes it."""
        line, column = self.place()
        values = [timed(lambda: (self.insert(line, column, "q"), self.client.diagnostics(URI)))]
        span = {"start": {"line": line, "character": column}, "end": {"line": line, "character": column + 1}}
        change = [{"range": span, "text": ""}]
        values.append(timed(lambda: (self.client.change(URI, change), self.client.diagnostics(URI))))
        return values

    def burst(self):
        line, column = self.place()
        hover = []

        def many():
            for number in range(60):
                self.insert(line, column, " ")
                if number == 30:
                    hover.append(timed(lambda: self.ask("hover")))
            self.client.diagnostics(URI)

        return timed(many), hover[0]

    def ask(self, method, **more):
        self.client.at(f"textDocument/{method}", URI, self.place(), **more)

    def whole(self, method):
        self.client.request(f"textDocument/{method}", {"textDocument": {"uri": URI}})

    def until_read(self, method):
        begin = time.perf_counter()
        self.whole(method)
        return (self.client.arrived - begin) * 1000

    def screen(self, method):
        line = self.place()[0]
        span = {"start": {"line": line, "character": 0}, "end": {"line": line + 60, "character": 0}}
        self.client.request(f"textDocument/{method}", {"textDocument": {"uri": URI}, "range": span})


def measure(report, program, megabytes, path):
    text = path.read_text(encoding="utf-8")
    session = Session(program, text)
    size = len(text) / 1e6
    rounds = 40 if megabytes == 1 else 15
    report.note(f"lsp: {size:.1f} MB opened and checked in {session.opening:.0f} ms")
    opened = session.settled()
    keys = [value for _ in range(rounds) for value in session.keystroke()]
    note(report, f"lsp: keystroke to diagnostics, {megabytes} MB", keys, 15 if megabytes == 1 else 50, 300)
    # One edit per line is 25 MB of JSON for 10 MB. There is no limit for the time.
    values = [session.until_read("formatting") for _ in range(3)]
    note(report, f"lsp: formatting, read but not parsed, {megabytes} MB", values, 1000)
    bursts = [session.burst() for _ in range(3)]
    note(report, f"lsp: 60 edits at once to the last diagnostics, {megabytes} MB", [all for all, _ in bursts], 600)
    note(report, f"lsp: a hover among them, {megabytes} MB", [hover for _, hover in bursts], 300)
    for method in ("hover", "completion", "definition", "documentHighlight", "signatureHelp"):
        note(
            report,
            f"lsp: {method}, {megabytes} MB",
            [timed(lambda m=method: session.ask(m)) for _ in range(rounds)],
            50,
            100,
        )
    for method in ("semanticTokens/range", "inlayHint"):
        values = [timed(lambda m=method: session.screen(m)) for _ in range(rounds)]
        note(report, f"lsp: {method} of a screen, {megabytes} MB", values, 50, 100)
    for method in ("documentSymbol", "foldingRange", "semanticTokens/full"):
        note(
            report, f"lsp: {method}, {megabytes} MB", [timed(lambda m=method: session.whole(m)) for _ in range(3)], 1000
        )
    report.line(f"lsp: memory above twice the text after opening {megabytes} MB, MB", opened - 2 * size, 30, False)
    session.keystroke()  # the keystroke drops stored data of earlier answers
    before = session.settled()
    for _ in range(500):
        session.keystroke()
    grown = session.settled() - before
    report.line(f"lsp: memory that 1,000 edits add, each checked, {megabytes} MB, MB", grown, 0.5, False)
    for _ in range(1000):
        session.insert(*session.place(), " ")
    session.client.diagnostics(URI)
    faults = session.settled() - before
    report.line(f"lsp: memory of a fault among 1,000, {megabytes} MB, kB", faults * 1024 / 1000, 3, False)
    session.client.notify("textDocument/didClose", {"textDocument": {"uri": URI}})
    report.line(f"lsp: memory once {megabytes} MB are closed, MB", session.settled(), 12, False)
    session.client.finish()


def all_of(report, program, files):
    """Measures all files. `files` contains paths by megabytes."""
    starts(report, program)
    for megabytes, path in files.items():
        measure(report, program, megabytes, path)
