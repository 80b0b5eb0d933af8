"""Defines the task y[row] = sum of x[row] in plain Python."""

import array
import random

NAME = "rowsum"
SHAPES = [{"rows": 3, "cols": 64}, {"rows": 2, "cols": 37}, {"rows": 1, "cols": 200}]
TOLERANCE = [1e-4, 1e-5]
CONSTRAINT = "rows >= 1"
DOMAIN = "drawn"
OUTPUTS = ["y"]


def inputs(seed, rows=3, cols=64):
    maker = random.Random(seed)
    return array.array("f", (maker.uniform(-1, 1) for _ in range(rows * cols))), rows, cols


def reference(x, rows, cols):
    return [sum(x[row * cols : (row + 1) * cols]) for row in range(rows)]
