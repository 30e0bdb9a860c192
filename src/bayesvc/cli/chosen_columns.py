"""Choose the target and the columns to select from, and check them."""

from __future__ import annotations

import csv
import io
import math
import shlex
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from bayesvc._text import listed, quoted
from bayesvc.cli.errors import BadInput
from bayesvc.cli.event_column import check_times
from bayesvc.cli.table_file import column_parts, polars_or_refuse

if TYPE_CHECKING:
    import polars as pl

Response = Literal["auto", "continuous", "binary"]

MOST_CATEGORIES = 64  # of a categorical column, as in the sampler


@dataclass(frozen=True)
class ChosenColumns:
    """The columns to select from, the target, and what else `bayesvc.select` needs to know."""

    X: pl.LazyFrame
    y: pl.Series
    facts: ColumnFacts
    weights: pl.Series | None = None
    blocks: pl.Series | None = None
    groups: dict[str, list[str]] | None = None
    response: Response = "auto"
    event: pl.Series | None = None

    @cached_property
    def y_or_times(self) -> Any:
        """The response as `bayesvc.select` takes it."""
        if self.event is None:
            return self.y
        from bayesvc.responses.surv import Surv

        return Surv(self.y, self.event)

    @property
    def about_target(self) -> str:
        """What is known of censored times, after a comma; empty for any other target."""
        if self.event is None:
            return ""
        from bayesvc.responses.surv import censoring

        return f", {censoring(self.y_or_times.low, self.y_or_times.high)}"

    @cached_property
    def names(self) -> list[str]:
        """Names of the columns to select from."""
        return self.X.collect_schema().names()

    @property
    def about(self) -> dict[str, Any]:
        """Arguments of `bayesvc.select` besides X and y."""
        found = {
            "sample_weight": self.weights, "permute_within": self.blocks, "groups": self.groups,
            "response": self.response,
        }  # fmt: skip
        return {name: value for name, value in found.items() if value is not None}

    @property
    def notes(self) -> list[str]:
        """Sentences on how the columns are interpreted."""
        missing, texts = self.facts.missing, self.facts.texts
        found = []
        if self.response == "auto" and self.event is None and _two_numbers(self.y):
            low, high = self.y.unique().sort().to_list()
            found.append(
                f"the target {self.y.name!r} is {low:g} or {high:g} in every row and is treated "
                "as continuous. For two classes give --response binary."
            )
        if texts:
            found.append(f"{_columns(texts)} text and {_are(texts)} treated as categorical.")
        if n_missing := sum(missing.values()):
            names = list(missing)
            values = f"{n_missing:,} missing value{'' if n_missing == 1 else 's'}"
            found.append(
                f"{_columns(names)} {values}, which are not imputed; the trees handle them."
            )
        return found


def choose_columns(
    frame: pl.LazyFrame,
    target: str,
    features: Sequence[str] = (),
    exclude: Sequence[str] = (),
    *,
    ids: Sequence[str] = (),
    weights: str | None = None,
    blocks: str | None = None,
    groups: Mapping[str, Sequence[str]] | None = None,
    response: Response = "auto",
    event: str | None = None,
) -> ChosenColumns:
    """Return the target and the columns to select from, checked."""
    schema = frame.collect_schema()
    columns = schema.names()
    y = _read(frame, _known(schema, "--target", target))
    wanted = [_known(schema, "--features", name) for name in features] or columns
    others = {
        "--exclude": exclude, "--id-column": ids,
        "--weights": [] if weights is None else [weights],
        "--blocks": [] if blocks is None else [blocks],
        "--event": [] if event is None else [event],
    }  # fmt: skip
    left_out = {target}
    for option, names in others.items():
        if target in names:
            raise BadInput(
                f"{option} must not name the target. Got {target!r} instead. Name another column, "
                "or another --target."
            )
        left_out.update(_known(schema, option, name) for name in names)
    chosen = [name for name in wanted if name not in left_out]
    if not chosen:
        raise BadInput("No column is left to select from. Exclude fewer columns.")
    own_event = None if event is None else _read(frame, event)
    if own_event is None:
        check_target(y, response)
    else:
        check_times(y, own_event, response)
    if weights is not None and own_event is None and _has_classes(y, response):
        raise BadInput(
            f"--weights requires a continuous response, but the target {target!r} has two classes. "
            "Leave out --weights, or repeat rows instead."
        )
    X = frame.select(chosen)
    facts = check_predictors(X)
    own_groups = {
        name: [_known(chosen, f"--group {name}", column) for column in members]
        for name, members in (groups or {}).items()
    }
    own_weights = None if weights is None else _read(frame, weights)
    if own_weights is not None:
        _refuse_rounded(own_weights, "It holds the weights. Divide them by a constant.")
    own_blocks = None if blocks is None else _read(frame, blocks)
    return ChosenColumns(
        X, y, facts, own_weights, own_blocks, own_groups or None, response, own_event
    )


