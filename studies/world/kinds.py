"""The kinds of tables, and what each half of the world is made of.

A `Kind` says from which families its tables draw. A half has functions, kinds of dependence,
margins and responses of its own (`POOLS`); what both share is listed in the README.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

PARTS = ("learn", "judge")
Names = tuple[str, ...]
Range = tuple[float, float]


@dataclass(frozen=True)
class Pool:
    """What the tables of a half are drawn from where their kind does not say more."""

    functions: Names
    dependences: Names  # besides independence
    margins: Names
    responses: Names
    missing: str


POOLS = {
    "learn": Pool(
        functions=(
            "linear", "smooth", "bumps", "steps", "friedman 1", "products",
            "sign products of two", "one tree", "network", "weak linear", "dominating linear",
            "extremes",
        ),
        dependences=("autoregressive", "blocks", "curved"),
        margins=(
            "normal", "uniform", "t", "zero-inflated", "counts", "two-valued",
            "two-valued, rare", "few levels",
        ),
        responses=(
            "normal", "noiseless", "t errors", "outliers", "lognormal y", "spread by distance",
            "counts", "binary", "binary, uneven",
        ),
        missing="at random",
    ),
    "judge": Pool(
        functions=(
            "hinges", "wiggles", "periodic", "ratios", "friedman 2 and 3", "saturating",
            "sign products of three", "wave products", "radial", "boxes", "gaussian process",
            "many trees", "polynomials", "weak saturating", "dominating wave", "multiplicative",
        ),
        dependences=("factors", "moving average", "near-copies"),
        margins=(
            "normal", "uniform from 1", "lognormal", "two humps", "grid", "two-valued",
            "two-valued, rare", "many levels",
        ),
        responses=(
            "normal", "noiseless", "laplace errors", "very heavy errors", "one-sided outliers",
            "skewed errors", "gamma y", "power of y", "spread by signal", "few values",
            "binary, threshold", "binary, rare",
        ),
        missing="by value",
    ),
}  # fmt: skip

PLAIN_MARGINS = {"learn": ("normal", "uniform"), "judge": ("normal", "uniform from 1")}
# Functions of which a few hundred rows show every column, for kinds that ask about something else.
CLEAR = {
    "learn": ("linear", "smooth", "steps", "friedman 1", "products"),
    "judge": ("hinges", "saturating", "ratios", "many trees", "periodic"),
}


@dataclass(frozen=True)
class Kind:
    """A kind of table. Ranges are of uniform draws, of n and p on the logarithmic scale.

    `relevant` is a range of numbers of columns; with `relative`, of proportions of p. Fields
    that are None are drawn from the pool of the half. `margins_per_column` draws a margin for
    each column instead of one for all.
    """

    n: Range = (200, 1000)
    p: Range = (8, 400)
    relevant: Range = (2, 8)
    relative: bool = False
    r2: Range = (0.6, 0.95)
    functions: Names | None = None
    dependences: Names | None = None  # independent for one half of the tables, else of the pool
    margins: Names | None = None  # the plain ones of the half
    responses: Names | None = ("normal",)
    margins_per_column: bool = False
    missing: float = 0.0  # proportion of columns with missing values
    only: str | None = None  # the half it belongs to; None: both, from different pools


def _f(*names: str, part: str, **changes: object) -> Kind:
    return replace(Kind(functions=names, only=part), **changes)  # type: ignore[arg-type]


def _d(name: str, part: str, **changes: object) -> Kind:
    return replace(Kind(dependences=(name,), only=part), **changes)  # type: ignore[arg-type]


def _y(*names: str, part: str | None = None, **changes: object) -> Kind:
    return replace(Kind(responses=names, only=part), **changes)  # type: ignore[arg-type]


_MANY_ROWS: dict[str, Range] = {"n": (600, 2500), "p": (6, 40)}
_BINARY_ROWS: dict[str, Range] = {"n": (400, 2000), "p": (10, 80), "relevant": (2, 6)}

# Kinds that belong to a half by what they ask about.
_OF_ONE_HALF = {
    "linear": _f("linear", part="learn"),
    "smooth additive": _f("smooth", part="learn"),
    "bumps": _f("bumps", part="learn"),
    "steps": _f("steps", part="learn"),
    "friedman 1": _f("friedman 1", part="learn"),
    "products": _f("products", "extremes", part="learn"),
    "sign products of two": _f("sign products of two", part="learn", relevant=(2, 4), **_MANY_ROWS),
    "one tree": _f("one tree", part="learn", relevant=(2, 6)),
    "network": _f("network", part="learn", n=(400, 2000), relevant=(2, 6)),
    "many weak, linear": _f("weak linear", part="learn", n=(500, 3000), relevant=(15, 30)),
    "one dominating, linear": _f("dominating linear", part="learn", n=(400, 2000), r2=(0.8, 0.99)),
    "autoregressive columns": _d("autoregressive", "learn"),
    "blocks of columns": _d("blocks", "learn"),
    "curved dependence": _d("curved", "learn"),
    "t errors": _y("t errors", part="learn"),
    "outliers": _y("outliers", part="learn"),
    "lognormal y": _y("lognormal y", part="learn"),
    "spread by distance": _y("spread by distance", part="learn"),
    "counts": _y("counts", part="learn"),
    "hinges": _f("hinges", part="judge"),
    "wiggles": _f("wiggles", part="judge", n=(300, 1500)),
    "periodic": _f("periodic", part="judge", n=(300, 1500), relevant=(2, 5)),
    "ratios": _f("ratios", part="judge"),
    "friedman 2 and 3": _f("friedman 2 and 3", part="judge"),
    "sign products of three": _f(
        "sign products of three", part="judge", relevant=(3, 3), n=(800, 3000), p=(4, 20)
    ),
    "wave products": _f("wave products", part="judge", relevant=(2, 4), **_MANY_ROWS),
    "radial": _f("radial", part="judge", relevant=(2, 6)),
    "boxes": _f("boxes", part="judge", relevant=(2, 6)),
    "gaussian process": _f("gaussian process", part="judge", n=(400, 2000), relevant=(2, 5)),
    "many trees": _f("many trees", part="judge"),
    "polynomials": _f("polynomials", part="judge", relevant=(2, 6)),
    "multiplicative": _f("multiplicative", part="judge", relevant=(2, 6)),
    "many weak, saturating": _f("weak saturating", part="judge", n=(500, 3000), relevant=(15, 30)),
    "one dominating, wave": _f("dominating wave", part="judge", n=(400, 2000), r2=(0.8, 0.99)),
    "factor model": _d("factors", "judge"),
    "moving average columns": _d("moving average", "judge"),
    "near-copies": _d("near-copies", "judge"),
    "laplace and very heavy errors": _y("laplace errors", "very heavy errors", part="judge"),
    "one-sided outliers": _y("one-sided outliers", part="judge"),
    "skewed errors": _y("skewed errors", part="judge"),
    "gamma y": _y("gamma y", part="judge"),
    "power of y": _y("power of y", part="judge"),
    "spread by signal": _y("spread by signal", part="judge"),
    "few values of y": _y("few values", part="judge"),
    "binary, rare": _y("binary, rare", part="judge", **_BINARY_ROWS),
}

# Kinds that both halves have, each from functions, margins and dependence of its own.
_OF_BOTH = {
    "binary": _y("binary", "binary, threshold", part=None, **_BINARY_ROWS),
    "two-valued columns": Kind(margins=("two-valued",), p=(6, 60), relevant=(2, 6)),
    "rare two-valued columns": Kind(
        margins=("two-valued, rare",), n=(400, 2000), p=(6, 60), relevant=(2, 6)
    ),
    "categorical columns": Kind(margins=("levels",), n=(300, 2000), p=(5, 40), relevant=(2, 5)),
    "missing values": Kind(n=(300, 1500), missing=0.7, relevant=(2, 6)),
    "skewed columns": Kind(margins=("skewed",)),
    "mixed columns": Kind(
        margins=("all",), margins_per_column=True, n=(300, 2000), p=(8, 80), missing=0.2
    ),
    "all relevant, 2 to 8 columns": Kind(p=(2, 8), relevant=(1, 1), relative=True),
    "all relevant, 9 to 20 columns": Kind(
        p=(9, 20), relevant=(1, 1), relative=True, n=(500, 3000), r2=(0.8, 0.97)
    ),
    "half relevant": Kind(
        p=(4, 40), relevant=(0.4, 0.6), relative=True, n=(400, 2500), r2=(0.8, 0.97)
    ),
    "few columns, one relevant": Kind(p=(2, 8), relevant=(1, 1)),
    "wide": Kind(n=(60, 100), p=(1000, 2000), relevant=(2, 4), r2=(0.8, 0.8)),
    "very wide": Kind(n=(150, 600), p=(1000, 5000), relevant=(2, 6)),
    "many rows": Kind(n=(2000, 5000), p=(10, 100)),
    "noiseless": Kind(responses=("noiseless",), relevant=(2, 6)),
    "weak signal": Kind(n=(500, 3000), r2=(0.15, 0.4), relevant=(1, 4)),
    "noise": Kind(n=(100, 600), p=(5, 500), relevant=(0, 0), responses=None),
}

# Whether two columns are told apart is what these ask about, so other kinds do not have them.
ONLY_WHERE_NAMED = ("near-copies",)

# All attributes at random, from everything that the half has.
MIXTURE = Kind(
    n=(30, 5000), p=(2, 5000), relevant=(0, 1), relative=True, r2=(0.1, 0.99),
    margins=("all",), responses=None, margins_per_column=True, missing=0.1,
)  # fmt: skip

KINDS: dict[str, Kind] = {**_OF_ONE_HALF, **_OF_BOTH, "mixture": MIXTURE}
NOISE_COLUMNS = (5, 10, 60, 500)  # of the kind "noise", in turn

# Kinds of responses that criterion 4 is about, and the rows of criterion 6.
AWKWARD = (
    "laplace and very heavy errors", "one-sided outliers", "skewed errors", "gamma y", "power of y",
)  # fmt: skip
TYPED = (
    "binary", "binary, rare", "two-valued columns", "rare two-valued columns",
    "categorical columns", "missing values", "mixed columns",
)  # fmt: skip


def kinds_of(part: str) -> list[str]:
    """Return the names of the kinds of a half."""
    return [name for name, kind in KINDS.items() if kind.only in (None, part)]
