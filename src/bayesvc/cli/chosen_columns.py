"""From a table to predictors and a target, with every column accounted for."""

from __future__ import annotations

import csv
import difflib
import io
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from bayesvc.cli.errors import BadInput
from bayesvc.cli.table_file import polars_or_refuse

if TYPE_CHECKING:
    import polars as pl

Response = Literal["auto", "continuous", "binary"]

MOST_CATEGORIES = 64  # of a column, as in the sampler


@dataclass(frozen=True)
class Chosen:
    """Predictors and target; and what else `bayesvc.select` is told about rows and columns."""

    X: pl.DataFrame
    y: pl.Series
    weights: pl.Series | None = None
    blocks: pl.Series | None = None
    groups: dict[str, list[str]] | None = None
    response: Response = "auto"

    @property
    def about(self) -> dict[str, Any]:
        """The arguments of `bayesvc.select` besides X and y."""
        found = {
            "sample_weight": self.weights, "permute_within": self.blocks, "groups": self.groups,
            "response": self.response,
        }  # fmt: skip
        return {name: value for name, value in found.items() if value is not None}

    @property
    def notes(self) -> list[str]:
        """What a reader should know of how the columns were taken."""
        pl = polars_or_refuse()
        texts = [name for name, kind in self.X.schema.items() if kind == pl.String]
        gaps = {column.name: _missing(column) for column in self.X}
        found = []
        if self.response == "auto" and _two_numbers(self.y):
            low, high = self.y.unique().sort().to_list()
            found.append(
                f"the target {self.y.name!r} is {low:g} or {high:g} in every row, taken as "
                "numbers; for two classes give --response binary"
            )
        if texts:
            found.append(f"{_columns(texts)} text, taken as categories")
        if n_missing := sum(gaps.values()):
            names = [name for name, count in gaps.items() if count]
            found.append(f"{_columns(names)} {n_missing:,} missing values, taken as they are")
        return found


def choose(
    frame: pl.DataFrame,
    target: str,
    features: Sequence[str] = (),
    exclude: Sequence[str] = (),
    *,
    ids: Sequence[str] = (),
    weights: str | None = None,
    blocks: str | None = None,
    groups: Mapping[str, Sequence[str]] | None = None,
    response: Response = "auto",
) -> Chosen:
    """Take the target and the predictors from a table, or say what is wrong with them."""
    y = frame[_known(frame, "--target", target)]
    wanted = [_known(frame, "--features", name) for name in features] or frame.columns
    others = {
        "--exclude": exclude, "--id-column": ids,
        "--weights": [] if weights is None else [weights],
        "--blocks": [] if blocks is None else [blocks],
    }  # fmt: skip
    left_out = {target}
    for option, names in others.items():
        if target in names:
            raise BadInput(
                f"{option} {target!r} is the target; name another column, or another --target"
            )
        left_out.update(_known(frame, option, name) for name in names)
    X = frame.select(name for name in wanted if name not in left_out)
    if X.width == 0:
        raise BadInput("no column is left to predict the target from; exclude fewer")
    check_target(y, response)
    if weights is not None and _is_binary(y, response):
        raise BadInput(
            f"--weights {weights!r} needs a target of numbers, but {target!r} has two classes; "
            "leave it out, or repeat rows instead"
        )
    check_predictors(X)
    pooled = {
        name: [_known(X, f"--group {name}", column) for column in columns]
        for name, columns in (groups or {}).items()
    }
    own_weights = None if weights is None else frame[weights]
    own_blocks = None if blocks is None else frame[blocks]
    return Chosen(X, y, own_weights, own_blocks, pooled or None, response)


def check_target(y: pl.Series, response: Response = "auto") -> None:
    """Refuse a target that is neither numeric nor two-valued, or has gaps."""
    pl = polars_or_refuse()
    for kind, count in (("missing", _missing), ("infinite", _infinite)):
        _refuse_some(y.to_frame(), kind, count, "this is the target: delete these rows")
    kinds = y.n_unique()
    if kinds == 1:
        raise BadInput(
            f"the target {y.name!r} is {str(y[0])!r} in every row; there is nothing to explain"
        )
    is_number = y.dtype.is_numeric() or y.dtype == pl.Boolean
    if response == "binary" and is_number and kinds > 2:
        raise BadInput(
            f"--response binary, but the target {y.name!r} has {kinds:,} values such as {y[0]}; "
            "merge them into two, or leave out --response"
        )
    if response == "continuous" and kinds == 2 and not is_number:
        raise BadInput(
            f"--response continuous, but the target {y.name!r} holds text such as {str(y[0])!r}; "
            "code it as numbers, or leave out --response"
        )
    if is_number or kinds == 2:
        return
    if _some_numbers(y):
        raise BadInput(
            f"the target {y.name!r} holds numbers and text, such as {_first_text(y)}; correct it"
        )
    raise BadInput(
        f"the target {y.name!r} is neither numeric nor two-valued: it has {kinds} values such as "
        f"{str(y[0])!r}; name a column of numbers or of two classes"
    )


