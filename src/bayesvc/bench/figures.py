"""Draw the fifteen figures of the paper and its supplement from our results.

The paper's own points are grey, with the marker of the method. Methods that were not run are
absent.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
from numpy.typing import ArrayLike, NDArray
from scipy.stats import rankdata

from bayesvc._archive import write_text
from bayesvc._validation import check_choice, check_floats
from bayesvc.bench import paper
from bayesvc.bench._figure_parts import (
    REPLICATE_STYLES,
    add_legend,
    draw_line,
    four_panels,
    mark_not_run,
    snr_axis,
)
from bayesvc.bench.result_rows import default_replicates, one_kind
from bayesvc.bench.score_tables import cell_means, next_best, runtimes, sensitivity
from bayesvc.plots.style import GREY, LEFT_OUT, SELECTED, STYLES, need_matplotlib, new_figure, save

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FORMATS = ("svg", "pdf", "png")
EIGHT = ("dart-vc", *paper.EXISTING)

_LABELS = {"f1": "F1", "tpr": "true positive rate", "fpr": "false positive rate"}


@dataclass(frozen=True)
class _Scores:
    number: int
    name: str
    score: str
    title: str
    methods: tuple[str, ...]


_DART_BART, _VC_VIP = ("dart-vc", "bart-vc"), ("dart-vc", "dart-vip-measure")
_SCORE_FIGURES = (
    _Scores(1, "f1-bart-measures", "f1", "F1 of the measures with the BART prior",
            ("bart-vc", "bart-vip-gse", "bart-mi-local", "bart-vip-rank")),
    _Scores(2, "f1-mpvip-priors", "f1", "F1 of the priors that suit MPVIP",
            ("dart-vc", "dart-mpm", "abc-mpm")),
    _Scores(3, "f1-all-methods", "f1", "F1 of all methods", EIGHT),
    _Scores(6, "tpr-all-methods", "tpr", "True positive rate of all methods", EIGHT),
    _Scores(7, "fpr-all-methods", "fpr", "False positive rate of all methods", EIGHT),
    _Scores(8, "f1-dart-bart", "f1", "F1 of the VC-measure: DART and BART", _DART_BART),
    _Scores(10, "tpr-dart-bart", "tpr", "True positive rate of the VC-measure: DART and BART",
            _DART_BART),
    _Scores(11, "fpr-dart-bart", "fpr", "False positive rate of the VC-measure: DART and BART",
            _DART_BART),
    _Scores(12, "f1-vc-vip", "f1", "F1 under DART: VC-measure and VIP-measure", _VC_VIP),
    _Scores(14, "tpr-vc-vip", "tpr", "True positive rate under DART: VC-measure and VIP-measure",
            _VC_VIP),
    _Scores(15, "fpr-vc-vip", "fpr", "False positive rate under DART: VC-measure and VIP-measure",
            _VC_VIP),
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class ScatterPanel:
    """Importance of all variables over several replicates, and the variables selected.

    Attributes
    ----------
    label : str
        Name of the measure, such as "BART VC".
    values : array (n_replicates, n_variables)
    relevant, selected : array of bool (n_variables,)
    """

    label: str
    values: ArrayLike
    relevant: ArrayLike
    selected: ArrayLike

    def points(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Compute the mean importance and mean rank of each variable, log1p and min-max scaled.

        Examples
        --------
        >>> from bayesvc.bench.figures import ScatterPanel
        >>> panel = ScatterPanel("VC", [[3.0, 0.0, 1.0]], [True, False, True], [True, False, True])
        >>> panel.points()[0].round(2).tolist()
        [1.0, 0.0, 0.5]
        """
        values = check_floats("values", self.values)
        if values.ndim != 2 or len(np.asarray(self.relevant)) != values.shape[1]:
            raise ValueError(
                "`values` must be of shape (n_replicates, n_variables), and `relevant` of length "
                f"n_variables. Got shape {values.shape} and length "
                f"{len(np.asarray(self.relevant))} instead."
            )
        ranks = rankdata(-values, axis=1)
        return _unit(np.log1p(values.mean(axis=0))), _unit(np.log1p(ranks.mean(axis=0)))


@dataclass(frozen=True, eq=False)
class Scatter:
    """Panels of figures 9 (BART VC, DART VC) and 13 (DART VIP, DART VC)."""

    bart: ScatterPanel
    dart: ScatterPanel
    vip: ScatterPanel


