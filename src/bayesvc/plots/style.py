"""One style for every picture: colours that colour-blind readers tell apart, figures, files."""

from __future__ import annotations

from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bayesvc._archive import atomic_file

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Two colours of Okabe and Ito, and greys that print.
SELECTED, LEFT_OUT = "#D55E00", "#0072B2"
GREY, INK = "#BBBBBB", "#333333"
FAINT = 0.25  # opacity of grey areas and lines behind the data, on any background

# A colour and a marker for each method: Paul Tol's "muted" colours, and black.
STYLES = {
    "dart-vc": ("#882255", "o"),
    "bart-vc": ("#CC6677", "s"),
    "dart-vip-measure": ("#44AA99", "P"),
    "dart-mpm": ("#332288", "D"),
    "abc-mpm": ("#88CCEE", "v"),
    "bart-vip-gse": ("#117733", "^"),
    "bart-vip-gmax": ("#AA4499", "<"),
    "bart-vip-local": ("#999933", ">"),
    "bart-mi-local": ("#DDCC77", "X"),
    "bart-vip-rank": ("#000000", "*"),
    "dart-relevance": ("#661100", "h"),
    "bart-relevance": ("#6699CC", "p"),
}

_SIZES: dict[str, Any] = {
    "font.size": 9,
    "axes.titlesize": 10,
    "axes.labelsize": 9,
    "xtick.labelsize": 8,
    "ytick.labelsize": 8,
    "legend.fontsize": 8,
    "legend.frameon": False,
    "text.usetex": False,
}
_LOOK: dict[str, Any] = _SIZES | {
    "axes.axisbelow": True,
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "text.color": INK,
    "xtick.color": INK,
    "ytick.color": INK,
}


def need_matplotlib() -> None:
    """Raise a helpful error if matplotlib is missing."""
    try:
        import matplotlib  # noqa: F401
    except ImportError as error:
        raise ImportError(
            "figures need matplotlib; install it with: pip install 'bayesvc[plot]'"
        ) from error


def new_figure(width: float, height: float) -> Figure:
    """Return an empty figure that lays itself out."""
    need_matplotlib()
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


def own_look() -> AbstractContextManager[None]:
    """Return a context for figures of our own: the same whatever the caller's rcParams."""
    need_matplotlib()
    from matplotlib import style

    return style.context(["default", _LOOK])


def guest_look() -> AbstractContextManager[None]:
    """Return a context for axes of the caller's: our sizes, the caller's colours."""
    need_matplotlib()
    from matplotlib import style

    return style.context(_SIZES)


def save(figure: Figure, path: Path) -> Path:
    """Write a figure in the format of the path's ending."""
    from matplotlib import rc_context

    # Without dates and random ids, the same rows give the same file.
    dates: dict[str, dict[str, Any]] = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}
    form = path.suffix.removeprefix(".") or None
    with rc_context({"svg.hashsalt": "bayesvc"}), atomic_file(path) as file:
        figure.savefig(file, format=form, dpi=150, metadata=dates.get(path.suffix, {}))
    return path