def check_target(y: pl.Series, response: Response = "auto") -> None:
    """Refuse a target with missing values, or that is neither numeric nor has two values."""
    pl = polars_or_refuse()
    for kind, count in (("missing", _missing), ("infinite", _infinite)):
        if number := count(y):
            rows, them = ("row", "it") if number == 1 else ("rows", "them")
            raise BadInput(f"The target {y.name!r} is {kind} in {number:,} {rows}. Delete {them}.")
    _refuse_rounded(y, "It is the target. Subtract a constant.")
    kinds = y.n_unique()
    if kinds == 1:
        raise BadInput(
            f"The target {y.name!r} must vary. It is {str(y[0])!r} in every row. Name another "
            "--target."
        )
    is_number = y.dtype.is_numeric() or y.dtype == pl.Boolean
    if response == "binary" and is_number and kinds > 2:
        raise BadInput(
            f"--response binary requires a target with two values. {y.name!r} has {kinds:,} values "
            f"such as {y[0]}. Merge them into two, or leave out --response."
        )
    if response == "continuous" and kinds == 2 and not is_number:
        raise BadInput(
            f"--response continuous requires a numeric target. {y.name!r} holds text such as "
            f"{str(y[0])!r}. Code it as numbers, or leave out --response."
        )
    if is_number or kinds == 2:
        return
    if _some_numbers(y):
        raise BadInput(
            f"The target {y.name!r} must hold numbers only. Got text such as {_first_text(y)}. "
            "Correct the file."
        )
    must, example = f"The target {y.name!r} must be numeric or have two classes.", str(y[0])
    if y.dtype.is_temporal():
        raise BadInput(
            f"{must} It holds dates or times such as {example!r}. Convert them to numbers, such as "
            "days since the first day."
        )
    if kinds > MOST_CATEGORIES:
        raise BadInput(
            f"{must} It has {kinds:,} different values such as {example!r}. Name another --target."
        )
    delete = "Delete the rows of one, or make" if kinds == 3 else "Make"
    raise BadInput(
        f"{must} It has {kinds} classes such as {example!r}. {delete} a column that compares one "
        "class with the rest."
    )


