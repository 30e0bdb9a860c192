"""What the figures show: the numbers in the axes, and the files."""

from __future__ import annotations

import math
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.helpers.bench_rows import frame, row

pytest.importorskip("matplotlib")

from bayesvc.bench import figures, paper
from bayesvc.bench._figure_parts import REPLICATE_STYLES
from bayesvc.plots.style import GREY, STYLES, save


def lines(axes: Any, colour: str, marker: str) -> list[list[float]]:
    """The heights of the lines of one style, with gaps left out."""
    found = [
        line for line in axes.lines if line.get_color() == colour and line.get_marker() == marker
    ]
    return [[float(y) for y in line.get_ydata() if not math.isnan(y)] for line in found]


def texts(axes: Any) -> list[str]:
    return [text.get_text() for text in axes.texts]


def authors(n: int) -> float:
    return float(paper.runtimes().filter(method="dart-vc", n=n, p=102)["seconds"].item())


def panel(label: str = "VC") -> figures.ScatterPanel:
    values = [[3.0, 0.0, 1.0], [3.0, 1.0, 0.0]]
    return figures.ScatterPanel(label, values, [True, False, True], [True, True, False])


def test_styles_are_distinct() -> None:
    assert set(STYLES) == {*paper.PAPER_NAMES, "dart-relevance", "bart-relevance"}
    for styles in (list(STYLES.values()), list(REPLICATE_STYLES.values())):
        assert len({colour for colour, _ in styles}) == len(styles)
        assert len({marker for _, marker in styles}) == len(styles)


def test_scores_by_snr() -> None:
    rows = frame(
        row(snr=math.inf, tpr=0.9), row(snr=0.25, tpr=0.4), row(snr=0.25, tpr=0.6, seed=1),
        row("bart-vc", n=2000, tpr=0.7), row("abc-mpm", n=1000, tpr=0.1),
    )  # fmt: skip
    first, second, third, last = figures.scores_figure(rows, "tpr", ["bart-vc", "dart-vc"]).axes
    assert lines(first, *STYLES["dart-vc"]) == [pytest.approx([0.5, 0.9])]
    ours = next(line for line in first.lines if line.get_color() == STYLES["dart-vc"][0])
    assert np.flatnonzero(~np.isnan(ours.get_ydata())).tolist() == [0, 8]
    assert lines(first, *STYLES["bart-vc"]) == []
    assert lines(last, *STYLES["bart-vc"]) == [pytest.approx([0.7])]
    assert texts(second) == texts(third) == ["not run"]
    assert texts(first) == texts(last) == []
    labels = [label.get_text() for label in last.get_xticklabels()]
    assert labels == ["0.25", "0.5", "1", "2", "5", "10", "15", "20", "noiseless"]


def test_the_papers_points_are_grey_and_behind() -> None:
    figure = figures.scores_figure(frame(row()), "f1", ["dart-vc"])
    theirs = paper.results().filter(method="dart-vc", n=1500).sort("snr")["f1"].to_list()
    assert lines(figure.axes[2], GREY, "o") == [pytest.approx(theirs)]
    grey, ours = figure.axes[0].lines
    assert grey.get_zorder() < ours.get_zorder()


def test_unknown_score() -> None:
    with pytest.raises(ValueError, match=r"`score` must be one of .* Got 'f2'"):
        figures.scores_figure(frame(row()), "f2", ["dart-vc"])


def test_other_sizes_and_ratios_are_left_out() -> None:
    figure = figures.scores_figure(frame(row(snr=3.0, f1=0.5), row(n=300)), "f1", ["dart-vc"])
    assert lines(figure.axes[0], *STYLES["dart-vc"]) in ([], [[]])


def test_runtime_by_p() -> None:
    rows = frame(row(problem="feynman_a", p=51, seconds=2.0), row(p=204, seconds=5.0))
    first = figures.runtime_figure(rows).axes[0]
    ours = next(line for line in first.lines if line.get_color() == STYLES["dart-vc"][0])
    assert list(ours.get_xdata()) == [51, 204]
    assert list(ours.get_ydata()) == [2.0, 5.0]
    assert first.get_yscale() == "log"


