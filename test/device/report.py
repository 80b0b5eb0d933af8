#!/usr/bin/env python3
"""Writes docs/reference/device-report.md from what the kernels gave:

    test/device/report.py OUTPUT > docs/reference/device-report.md

OUTPUT is the folder that was given to run.sh. The text below was written for the last report: read it again when the numbers change."""

import json
import pathlib
import sys

from build import PAIRS_OF_SELECTORS

folder = pathlib.Path(sys.argv[1])
r = json.loads((folder / "report.json").read_text())
layouts = (folder / "layouts.txt").read_text().strip()
ran = (folder / "example.txt").read_text().strip()
ins = r["instructions"]
out = []
out.append("""# The instructions on a GPU

`tools/dev device` runs every combination of the instructions below on a GPU, and compares the results with references written from the manual's pseudocode ([test/device](../../test/device/README.md)).

`test/device/report.py` generated this report, up to the section about a validated product; later sections are written by hand.
""")
for k in ("date", "device", "driver", "kernel module", "ptxas", "PTX"):
    out.append(f"- {k}: {r[k].strip()}")


def total(key):
    return sum(i[key] for i in ins.values())


out.append(f"""
**{total("inTables"):,} combinations are in the tables, {r["run"]:,} were run** on {total("values"):,} values in {r["seconds"]:.0f} s.
{r["equal"]:,} gave what the manual says, bit for bit. {r["sequence"]:,} gave something else, and exactly what the instructions that ptxas makes of them
compute; {r["different"]:,} remain unexplained.

Of the instructions with four bytes a lane, whose two selectors have 4097 values each, every selector is in two texts or more, and {PAIRS_OF_SELECTORS:,} texts
have a pair of them drawn at random; the product of both, which makes the billions, was not run. All other combinations were, but for
the exceptions below.

The fragments of mma, mma.sp and wgmma, products whose operands are laid out as `ptxray layout` says (`test/layout/hardware.py`): {layouts}.

| instruction | combinations in the tables | run | values compared | as the manual says | as ptxas's sequence | otherwise |
|---|---|---|---|---|---|---|""")
for n, i in ins.items():
    out.append(
        f"| `{n}` | {i['inTables']:,} | {i['run']:,} | {i['values']:,} | {i['equal']:,} | {i['sequence']:,} | {i['different']:,} |"
    )
out.append("""
More were run than are in the tables where a register or constant has many values (`nanosleep`, `pmevent.mask`) or where a predicate
guards the instruction (`brkpt`, `trap`).

## Where hardware and manual disagree

Hopper has no video instructions. ptxas makes sequences of ordinary ones: those for two half-words and four bytes compute what the manual says, in every
combination; those for scalars often do not:

| instruction | what happens | example, and what the manual says |
|---|---|---|
| all scalar ones but shifts, `.sat` with a part of `d` | a negative result becomes the highest value of the part, not the lowest | `vmin.s32.u32.s32.sat %r0.b0`: 0xe3 (-29) becomes 0x7f |
| `vshl`, `vshr`, `.sat` with a part of `d` | the result is clamped to 32 bits and then cut to the part | |
| `vadd`, `vsub`, `vabsdiff`, `.u32...sat` | sums beyond 32 bits wrap; only negative ones are clamped | 0xe32eb2dc + 0x26eaace3 is 0x0a195fbf, not 0xffffffff |
| all but `vset`, `.min` or `.max` with an unsigned `d` | 64 bits are compared without signs, so a negative first result counts as a high one | `vmin.u32.s32.s32.max`: -36 beats every c |
| `vadd`, `vsub`, `.min` or `.max` | the first result is cut to 32 bits before | |
| `vshl` without `.sat`, `.min` or `.max` | the first result has 64 bits, not 34 | |
| `vset.s32`, `.min` or `.max` | c is signed, as a is; the manual has c and d unsigned | |
| `vmad` with `.sat`, `.shr7`, `.shr15` | whole words are multiplied as signed numbers whatever their type, and c is added as one | 0x89c5011b * 0x3335556b + c, `.u32.u32.u32.sat`, is 0, not 0xffffffff |

`evaluateSequence` and `evaluateMad` in `test/device/reference/Video.cpp` state each of them exactly. None concerns what may be written, so ptxray says nothing
of them; who depends on saturation in a scalar video instruction should look at the numbers.

## What was not run

- `vadd4` and its kind with the selector `.b1024`: by the manual a selector as any other; ptxas (12.9 to 13.5) takes it for the type `.b1024` and refuses the line.
- `alloca` with an alignment above 32768: the stack of a thread holds no more.
- `setmaxnreg` with 256, and `.dec` to more than 248: a thread has at most 255 registers to start from.
- `brkpt` is observed by what the driver says of the launch; a debugger was not attached. `pmevent` by coming to its end: the counters were not read.

## What the manual does not say, and was seen

- `ldmatrix.m8n16...s8.s4` (PTX 9.4): a row is sixteen elements in 8 bytes, the first in the lowest 4 bits; addresses of rows need be multiples of 8 only.

## What was seen of those that compute nothing
""")
for i in ins.values():
    out += ["- " + note for note in i["notes"]]
out.append(f"""
## A product, run and validated

`docs/examples/product.ptx` brings two tiles by TMA and multiplies them by `wgmma` ([assembling.md](../assembling.md)). `ptxray run` compares what
it computes with a `.npy` file; then with one that is wrong in its last element; then it runs the object file that `ptxray as` makes.

```
{ran}
```""")
print("\n".join(out))
