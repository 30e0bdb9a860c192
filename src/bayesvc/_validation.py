"""Checks of arguments.

Every message names the argument, says what it must be, shows what was given, and ends with what to
do about it.
"""

from __future__ import annotations

import difflib
import math
import operator
import os
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bayesvc._text import as_sentence, counted, quoted

_MOST_CHOICES = 20  # in one message
_LONGEST_VALUE = 100  # characters of a value in a message


def must_be(name: str, wanted: str, got: str, remedy: str = "") -> str:
    """Return the message for an argument that is not what it must be.

    Examples
    --------
    >>> from bayesvc._validation import must_be
    >>> must_be("k", "a positive number", "-1", "pass a number such as 2")
    '`k` must be a positive number. Got -1 instead. Pass a number such as 2.'
    """
    said = f"`{name}` must be {wanted}. Got {got} instead."
    return f"{said} {as_sentence(remedy)}" if remedy else said


def shown(value: Any) -> str:
    """Return a value as messages show it: as Python writes it or, if that is long, its type.

    Examples
    --------
    >>> from bayesvc._validation import shown
    >>> shown("vip"), shown([0] * 1000)
    ("'vip'", 'a value of type list')
    """
    text = repr(str(value)) if isinstance(value, str) else repr(value)  # numpy would show its type
    if len(text) > _LONGEST_VALUE or "\n" in text:
        return f"a value of type {type(value).__name__}"
    return text


def check_integer(
    name: str, value: Any, minimum: int, remedy: str = "", *, alternative: str = ""
) -> int:
    """Return `value` as an int that is at least `minimum`.

    `alternative` says what else the caller accepts, such as "None".
    """
    number = _as_integer(value)
    if number is None or number < minimum:
        wanted = f"an integer of at least {minimum}{f', or {alternative}' if alternative else ''}"
        kind = TypeError if number is None else ValueError
        raise kind(must_be(name, wanted, shown(value), remedy))
    return number


def _as_integer(value: Any) -> int | None:
    """Return an integer of any kind as an int, None for anything else."""
    if isinstance(value, bool | np.bool_):
        return None
    try:
        return operator.index(value)
    except TypeError:
        return None


def check_number(
    name: str,
    value: Any,
    *,
    above: float | None = None,
    least: float | None = None,
    below: float | None = None,
    most: float | None = None,
    remedy: str = "",
    alternative: str = "",
) -> float:
    """Return `value` as a finite float within the bounds given.

    `alternative` says what else the caller accepts, such as "None".
    """
    number = _as_float(value)
    outside = number is not None and (
        not math.isfinite(number)
        or (above is not None and number <= above)
        or (least is not None and number < least)
        or (below is not None and number >= below)
        or (most is not None and number > most)
    )
    if number is None or outside:
        kind = TypeError if number is None else ValueError
        wanted = _number_within(above, least, below, most)
        wanted += f", or {alternative}" if alternative else ""
        raise kind(must_be(name, wanted, shown(value), remedy))
    return number


def _as_float(value: Any) -> float | None:
    """Return a number of any kind as a float, None for anything else."""
    if isinstance(value, bool | np.bool_ | str | bytes):
        return None
    try:
        return float(value)
    except OverflowError:  # an integer beyond all floats
        return math.inf
    except (TypeError, ValueError):
        return None


def _number_within(
    above: float | None, least: float | None, below: float | None, most: float | None
) -> str:
    """Return in words which numbers lie within the bounds."""
    low = above if above is not None else least
    high = below if below is not None else most
    if low is not None and high is not None:
        left, right = "[" if above is None else "(", "]" if below is None else ")"
        return f"a number in the interval {left}{low:g}, {high:g}{right}"
    if above is not None:
        return "a positive, finite number" if above == 0 else f"a finite number above {above:g}"
    if high is not None:
        return f"a finite number {'below' if most is None else 'of at most'} {high:g}"
    return "a finite number" if least is None else f"a finite number of at least {least:g}"


def check_level(name: str, value: Any) -> float:
    """Return the probability of an interval, which must lie between 0 and 1."""
    return check_number(name, value, above=0, below=1, remedy="pass a probability such as 0.9")


def check_choice(name: str, value: Any, choices: Iterable[str]) -> str:
    """Return `value` if it is one of the strings in `choices`."""
    choices = tuple(choices)
    if not isinstance(value, str) or value not in choices:
        kind = ValueError if isinstance(value, str) else TypeError
        close = _nearest(value, choices) if isinstance(value, str) else []
        remedy = f"did you mean {close[0]!r}?" if close else ""
        wanted = f"one of {quoted(choices, _MOST_CHOICES)}"
        raise kind(must_be(name, wanted, shown(value), remedy))
    return value