def check_predictors(X: pl.DataFrame, *, is_new: bool = False) -> None:
    """Refuse columns that are neither numbers nor categories, all at once and with what to do.

    Of new rows the categories are known, and there may be as few as one row.
    """
    pl = polars_or_refuse()
    dates = [name for name, kind in X.schema.items() if kind.is_temporal()]
    if dates:
        raise BadInput(
            f"{_columns(dates)} dates or times; turn them into numbers, such as days since a "
            f"first day, or leave them out: --exclude {_joined(dates)}"
        )
    empty = [name for name in X.columns if X[name].null_count() == X.height]
    if empty:
        raise BadInput(f"{_columns(empty)} nothing; leave it out: --exclude {_joined(empty)}")
    texts = [name for name, kind in X.schema.items() if kind == pl.String]
    mixed = [name for name in texts if _some_numbers(X[name])]
    if mixed:
        raise BadInput(
            f"{_columns(mixed)} numbers and text, such as {_first_text(X[mixed[0]])} of "
            f"{mixed[0]!r}; correct them, or leave them out: --exclude {_joined(mixed)}"
        )
    free = [name for name in texts if not is_new and _is_free_text(X[name].drop_nulls())]
    if free:
        example = str(X[free[0]].drop_nulls()[0])
        ids = [name for name in free if X[name].n_unique() == X.height]
        named = f"if they only name the rows give --id-column {_joined(ids)}; else " if ids else ""
        raise BadInput(
            f"{_columns(free)} text that is no category, such as {example!r} in {free[0]!r}: it "
            f"differs in every row, or has more than {MOST_CATEGORIES} values; {named}merge them, "
            f"code them as numbers, or leave them out: --exclude {_joined(free)}"
        )
    _refuse_some(X, "infinite", _infinite, "correct it, or leave it out: --exclude {names}")


def _refuse_some(
    columns: pl.DataFrame, kind: str, count: Callable[[pl.Series], int], remedy: str
) -> None:
    """Refuse columns where some values are of a kind."""
    counts = {column.name: count(column) for column in columns}
    names = [name for name, number in counts.items() if number]
    if names:
        total = sum(counts.values())
        values = f"{total:,} {kind} value{'' if total == 1 else 's'}"
        raise BadInput(f"{_columns(names)} {values}; {remedy.format(names=_joined(names))}")


def _is_free_text(texts: pl.Series) -> bool:
    return texts.n_unique() == texts.len() or texts.n_unique() > MOST_CATEGORIES


def _is_binary(y: pl.Series, response: Response) -> bool:
    from bayesvc.responses.encode import encode_y  # which takes its time to load

    return encode_y(y, response).response == "binary"


def _two_numbers(y: pl.Series) -> bool:
    """Whether a target of two values is taken as continuous."""
    return y.dtype.is_numeric() and y.n_unique() == 2 and not _is_binary(y, "auto")


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


def _known(frame: pl.DataFrame, option: str, name: str) -> str:
    if name in frame.columns:
        return name
    close = difflib.get_close_matches(name, frame.columns, 1)
    hint = f"did you mean {close[0]!r}?" if close else f"the columns are {_joined(frame.columns)}"
    raise BadInput(f"{option} {name!r} is no column of the table; {hint}")


def _columns(names: Sequence[str]) -> str:
    shown = ", ".join(repr(name) for name in names[:8]) + (", ..." if len(names) > 8 else "")
    return f"column {shown} holds" if len(names) == 1 else f"columns {shown} hold"


def _joined(names: Sequence[str]) -> str:
    """Return names as an option takes them, in the quotes that csv and the shell ask for."""
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow(names[:20])
    return shlex.quote(line.getvalue()) + (",..." if len(names) > 20 else "")
