#!/usr/bin/env python3
"""Runs litmus tests of Dat3M with many schedules: litmus.py PTXRAY DAT3M [--list=v7_5] [--schedules=N] [--show]

DAT3M is a clone of https://github.com/hernanponcedeleon/Dat3M, which contains a list of tests with verdicts; the
default is the list of PTX v6.0. Each test becomes a kernel. The threads of one block are the first lanes of its warps,
and the blocks belong to a cluster. A barrier of a test waits for the threads that name it, so the PTX contains their
number. A surface refers to the same memory; two names for the same location get the same address. If a thread waits for
ever, the debugger shows the results of the others. The words after `--` are options of ptxray.

The run fails if an outcome is forbidden by the model. It counts the allowed outcomes that some schedule shows."""

import concurrent.futures
import pathlib
import re
import subprocess
import sys
import tempfile

LIST = "dartagnan/src/test/resources/PTX{}-expected.csv"
BYTES = 256  # distance between two locations
NEVER = 0xFFFFFFFF  # value of a register if the thread has not ended


class Unknown(Exception):
    pass


def parsed(text):
    """Returns columns of instructions, the block of each, initial values, aliases, and the condition with its
    quantifier."""
    text = re.sub(r'//.*|"[^"]*"', "", text)
    begin, end = text.index("{"), text.index("}")
    initial, aliases = {}, {}
    for part in re.split(r"[;\n]", text[begin + 1 : end]):
        if found := re.fullmatch(r"\s*([\w:]+)\s*=\s*(-?\w+)\s*", part):
            initial[found[1]] = found[2]
        elif found := re.fullmatch(r"\s*(\w+)\s*@\s*(\w+)\s+aliases\s+(\w+)\s*", part):
            aliases[found[1]] = (found[2], found[3])
        elif part.strip():
            raise Unknown(part.strip())
    rest = text[end + 1 :]
    at = re.search(r"(?m)(~exists|exists|forall|filter)", rest)
    rows = [row.rstrip().rstrip(";").split("|") for row in rest[: at.start()].splitlines() if row.strip()]
    rows = [[cell.strip() for cell in row] for row in rows]
    blocks = []
    for cell in rows[0]:
        found = re.fullmatch(r"P(\d+)@cta (\d+),\s*gpu (\d+)", cell)
        if not found:
            raise Unknown(cell)
        blocks.append((int(found[3]), int(found[2])))
    columns = [[row[i] for row in rows[1:] if i < len(row) and row[i]] for i in range(len(blocks))]
    return columns, blocks, initial, aliases, rest[at.start() :].strip()


