"""Arithmetic on the names of a shape, as launch files and tasks write it: `(n+255)//256`. Nothing else is evaluated:
a candidate's file must not run code in the judge."""

import ast
import functools
import math
import operator
import typing

_BINARY = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.Div: operator.truediv,
    ast.Mod: operator.mod,
    ast.LShift: operator.lshift,
    ast.RShift: operator.rshift,
    ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_,
}
_COMPARISONS = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
_UNARY: dict[type, typing.Callable[[typing.Any], typing.Any]] = {
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
    ast.Not: operator.not_,
}
_CALLS: dict[str, typing.Callable[..., typing.Any]] = {
    "min": min,
    "max": max,
    "abs": abs,
    "int": int,
    "ceil": math.ceil,
    "floor": math.floor,
}
_MOST = 1 << 64  # no size is larger
_LONGEST = 1000  # characters


class ExpressionError(ValueError):
    """An expression that cannot be evaluated."""


@functools.lru_cache(maxsize=1024)
def _parsed(text: str) -> ast.expr:
    if len(text) > _LONGEST:
        raise ExpressionError(f"an expression has at most {_LONGEST} characters")
    try:
        return ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        raise ExpressionError(f"`{text}` is not an expression") from None


def _bounded(value: typing.Any) -> typing.Any:
    if isinstance(value, (int, float)) and not isinstance(value, bool) and not abs(value) < _MOST:
        raise ExpressionError("a number is too large")
    return value


def _binary(node: ast.BinOp, names: dict[str, typing.Any]) -> typing.Any:
    left, right = _value(node.left, names), _value(node.right, names)
    compute = _BINARY.get(type(node.op))
    if compute is None or (isinstance(node.op, ast.LShift) and right > 64):
        raise ExpressionError("an expression may not use this operator")
    return _bounded(compute(left, right))


def _compared(node: ast.Compare, names: dict[str, typing.Any]) -> bool:
    values = [_value(one, names) for one in [node.left, *node.comparators]]
    pairs = zip(node.ops, values, values[1:])
    return all(_COMPARISONS[type(op)](left, right) for op, left, right in pairs if type(op) in _COMPARISONS)


def _value(node: ast.expr, names: dict[str, typing.Any]) -> typing.Any:
    if isinstance(node, ast.Constant) and isinstance(node.value, (int, float, bool)):
        return _bounded(node.value)
    if isinstance(node, ast.Name) and node.id in names:
        return names[node.id]
    if isinstance(node, (ast.Tuple, ast.List)):
        return tuple(_value(one, names) for one in node.elts)
    if isinstance(node, ast.BinOp):
        return _binary(node, names)
    if isinstance(node, ast.UnaryOp) and type(node.op) in _UNARY:
        return _UNARY[type(node.op)](_value(node.operand, names))
    if isinstance(node, ast.Compare):
        return _compared(node, names)
    if isinstance(node, ast.BoolOp):
        values = (_value(one, names) for one in node.values)
        return all(values) if isinstance(node.op, ast.And) else any(values)
    if isinstance(node, ast.IfExp):
        return _value(node.body if _value(node.test, names) else node.orelse, names)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _CALLS and not node.keywords:
        return _CALLS[node.func.id](*[_value(one, names) for one in node.args])
    raise ExpressionError("an expression has only numbers, names of the shape, and arithmetic")


def evaluate(text: str, names: dict[str, typing.Any]) -> typing.Any:
    """Returns the value of an expression, a number or a tuple of numbers. Raises ExpressionError."""
    try:
        return _value(_parsed(text), names)
    except ExpressionError as problem:
        raise ExpressionError(f"`{text}`: {problem}") from None
    except (ArithmeticError, TypeError, ValueError, RecursionError) as problem:
        raise ExpressionError(f"`{text}`: {problem}") from None
