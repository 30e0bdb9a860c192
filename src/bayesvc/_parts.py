"""What the families of parts share: names, settings and registries.

A part is a measure, a threshold or a prior. A registry maps names to objects and knows nothing
else about them.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any, ClassVar, Generic, TypeVar

from bayesvc._validation import check_choice

T = TypeVar("T")


class Registry(Mapping[str, T], Generic[T]):
    """Parts of one family by name.

    Parameters
    ----------
    family : str
        What the parts are, such as "measure"; also the name of the argument that takes them.
    parts : list
        Those of the package itself, whose names are taken for good.
    """

    def __init__(self, family: str, parts: list[T]) -> None:
        self.family = family
        self._parts: dict[str, T] = {name_of(part): part for part in parts}
        self._own = frozenset(self._parts)

    def __getitem__(self, name: str) -> T:
        return self._parts[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._parts)

    def __len__(self) -> int:
        return len(self._parts)

    def is_own(self, name: str) -> bool:
        """Tell whether the part of this name belongs to the package."""
        return name in self._own

    def add(self, part: T) -> None:
        """Map the name of a part to it; a part registered before is replaced."""
        self.check_name(part)
        self._parts[name_of(part)] = part

    def check_name(self, part: T) -> None:
        """Raise ValueError if the part has the name of a part of the package, and is not one."""
        name = name_of(part)
        if name in self._own and type(self._parts[name]) is not type(part):
            raise ValueError(
                f"The name of a {self.family} must not be one of the package's own. Got {name!r} "
                "instead. Rename it."
            )

    def choose(self, name: Any) -> T:
        """Return the part of this name."""
        return self._parts[check_choice(self.family, name, self._parts)]


def name_of(part: Any) -> str:
    """Return the name of a part."""
    return str(part.name)


def function_name(function: Callable[..., Any]) -> str:
    """Return the name that a plain function is shown by.

    Examples
    --------
    >>> from bayesvc._parts import function_name
    >>> function_name(len), function_name(lambda draws: draws)
    ('len', 'custom')
    """
    inner = getattr(function, "func", function)  # of a functools.partial
    name = getattr(inner, "__name__", type(inner).__name__)
    return "custom" if name == "<lambda>" else str(name)


def function_summary(function: Callable[..., Any]) -> str:
    """Return the first line of a function's docstring, or an empty text.

    Examples
    --------
    >>> from bayesvc._parts import function_summary
    >>> function_summary(lambda draws: draws)
    ''
    """
    lines = (getattr(function, "__doc__", None) or "").strip().splitlines()
    return lines[0] if lines else ""


def missing_members(part: Any, members: tuple[str, ...]) -> list[str]:
    """Return which of the members an object lacks."""
    return [name for name in members if not hasattr(part, name)]


def settings_of(part: Any) -> dict[str, Any]:
    """Return the settings of a part that is a dataclass; another has none.

    Examples
    --------
    >>> from bayesvc._parts import settings_of
    >>> from bayesvc.thresholds import MedianProbability
    >>> settings_of(MedianProbability(0.6))
    {'at': 0.6, 'at_least_one': False}
    """
    return dataclasses.asdict(part) if dataclasses.is_dataclass(part) else {}  # type: ignore[arg-type]


def with_settings(part: T, settings: Mapping[str, Any]) -> T:
    """Return a part like this one with other settings.

    Examples
    --------
    >>> from bayesvc._parts import with_settings
    >>> from bayesvc.thresholds import MedianProbability
    >>> with_settings(MedianProbability(), {"at": 0.6})
    MedianProbability(at=0.6, at_least_one=False)
    """
    if not settings:
        return part
    if not dataclasses.is_dataclass(part):
        raise ValueError(f"{name_of(part)!r} takes no settings. Got {dict(settings)!r} instead.")
    return dataclasses.replace(part, **settings)  # type: ignore[type-var]


def as_part(
    value: Any,
    family: str,
    method: str,
    members: tuple[str, ...],
    wrap: Callable[[Any], T],
    of: str,
) -> T:
    """Return an object, or a plain function, as a part, or say what it lacks.

    Parameters
    ----------
    value : any
        What a caller passed as the argument `family`.
    family, method : str
        Such as "measure", and the method that makes one, such as "compute".
    members : tuple of str
        Everything that a part of this family has.
    wrap : callable
        Makes a part of a plain function.
    of : str
        What such a function takes.

    Examples
    --------
    >>> from bayesvc._parts import as_part
    >>> as_part(max, "measure", "compute", ("compute",), lambda function: "wrapped", "draws")
    'wrapped'
    """
    if isinstance(value, type):
        raise TypeError(
            f"`{family}` must be a name, an object or a function. Got the class {value.__name__} "
            "instead. Add parentheses to make an object."
        )
    missing = missing_members(value, members)
    if not missing:
        _check_settings(value, family)
        part: T = value
        return part
    if callable(value) and not hasattr(value, method):
        return wrap(value)
    raise TypeError(
        f"`{family}` must be a name, a {family} or a function of {of}. Got a "
        f"{type(value).__name__} without {', '.join(missing)} instead. Subclass "
        f"`bayesvc.{family}s.{family.title()}`, which has defaults for all but `name` and "
        f"`{method}`."
    )


def _check_settings(part: Any, family: str) -> None:
    """Raise TypeError if a result with this part could not be written to a file."""
    try:
        json.dumps(part.settings())
    except (TypeError, ValueError) as error:
        raise TypeError(
            f"The settings of {family} {name_of(part)!r} must be numbers, text, or lists of these, "
            f"which files can hold. Got a value that JSON cannot hold ({error})."
        ) from None


@dataclasses.dataclass(frozen=True)
class SavedPart:
    """A part that a file describes and this session does not know.

    It shows everything that is stored with a result, but cannot be computed again.
    """

    name: str
    about: Mapping[str, Any]

    recomputable: ClassVar[bool] = False
    stored: ClassVar[tuple[str, ...]] = ()

    def __post_init__(self) -> None:
        for key in self.stored:
            object.__setattr__(self, key, self.about[key])

    @property
    def label(self) -> str:
        """Label in the file."""
        return str(self.about["label"])

    def settings(self) -> dict[str, Any]:
        """Return the settings in the file."""
        return dict(self.about["settings"])

    def refusal(self, family: str, verb: str) -> ValueError:
        """Return the error that says why the part cannot be used, and what to do."""
        return ValueError(
            f"{family.title()} {self.name!r} is known from a file only, so it cannot be {verb}. "
            f"Pass it as `{family}` to `Selection.load`, or register it with "
            f"`bayesvc.{family}s.register` before loading."
        )
