"""Loads a task, with its arrays of numpy, PyTorch or plain Python. This only runs in the process of the reference."""

import importlib.util
import inspect
import random
import typing

from . import _numbers

_TYPECODES = {"b": "s8", "B": "u8", "h": "s16", "H": "u16", "i": "s32", "I": "u32", "q": "s64", "Q": "u64"}
_TYPECODES |= {"f": "f32", "d": "f64"}
_STEP = {"f16": 2.0**-10, "bf16": 2.0**-7, "f32": 2.0**-23, "f64": 2.0**-52}


def is_array(value: typing.Any) -> bool:
    return hasattr(value, "typecode") or isinstance(value, (list, tuple, bytes, bytearray)) or bool(_rank(value))


def _rank(value: typing.Any) -> int:
    return int(getattr(value, "ndim", 0) or 0)


def _flattened(value: typing.Any) -> list[typing.Any]:
    if isinstance(value, (list, tuple)):
        return [one for part in value for one in _flattened(part)]
    return [value.item() if hasattr(value, "item") else value]


def shape_of(value: typing.Any) -> list[int]:
    if hasattr(value, "shape"):
        return [int(extent) for extent in value.shape]
    if isinstance(value, (list, tuple)):
        return [len(value), *(shape_of(value[0]) if value else [])]
    return [len(value)] if hasattr(value, "__len__") else []


def element_type(value: typing.Any) -> typing.Optional[str]:
    """Returns the type of the elements. None means any type, as for a Python list."""
    if hasattr(value, "typecode"):
        return _TYPECODES[value.typecode]
    if isinstance(value, (bytes, bytearray)):
        return "u8"
    return _numbers.type_of(value.dtype) if hasattr(value, "dtype") else None


def form_of(value: typing.Any) -> str:
    """Returns the library that an array belongs to: numpy, torch or python."""
    module = type(value).__module__.partition(".")[0]
    return module if module in ("numpy", "torch") else "python"


