#!/usr/bin/env python3
"""Tests the outcomes of small programs with weak schedules: weak.py PTXRAY

Each program is in the notation of `litmus.py`. The manual's memory model allows the outcome or forbids it (8.10 of
the manual for PTX 9.0). One of the schedules must show an allowed outcome, and none a forbidden one."""

import pathlib
import sys
import tempfile

import litmus

STORE_BUFFERING = """{{ x=0; y=0; }}
 P0@cta 0,gpu 0     | P1@cta {cta},gpu 0  ;
 st.{kind} x, 1     | st.{kind} y, 1      ;
 {fence}            | {fence}             ;
 ld.{kind} r0, y    | ld.{kind} r0, x     ;
exists (P0:r0 == 0 /\\ P1:r0 == 0)"""
MESSAGE = """{{ x=0; y=0; }}
 P0@cta 0,gpu 0     | P1@cta {cta},gpu 0  ;
 st.{kind} x, 1     | ld.{kind} r0, y     ;
 {fence}            | {fence}             ;
 st.{kind} y, 1     | ld.{kind} r1, x     ;
exists (P1:r0 == 1 /\\ P1:r1 == 0)"""
RELEASED = """{{ x=0; y=0; }}
 P0@cta 0,gpu 0     | P1@cta {cta},gpu 0  ;
 st.weak x, 1       | ld.acquire.gpu r0, y ;
 st.release.gpu y, 1 | ld.weak r1, x      ;
exists (P1:r0 == 1 /\\ P1:r1 == 0)"""
COHERENCE = """{{ x=0; }}
 P0@cta 0,gpu 0     | P1@cta {cta},gpu 0  ;
 st.{kind} x, 1     | ld.{kind} r0, x     ;
                    | ld.{kind} r1, x     ;
exists (P1:r0 == 1 /\\ P1:r1 == 0)"""
OWN = """{{ x=0; }}
 P0@cta 0,gpu 0     | P1@cta {cta},gpu 0  ;
 st.{kind} x, 1     | st.{kind} x, 2      ;
 ld.{kind} r0, x    |                     ;
exists (P0:r0 == 0)"""
SUMS = """{{ x=0; }}
 P0@cta 0,gpu 0     | P1@cta {cta},gpu 0  ;
 atom.relaxed.gpu.add r0, x, 1 | atom.relaxed.gpu.add r0, x, 1 ;
exists (x != 2)"""
CHAIN = """{{ x=0; y=0; f=0; }}
 P0@cta 0,gpu 0     | P1@cta 0,gpu 0       | P2@cta 1,gpu 0        ;
 st.weak x, 1       | bar.cta.sync 0       | ld.acquire.gpu r0, f  ;
 bar.cta.sync 0     | {release}            | ld.weak r1, x         ;
exists (P2:r0 == 1 /\\ P2:r1 == 0)"""
LOST = """{{ x=0; }}
 P0@cta 0,gpu 0     | P1@cta {cta},gpu 0  ;
 atom.acq_rel.cta.add r0, x, 1 | atom.acq_rel.cta.add r0, x, 1 ;
exists (x != 2)"""
RIVALS = """{{ x=0; }}
 P0@cta 0,gpu 0     | P1@cta {cta},gpu 0  | P2@cta 0,gpu 0     ;
 st.{kind} x, 1     | st.{kind} x, 2      | ld.{kind} r0, x    ;
                    |                     | ld.{kind} r1, x    ;
exists (P2:r0 == 1 /\\ P2:r1 == 2 /\\ x == 1)"""
BUFFERED = """{{ x=0; y=0; }}
 P0@cta 0,gpu 0     | P1@cta {cta},gpu 0  ;
 {late} r0, x       | {late} r0, y        ;
 {fence}            | {fence}             ;
 st.{kind} y, 1     | st.{kind} x, 1      ;
exists (P0:r0 == 1 /\\ P1:r0 == 1)"""
OWN_LATER = """{{ x=0; }}
 P0@cta 0,gpu 0     | P1@cta {cta},gpu 0  ;
 {late} r0, x       |                     ;
 st.{kind} x, 1     |                     ;
exists (P0:r0 == 1)"""
DEPENDENT = """{{ x=0; y=0; }}
 P0@cta 0,gpu 0     | P1@cta {cta},gpu 0  ;
 ld.{kind} r0, x    | ld.{kind} r0, y     ;
 add r1, r0, 1      | add r1, r0, 1       ;
 st.{kind} y, r1    | st.{kind} x, r1     ;
exists (P0:r0 >= 1 /\\ P1:r0 >= 1)"""
OTHER_BARRIER = """{{ x=0; y=0; }}
 P0@cta 0,gpu 0     | P1@cta {cta},gpu 0  ;
 st.{kind} x, 1     | st.{kind} y, 1      ;
 bar.cta.sync 1     | bar.cta.sync {barrier} ;
 ld.{kind} r0, y    | ld.{kind} r0, x     ;
exists (P0:r0 == 0 /\\ P1:r0 == 0)"""
HANGS = """{{ x=0; }}
 P0@cta 0,gpu 0       | P1@cta {cta},gpu 0   | P2@cta 0,gpu 0 ;
 {first}              | bar.cta.sync 1, 1, 2 | bar.cta.sync 1, 1, 2 ;
 bar.cta.sync 1, 1, 2 | {second}             | ;
exists (P{reader}:r0 == {value})"""
SURFACE = """{{ x=0; f=0; s @ surface aliases x; t @ surface aliases x; }}
 P0@cta 0,gpu 0      | P1@cta {cta},gpu 0   ;
 sust.weak s, 1      | ld.acquire.gpu r0, f ;
 st.release.gpu f, 1 | {read}               ;
exists (P1:r0 == 1 /\\ P1:r1 == 0)"""
RELAXED, WEAK, SC, BARRIER = "relaxed.gpu", "weak", "fence.sc.gpu", "bar.cta.sync 0"
CASES = (  # columns: program, substitutions, whether the outcome is allowed
    (STORE_BUFFERING, {"kind": RELAXED, "fence": ""}, True),
    (STORE_BUFFERING, {"kind": WEAK, "fence": ""}, True),
    (STORE_BUFFERING, {"kind": RELAXED, "fence": SC}, False),
    (STORE_BUFFERING, {"kind": WEAK, "fence": BARRIER, "cta": 0}, False),
    (MESSAGE, {"kind": RELAXED, "fence": ""}, True),
    (MESSAGE, {"kind": RELAXED, "fence": "fence.acq_rel.gpu"}, False),
    (MESSAGE, {"kind": RELAXED, "fence": SC}, False),
    (MESSAGE, {"kind": RELAXED, "fence": "fence.acq_rel.cta"}, True),
    (MESSAGE, {"kind": RELAXED, "fence": "fence.acq_rel.cta", "cta": 0}, False),
    (MESSAGE, {"kind": RELAXED, "fence": "fence.sc.cta", "cta": 0}, False),
    (STORE_BUFFERING, {"kind": RELAXED, "fence": "fence.acq_rel.gpu"}, True),
    (STORE_BUFFERING, {"kind": RELAXED, "fence": "fence.acq_rel.cta", "cta": 0}, True),
    (STORE_BUFFERING, {"kind": RELAXED, "fence": "fence.sc.cta"}, True),
    (STORE_BUFFERING, {"kind": RELAXED, "fence": "fence.sc.cta", "cta": 0}, False),
    (CHAIN, {"release": "st.release.gpu f, 1"}, False),
    (CHAIN, {"release": "st.release.cta f, 1"}, True),
    (CHAIN, {"release": "atom.release.gpu.add r2, f, 1"}, False),
    (LOST, {}, True),
    (LOST, {"cta": 0}, False),
    (RIVALS, {"kind": WEAK}, True),
    (RIVALS, {"kind": RELAXED}, False),
    (RIVALS, {"kind": RELAXED, "cta": 0}, False),
    (RELEASED, {}, False),
    (COHERENCE, {"kind": RELAXED}, False),
    (COHERENCE, {"kind": WEAK}, True),
    (OWN, {"kind": WEAK}, False),
    (SUMS, {}, False),
    (SURFACE, {"cta": 0, "read": "ld.weak r1, x"}, True),
    (SURFACE, {"cta": 0, "read": "suld.weak r1, t"}, True),
    (SURFACE, {"cta": 0, "read": "suld.weak r1, s"}, False),
    (SURFACE, {"read": "suld.weak r1, s"}, True),
    (BUFFERED, {"late": "ld.relaxed.gpu", "kind": RELAXED, "fence": ""}, True),
    (BUFFERED, {"late": "ld.weak", "kind": WEAK, "fence": "", "cta": 0}, True),
    (BUFFERED, {"late": "ld.relaxed.gpu", "kind": RELAXED, "fence": "fence.acq_rel.gpu"}, False),
    (OWN_LATER, {"late": "ld.relaxed.gpu", "kind": WEAK}, False),
    (DEPENDENT, {"kind": RELAXED}, False),
    (OTHER_BARRIER, {"kind": WEAK, "cta": 0, "barrier": 2}, True),
    (OTHER_BARRIER, {"kind": WEAK, "cta": 0, "barrier": 1}, False),
    (HANGS, {"cta": 0, "first": "st.weak x, 1", "second": "ld.weak r0, x", "reader": 1, "value": 0}, True),
    (HANGS, {"cta": 0, "first": "ld.weak r0, x", "second": "st.weak x, 1", "reader": 0, "value": 1}, True),
)
FEW, MANY = 100, 600  # number of schedules for a forbidden outcome, and at most for an allowed one


def main():
    wrong = 0
    with tempfile.TemporaryDirectory() as name:
        for program, values, isAllowed in CASES:
            kernel = litmus.Kernel(program.format(**{"cta": 1, **values}))
            schedules = (f"weak:{seed}" for seed in range(1, 1 + (MANY if isAllowed else FEW)))
            outcomes = litmus.outcomes(sys.argv[1], kernel, schedules, [], pathlib.Path(name))
            isShown = any(kernel.holds(*one) for one in outcomes)
            if isShown != isAllowed:
                wrong += 1
                print(program.format(**{"cta": 1, **values}), "is shown" if isShown else "is not shown")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
