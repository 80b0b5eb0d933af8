"""Tests random small kernels: a kernel that `ptxray prove` proves must run without a fault for all sizes of the proof.

random_kernels.py PTXRAY [COUNT] [SEED]. The emulator runs each proved kernel with every size."""

import pathlib
import random
import subprocess
import sys
import tempfile

THREADS, MOST = 8, 4
HEAD = """.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out, .param .u32 n)
{
  .reg .pred %p<99>;
  .reg .b32 %r<400>;
  .reg .b64 %rd<200>;
  .shared .align 4 .b8 s[1024];
  ld.param.u64 %rd1, [out];
  cvta.to.global.u64 %rd1, %rd1;
  ld.param.u32 %r1, [n];
  mov.u32 %r2, %tid.x;
  mov.u32 %r3, %ctaid.x;
  mov.u32 %r4, s;
"""


class Kernel:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.lines = []
        self.register, self.predicate, self.wide, self.label = 10, 1, 10, 0
        self.counters = []

    def fresh(self):
        self.register += 1
        return f"%r{self.register}"

    def emit(self, line):
        self.lines.append("  " + line)

    def value(self, depth=0):
        """Returns a register that contains a small number."""
        pick = self.random.randrange(9 if depth < 2 else 4)
        if pick == 0:
            return "%r2"
        if pick == 1:
            return self.random.choice(["%r1", "%r2", "%r3"])
        if pick == 2 and self.counters:
            return self.random.choice(self.counters)
        to = self.fresh()
        if pick in (2, 3):
            self.emit(f"mov.u32 {to}, {self.random.randrange(9)};")
            return to
        a, b = self.value(depth + 1), self.value(depth + 1)
        c = self.random.choice([1, 2, 3, 4, 8])
        self.emit(
            self.random.choice(
                [
                    f"add.s32 {to}, {a}, {b};",
                    f"mad.lo.s32 {to}, {a}, {c}, {b};",
                    f"xor.b32 {to}, {a}, {c};",
                    f"shr.u32 {to}, {a}, {self.random.randrange(3)};",
                    f"and.b32 {to}, {a}, {self.random.choice([1, 3, 7, 6])};",
                    f"rem.u32 {to}, {a}, {c};",
                    f"div.u32 {to}, {a}, {c};",
                    f"sub.s32 {to}, {a}, {b};",
                    f"shl.b32 {to}, {a}, {self.random.randrange(3)};",
                ]
            )
        )
        return to

    def index(self):
        if self.random.random() < 0.5:
            scale, to = self.random.choice([1, 1, 2]), self.fresh()
            self.emit(f"mad.lo.s32 {to}, %r2, {scale}, {self.random.choice([0, 1, 8])};")
        else:
            to = self.value()
        cut = self.fresh()
        self.emit(f"and.b32 {cut}, {to}, 127;")
        return cut

    def access(self):
        index, to = self.index(), self.fresh()
        kind = self.random.randrange(10)
        if kind < 7:
            self.emit(f"mad.lo.s32 {to}, {index}, 4, %r4;")
            value = self.fresh()
            if kind < 3:
                self.emit(f"ld.shared.u32 {value}, [{to}];")
            else:
                self.emit(f"st.shared.u32 [{to}], {self.random.choice(['%r2', '%r1', self.value()])};")
            return
        self.wide += 2
        base = index
        if self.random.random() < 0.6:
            base = self.fresh()
            self.emit(f"mad.lo.s32 {base}, %r3, {self.random.choice([8, 64, 128])}, {index};")
        self.emit(f"mul.wide.u32 %rd{self.wide}, {base}, 4;")
        self.emit(f"add.s64 %rd{self.wide + 1}, %rd1, %rd{self.wide};")
        if kind == 7:
            self.emit(f"ld.global.u32 {self.fresh()}, [%rd{self.wide + 1}];")
        else:
            self.emit(f"st.global.u32 [%rd{self.wide + 1}], %r2;")

    def condition(self):
        self.predicate += 1
        a, b = self.random.choice(["%r2", "%r1", self.value()]), self.random.choice(["4", "1", "%r1", self.value()])
        comparison = self.random.choice(["lt.u32", "ge.s32", "eq.s32", "ne.s32", "gt.u32"])
        self.emit(f"setp.{comparison} %p{self.predicate}, {a}, {b};")
        return f"%p{self.predicate}"

    def branch(self, depth):
        guard, self.label = self.condition(), self.label + 1
        after = f"L{self.label}"
        self.emit(f"@{guard} bra {after};")
        self.block(depth + 1)
        self.lines.append(f"{after}:")

    def loop(self, depth):
        self.label += 1
        head, counter = f"L{self.label}", self.fresh()
        kind = self.random.randrange(5)
        step = self.random.choice([1, 2, 4])
        limit = self.random.choice(["%r1", "3", "8"])
        end = f"E{self.label}"
        self.emit(f"mov.u32 {counter}, {['0', '%r2', '4', '8', '0'][kind]};")
        if kind < 2:
            self.predicate += 1
            self.emit(f"setp.ge.s32 %p{self.predicate}, {counter}, {limit};")
            self.emit(f"@%p{self.predicate} bra {end};")
        self.lines.append(f"{head}:")
        self.counters.append(counter)
        self.block(depth + 1)
        self.counters.pop()
        self.predicate += 1
        if kind < 2:
            self.emit(f"add.s32 {counter}, {counter}, {step};")
            self.emit(f"setp.lt.s32 %p{self.predicate}, {counter}, {limit};")
        elif kind == 2:
            self.emit(f"add.s32 {counter}, {counter}, -1;")
            self.emit(f"setp.ne.s32 %p{self.predicate}, {counter}, 0;")
        elif kind == 3:
            self.emit(f"shr.u32 {counter}, {counter}, 1;")
            self.emit(f"setp.gt.u32 %p{self.predicate}, {counter}, 0;")
        else:
            other = self.fresh()
            self.emit(f"mov.u32 {other}, {counter};")
            self.emit(f"xor.b32 {counter}, {counter}, 1;")
            self.emit(f"setp.eq.u32 %p{self.predicate}, {other}, 0;")
        self.emit(f"@%p{self.predicate} bra {head};")
        self.lines.append(f"{end}:")

    def block(self, depth=0):
        for _ in range(self.random.randrange(1, 4 if depth else 5)):
            pick = self.random.random()
            if pick < 0.45 or depth > 2:
                self.access()
            elif pick < 0.7:
                self.emit("bar.sync 0;")
            elif pick < 0.85:
                self.branch(depth)
            else:
                self.loop(depth)

    def text(self):
        self.block()
        return HEAD + "\n".join(self.lines) + "\n  ret;\n}\n"


