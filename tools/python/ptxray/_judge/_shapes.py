"""Selects the shapes for a candidate: those of the task, and others that the task's constraint allows."""

import typing

from . import _expressions

_MOST = 24  # maximum number of derived shapes
_LARGEST = 4096  # maximum of one size
_ROOM = 1 << 14  # maximum number of elements to which a small task may grow

Shape = dict[str, int]


def volume(shape: Shape) -> int:
    """Returns the product of the sizes, which orders shapes."""
    total = 1
    for size in shape.values():
        total *= max(1, size) if isinstance(size, int) else 1
    return total


def ascending(shapes: typing.Iterable[Shape]) -> list[Shape]:
    return sorted(shapes, key=volume)


def is_allowed(shape: Shape, constraint: typing.Optional[str]) -> bool:
    """Returns whether the task supports this shape."""
    if constraint is None:
        return False
    try:
        return bool(_expressions.evaluate(constraint, shape))
    except _expressions.ExpressionError:
        return False


def derived(shapes: list[Shape], constraint: typing.Optional[str], threads: int) -> list[Shape]:
    """Returns further shapes with one odd, small or large size each, the smallest first. `threads` is the size of a
    block."""
    room = max(4 * max(map(volume, shapes)), _ROOM)
    edges = (1, 2, 3, 5, 7, 17, 31, 33, 100, threads - 1, threads + 1, 2 * threads + 1)
    found: list[list[Shape]] = []
    for base in ascending(shapes)[:2]:
        for name, size in base.items():
            if isinstance(size, bool) or not isinstance(size, int):
                continue
            ones = [{**base, name: edge} for edge in dict.fromkeys(edges) if 1 <= edge <= _LARGEST]
            found.append([one for one in ones if one not in shapes and volume(one) <= room])
    found.append([{name: 1 if isinstance(size, int) else size for name, size in shapes[0].items()}])
    allowed = [[one for one in group if is_allowed(one, constraint)] for group in found]
    return ascending(_spread(allowed))


def _spread(groups: list[list[Shape]]) -> list[Shape]:
    """Returns shapes of all groups in turn."""
    taken: list[Shape] = []
    for position in range(max(map(len, groups), default=0)):
        for group in groups:
            if position < len(group) and group[position] not in taken and len(taken) < _MOST:
                taken.append(group[position])
    return taken