def draw_all(
    rows: pl.DataFrame,
    folder: str | Path,
    formats: str | Sequence[str] = ("svg",),
    scatter: Scatter | None = None,
) -> list[Path]:
    """Draw the paper's figures and write its table of runtimes to a folder.

    Parameters
    ----------
    rows : polars.DataFrame
        Results, one row per data set, method and number of replicates.
    folder : path
        Created if it does not exist.
    formats : {"svg", "pdf", "png"} or several of these
    scatter : Scatter, optional
        Panels of figures 9 and 13, which are omitted without it.

    Returns
    -------
    list of Path
        Files that were written.

    Examples
    --------
    >>> import tempfile
    >>> from bayesvc.bench import paper
    >>> from bayesvc.bench.figures import draw_all
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     [path.name for path in draw_all(paper.as_rows(), folder)][:2]
    ['figure-01-f1-bart-measures.svg', 'figure-02-f1-mpvip-priors.svg']
    """
    formats = (formats,) if isinstance(formats, str) else formats
    for form in formats:
        check_choice("formats", form, FORMATS)
    need_matplotlib()
    target = Path(folder)
    target.mkdir(parents=True, exist_ok=True)
    drawn = {
        f"figure-{f.number:02}-{f.name}": scores_figure(rows, f.score, f.methods, f.title)
        for f in _SCORE_FIGURES
    }
    drawn["figure-04-runtime-by-p"] = runtime_figure(rows)
    drawn["figure-05-change-with-replicates"] = replicates_figure(rows)
    if scatter is not None:
        drawn["figure-09-scatter-bart-dart"] = scatter_figure(scatter.bart, scatter.dart)
        drawn["figure-13-scatter-vip-vc"] = scatter_figure(scatter.vip, scatter.dart)
    written = [save(drawn[name], target / f"{name}.{f}") for name in sorted(drawn) for f in formats]
    table = target / "table-runtime-by-n.md"
    write_text(table, runtime_table(one_kind(rows)))
    return [*written, table]


def scores_figure(
    rows: pl.DataFrame, score: str, methods: Iterable[str], title: str = ""
) -> Figure:
    """Draw a score ("f1", "tpr" or "fpr") by SNR, with a panel for each n.

    Examples
    --------
    >>> from bayesvc.bench import paper
    >>> from bayesvc.bench.figures import scores_figure
    >>> len(scores_figure(paper.as_rows(), "f1", ["dart-vc", "bart-vc"]).axes)
    4
    """
    check_choice("score", score, _LABELS)
    chosen = [m for m in STYLES if m in set(methods)]
    ours = cell_means(default_replicates(one_kind(rows)).filter(pl.col("method").is_in(chosen)))
    theirs = paper.results()
    figure, panels = four_panels(title, _sizes_note(ours), _LABELS[score], "signal-to-noise ratio")
    for n, axes in panels.items():
        for method in chosen:
            colour, marker = STYLES[method]
            draw_line(axes, theirs.filter(method=method, n=n), score, GREY, marker, behind=True)
            draw_line(axes, ours.filter(method=method, n=n), score, colour, marker)
        snr_axis(axes)
        mark_not_run(axes, ours.filter(n=n).is_empty())
    add_legend(figure, {m: STYLES[m] for m in chosen})
    return figure


def runtime_figure(rows: pl.DataFrame) -> Figure:
    """Draw seconds per run by p, with a panel for each n.

    Examples
    --------
    >>> from bayesvc.bench import paper
    >>> from bayesvc.bench.figures import runtime_figure
    >>> len(runtime_figure(paper.as_rows()).axes)
    4
    """
    ours, theirs = runtimes(one_kind(rows)).drop_nulls("seconds"), paper.runtimes()
    note = "grey: paper, one core of an AMD EPYC 7642"
    figure, panels = four_panels("Runtime", note, "seconds", "number of variables p")
    chosen = [m for m in STYLES if m in EIGHT]
    for n, axes in panels.items():
        for method in chosen:
            colour, marker = STYLES[method]
            draw_line(axes, theirs.filter(method=method, n=n), "seconds", GREY, marker, True, "p")
            draw_line(axes, ours.filter(method=method, n=n), "seconds", colour, marker, x="p")
        axes.set_yscale("log")
        axes.set_xticks(list(paper.EQUATIONS_PER_P))
        mark_not_run(axes, ours.filter(pl.col("method").is_in(chosen), n=n).is_empty())
    add_legend(figure, {m: STYLES[m] for m in chosen})
    return figure