def main():
    binary, count = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 40
    first = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    answers = {0: 0, 1: 0, 7: 0}
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "k.ptx"
        for seed in range(first, first + count):
            path.write_text(Kernel(seed).text())
            shape = ["--kernel", "k", "--grid", "2", "--block", str(THREADS)]
            options = ["--assume", f"n >= 0 && n <= {MOST}", "--time-limit", "10"]
            got = subprocess.run([binary, "prove", path, *shape, *options], capture_output=True, text=True)
            if got.returncode not in answers:
                sys.exit(f"seed {seed}: status {got.returncode}\n{got.stdout}{got.stderr}")
            answers[got.returncode] += 1
            if got.returncode:
                continue
            for n in range(MOST + 1):
                run = subprocess.run(
                    [binary, "run", "--emulate", path, *shape, "zeros:4096", str(n)], capture_output=True, text=True
                )
                if any(rule in run.stderr for rule in ("run-race", "run-hang", "run-out-of-bounds")):
                    pathlib.Path(f"/tmp/prove-{seed}.ptx").write_text(path.read_text())
                    sys.exit(f"seed {seed} was proved, and n = {n} has a fault:\n{run.stderr}\n{path.read_text()}")
    print(f"{answers[0]} proved, {answers[1]} refuted, {answers[7]} not decided")
    if not answers[0] or not answers[1]:
        sys.exit("no kernel was proved, or none refuted")


if __name__ == "__main__":
    main()
