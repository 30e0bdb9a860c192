"""Notes on the data of a selection: what to check in them, or to change.

They cost little: the values of a few columns are read, and the others are judged by their names and
by how often their values occur.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from scipy.stats import rankdata

from bayesvc._text import listed
from bayesvc._typing import BoolArray, ColumnName, FloatArray, IntArray
from bayesvc.exceptions import Note
from bayesvc.priors.base import TreePrior
from bayesvc.responses.base import EncodedResponse, Response
from bayesvc.responses.shape import is_skewed
from bayesvc.selection.notes import FEW_ROWS

if TYPE_CHECKING:
    from bayesvc.data.dataset import Dataset
    from bayesvc.selection.result import Selection

_MOST_SELECTED = 20  # columns that are compared with y, the most important ones
_MOST_ROWS = 20_000  # in which they are compared
_MOST_CATEGORICAL = 1_000  # columns whose categories are counted
_MOST_NAMES = 5

_EXACT, _NEARLY = 0.999, 0.97  # rank correlations; those of strong predictors are smaller
_FEW_OTHERS = 10  # rows whose y is not the most common one; with fewer a column may fit by chance
_RARE = 5  # rows
_MOST_CLASSES = 10  # distinct values of y

_IDENTIFIER = re.compile(r"(?i:(?<![a-z])(?:id|identifier|uuid)(?![a-z]))|(?<=[a-z])I[Dd](?![a-z])")
_TIME = re.compile(r"(?i)(?<![a-z])(?:date|day|hour|minute|month|second|time|week|year|t)(?![a-z])")
_CENSORING = re.compile(
    r"(?i)(?<![a-z])(?:censor(?:ed|ing)?|dead|death|died)(?![a-z])"
    r"|^(?:(?:dfs|os|pfs|vital)[ _.])?(?:delta|event|status)(?:[ _.](?:indicator|observed))?$"
)

Reasons = Mapping[int, str]
"""Why a note names a column, by its position."""


def with_data_notes(
    selections: Iterable[Selection], data: Dataset, response: str | Response = "auto"
) -> list[Selection]:
    """Return selections from the same data with notes on these; `response` as in `select`.

    Examples
    --------
    >>> import numpy as np
    >>> import bayesvc as bv
    >>> from bayesvc.responses.read import read_dataset
    >>> from bayesvc.selection.data_notes import with_data_notes
    >>> rng = np.random.default_rng(0)
    >>> X, y = rng.uniform(size=(60, 3)), rng.integers(3, size=60)
    >>> draws = bv.sample(X, y, n_replicates=2, burn_in=50, n_draws=50, random_state=0)
    >>> (found,) = with_data_notes([bv.select_from(draws)], read_dataset(X, y))
    >>> found.data_notes[0].code
    'class-codes'
    """
    if data.n_rows < FEW_ROWS:
        return list(selections)
    sizes = _category_sizes(data)
    identifiers = _identifiers(data, sizes)
    sizes = {j: rows for j, rows in sizes.items() if j not in identifiers}
    rare = _rare_values(data, sizes)

    def notes_on(found: Selection) -> tuple[Note, ...]:
        target = found.target
        codes = _class_codes(data.y, response, target)
        return _told(*_on_selected(found, data, identifiers), _censoring(data, target), codes, rare)

    return [replace(found, data_notes=notes_on(found)) for found in selections]


def _told(*notes: Note | None) -> tuple[Note, ...]:
    return tuple(note for note in notes if note is not None)


def _is_continuous(y: EncodedResponse) -> bool:
    """Tell whether y was fitted as numbers."""
    return y.model.is_numeric and y.model.has_noise_variance


def _column(data: Dataset, j: int) -> FloatArray:
    return data.X.source.block(j, j + 1)[:, 0]


def _on_selected(
    selection: Selection, data: Dataset, identifiers: Reasons
) -> tuple[Note | None, ...]:
    """Return notes on the selected columns, and on y as the prior takes it."""
    order = selection.indices[np.argsort(selection.ranks[selection.indices], kind="stable")]
    columns = [j for variable in order for j in data.schema.variables[variable][1]]
    identifiers, leaks, target = dict(identifiers), {}, selection.target
    for j in columns[:_MOST_SELECTED]:
        if j in identifiers:
            continue
        values = _column(data, j)
        if _numbers_rows(values) and not _TIME.search(str(data.schema.names[j])):
            identifiers[j] = "it numbers the rows in their order"
        elif how := _determines(values, data.y, target, is_categorical=j in data.schema.categories):
            leaks[j] = how
    names = data.schema.names
    prior = selection.method.prior
    return (
        _leak(leaks, names, target), _identifier(identifiers, names),
        _constant_in_blocks(data, columns[:_MOST_SELECTED]), _skewed(prior, data.y, target),
    )  # fmt: skip


def _numbers_rows(values: FloatArray) -> bool:
    """Tell whether a column counts the rows, upwards or downwards."""
    with np.errstate(over="ignore"):
        steps = np.diff(values)
    return bool(values[0] % 1 == 0 and abs(steps[0]) == 1 and (steps == steps[0]).all())


def _determines(
    values: FloatArray, y: EncodedResponse, target: str, *, is_categorical: bool
) -> tuple[str, bool] | None:
    """Return by what a column alone tells y, and whether almost exactly; None if it does not."""
    step = -(-len(values) // _MOST_ROWS)
    values, own = values[::step], y.values[::step]
    if y.classes is None:
        known = ~np.isnan(values)
        values, own = values[known], own[known]
    if len(own) < FEW_ROWS or len(own) - _largest_count(own) < _FEW_OTHERS:
        return None
    if is_categorical:
        tells = _categories_tell(values, own)
        return (f"each category has one value of {target}", True) if tells else None
    if y.classes is not None:
        return ("it separates the two classes", True) if _separates(values, own == 1) else None
    if values.min() == values.max():
        return None
    correlation = np.corrcoef(rankdata(values), rankdata(own))[0, 1]
    if abs(correlation) < _NEARLY:
        return None
    is_exact = bool(abs(correlation) >= _EXACT)
    return f"rank correlation {correlation:{'.2f' if is_exact else '.3g'}}", is_exact


def _largest_count(values: FloatArray) -> int:
    return int(np.unique(values, return_counts=True)[1].max())


def _categories_tell(values: FloatArray, y: FloatArray) -> bool:
    """Tell whether y hardly varies within categories, of which there are few."""
    codes, ranks = values.astype(np.intp), rankdata(y)
    rows = np.bincount(codes)
    if len(codes) < _FEW_OTHERS * np.count_nonzero(rows):
        return False
    within = ranks - (np.bincount(codes, ranks) / np.maximum(rows, 1))[codes]
    return bool(within.var() <= (1 - _EXACT) * ranks.var())


def _separates(values: FloatArray, is_one: BoolArray) -> bool:
    """Tell whether a value, or being missing, tells the class of every row."""
    missing = np.isnan(values)
    if len(np.unique(is_one[missing])) == 2:
        return False
    ones, others = values[~missing & is_one], values[~missing & ~is_one]
    if not (len(ones) and len(others)):
        return True
    return bool(ones.max() < others.min() or others.max() < ones.min())


def _leak(
    leaks: Mapping[int, tuple[str, bool]], names: tuple[ColumnName, ...], target: str
) -> Note | None:
    texts = []
    for exact in (True, False):
        reasons = {j: why for j, (why, is_exact) in leaks.items() if is_exact == exact}
        how = f"determines {target} almost exactly" if exact else f"almost determines {target}"
        if len(reasons) == 1:
            texts.append(f"{_with_reasons(reasons, names, f' alone {how}')}.")
            remedy = (
                f"If it was derived from {target}, or is known only after {target}, leave it out."
                if exact
                else f"Check that it is not derived from {target}, nor known only after {target}."
            )
            texts.append(remedy)
        elif reasons:
            texts.append(
                f"Each of these columns alone {how}: {_with_reasons(reasons, names)}. Leave out "
                f"those that were derived from {target}, or are known only after {target}."
            )
    return Note("leak", "warning", " ".join(texts)) if texts else None


def _constant_in_blocks(data: Dataset, selected: Iterable[int]) -> Note | None:
    """Return a note on selected columns that permutations within blocks say nothing about."""
    if data.blocks is None:
        return None
    first = np.unique(data.blocks, return_index=True)[1]
    constant = []
    for j in selected:
        values = _column(data, j)
        same = (values == values[first][data.blocks]) | np.isnan(values)
        if same.all():
            constant.append(data.schema.names[j])
    if not constant:
        return None
    text = (
        f"{listed(constant, _MOST_NAMES)} does not vary within the blocks, so the signal test says "
        "nothing about it, and other properties of the blocks may explain it as well."
        if len(constant) == 1
        else f"{listed(constant, _MOST_NAMES)} do not vary within the blocks, so the signal test "
        "says nothing about them, and other properties of the blocks may explain them as well."
    )
    return Note("constant-in-blocks", "warning", text)


def _identifier(reasons: Reasons, names: tuple[ColumnName, ...]) -> Note | None:
    if not reasons:
        return None
    text = (
        f"{_with_reasons(reasons, names)} looks like an identifier. Leave it out, unless it "
        "measures something."
        if len(reasons) == 1
        else f"These columns look like identifiers: {_with_reasons(reasons, names)}. Leave them "
        "out, unless they measure something."
    )
    return Note("identifier", "warning", text)


def _with_reasons(reasons: Reasons, names: tuple[ColumnName, ...], verb: str = "") -> str:
    return listed([f"{names[j]}{verb} ({why})" for j, why in reasons.items()], _MOST_NAMES)


def _skewed(prior: TreePrior | None, y: EncodedResponse, target: str) -> Note | None:
    """Return a note if a prior without transform, and with normal errors, takes a skewed y."""
    if prior is None or (prior.transform, prior.errors) != (None, "gaussian"):
        return None
    if not _is_continuous(y) or not is_skewed(y.values):
        return None
    text = (
        f"{target} is skewed, and was fitted as it is with normal errors. Use method "
        "'dart-relevance', or DART or BART with transform='auto', which fits normal scores of "
        f"{target}."
    )
    return Note("skewed", "info", text)


def _category_sizes(data: Dataset) -> dict[int, IntArray]:
    """Return how often each category occurs, for every categorical column."""
    columns = list(data.schema.categories)[:_MOST_CATEGORICAL]
    sizes = {j: np.bincount(_column(data, j).astype(np.intp)) for j in columns}
    return {j: rows[rows > 0] for j, rows in sizes.items()}


def _identifiers(data: Dataset, sizes: Mapping[int, IntArray]) -> dict[int, str]:
    """Return the columns whose name or categories tell the rows apart."""
    n = data.n_rows
    found = {
        j: f"{len(rows)} categories in {n} rows" for j, rows in sizes.items() if len(rows) > 0.9 * n
    }
    names = enumerate(map(str, data.schema.names))
    for j in [j for j, name in names if j not in sizes and _IDENTIFIER.search(name)]:
        values = _column(data, j)
        if (values % 1 == 0).all() and len(np.unique(values)) == n:
            found[j] = "a different whole number in every row"
    return found


def _class_codes(y: EncodedResponse, response: str | Response, target: str) -> Note | None:
    """Return a note if y may hold numbers of classes, and `response` does not say what it is."""
    if not _is_continuous(y) or not isinstance(response, str) or response != "auto":
        return None
    values = np.unique(y.values)
    low, high = values[0], values[-1]
    if not 2 <= len(values) <= _MOST_CLASSES or len(y.values) < _RARE * len(values):
        return None
    if len(values) == 2:
        text = (
            f"{target} has only the values {low:g} and {high:g} and was fitted as a number. If "
            "they are two classes, pass response='binary'."
        )
        return Note("class-codes", "info", text)
    if low not in (0, 1) or (values != np.arange(low, low + len(values))).any():
        return None
    text = (
        f"{target} holds only whole numbers from {low:.0f} to {high:.0f}, and was fitted as "
        "numbers in this order. If they are counts or grades, say so with response='continuous'. "
        "If they are classes without an order, select for each class against the rest, for example "
        f"with {target} == {high:.0f} as the response."
    )
    return Note("class-codes", "info", text)


def _censoring(data: Dataset, target: str) -> Note | None:
    """Return a note if y may be times, and a column may tell which of them are censored."""
    y = data.y
    if not _is_continuous(y) or y.values.min() < 0 or len(np.unique(y.values)) <= _MOST_CLASSES:
        return None
    for j, name in enumerate(map(str, data.schema.names)):
        if _CENSORING.search(name):
            values = _column(data, j)
            if len(np.unique(values[~np.isnan(values)])) == 2:
                text = (
                    f"{name} looks like the indicator of an event. If {target} is the time to "
                    "this event, do not rely on the selection: every time was treated as observed, "
                    f"also a censored one. Leave {name} out of X and pass "
                    f"y=bayesvc.Surv(time, event) (--event {name})."
                )
                return Note("censoring", "warning", text)
    return None


def _rare_values(data: Dataset, sizes: Mapping[int, IntArray]) -> Note | None:
    """Return a note on columns half of whose values, or more, occur in few rows.

    These are categorical columns, and those of two numbers that are a variable of their own.
    """
    rare = [j for j, rows in sizes.items() if np.mean(rows < _RARE) >= 0.5 and len(rows) > 1]
    columns = data.encoded.columns
    two = (columns.n_distinct() == 2) & (data.n_rows - columns.max_ties() < _RARE)
    variables = [data.schema.variables[k][1] for k in np.flatnonzero(two)]
    others = data.schema.missing | data.schema.categories.keys()
    rare += [own[0] for own in variables if len(own) == 1 and own[0] not in others]
    if not rare:
        return None
    what, have = ("Column", "has") if len(rare) == 1 else ("Columns", "have")
    names = listed([data.schema.names[j] for j in sorted(rare)], _MOST_NAMES)
    text = (
        f"{what} {names} {have} values that occur in fewer than {_RARE} rows, too few to show an "
        f"effect. Merge these values with others, or leave the {what.lower()} out."
    )
    return Note("rare-values", "info", text)