@dataclass(frozen=True)
class ColumnFacts:
    """What one look at all columns tells of them."""

    missing: Counter[str] = field(default_factory=Counter)
    infinite: Counter[str] = field(default_factory=Counter)
    constant: list[str] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    empty: list[str] = field(default_factory=list)
    mixed: list[str] = field(default_factory=list)
    free: dict[str, int] = field(default_factory=dict)
    """The number of different texts in columns of text that cannot be categorical."""
    ids: list[str] = field(default_factory=list)
    """Texts that differ in every row."""
    large: list[str] = field(default_factory=list)
    """Columns with integers that float64 may round."""

    def add(self, part: pl.DataFrame) -> None:
        """Look at some of the columns."""
        pl = polars_or_refuse()
        floats = part.select(column.name for column in part if column.dtype.is_float())
        numbers = part.select(column.name for column in part if column.dtype.is_numeric())
        low, high = _only_row(numbers.min()), _only_row(numbers.max())
        nulls = Counter(_only_row(part.null_count()))
        doubtful = floats.select(_not_proved_finite(floats))
        self.missing.update(nulls + Counter(_only_row(doubtful.select(pl.all().is_nan().sum()))))
        self.infinite.update(+Counter(_only_row(doubtful.select(pl.all().is_infinite().sum()))))
        for column in part:
            name = column.name
            if column.dtype == pl.String:
                self._add_text(column)
            elif (name in low and (low[name] is None or not low[name] < high[name])) or (
                column.dtype in (pl.Boolean, pl.Categorical, pl.Enum) and _is_constant(column)
            ):
                self.constant.append(name)
            if nulls[name] == part.height:
                self.empty.append(name)
            if _may_be_rounded(column):
                self.large.append(name)

    def _add_text(self, column: pl.Series) -> None:
        name, kinds = column.name, column.drop_nulls().n_unique()
        self.texts.append(name)
        if kinds <= 1:
            self.constant.append(name)
        if _some_numbers(column):
            self.mixed.append(name)
        if kinds > MOST_CATEGORIES or kinds == column.len() - column.null_count():
            self.free[name] = kinds
        if kinds == column.len():
            self.ids.append(name)


def check_predictors(X: pl.LazyFrame, *, is_new: bool = False) -> ColumnFacts:
    """Refuse columns that are neither numeric nor categorical, all of one kind at once.

    Text in new rows is not checked for its number of categories, as these are known already.
    """
    dates = [name for name, kind in X.collect_schema().items() if kind.is_temporal()]
    if dates:
        raise BadInput(
            f"{_start(dates)} dates or times. Convert them to numbers, such as days since the "
            f"first day, or leave them out: --exclude {_joined(dates)}"
        )
    facts = ColumnFacts()
    for part in column_parts(X):
        facts.add(part)
    if empty := facts.empty:
        raise BadInput(
            f"{_start(empty)} missing values only. Leave {_them(empty)} out: "
            f"--exclude {_joined(empty)}"
        )
    if mixed := facts.mixed:
        raise BadInput(
            f"{_start(mixed)} both numbers and text, such as {_first_text(_read(X, mixed[0]))} of "
            f"{mixed[0]!r}. Correct the file, or leave {_them(mixed)} out: "
            f"--exclude {_joined(mixed)}"
        )
    if free := ([] if is_new else list(facts.free)):
        example, kinds = str(_read(X, free[0]).drop_nulls()[0]), facts.free[free[0]]
        limit = f"and at most {MOST_CATEGORIES} can be categories"
        raise BadInput(
            f"{_start(free)} text that cannot be categorical. {free[0]!r} has {kinds:,} different "
            f"texts such as {example!r}, {limit if kinds > MOST_CATEGORIES else 'one per row'}. "
            + _free_text_remedy(free, facts.ids)
        )
    _refuse_some("infinite", facts.infinite, "Correct the file, or use --exclude {names}")
    for name in facts.large:
        remedy = f"Subtract a constant, or leave it out: --exclude {_joined([name])}"
        _refuse_rounded(_read(X, name), remedy)
    return facts


def _refuse_rounded(column: pl.Series, remedy: str) -> None:
    """Refuse integers that the sampler, which computes with float64, would round."""
    if _may_be_rounded(column):
        from bayesvc.data.exact import refuse_rounded

        refuse_rounded(f"Column {column.name!r}", column.to_list(), remedy)


def _may_be_rounded(column: pl.Series) -> bool:
    pl = polars_or_refuse()
    if column.dtype not in (pl.Int64, pl.UInt64, pl.Int128) and not column.dtype.is_decimal():
        return False
    from bayesvc.data.exact import is_large

    return is_large(column.cast(pl.Float64).to_numpy())


