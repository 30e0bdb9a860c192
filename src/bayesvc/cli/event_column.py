"""Survival times, and the column that tells where the event was observed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayesvc._text import quoted
from bayesvc.cli.errors import BadInput
from bayesvc.cli.table_file import polars_or_refuse

if TYPE_CHECKING:
    import polars as pl


def check_times(y: pl.Series, event: pl.Series, response: str = "auto") -> None:
    """Refuse survival times that are not positive numbers, and events that are not 0 or 1."""
    pl = polars_or_refuse()
    if response != "auto":
        raise BadInput(
            f"--response {response} is not compatible with --event, which makes the target a "
            "survival time. Leave out one of them."
        )
    for column in (y, event):
        unknown = column.null_count()
        if column.dtype.is_float():
            unknown += int((column.is_nan() | column.is_infinite()).sum())
        if unknown:
            raise BadInput(
                f"Column {column.name!r} must be known in every row. It holds {unknown:,} missing "
                "or infinite values. Delete these rows."
            )
    if not y.dtype.is_numeric():
        raise BadInput(
            f"The target {y.name!r} must hold survival times as numbers. It holds {y.dtype} such "
            f"as {str(y[0])!r}. Convert it, for example into days since the start."
        )
    least = y.arg_min()
    if least is not None and y[least] <= 0:
        raise BadInput(
            f"The target {y.name!r} must hold positive survival times. Got {y[least]:g} in row "
            f"{least + 1}. Delete such rows, or add half of the unit of measurement to all times."
        )
    is_coded = event.dtype.is_numeric() and bool(((event == 0) | (event == 1)).all())
    if event.dtype != pl.Boolean and not is_coded:
        shown = quoted([str(value) for value in event.unique().sort().to_list()], 4)
        raise BadInput(
            f"--event must name a column of 1 and 0, or of true and false. {event.name!r} holds "
            f"{shown}. Add a column that is 1 where the event was observed."
        )
    if not event.cast(pl.Boolean).any():
        raise BadInput(
            f"--event must name a column with at least one event. {event.name!r} is "
            f"{str(event[0])!r} in every row, so that all times are censored."
        )