def test_change_with_replicates() -> None:
    rows = [row(n_replicates=20, f1=0.9), row(n_replicates=2, f1=0.8)]
    others = [row(method, f1=0.7) for method in paper.EXISTING]
    first, second, *_ = figures.replicates_figure(frame(*rows, *others)).axes
    assert lines(first, *REPLICATE_STYLES[2]) == [pytest.approx([-0.1])]
    assert lines(first, *REPLICATE_STYLES[None]) == [pytest.approx([-0.2])]
    assert first.get_title() == "n = 500, against 20 replicates"
    assert texts(second) == ["not run"]
    theirs = paper.sensitivity().filter(n=500, n_replicates=3).sort("snr")["delta_f1"].to_list()
    assert lines(first, GREY, REPLICATE_STYLES[3][1]) == [pytest.approx(theirs)]
    note = " ".join(text.get_text() for text in figures.replicates_figure(frame(*rows)).texts)
    assert "ours: median over 1 seed," in note
    assert "paper, median over ten seeds, against 20 replicates" in note


def test_next_best_needs_all_seven_methods() -> None:
    rows = [row(n_replicates=count, f1=0.9) for count in (2, 20)]
    others = [row(method, f1=0.7) for method in paper.EXISTING[:-1]]
    first = figures.replicates_figure(frame(*rows, *others)).axes[0]
    assert lines(first, *REPLICATE_STYLES[None]) == []


def test_scatter_points() -> None:
    x, y = panel().points()
    # Means 3, 0.5, 0.5 and mean ranks 1, 2.5, 2.5.
    assert x.tolist() == pytest.approx([1.0, 0.0, 0.0])
    assert y.tolist() == pytest.approx([0.0, 1.0, 1.0])
    figure = figures.scatter_figure(panel("BART VC"), panel("DART VC"))
    shown = {
        line.get_label(): (line.get_marker(), len(line.get_xdata()))
        for line in figure.axes[0].lines
    }
    assert shown == {
        "irrelevant, not selected": ("o", 0),
        "irrelevant, selected": ("o", 1),
        "relevant, not selected": ("^", 1),
        "relevant, selected": ("^", 1),
    }
    assert figure.axes[1].get_xlabel().startswith("DART VC")


def test_scatter_of_the_wrong_shape() -> None:
    wrong = figures.ScatterPanel("VC", [[1.0], [2.0]], [True, False], [True, False])
    with pytest.raises(
        ValueError, match=r"shape \(n_replicates, n_variables\).*Got shape \(2, 1\)"
    ):
        wrong.points()


def test_draw_all(tmp_path: Path) -> None:
    scatter = figures.Scatter(panel(), panel(), panel())
    target = tmp_path / "new" / "folder"
    written = figures.draw_all(frame(row(), row("bart-vc")), target, ("svg",), scatter)
    assert sorted(target.iterdir()) == sorted(written)
    numbers = [path.name.split("-")[1] for path in written[:-1]]
    assert numbers == [f"{number:02}" for number in range(1, 16)]
    assert all(path.stat().st_size > 1000 for path in written[:-1])
    assert written[-1].read_text().splitlines()[2] == f"| dart-vc | 1.00 | {authors(500):.2f} |"


def test_formats_and_missing_scatter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(figures, "_SCORE_FIGURES", figures._SCORE_FIGURES[:1])
    written = figures.draw_all(frame(row()), tmp_path, ("pdf", "png"))
    assert [path.suffix for path in written] == [".pdf", ".png"] * 3 + [".md"]
    assert written[0].read_bytes().startswith(b"%PDF")
    assert written[1].read_bytes().startswith(b"\x89PNG")
    with pytest.raises(ValueError, match=r"`formats` must be one of .* Got 'gif'"):
        figures.draw_all(frame(row()), tmp_path, "gif")


@pytest.mark.parametrize("form", ["svg", "pdf"])
def test_the_same_rows_give_the_same_file(tmp_path: Path, form: str) -> None:
    paths = [tmp_path / f"{name}.{form}" for name in "ab"]
    for path in paths:
        save(figures.scatter_figure(panel(), panel()), path)
    assert paths[0].read_bytes() == paths[1].read_bytes()


def test_without_matplotlib(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match=r"pip install 'bayesvc\[plot\]'"):
        figures.draw_all(frame(row()), tmp_path)


def test_runtime_table_keeps_all_methods() -> None:
    rows = frame(row("mine:lasso", seconds=0.5), row(n=1000, seconds=3.0))
    lines = figures.runtime_table(rows).splitlines()
    assert lines[2] == f"| dart-vc |  |  | 3.00 | {authors(1000):.2f} |"
    assert lines[3] == "| mine:lasso | 0.50 |  |  |  |"