def _refuse_some(kind: str, counts: Mapping[str, int], remedy: str) -> None:
    """Refuse columns with values of one kind, missing or infinite."""
    names = [name for name, number in counts.items() if number]
    if names:
        total = sum(counts.values())
        values = f"{total:,} {kind} value{'' if total == 1 else 's'}"
        raise BadInput(f"{_start(names)} {values}. {remedy.format(names=_joined(names))}")


def _free_text_remedy(free: Sequence[str], ids: Sequence[str]) -> str:
    """Say what to do with columns of free text; some of them may identify the rows."""
    remedy = (
        f"erge categories, code them as numbers, or leave {_them(free)} out: "
        f"--exclude {_joined(free)}"
    )
    if not ids:
        return f"M{remedy}"
    who = "it only identifies" if len(ids) == 1 else "they only identify"
    return f"If {who} the rows, give --id-column {_joined(ids)}. Otherwise m{remedy}"


def _has_classes(y: pl.Series, response: Response) -> bool:
    from bayesvc.responses.encode import encode_y  # which takes its time to load

    return encode_y(y, response).classes is not None


def _two_numbers(y: pl.Series) -> bool:
    """Return whether a target has two values that are treated as continuous."""
    return y.dtype.is_numeric() and y.n_unique() == 2 and not _has_classes(y, "auto")


def _infinite(column: pl.Series) -> int:
    return int(column.is_infinite().sum()) if column.dtype.is_float() else 0


def _missing(column: pl.Series) -> int:
    return column.null_count() + (int(column.is_nan().sum()) if column.dtype.is_float() else 0)


def _some_numbers(column: pl.Series) -> bool:
    pl = polars_or_refuse()
    if column.dtype != pl.String:
        return False
    numbers = _as_numbers(column)
    return numbers.len() - numbers.null_count() > 0.5 * column.len()


def _as_numbers(column: pl.Series) -> pl.Series:
    pl = polars_or_refuse()
    return column.str.strip_chars().cast(pl.Float64, strict=False)


def _first_text(column: pl.Series) -> str:
    """Return the first text among numbers, and its row."""
    place = (_as_numbers(column).is_null() & column.is_not_null()).arg_max() or 0
    return f"{column[place]!r} in row {place + 1}"


def _is_constant(column: pl.Series) -> bool:
    return column.drop_nulls().n_unique() <= 1


def _not_proved_finite(floats: pl.DataFrame) -> list[str]:
    """Return the columns whose sum does not prove that every value is finite or null."""
    sums = _only_row(floats.sum())
    return [name for name, total in sums.items() if total is None or not math.isfinite(total)]


def _only_row(frame: pl.DataFrame) -> dict[str, Any]:
    return frame.row(0, named=True) if frame.width else {}


def _read(frame: pl.LazyFrame, name: str) -> pl.Series:
    return frame.select(name).collect().to_series()


def _known(names: Collection[str], option: str, name: str) -> str:
    if name in names:
        return name
    import difflib

    close = difflib.get_close_matches(name, names, 1)
    hint = f"Did you mean {close[0]!r}?" if close else f"Columns: {listed(list(names), 20)}."
    raise BadInput(f"{option} must name a column of the table. Got {name!r} instead. {hint}")


def _columns(names: Sequence[str]) -> str:
    shown = quoted(names, 8)
    return f"column {shown} holds" if len(names) == 1 else f"columns {shown} hold"


def _start(names: Sequence[str]) -> str:
    """Begin a sentence about these columns."""
    return f"C{_columns(names)[1:]}"


def _are(names: Sequence[str]) -> str:
    return "is" if len(names) == 1 else "are"


def _them(names: Sequence[str]) -> str:
    return "it" if len(names) == 1 else "them"


def _joined(names: Sequence[str]) -> str:
    """Return names as an option takes them, quoted for CSV and for the shell."""
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow(names[:20])
    return shlex.quote(line.getvalue()) + (",..." if len(names) > 20 else "")
