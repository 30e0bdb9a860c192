"""Several methods on the same replicates."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from bayesvc._text import listed
from bayesvc._typing import PathLike
from bayesvc._wiring import provided
from bayesvc.data.frames import make_frame
from bayesvc.exceptions import Note
from bayesvc.selection.notes import shared_notes
from bayesvc.selection.result import Selection

if TYPE_CHECKING:
    from bayesvc.plots import Plot


class Comparison(Mapping[str, Selection]):
    """Several methods on the same replicates, by name. Made by `compare`.

    Examples
    --------
    See `compare`.
    """

    def __init__(self, selections: dict[str, Selection], frame: str | None) -> None:
        self._selections = selections
        self._frame = frame

    def __getitem__(self, name: str) -> Selection:
        return self._selections[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._selections)

    def __len__(self) -> int:
        return len(self._selections)

    @property
    def table(self) -> Any:
        """One row per variable, one boolean column per method, and the number of methods."""
        first = next(iter(self.values()))
        masks = {name: selection.mask for name, selection in self.items()}
        votes = np.sum(list(masks.values()), axis=0)
        return make_frame({"variable": list(first.labels), **masks, "methods": votes}, self._frame)

    @cached_property
    def notes(self) -> tuple[Note, ...]:
        """What a reader of the results should know, each thing once.

        Examples
        --------
        >>> import warnings
        >>> import numpy as np
        >>> import bayesvc as bv
        >>> rng = np.random.default_rng(0)
        >>> X, y = rng.uniform(size=(100, 5)), rng.normal(size=100)
        >>> with warnings.catch_warnings():
        ...     warnings.simplefilter("ignore", bv.exceptions.BayesvcWarning)
        ...     noise = bv.compare(
        ...         X, y, ["dart-vc", "dart-mpm"], burn_in=200, n_draws=200, random_state=0
        ...     )
        >>> noise.notes[0].code
        'no-signal'
        """
        return shared_notes(self)

    def plot(self, **options: Any) -> Plot:
        """Draw which methods select which variables. Needs matplotlib.

        Parameters
        ----------
        **options
            Arguments of `bayesvc.plots.agreement`, such as `most` and `ax`.

        Examples
        --------
        >>> import numpy as np
        >>> import bayesvc as bv
        >>> X = np.random.default_rng(0).uniform(size=(100, 4))
        >>> both = bv.compare(
        ...     X, X[:, 1], ["dart-vc", "dart-mpm"], burn_in=200, n_draws=200, random_state=0
        ... )
        >>> both.plot().data["variable"].tolist()
        ['x1']
        """
        plot: Plot = provided("Comparison.plot")(self, **options)
        return plot

    def to_html_report(self, path: PathLike, **settings: Any) -> Path:
        """Write the comparison as one HTML file that works offline, and return its path.

        Parameters
        ----------
        path : str or path
        **settings
            title, data_summary: see `bayesvc.write_report`.

        Examples
        --------
        >>> import tempfile, pathlib
        >>> import numpy as np
        >>> import bayesvc as bv
        >>> X = np.random.default_rng(0).uniform(size=(60, 3))
        >>> both = bv.compare(X, X[:, 0], "dart-mpm", burn_in=100, n_draws=100, random_state=0)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     both.to_html_report(pathlib.Path(folder) / "report.html").name
        'report.html'
        """
        written: Path = provided("Comparison.to_html_report")(self, path, **settings)
        return written

    def __repr__(self) -> str:
        width = max(map(len, self))
        lines = [
            f"{name:{width}}  {len(found.indices):4d}  {listed(found.names)}"
            for name, found in self.items()
        ]
        return "\n".join([*lines, *(f"Note: {note.text}" for note in self.notes)])
