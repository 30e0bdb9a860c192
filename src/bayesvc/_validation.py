"""Checks of arguments. Every error names the argument, its value and the remedy."""

from __future__ import annotations

import difflib
import math
import operator
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

_MOST_CHOICES = 20  # in one message


def check_integer(name: str, value: Any, minimum: int, remedy: str = "") -> int:
    """Return `value` as an int that is at least `minimum`."""
    hint = f"; {remedy}" if remedy else ""
    wanted = f"{name} must be an integer of at least {minimum}, but {name}={value!r} was given"
    if isinstance(value, bool | np.bool_):
        raise TypeError(f"{wanted}; pass a number instead of a truth value{hint}")
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{wanted}; pass a whole number such as {max(minimum, 1)}{hint}") from None
    if number < minimum:
        raise ValueError(f"{wanted}; pass {minimum} or more{hint}")
    return number


def check_number(
    name: str,
    value: Any,
    *,
    above: float | None = None,
    least: float | None = None,
    below: float | None = None,
    most: float | None = None,
    remedy: str,
) -> float:
    """Return `value` as a finite float within the bounds given."""
    limits = {"above": above, "at least": least, "below": below, "at most": most}
    bounds = [f"{word} {bound:g}" for word, bound in limits.items() if bound is not None]
    wanted = f"{name} must be a finite number {' and '.join(bounds)}".rstrip()
    message = f"{wanted}, but {name}={value!r} was given; {remedy}"
    if isinstance(value, bool | np.bool_ | str | bytes):
        raise TypeError(message)
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise TypeError(message) from None
    outside = (
        not math.isfinite(number)
        or (above is not None and number <= above)
        or (least is not None and number < least)
        or (below is not None and number >= below)
        or (most is not None and number > most)
    )
    if outside:
        raise ValueError(message)
    return number


def check_level(name: str, value: Any) -> float:
    """Return the probability of an interval, which must lie between 0 and 1."""
    return check_number(name, value, above=0, below=1, remedy="pass a probability such as 0.9")


def check_choice(name: str, value: Any, choices: Iterable[str]) -> str:
    """Return `value` if it is one of the strings in `choices`."""
    choices = tuple(choices)
    if not isinstance(value, str) or value not in choices:
        kind: type[Exception] = TypeError
        if isinstance(value, str):
            kind, value = ValueError, str(value)  # numpy's own text would show its type
        listed = ", ".join(repr(choice) for choice in choices[:_MOST_CHOICES])
        if len(choices) > _MOST_CHOICES:
            listed += f" and {len(choices) - _MOST_CHOICES} more"
        close = _nearest(value, choices) if isinstance(value, str) else []
        hint = f" (did you mean {close[0]!r}?)" if close else ""
        raise kind(f"{name}={value!r} is unknown{hint}; use one of {listed}")
    return value


def _nearest(value: str, choices: tuple[str, ...]) -> list[str]:
    """Return the choice that is most like the value, whatever the case of the letters."""
    plain = {choice.lower(): choice for choice in choices}
    return [plain[name] for name in difflib.get_close_matches(value.lower(), plain, 1)]


def check_flag(name: str, value: Any) -> bool:
    """Return `value` if it is True or False."""
    if not isinstance(value, bool | np.bool_):
        raise TypeError(f"{name}={value!r} must be True or False; pass one of these")
    return bool(value)


def usable_cpus() -> int:
    """Return the number of CPUs this process may run on."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def resolve_n_jobs(n_jobs: Any) -> int:
    """Turn `n_jobs` into a number of threads; None and -1 mean all usable CPUs."""
    if n_jobs is None:
        return usable_cpus()
    remedy = "pass a positive number of threads, or leave it out for all CPUs"
    if isinstance(n_jobs, bool | np.bool_):
        raise TypeError(f"n_jobs={n_jobs!r} must be an integer or None; {remedy}")
    try:
        number = operator.index(n_jobs)
    except TypeError:
        raise TypeError(f"n_jobs={n_jobs!r} must be an integer or None; {remedy}") from None
    if number == 0:
        raise ValueError(f"n_jobs=0 would run nothing; {remedy}")
    return number if number > 0 else max(1, usable_cpus() + 1 + number)


def resolve_random_state(random_state: Any) -> int:
    """Turn `random_state` into the integer that seeds everything; None draws a fresh one."""
    if random_state is None:
        entropy = np.random.SeedSequence().entropy
        assert isinstance(entropy, int)
        return entropy
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**63, dtype=np.uint64))
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(0, 2**63, dtype=np.uint64))
    if isinstance(random_state, np.random.SeedSequence):
        return int.from_bytes(random_state.generate_state(4, np.uint32).tobytes(), "little")
    return check_integer(
        "random_state", random_state, 0, "or None, a numpy Generator, RandomState or SeedSequence"
    )


def available_memory() -> int | None:
    """Return the bytes of memory this process can still get, or None if that is unknown."""
    limits = []
    try:
        for line in Path("/proc/meminfo").read_text().splitlines():
            if line.startswith("MemAvailable:"):
                limits.append(int(line.split()[1]) * 1024)
        group = Path("/sys/fs/cgroup")
        used = int((group / "memory.current").read_text())
        statistics = dict(map(str.split, (group / "memory.stat").read_text().splitlines()))
        used -= int(statistics["inactive_file"])  # cached files, given up when memory is short
        limits.append(int((group / "memory.max").read_text()) - used)
    except (OSError, ValueError, KeyError):
        pass  # no such file on this platform, or no limit ("max") in this group
    if not limits and hasattr(os, "sysconf"):
        try:
            limits.append(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
        except (OSError, ValueError):
            return None
    return max(0, min(limits)) if limits else None


def check_memory(
    what: str, shape: tuple[int, ...], item_bytes: int, remedy: str, items: str = "numbers"
) -> None:
    """Raise MemoryError if so many items will not fit into the available memory."""
    needed = math.prod(shape) * item_bytes
    available = available_memory()
    if available is not None and needed > available:
        sizes = " x ".join(f"{size:,}" for size in shape)
        raise MemoryError(
            f"{what} needs {needed / 1e9:,.1f} GB ({sizes} {items} of {item_bytes} bytes), but "
            f"{available / 1e9:,.1f} GB are available; {remedy}"
        )


def check_floats(name: str, values: ArrayLike) -> NDArray[np.float64]:
    """Return `values` as an array of finite numbers."""
    try:
        array = np.asarray(values, dtype=np.float64, order="C")
    except (TypeError, ValueError) as error:
        raise TypeError(f"{name} is no array of numbers ({error}); pass one") from None
    if not np.isfinite(array).all():
        place = tuple(int(i) for i in np.argwhere(~np.isfinite(array))[0])
        raise ValueError(
            f"{name}[{', '.join(map(str, place))}]={array[place]} is not finite; "
            "pass finite numbers"
        )
    return array


def check_vector(name: str, values: ArrayLike) -> NDArray[np.float64]:
    """Return `values` as one finite number per variable."""
    vector = check_floats(name, values)
    if vector.ndim != 1 or vector.size == 0:
        raise ValueError(f"{name} has shape {vector.shape}; pass one number per variable")
    return vector
