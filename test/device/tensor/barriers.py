"""Makes random sequences of operations that one thread may execute on a barrier object, and their visible results."""

import dataclasses
import random

KERNEL = """
.version 8.5
.target sm_90a
.address_size 64
.visible .entry kernel(.param .u64 out)
{
  .reg .pred %p1;
  .reg .b32 %r1;
  .reg .b64 %rd1, %s<3>;
  .shared .align 8 .b64 object;
  ld.param.u64 %rd1, [out];
  mov.b64 %s0, 0;
  mov.b64 %s1, 0;
  mov.b64 %s2, 0;
BODY
  ret;
}
"""
STEPS, MOST = 48, (1 << 20) - 1


@dataclasses.dataclass
class Case:
    label: str
    text: str


class Model:
    """Tracks which operation is allowed next. The machine computes the numbers."""

    def __init__(self, rng):
        self.rng, self.lines, self.places = rng, [], 0
        self.states = [None, None, None]  # phase of each barrier
        self.phase = 0

    def line(self, text):
        self.lines.append("  " + text)

    def store(self):
        self.line(f"st.global.u32 [%rd1+{4 * self.places}], %r1;")
        self.places += 1

    def init(self):
        self.expected = self.pending = self.rng.choice((1, 2, 3, self.rng.randint(1, 40), self.rng.randint(1, MOST)))
        self.tx = self.phase = 0
        self.states = [None, None, None]
        self.line(f"mbarrier.init.shared.b64 [object], {self.expected};")

    def settle(self):
        if self.pending == 0 and self.tx == 0:
            self.pending = self.expected
            self.phase += 1

    def arrive(self):
        rng = self.rng
        if self.pending == 0:
            return
        at = rng.randrange(3)
        drop = rng.random() < 0.25 and self.expected > 1
        word = "arrive_drop" if drop else "arrive"
        most = min(self.pending, self.expected - 1) if drop else self.pending
        kind = rng.choice(("plain", "count", "noComplete", "expect_tx", "relaxed"))
        count = 1 if kind in ("plain", "expect_tx", "relaxed") else rng.choice((most, rng.randint(1, most)))
        if kind == "noComplete":
            if self.pending < 2:
                return
            count = min(count, self.pending - 1)
        amount = rng.choice((1, 16, rng.randint(1, 5000))) if kind == "expect_tx" else 0
        if self.tx + amount > MOST:
            return
        sink = rng.random() < 0.2
        state = "_" if sink else f"%s{at}"
        if kind == "plain":
            self.line(f"mbarrier.{word}.shared.b64 {state}, [object];")
        elif kind == "relaxed":
            self.line(f"mbarrier.{word}.release.cta.shared::cta.b64 {state}, [object];")
        elif kind == "count":
            self.line(f"mbarrier.{word}.shared::cta.b64 {state}, [object], {count};")
        elif kind == "noComplete":
            self.line(f"mbarrier.{word}.noComplete.shared.b64 {state}, [object], {count};")
        else:
            self.line(f"mbarrier.{word}.expect_tx.shared.b64 {state}, [object], {amount};")
        if not sink:
            self.states[at] = self.phase
        self.tx += amount
        self.pending -= count
        if drop:
            self.expected -= count
        self.settle()

    def bytes(self):
        rng = self.rng
        amount = rng.choice((1, 16, rng.randint(1, 5000), abs(self.tx) or 7, rng.randint(1, MOST)))
        if rng.random() < 0.5 and self.tx + amount <= MOST:
            self.line(f"mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [object], {amount};")
            self.tx += amount
        elif self.tx - amount >= -MOST:
            self.line(f"mbarrier.complete_tx.relaxed.cluster.shared::cluster.b64 [object], {amount};")
            self.tx -= amount
        self.settle()

    def look(self):
        rng = self.rng
        known = [i for i, phase in enumerate(self.states) if phase is not None and self.phase - phase <= 1]
        if known and rng.random() < 0.6:
            at = rng.choice(known)
            if rng.random() < 0.4:
                self.line(f"mbarrier.pending_count.b64 %r1, %s{at};")
                return self.store()
            word = rng.choice(("test_wait", "test_wait.acquire.cta", "test_wait.relaxed.cluster"))
            self.line(f"mbarrier.{word}.shared::cta.b64 %p1, [object], %s{at};".replace(".relaxed.cluster", ""))
        else:
            parity = rng.randrange(2)
            word = "try_wait.parity" if rng.random() < 0.2 else "test_wait.parity"
            self.line(f"mbarrier.{word}.shared::cta.b64 %p1, [object], {parity};")
        self.line("selp.u32 %r1, 1, 0, %p1;")
        return self.store()

    def step(self):
        choice = self.rng.random()
        if choice < 0.02:
            self.line("mbarrier.inval.shared.b64 [object];")
            self.init()
        elif choice < 0.4:
            self.arrive()
        elif choice < 0.6:
            self.bytes()
        else:
            self.look()


def cases(seed, count):
    rng = random.Random(seed)
    made = []
    for _ in range(count):
        model = Model(rng)
        model.init()
        for _ in range(STEPS):
            model.step()
        made.append(Case("mbarrier", KERNEL.replace("BODY", "\n".join(model.lines))))
    return made


def run(gpu, case):
    gpu.clear(gpu.scratch[0], 4 * STEPS)
    gpu.run(case.text, [gpu.scratch[0]], 1)
    return gpu.read(gpu.scratch[0], 4 * STEPS)