def _nearest(value: str, choices: tuple[str, ...]) -> list[str]:
    """Return the choice that is most like the value, whatever the case of the letters."""
    plain = {choice.lower(): choice for choice in choices}
    return [plain[name] for name in difflib.get_close_matches(value.lower(), plain, 1)]


def check_flag(name: str, value: Any) -> bool:
    """Return `value` if it is True or False."""
    if not isinstance(value, bool | np.bool_):
        raise TypeError(must_be(name, "True or False", shown(value)))
    return bool(value)


def usable_cpus() -> int:
    """Return the number of CPUs this process may run on."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def resolve_n_jobs(n_jobs: Any) -> int:
    """Turn `n_jobs` into a number of threads.

    As in scikit-learn, None is 1 unless ``joblib.parallel_config`` says otherwise; -1 is all CPUs
    that this process may use, -2 all but one.

    Examples
    --------
    >>> from bayesvc._validation import resolve_n_jobs
    >>> resolve_n_jobs(None), resolve_n_jobs(3)
    (1, 3)
    """
    number = _configured_n_jobs() if n_jobs is None else _as_integer(n_jobs)
    if not number:
        kind = TypeError if number is None else ValueError
        wanted = "an integer other than 0, or None"
        raise kind(must_be("n_jobs", wanted, shown(n_jobs), "pass -1 for all CPUs"))
    return number if number > 0 else max(1, usable_cpus() + 1 + number)


def _configured_n_jobs() -> int:
    """Return the number of jobs that joblib was told to use, 1 if it was told nothing."""
    joblib = sys.modules.get("joblib")  # who never imported it did not configure it
    if joblib is None or is_cluster_task():
        return 1
    _, n_jobs = joblib.parallel.get_active_backend()
    return 1 if n_jobs is None else int(n_jobs)


def is_cluster_task() -> bool:
    """Tell whether this code runs in a task of a Dask cluster, which shares the work already.

    Examples
    --------
    >>> from bayesvc._validation import is_cluster_task
    >>> is_cluster_task()
    False
    """
    distributed = sys.modules.get("distributed")  # who never imported it is in no task of it
    if distributed is None:
        return False
    try:
        distributed.get_worker()
    except ValueError:
        return False
    return True


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
    others = "None, a numpy Generator, RandomState or SeedSequence"
    return check_integer("random_state", random_state, 0, alternative=others)


def available_memory() -> int | None:
    """Return the bytes of memory this process can still get, or None if that is unknown."""
    limits = _left_of_own_limit()
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


def _left_of_own_limit() -> list[int]:
    """Return what is left of the address space that this process was limited to, if it was."""
    try:
        import resource

        limit = resource.getrlimit(resource.RLIMIT_AS)[0]
        if limit == resource.RLIM_INFINITY:
            return []
        used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    except (ImportError, OSError, ValueError):  # not on this platform
        return []
    return [limit - used]


def check_memory(
    what: str, shape: tuple[int, ...], item_bytes: int, remedy: str, items: str = "numbers"
) -> None:
    """Raise MemoryError if so many items will not fit into the available memory."""
    needed = math.prod(shape) * item_bytes
    available = available_memory()
    if available is not None and needed > available:
        sizes = " x ".join(f"{size:,}" for size in shape)
        size = f"{needed / 1e9:,.1f} GB ({sizes} {items} of {counted(item_bytes, 'byte')})"
        said = f"{what} needs {size}, but {available / 1e9:,.1f} GB are available"
        raise MemoryError(f"{as_sentence(said)} {as_sentence(remedy)}")


def check_floats(name: str, values: ArrayLike) -> NDArray[np.float64]:
    """Return `values` as an array of finite numbers."""
    try:
        array = np.asarray(values, dtype=np.float64, order="C")
    except (TypeError, ValueError) as error:
        raise TypeError(must_be(name, "an array of numbers", _kind(values))) from error
    if not np.isfinite(array).all():
        place = tuple(int(i) for i in np.argwhere(~np.isfinite(array))[0])
        where = f"{name}[{', '.join(map(str, place))}]" if place else name
        raise ValueError(must_be(where, "a finite number", str(array[place])))
    return array


def _kind(values: Any) -> str:
    """Return in words what `values` is if it is not an array of numbers."""
    try:
        return f"dtype {np.asarray(values).dtype}"
    except ValueError:
        return "rows of unequal length"


def check_vector(name: str, values: ArrayLike) -> NDArray[np.float64]:
    """Return `values` as one finite number per variable."""
    vector = check_floats(name, values)
    if vector.ndim != 1 or vector.size == 0:
        wanted = "an array of one number per variable"
        raise ValueError(must_be(name, wanted, f"an array of shape {vector.shape}"))
    return vector
