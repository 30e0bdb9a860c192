"""Methods that a class offers but a higher layer carries out.

A class calls ``provided("Draws.extend")`` and knows nothing of who provides it. The package's
``__init__`` says where each of these functions is; it is imported when it is first called.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

_PROVIDERS: dict[str, str] = {}


def wire(providers: Mapping[str, str]) -> None:
    """Say where functions are: ``"Class.method"`` to ``"module:function"``."""
    _PROVIDERS.update(providers)


def provided(name: str) -> Callable[..., Any]:
    """Return the function that carries out a method.

    Examples
    --------
    >>> import bayesvc
    >>> from bayesvc._wiring import provided
    >>> provided("Draws.extend").__name__
    'extend_draws'
    """
    module, function = _PROVIDERS[name].split(":")
    found: Callable[..., Any] = getattr(import_module(module), function)
    return found


class ProvidedFunction:
    """A static method that another module provides; looked up when it is first used."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, instance: object, owner: type | None = None) -> Callable[..., Any]:
        return provided(self._name)
