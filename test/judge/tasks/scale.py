"""Defines the task y = max(x, 0) * a in plain Python; a NaN remains NaN."""

import array
import math
import random

NAME = "scale"
SHAPES = [{"n": 96}, {"n": 61}, {"n": 1}]
TOLERANCE = 1e-6
CONSTRAINT = "True"
DOMAIN = "any"
INPUTS = ["x", "a", "n"]
OUTPUTS = ["y"]


def inputs(seed, n=96):
    maker = random.Random(seed)
    return array.array("f", (maker.gauss(0, 1) for _ in range(n))), 2.0 if not seed else maker.choice((0.5, 3.0)), n


def edge(seed, n=96):
    x, a, n = inputs(seed, n)
    x[: min(n, 3)] = array.array("f", [math.nan, math.inf, -0.0][: min(n, 3)])
    return x, a, n


def reference(x, a, n):
    return array.array("f", (v * a if v != v or v > 0 else 0.0 for v in x))