def flat(value: typing.Any) -> list[typing.Any]:
    """Returns the elements as Python numbers."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    return _flattened(value) if isinstance(value, (list, tuple)) else list(value)


def like(value: typing.Any, elements: list[typing.Any]) -> typing.Any:
    """Returns an array of the kind, type and shape of `value` with these elements."""
    if hasattr(value, "typecode"):
        return type(value)(value.typecode, elements)
    if hasattr(value, "untyped_storage"):
        import torch

        return torch.tensor(elements, dtype=value.dtype).reshape(value.shape)
    if hasattr(value, "dtype"):
        import numpy

        return numpy.array(elements, dtype=value.dtype).reshape(value.shape)
    if isinstance(value, (bytes, bytearray)):
        return type(value)(elements)
    taken = iter(elements)

    def filled(part: typing.Any) -> typing.Any:
        return [filled(one) for one in part] if isinstance(part, (list, tuple)) else next(taken)

    return filled(value)


def raw(value: typing.Any) -> bytes:
    """Returns the bytes of an array. The bytes of a list are f64 or s64."""
    if hasattr(value, "untyped_storage"):
        import torch

        value = value.detach().contiguous()
        value = value.view(torch.int16) if value.dtype == torch.bfloat16 else value
        return bytes(value.numpy().tobytes())
    if hasattr(value, "tobytes"):
        return bytes(value.tobytes())
    if isinstance(value, (bytes, bytearray)):
        return bytes(value)
    elements = flat(value)
    return _numbers.bytes_of(elements, weak_type(elements))


def weak_type(elements: list[typing.Any]) -> str:
    return "f64" if any(isinstance(one, float) for one in elements) else "s64"


def is_float(value: typing.Any) -> bool:
    kind = element_type(value) or weak_type(flat(value))
    return kind in _numbers.FLOATS


class Task:
    """Represents the module of a task."""

    def __init__(self, path: str) -> None:
        spec = importlib.util.spec_from_file_location("ptxray_task", path)
        assert spec and spec.loader
        self._module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(self._module)
        for name in ("SHAPES", "inputs", "reference"):
            if not hasattr(self._module, name):
                raise ValueError(f"the task has no `{name}`")
        self.shapes = [dict(shape) for shape in self._module.SHAPES]
        if not self.shapes:
            raise ValueError("`SHAPES` of the task is empty")
        named = getattr(self._module, "INPUTS", None)
        self.inputs = list(named or inspect.signature(self._module.reference).parameters)
        self.outputs = getattr(self._module, "OUTPUTS", None)

    def described(self) -> dict[str, typing.Any]:
        get = lambda name, otherwise: getattr(self._module, name, otherwise)  # noqa: E731
        return {
            "name": get("NAME", None),
            "shapes": self.shapes,
            "tolerance": get("TOLERANCE", 0),
            "constraint": get("CONSTRAINT", None),
            "domain": get("DOMAIN", None),
            "deterministic": bool(get("DETERMINISTIC", False)),
            "precision": get("PRECISION", None),
            "inputs": self.inputs,
            "outputs": self.outputs,
            "edge": hasattr(self._module, "edge"),
        }

    def draw(self, contents: str, seed: int, shape: dict[str, int]) -> list[typing.Any]:
        """Returns the inputs of a run. `contents`: drawn, edge, or one of `rearranged`."""
        if contents == "drawn":
            return list(self._module.inputs(seed, **shape))
        if contents == "edge":
            takes = inspect.signature(self._module.edge).parameters
            named = {name: value for name, value in shape.items() if name in takes}
            if not named and not any(p.kind is p.VAR_KEYWORD for p in takes.values()):
                return list(self._module.edge(seed))
            return list(self._module.edge(seed, **shape))
        is_moved = contents == "moved" and hasattr(self._module, "edge")
        values = self.draw("edge" if is_moved else "drawn", seed, shape)
        maker = random.Random(seed)
        return [self._rearranged(value, contents, maker) for value in values]

    def _rearranged(self, value: typing.Any, contents: str, maker: random.Random) -> typing.Any:
        if not is_array(value) or not is_float(value):
            return value
        elements = flat(value)
        if contents == "constant":
            elements = elements[:1] * len(elements)
        elif contents in ("sorted", "reversed"):
            finite = sorted(one for one in elements if one == one)
            finite += [one for one in elements if one != one]
            elements = finite if contents == "sorted" else finite[::-1]
        elif contents in _FIXED:
            elements = [_FIXED[contents]] * len(elements)
        elif contents in _PLANTED:
            for _ in range(1 + len(elements) // 64 if elements else 0):
                elements[maker.randrange(len(elements))] = _PLANTED[contents]
        elif contents == "large":
            elements = [one * 2.0**16 for one in elements]
        else:
            maker.shuffle(elements)
        return like(value, elements)

    def perturbed(self, values: list[typing.Any], seed: int) -> list[typing.Any]:
        """Returns the inputs with each float moved to a neighbour."""
        maker = random.Random(seed)

        def moved(value: typing.Any) -> typing.Any:
            if not is_array(value) or not is_float(value):
                return value
            step = _STEP[element_type(value) or "f32"]
            return like(value, [one * (1 + maker.choice((-step, step))) for one in flat(value)])

        return [moved(value) for value in values]

    def widened(self, values: list[typing.Any]) -> list[typing.Any]:
        """Returns the inputs with floats in double precision, as far as arrays support it."""

        def wide(value: typing.Any) -> typing.Any:
            if not is_array(value) or not is_float(value):
                return value
            if hasattr(value, "untyped_storage"):
                return value.double()
            return value.astype("float64") if hasattr(value, "astype") else value

        return [wide(value) for value in values]

    def expected(self, values: list[typing.Any]) -> list[typing.Any]:
        result = self._module.reference(*values)
        several = isinstance(result, (tuple, list)) and (
            len(self.outputs) > 1 if self.outputs else bool(result) and is_array(result[0])
        )
        return list(result) if several else [result]


_FIXED = {"zeros": 0.0, "negative-zeros": -0.0, "subnormal": 1e-40}
_PLANTED = {"nan": float("nan"), "infinity": float("inf"), "negative-infinity": float("-inf")}