class Kernel:
    """Holds the PTX of a test, and the locations of its results."""

    def __init__(self, text):
        self.columns, blocks, self.initial, self.aliases, condition = parsed(text)
        if any(":" not in name and not value.isdigit() for name, value in self.initial.items()):
            raise Unknown("a location that begins as another")
        numbers = sorted(set(blocks))
        self.grid = len(numbers)
        self.threads, warps = [], {}
        for block in blocks:
            warps[block] = warps.get(block, -1) + 1
            self.threads.append((numbers.index(block), warps[block]))
        self.block = 32 * (1 + max(warps.values()))
        if self.grid > 8 or self.block > 1024:
            raise Unknown("too many threads")
        self.places, self.results, self.surfaces = [], [], []
        self.quantifier, self.condition = re.match(r"(~exists|exists|forall)\s*(.*)", condition, re.DOTALL).groups()
        if re.search(r"P?\d+:(?!\s*r\d)", self.condition):
            raise Unknown(self.condition)

    def place(self, name):
        while name in self.aliases:
            name = self.aliases[name][1]
        if name not in self.places:
            self.places.append(name)
        return self.places.index(name) * BYTES

    def value(self, thread, text):
        if re.fullmatch(r"-?\d+", text):
            return text
        if not re.fullmatch(r"r\w+", text):
            raise Unknown(text)
        if (thread, text) not in self.results:
            self.results.append((thread, text))
        return f"%v{thread}_{text}"

    def waiting(self, thread, operands):
        """Returns the PTX operand for the number of threads of the block that name the barrier. Returns an empty
        string if a register names the barrier."""

        def number(of, name):
            return int(self.initial.get(f"P{of}:{name}", 0) if name.startswith("r") else name)

        barriers = [
            {number(of, one.split(",")[-1].split()[-1]) for one in column if one.startswith("bar.")}
            for of, column in enumerate(self.columns)
            if self.threads[of][0] == self.threads[thread][0]
        ]
        cells = [one for column in self.columns for one in column]
        named = {one.split(",")[-1].split()[-1] for one in cells if one.startswith("bar.")}
        isWritten = any(re.match(rf"(ld|mov|add|atom)\S* {name},", one) for name in named for one in cells)
        return "" if isWritten else f", {32 * sum(number(thread, operands[-1]) in names for names in barriers)}"

    def instruction(self, thread, text, before):
        if found := re.fullmatch(r"(LC\w+):", text):
            return f"{found[1]}_{thread}:"
        word, _, rest = text.partition(" ")
        operands = [part.strip() for part in rest.split(",") if part.strip()]
        if word == "goto":
            return f"  bra {operands[0]}_{thread};"
        if word in ("bne", "beq"):
            a, b = self.value(thread, operands[0]), self.value(thread, operands[1])
            return f"  setp.{word[1:]}.u32 %p1, {a}, {b};\n  @%p1 bra {operands[2]}_{thread};"
        if word in ("ld", "mov") and len(operands) == 2 and re.fullmatch(r"-?\d+|r\w+", operands[1]):
            return f"  mov.u32 {self.value(thread, operands[0])}, {self.value(thread, operands[1])};"
        if word == "add":
            return "  add.u32 " + ", ".join(self.value(thread, one) for one in operands) + ";"
        if word.startswith("fence.") and (word == "fence.proxy.alias" or not word.startswith("fence.proxy")):
            return f"  {word};"
        if word.startswith("fence.proxy"):
            raise Unknown(f"PTX has no {word}")
        if found := re.fullmatch(r"bar\.cta\.(sync|arrive)", word):
            count, stored = self.waiting(thread, operands), ""
            if len(operands) == 3:  # the thread may wait for ever
                count = f", {32 * int(operands[2])}"
                stored = "".join(f"{line}\n" for line in self.stored(thread, before))
            number = self.value(thread, operands[-1 if len(operands) < 3 else 1])
            return f"{stored}  bar.cta.{found[1]} {number}{count};"
        if word in ("suld.weak", "sust.weak"):
            surface, value = operands[:: -1 if word == "suld.weak" else 1]
            proxy = self.aliases.get(surface, ["generic"])[0]
            if proxy != "surface":
                raise Unknown(text)
            if surface not in self.surfaces:
                self.surfaces.append(surface)
            begin = f"  ld.param.u64 %rd3, [image{self.surfaces.index(surface)}];\n"
            where, value = f"[%rd3, {{{self.place(surface)}}}]", self.value(thread, value)
            if word == "suld.weak":
                return f"{begin}  suld.b.1d.b32.trap {{{value}}}, {where};"
            return f"{begin}  mov.u32 %r3, {value};\n  sust.b.1d.b32.trap {where}, {{%r3}};"
        if found := re.fullmatch(r"ld\.(weak|relaxed\.\w+|acquire\.\w+)", word):
            return f"  ld.{found[1]}.global.u32 {self.value(thread, operands[0])}, [%rd1+{self.place(operands[1])}];"
        if found := re.fullmatch(r"st\.(weak|relaxed\.\w+|release\.\w+)", word):
            return f"  st.{found[1]}.global.u32 [%rd1+{self.place(operands[0])}], {self.value(thread, operands[1])};"
        if found := re.fullmatch(r"(atom|red)\.(\w+\.\w+)\.(\w+)", word):
            kind = {"add": "add.u32", "sub": "add.u32", "exch": "exch.b32", "cas": "cas.b32"}.get(found[3])
            if not kind:
                raise Unknown(text)
            to = [] if found[1] == "red" else [self.value(thread, operands[0])]
            named = len(to)
            rest = operands[named + 1 :]
            values = [self.value(thread, one) for one in rest]
            if found[3] == "sub":
                values = [str(-int(values[0]))]
            if found[1] == "red":
                to = ["%r2"]
            address = f"[%rd1+{self.place(operands[named])}]"
            return f"  atom.{found[2]}.global.{kind} " + ", ".join([*to, address, *values]) + ";"
        raise Unknown(text)

    def stored(self, thread, cells):
        """Returns stores of the results that the cells name."""
        return [
            f"  st.global.u32 [%rd2+{4 * at}], %v{thread}_{name};"
            for at, (of, name) in enumerate(self.results)
            if of == thread and any(name in re.findall(r"\w+", one) for one in cells)
        ]

    def text(self):
        for name in self.initial:
            if ":" not in name:
                self.place(name)
        for name in re.findall(r"(?<![\w:])([a-qs-zA-Q]\w*)\s*(?:==|!=|=)", self.condition):
            self.place(name)
        for thread, name in re.findall(r"P?(\d+):\s*(r\w+)", self.condition):
            self.value(int(thread), name)
        bodies = [
            [self.instruction(i, one, column[:at]) for at, one in enumerate(column)]
            for i, column in enumerate(self.columns)
        ]
        lines = [".version 7.8", ".target sm_90", ".address_size 64"]
        lines += [".visible .entry kernel(.param .u64 memory, .param .u64 results"]
        lines += [f", .param .u64 image{i}" for i in range(len(self.surfaces))] + [") {"]
        lines += ["  .reg .b64 %rd<4>;"]
        lines += ["  .reg .b32 %r<4>;", "  .reg .pred %p<2>;"]
        lines += [f"  .reg .b32 %v{thread}_{name};" for thread, name in self.results]
        lines += ["  ld.param.u64 %rd1, [memory];", "  ld.param.u64 %rd2, [results];"]
        lines += ["  mov.u32 %r1, %tid.x;"]
        lines += ["  and.b32 %r2, %r1, 31;", "  setp.ne.u32 %p1, %r2, 0;", "  @%p1 exit;", "  shr.u32 %r1, %r1, 5;"]
        lines += ["  mov.u32 %r3, %ctaid.x;", f"  mad.lo.u32 %r1, %r3, {self.block // 32}, %r1;"]
        for i, (block, warp) in enumerate(self.threads):
            lines += [f"  setp.eq.u32 %p1, %r1, {block * (self.block // 32) + warp};", f"  @%p1 bra T{i};"]
        lines.append("  exit;")
        for i, body in enumerate(bodies):
            lines.append(f"T{i}:")
            for thread, name in self.results:
                if thread == i:
                    lines.append(f"  mov.u32 %v{thread}_{name}, {self.initial.get(f'P{i}:{name}', 0)};")
            lines += body
            lines += [*self.stored(i, [name for of, name in self.results]), "  exit;"]
        return "\n".join([*lines, "}"]) + "\n"

    def holds(self, memory, results):
        """Returns whether the condition is true for the results of a run."""

        def number(found):
            if found[1]:
                return str(results[self.results.index((int(found[1]), found[2]))])
            return str(memory[self.places.index(found[3])])

        text = re.sub(r"P?(\d+):\s*(r\w+)|\b([a-zA-Z]\w*)\b", number, self.condition)
        text = text.replace("/\\", " and ").replace("\\/", " or ").replace("~", " not ")
        return bool(eval(re.sub(r"(?<![=!<>])=(?!=)", "==", text), {"__builtins__": {}}))


