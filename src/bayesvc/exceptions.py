"""Notes about a result, and the warning categories they are issued under.

All categories derive from `BayesvcWarning`, so that one filter covers them:

>>> import warnings
>>> from bayesvc.exceptions import BayesvcWarning, NoSignalWarning
>>> warnings.filterwarnings("ignore", category=NoSignalWarning)
>>> issubclass(NoSignalWarning, BayesvcWarning)
True
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

from bayesvc._text import visible

__all__ = [
    "BayesvcWarning",
    "ConvergenceWarning",
    "DataWarning",
    "NoSignalWarning",
    "Note",
    "SmallSampleWarning",
    "UnstableSelectionWarning",
]

Severity = Literal["good", "info", "warning"]

_PACKAGE = str(Path(__file__).parent)


class BayesvcWarning(UserWarning):
    """A result of bayesvc is doubtful."""


class NoSignalWarning(BayesvcWarning):
    """The signal test did not find that the response depends on the columns."""


class SmallSampleWarning(BayesvcWarning):
    """There are too few rows to tell relevant variables from chance."""


class DataWarning(BayesvcWarning):
    """A column of the data should be checked, because with it the selection may mean nothing."""


class ConvergenceWarning(BayesvcWarning):
    """The selection depends on single replicates, because their chains have not mixed.

    It is not a subclass of scikit-learn's category of the same name, because sampling does not
    import scikit-learn.
    """


class UnstableSelectionWarning(BayesvcWarning):
    """The selection still changed when sampling stopped, or cannot be relied on as it is."""


@dataclass(frozen=True)
class Note:
    """What a reader of a result should know.

    Attributes
    ----------
    code : str
        Stable identifier, such as "no-signal", for programs.
    severity : {"good", "info", "warning"}
        A "warning" is also issued through `warnings`.
    text : str
        One or more full sentences.

    Examples
    --------
    >>> from bayesvc.exceptions import Note
    >>> Note("no-signal", "warning", "No signal was found.").as_dict()
    {'code': 'no-signal', 'severity': 'warning', 'text': 'No signal was found.'}
    """

    code: str
    severity: Severity
    text: str

    @property
    def category(self) -> type[BayesvcWarning]:
        """Category of the warning that carries this note."""
        return _CATEGORIES.get(self.code, BayesvcWarning)

    def __post_init__(self) -> None:
        """Make visible what a name in the text may hold."""
        object.__setattr__(self, "text", visible(self.text))

    def as_dict(self) -> dict[str, str]:
        """Return the note as JSON holds it."""
        return asdict(self)

    def __str__(self) -> str:
        return self.text


_CATEGORIES: dict[str, type[BayesvcWarning]] = {
    "no-signal": NoSignalWarning,
    "few-rows": SmallSampleWarning,
    "not-converged": ConvergenceWarning,
    "not-stable": UnstableSelectionWarning,
    "more-than-half": UnstableSelectionWarning,
    "leak": DataWarning,
    "identifier": DataWarning,
    "censoring": DataWarning,
}


_SILENCED: ContextVar[bool] = ContextVar("bayesvc_silenced", default=False)


@contextmanager
def silenced() -> Iterator[None]:
    """Issue no warnings inside: the caller shows the notes itself, or does not need them.

    Examples
    --------
    >>> from bayesvc.exceptions import Note, issue_warnings, silenced
    >>> with silenced():
    ...     issue_warnings([Note("few-rows", "warning", "There are only 5 rows.")])
    """
    token = _SILENCED.set(True)
    try:
        yield
    finally:
        _SILENCED.reset(token)


def issue_warnings(notes: Iterable[Note]) -> None:
    """Issue the notes of severity "warning", as of the line that called into the package.

    Examples
    --------
    >>> import warnings
    >>> from bayesvc.exceptions import Note, issue_warnings
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     issue_warnings([Note("few-rows", "warning", "There are only 5 rows.")])
    >>> caught[0].category.__name__
    'SmallSampleWarning'
    """
    if _SILENCED.get():
        return
    level = _levels_inside()
    for note in notes:
        if note.severity == "warning":
            warnings.warn(note.text, note.category, stacklevel=level)


def _levels_inside() -> int:
    """Return the `stacklevel`, for `issue_warnings`, of the first caller outside the package."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        frame = frame.f_back
        level += 1
    return level
