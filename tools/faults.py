#!/usr/bin/env python3
"""Plants one synchronisation fault at a time in correct kernels, and counts by kind how many `ptxray check` reports.

    tools/faults.py --ptxray build/quick/tools/ptxray/ptxray build/corpus test/device/hazards
    tools/faults.py ... --only barrier.no-init --missed 20 --keep /tmp/faults

Each fault changes one instruction, is accepted by ptxas, and keeps the line numbers. It counts as found if it causes
a new warning. Not every change is a fault: a kernel may wait twice for the same operation. Use the numbers only to
compare versions of ptxray, and read the missed changes."""

import argparse
import collections
import itertools
import json
import pathlib
import re
import subprocess
import sys
import tempfile

# Lines of debug information end without a semicolon.
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/|^[ \t]*\.(?:loc|file)\b[^\n]*", re.DOTALL | re.MULTILINE)
STATEMENT = re.compile(
    r"(?P<guard>@!?[%\w$.]+\s+)?(?P<opcode>[a-z][\w.:]*)(?P<operands>[^;{}]*(?:\{[^{}]*\}[^;{}]*)*);"
)
LABEL = re.compile(r"^\s*([$%\w]+):(?!:)", re.MULTILINE)
ENTRY = re.compile(r"\.entry\b[^{]*\{")
MOST_OF_A_KIND = 8  # maximum number of edits of one kind in a kernel
LARGE = 2_000_000


Span = collections.namedtuple("Span", "begin end")


class Statement:
    def __init__(self, found, offset):
        self.begin, self.end = found.start() + offset, found.end() + offset
        self.guard, self.opcode, self.operands = found["guard"] or "", found["opcode"], found["operands"].strip()

    def starts(self, *names):
        return any(self.opcode == name or self.opcode.startswith(name + ".") for name in names)

    @property
    def barrier(self):
        return re.sub(r"\s", "", re.findall(r"\[([^]]*)\]", self.operands)[-1])


class Kernel:
    """Holds the statements of a kernel, and the ranges of its loops, innermost first."""

    def __init__(self, text, begin, end):
        body = text[begin:end]
        self.statements = [Statement(found, begin) for found in STATEMENT.finditer(body)]
        labels = {found[1]: found.start() + begin for found in LABEL.finditer(body)}
        self.loops = []
        for one in self.statements:
            target = labels.get(one.operands)
            if one.starts("bra") and target is not None and target < one.begin:
                self.loops.append((target, one.end))
        # A loop of a few instructions around a wait counts as that wait.
        self.loops = sorted(
            (loop for loop in self.loops if len(self.within(loop)) > 8), key=lambda one: one[1] - one[0]
        )

    def within(self, loop):
        return [one for one in self.statements if loop[0] <= one.begin < loop[1]]

    def loop_of(self, statement):
        return next((loop for loop in self.loops if loop[0] <= statement.begin < loop[1]), None)

    def with_branches(self, wait):
        """Returns the wait together with the following branches that return to it or leave its loop."""
        after = self.statements[self.statements.index(wait) + 1 :]
        branches = itertools.takewhile(lambda one: one.starts("bra"), after)
        return Span(wait.begin, max([wait.end, *(one.end for one in branches)]))

    def all(self, *names):
        return [one for one in self.statements if one.starts(*names)]


def blank(text):
    return re.sub(r"[^\n]", " ", text)


def kernels_of(text):
    plain = COMMENT.sub(lambda found: blank(found[0]), text)
    for found in ENTRY.finditer(plain):
        depth, end = 1, found.end()
        for sign in re.finditer(r"[{}]", plain[found.end() :]):
            depth += 1 if sign[0] == "{" else -1
            if not depth:
                end = found.end() + sign.start()
                break
        yield Kernel(plain, found.end(), end)


# ---- faults: (kind, statement, what takes its place)
def without(kind, statements):
    return [(kind, one, "") for one in statements]


def waits(kernel, names, kind, last_number):
    """Yields waits for groups with and without the change: removed waits, and waits that leave one more group
    pending."""
    for one in kernel.all(*names):
        place = "-loop" if kernel.loop_of(one) else ""
        yield f"{kind}.no-wait{place}", one, ""
        number = last_number(one)
        if number is not None:
            less = re.sub(r"\d+\s*$", str(number + 1), one.opcode + " " + one.operands)
            yield f"{kind}.wait-less{place}", one, f"{one.guard}{less};"


def number_of(statement):
    found = re.search(r"(\d+)\s*$", statement.operands)
    return int(found[1]) if found else None


def copies(kernel):
    if not kernel.all("cp.async.ca", "cp.async.cg"):
        return
    yield from waits(kernel, ("cp.async.wait_group", "cp.async.wait_all"), "copy", number_of)
    yield from without("copy.no-commit", kernel.all("cp.async.commit_group"))


def matrices(kernel):
    if not kernel.all("wgmma.mma_async"):
        return
    yield from waits(kernel, ("wgmma.wait_group",), "wgmma", number_of)
    yield from without("wgmma.no-commit", kernel.all("wgmma.commit_group"))
    yield from without("wgmma.no-fence", kernel.all("wgmma.fence"))