def replicates_figure(rows: pl.DataFrame) -> Figure:
    """Draw the change in F1 of dart-vc with fewer replicates, and of the next best method.

    Examples
    --------
    >>> from bayesvc.bench import paper
    >>> from bayesvc.bench.figures import replicates_figure
    >>> len(replicates_figure(paper.as_rows()).axes)
    4
    """
    rows = one_kind(rows)
    ours, theirs = sensitivity(rows), paper.sensitivity()
    best = next_best(rows).filter(n_methods=len(paper.EXISTING))
    seeds = _range(ours["n_seeds"], "seed")
    note = (
        f"ours: median over {seeds}, then mean over equations; grey: paper, median over ten "
        "seeds, against 20 replicates.\nNext best: mean F1 of the best of the seven existing "
        "methods, where all were run"
    )
    figure, panels = four_panels(
        "F1 of dart-vc with fewer replicates", note, "change in F1", "signal-to-noise ratio"
    )
    for n, axes in panels.items():
        axes.axhline(0, color=GREY, linewidth=0.8, zorder=0)
        for count, (colour, marker) in REPLICATE_STYLES.items():
            same = pl.col("n_replicates").eq_missing(pl.lit(count, pl.Int64))
            draw_line(axes, theirs.filter(same, n=n), "delta_f1", GREY, marker, True)
            part = best.filter(n=n) if count is None else ours.filter(same, n=n)
            value = "change" if count is None else "change_median"
            draw_line(axes, part, value, colour, marker)
        snr_axis(axes)
        references = ours.filter(n=n)["reference"].unique().sort().to_list()
        if references:
            axes.set_title(
                f"n = {n}, against {' or '.join(map(str, references))} replicates", fontsize=10
            )
        mark_not_run(axes, not references)
    names = {None: "next best", 1: "1 replicate"}
    styles = {names.get(n, f"{n} replicates"): style for n, style in REPLICATE_STYLES.items()}
    add_legend(figure, styles)
    return figure


def scatter_figure(left: ScatterPanel, right: ScatterPanel) -> Figure:
    """Draw the importance and rank of every variable, for two measures.

    Examples
    --------
    >>> from bayesvc.bench.figures import ScatterPanel, scatter_figure
    >>> panel = ScatterPanel("VC", [[3.0, 0.0, 1.0]], [True, False, True], [True, False, True])
    >>> len(scatter_figure(panel, panel).axes)
    2
    """
    figure = new_figure(9, 4.8)
    figure.suptitle(f"{left.label} and {right.label} of every variable", fontsize=12)
    for place, panel in enumerate((left, right)):
        axes = figure.add_subplot(1, 2, place + 1)
        x, y = panel.points()
        relevant, selected = np.asarray(panel.relevant, bool), np.asarray(panel.selected, bool)
        for is_relevant, is_selected in product((False, True), repeat=2):
            chosen = (relevant == is_relevant) & (selected == is_selected)
            colour = SELECTED if is_selected else LEFT_OUT
            kind = "relevant" if is_relevant else "irrelevant"
            label = f"{kind}, {'selected' if is_selected else 'not selected'}"
            axes.plot(
                x[chosen], y[chosen], "^" if is_relevant else "o", color=colour, markersize=7,
                markerfacecolor=colour if is_relevant else "none", linestyle="none", label=label,
            )  # fmt: skip
        axes.set_xlabel(f"{panel.label} (log1p, min-max)")
        axes.set_ylabel(f"{panel.label} rank (log1p, min-max)")
    figure.legend(*figure.axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=4)
    return figure


def runtime_table(rows: pl.DataFrame) -> str:
    """Format seconds per run by n as a Markdown table, ours and the authors'.

    Examples
    --------
    >>> from bayesvc.bench import paper
    >>> from bayesvc.bench.figures import runtime_table
    >>> print(runtime_table(paper.as_rows()).splitlines()[0])
    | method | n = 500: ours, s | authors, s | n = 1000: ours, s | authors, s | ...
    """
    table = runtimes(rows, by_n=True).drop_nulls("seconds")
    sizes = table["n"].unique().sort().to_list()
    lines = ["| method | " + " | ".join(f"n = {n}: ours, s | authors, s" for n in sizes) + " |"]
    lines.append("|---" + "|---:" * (2 * len(sizes)) + "|")
    for method in sorted(table["method"].unique(), key=[*STYLES, *table["method"]].index):
        cells = []
        for n in sizes:
            found = table.filter(method=method, n=n).select("seconds", "paper").rows()
            cells += [_seconds(value) for value in (found[0] if found else (None, None))]
        lines.append(f"| {method} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def _seconds(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}"


def _sizes_note(cells: pl.DataFrame) -> str:
    ours = f"{_range(cells['n_problems'], 'equation')}, {_range(cells['n_seeds'], 'seed')}"
    return f"ours: {ours}; grey: paper, 100 equations, 10 seeds"


def _range(numbers: pl.Series, noun: str) -> str:
    if numbers.is_empty():
        return f"no {noun}s"
    low, high = int(numbers.to_numpy().min()), int(numbers.to_numpy().max())
    count = str(low) if low == high else f"{low} to {high}"
    return f"{count} {noun}{'' if high == 1 else 's'}"


def _unit(values: NDArray[np.float64]) -> NDArray[np.float64]:
    low, high = values.min(), values.max()
    return np.zeros_like(values) if high == low else (values - low) / (high - low)