def hung(command, *sizes):
    """Returns the contents of the buffers, with the given numbers of elements, when all threads wait for ever."""
    asked = "continue\n" + "".join(f"x [{name}] {size} u32\n" for name, size in zip(("memory", "results"), sizes))
    lines = subprocess.run(command, capture_output=True, text=True, input=asked).stdout.splitlines()
    numbers = [int(one) for line in lines if line.startswith("0x") for one in line.split(":")[1].split()]
    return numbers[: sizes[0]], numbers[sizes[0] :]


def outcomes(ptxray, kernel, schedules, options, folder):
    """Returns the contents of locations and registers for each schedule."""
    text = kernel.text()
    path, memory, results = folder / "test.ptx", folder / "memory.bin", folder / "results.bin"
    path.write_text(text)
    first = [int(kernel.initial.get(name, 0)) for name in kernel.places]
    data = bytearray(BYTES * len(first))
    for i, value in enumerate(first):
        data[BYTES * i : BYTES * i + 4] = value.to_bytes(4, "little")
    (folder / "first.bin").write_bytes(data)
    (folder / "nothing.bin").write_bytes(NEVER.to_bytes(4, "little") * max(1, len(kernel.results)))
    for schedule in schedules:
        launch = ["--no-checks", path, f"--schedule={schedule}", *options]
        launch += [f"--grid={kernel.grid}", f"--cluster={kernel.grid}", f"--block={kernel.block}"]
        launch += [f"--buffer=memory=file:{folder / 'first.bin'}", "&memory", f"file:{folder / 'nothing.bin'}"]
        launch += [f"surf=u32:{len(data) // 4}:&memory" for _ in kernel.surfaces]
        command = [ptxray, "run", "--emulate", "--no-config", *launch]
        command += [f"--out=memory=file:{memory}", f"--out=1=file:{results}"]
        done = subprocess.run(command, capture_output=True, text=True)
        if "[run-hang]" in done.stdout + done.stderr:
            left, held = hung([ptxray, "debug", *launch], len(data) // 4, len(kernel.results))
            if NEVER not in held:
                yield tuple(left[:: BYTES // 4]), tuple(held)
            continue
        if done.returncode != 0:
            raise Unknown((done.stdout + done.stderr)[:500] + text)
        left = [memory.read_bytes()[BYTES * i :][:4] for i in range(len(first))]
        held = [results.read_bytes()[4 * i :][:4] for i in range(len(kernel.results))]
        yield tuple(tuple(int.from_bytes(one, "little") for one in all) for all in (left, held))


def judged(job):
    """Returns the verdict on a test: `unknown`, `forbidden`, `kept`, `shown` or `hidden`."""
    ptxray, path, expected, schedules, options = job
    try:
        kernel = Kernel(path.read_text())
        with tempfile.TemporaryDirectory() as folder:
            all_of = outcomes(ptxray, kernel, schedules, options, pathlib.Path(folder))
            isShown = any(kernel.holds(*one) != (kernel.quantifier == "forall") for one in all_of)
    except Unknown as why:
        return path, "unknown", str(why)
    isAllowed = expected == (kernel.quantifier == "exists")
    if isAllowed:
        return path, "shown" if isShown else "hidden", ""
    return path, "forbidden" if isShown else "kept", ""


def main():
    own = sys.argv[1 : sys.argv.index("--")] if "--" in sys.argv else sys.argv[1:]
    options = sys.argv[sys.argv.index("--") + 1 :] if "--" in sys.argv else []
    ptxray, dat3m = own[0], pathlib.Path(own[1])
    count = next((int(one[12:]) for one in own if one.startswith("--schedules=")), 40)
    schedules = ["eager", "lazy", "early", *(f"weak:{seed}" for seed in range(1, count - 2))]
    jobs = []
    expected = next((one[7:] for one in own if one.startswith("--list=")), "v6_0")
    for line in (dat3m / LIST.format(expected)).read_text().split():
        name, verdict = line.split(",")
        jobs.append((ptxray, dat3m / name, verdict == "1", schedules, options))
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        all_of = list(pool.map(judged, jobs))
    for path, what, why in all_of:
        if what in ("unknown", "forbidden") or "--show" in own:
            print(what, path.name, why)
    for what in ("kept", "forbidden", "shown", "hidden", "unknown"):
        print(f"{what}: {sum(one[1] == what for one in all_of)}")
    return 1 if any(one[1] == "forbidden" for one in all_of) else 0


if __name__ == "__main__":
    sys.exit(main())
