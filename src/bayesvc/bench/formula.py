"""Formulas given as text, parsed without executing it as code."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from bayesvc._typing import FloatArray

_CONSTANTS = {"pi": np.pi, "e": np.e}
_FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    "abs": np.abs, "arccos": np.arccos, "arcsin": np.arcsin, "arctan": np.arctan, "cos": np.cos,
    "cosh": np.cosh, "exp": np.exp, "ln": np.log, "log": np.log, "sin": np.sin, "sinh": np.sinh,
    "sqrt": np.sqrt, "tan": np.tan, "tanh": np.tanh,
}  # fmt: skip
_OPERATORS: dict[type[ast.AST], Callable[..., Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul,
    ast.Div: operator.truediv, ast.Pow: operator.pow, ast.USub: operator.neg,
    ast.UAdd: operator.pos,
}  # fmt: skip
_LONGEST = 2000

Evaluate = Callable[[Mapping[str, FloatArray]], Any]


class Formula:
    """A function of named variables, such as ``m * c**2 / sqrt(1 - v**2 / c**2)``.

    Parameters
    ----------
    text : str
        Formula of numbers, variables, ``+ - * / **``, parentheses, pi, e, and abs, arccos, arcsin,
        arctan, cos, cosh, exp, ln, log, sin, sinh, sqrt, tan, tanh.
    variables : sequence of str
        Names that may occur in it.

    Examples
    --------
    >>> import numpy as np
    >>> from bayesvc.bench.formula import Formula
    >>> Formula("a * sqrt(b)", ["a", "b"])(a=np.array([2.0]), b=np.array([9.0]))
    array([6.])
    """

    def __init__(self, text: Any, variables: Sequence[Any]) -> None:
        self.text = text
        self.variables = tuple(variables)
        if not isinstance(text, str) or not text.strip() or len(text) > _LONGEST:
            raise ValueError(
                f"`formula` must be a string of 1 to {_LONGEST} characters such as 'a * sin(b)'. "
                f"Got {text!r:.60} instead."
            )
        for name in self.variables:
            if not isinstance(name, str) or not name.isidentifier() or name in _FUNCTIONS:
                raise ValueError(
                    "A variable of a formula must consist of letters, digits and _, and must not "
                    f"have the name of a function. Got {name!r} instead."
                )
        try:
            self._evaluate = self._compile(ast.parse(text.strip(), mode="eval").body)
            self(**dict.fromkeys(self.variables, np.ones(1)))  # too deeply nested shows here
        except (SyntaxError, RecursionError, MemoryError, OverflowError) as error:
            raise ValueError(f"`formula` must be valid. Got {text!r} instead: {error}.") from None

    def __call__(self, **values: FloatArray) -> FloatArray:
        """Evaluate the formula; NaN or infinite where it is undefined."""
        with np.errstate(all="ignore"):
            return np.asarray(self._evaluate(values), dtype=np.float64)

    def _compile(self, node: ast.AST) -> Evaluate:
        if isinstance(node, ast.Constant) and type(node.value) in (int, float):
            constant = np.float64(node.value)  # type: ignore[arg-type]
            return lambda values: constant
        if isinstance(node, ast.Name):
            return self._name(node.id)
        if isinstance(node, ast.UnaryOp) and type(node.op) in _OPERATORS:
            apply, inner = _OPERATORS[type(node.op)], self._compile(node.operand)
            return lambda values: apply(inner(values))
        if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
            apply = _OPERATORS[type(node.op)]
            left, right = self._compile(node.left), self._compile(node.right)
            return lambda values: apply(left(values), right(values))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            if node.func.id not in _FUNCTIONS or len(node.args) != 1 or node.keywords:
                raise self._refusal(
                    ast.unparse(node),
                    f"Use one of the functions {', '.join(_FUNCTIONS)}, with one argument.",
                )
            function, argument = _FUNCTIONS[node.func.id], self._compile(node.args[0])
            return lambda values: function(argument(values))
        raise self._refusal(ast.unparse(node), "Use numbers, variables, + - * / ** and functions.")

    def _name(self, name: str) -> Evaluate:
        if name in self.variables:
            return lambda values: values[name]
        if name in _CONSTANTS:
            constant = np.float64(_CONSTANTS[name])
            return lambda values: constant
        known = ", ".join((*self.variables, *_CONSTANTS))
        raise self._refusal(name, f"The variables and constants are {known}.")

    def _refusal(self, part: str, remedy: str) -> ValueError:
        return ValueError(
            f"`formula` must not contain {part!r}. Got {self.text!r} instead. {remedy}"
        )
