"""Several methods on the same fits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from bayesvc._text import listed
from bayesvc._typing import PathLike
from bayesvc.data.frames import make_frame
from bayesvc.selection.notes import of_result
from bayesvc.selection.result import Selection

if TYPE_CHECKING:
    from bayesvc.plots import Plot


class Comparison(Mapping[str, Selection]):
    """Several methods on the same fits, by name. Made by `compare`.

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
        """One row per variable, one column of truth values per method, and their sum."""
        first = next(iter(self.values()))
        masks = {name: selection.mask for name, selection in self.items()}
        votes = np.sum(list(masks.values()), axis=0)
        return make_frame({"variable": list(first.labels), **masks, "methods": votes}, self._frame)

    @cached_property
    def warnings(self) -> tuple[str, ...]:
        """What a reader of the results should know, each thing once, in plain sentences.

        Examples
        --------
        >>> import numpy as np
        >>> import bayesvc as bv
        >>> rng = np.random.default_rng(0)
        >>> X, y = rng.uniform(size=(100, 5)), rng.normal(size=100)
        >>> noise = bv.compare(
        ...     X, y, ["dart-vc", "dart-mpm"], burn_in=200, n_draws=200, random_state=0
        ... )
        >>> noise.warnings[0]
        'no signal was found: ...; any selection may be chance'
        """
        return shared_warnings(self)

    def plot(self, **options: Any) -> Plot:
        """Draw which methods select which variables. Needs matplotlib.

        Parameters
        ----------
        **options
            Of `bayesvc.plots.agreement`, such as `most` and `ax`.

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
        from bayesvc.plots import agreement  # only those who draw need matplotlib

        return agreement(self, **options)

    def to_html_report(self, path: PathLike, **settings: Any) -> Path:
        """Write the comparison as one HTML file that needs no network, and return where it is.

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
        from bayesvc.report import write_report  # it builds on this module

        return write_report(self, path, **settings)

    def __repr__(self) -> str:
        width = max(map(len, self))
        lines = [
            f"{name:{width}}  {len(found.selected):4d}  {listed(found.names)}"
            for name, found in self.items()
        ]
        return "\n".join([*lines, *(f"Note: {text}." for text in self.warnings)])


def shared_warnings(selections: Mapping[str, Selection]) -> tuple[str, ...]:
    """Return what selections from the same data warn of; see `Comparison.warnings`.

    What one of them leaves out and another selects is not told: it is there to be seen.
    """
    told: dict[str, list[str]] = {}
    for name, found in selections.items():
        for text in of_result(found):
            told.setdefault(text, []).append(name)
    texts = [
        text if len(names) == len(selections) else f"{listed(names)}: {text}"
        for text, names in told.items()
    ]
    twins = {twin for found in selections.values() for twin in found.twins}
    if twins:
        pairs = sorted({f"{twin.unselected} and {twin.selected}" for twin in twins})
        texts.append(f"the data can hardly tell apart: {listed(pairs)}")
    return tuple(texts)