def barriers(kernel):
    inits = kernel.all("mbarrier.init")
    yield from without("barrier.no-init", inits)
    for one in kernel.all("mbarrier.try_wait.parity", "mbarrier.test_wait.parity"):
        loop = kernel.loop_of(one)
        parity = re.search(r"(?<=,)\s*(%\w+)\s*(?=(,\s*\S+\s*)?$)", one.operands)
        if loop and parity:
            changed = one.operands[: parity.start(1)] + "0" + one.operands[parity.end(1) :]
            yield "barrier.constant-parity", one, f"{one.guard}{one.opcode} {changed};"
        yield "barrier.no-wait-loop" if loop else "barrier.no-wait", kernel.with_branches(one), ""
    yield from without("bulk.no-expect", kernel.all("mbarrier.expect_tx", "mbarrier.arrive.expect_tx"))


def stores(kernel):
    if not any(one.starts("cp.async.bulk") and ".bulk_group" in one.opcode for one in kernel.statements):
        return
    yield from without("bulk.no-commit", kernel.all("cp.async.bulk.commit_group"))
    for one in kernel.all("cp.async.bulk.wait_group"):
        yield "bulk.no-store-wait" + ("-loop" if kernel.loop_of(one) else ""), one, ""


def tensors(kernel):
    if not kernel.all("tcgen05.alloc"):
        return
    yield from without("tensor.no-commit", kernel.all("tcgen05.commit"))
    for one in kernel.all("tcgen05.wait::ld", "tcgen05.wait::st"):
        kind = "tensor.no-wait-" + ("load" if "::ld" in one.opcode else "store")
        yield kind + ("-loop" if kernel.loop_of(one) else ""), one, ""
    yield from without("tensor.no-free", kernel.all("tcgen05.dealloc"))


def proxies(kernel):
    yield from without("proxy.no-fence", kernel.all("fence.proxy.async"))


FAMILIES = [copies, matrices, barriers, stores, tensors, proxies]


def faults_of(path):
    """Yields (kind, line, text with the fault)."""
    text = path.read_text(errors="replace")
    if len(text) > LARGE:
        return
    for kernel in kernels_of(text):
        count = collections.Counter()
        for family in FAMILIES:
            for kind, one, instead in family(kernel):
                count[kind] += 1
                if count[kind] > MOST_OF_A_KIND:
                    continue
                written = text[one.begin : one.end]
                labels = "".join(found[0].strip() for found in LABEL.finditer(written))
                changed = instead + labels + "\n" * written.count("\n")
                yield kind, text.count("\n", 0, one.begin) + 1, text[: one.begin] + changed + text[one.end :]


def warnings_of(ptxray, paths):
    """Returns the warnings by path: (rule, line) of each."""
    command = [ptxray, "check", "--format=json", "--no-fold", *paths]
    report = json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=False).stdout)
    reports = report.get("files", [report])
    return {
        pathlib.Path(one["path"]).name: collections.Counter(
            (d["rule"], d["range"]["start"]["line"]) for d in one["diagnostics"]
        )
        for one in reports
    }


def files_of(paths):
    for path in paths:
        yield from sorted(path.rglob("*.ptx")) if path.is_dir() else [path]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="+", type=pathlib.Path)
    parser.add_argument("--ptxray", default="build/quick/tools/ptxray/ptxray")
    parser.add_argument("--only", default="", help="kinds that begin so")
    parser.add_argument("--missed", type=int, default=0, help="how many of each kind to name")
    parser.add_argument("--keep", type=pathlib.Path, help="a folder for the texts with faults")
    options = parser.parse_args()
    found, missed = collections.Counter(), collections.defaultdict(list)
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.keep or pathlib.Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        for index, path in enumerate(files_of(options.paths)):
            made = []
            for number, (kind, line, text) in enumerate(faults_of(path)):
                if not kind.startswith(options.only):
                    continue
                one = folder / f"{index}-{number}-{kind}.ptx"
                one.write_text(text)
                made.append((kind, line, one))
            if not made:
                continue
            before = warnings_of(options.ptxray, [path])[path.name]
            reports = warnings_of(options.ptxray, [one for _, _, one in made])
            for kind, line, one in made:
                if reports[one.name] - before:
                    found[kind] += 1
                else:
                    missed[kind].append(f"{path}:{line} {one.name}")
                if not options.keep:
                    one.unlink()
    for kind in sorted({*found, *missed}):
        count = found[kind] + len(missed[kind])
        print(f"{kind:28} {found[kind]:5} of {count:5}  {100 * found[kind] / count:5.1f} %")
        for one in missed[kind][: options.missed]:
            print("    " + one)
    count = sum(found.values()) + sum(len(one) for one in missed.values())
    print(f"{'all':28} {sum(found.values()):5} of {count:5}")


if __name__ == "__main__":
    sys.exit(main())
