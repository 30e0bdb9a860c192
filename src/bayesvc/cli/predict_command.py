"""`bayesvc predict`: fit a model to one table, predict the rows of another."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from bayesvc._csv import write_csv
from bayesvc._text import listed
from bayesvc.cli.chosen_columns import check_predictors, choose_columns
from bayesvc.cli.errors import BadInput, report_errors
from bayesvc.cli.options import COLUMNS, EVENT, JOBS, SEED, add_options, split_names
from bayesvc.cli.output import progress_bar, say
from bayesvc.cli.table_file import polars_or_refuse, read_table

if TYPE_CHECKING:
    import polars as pl

_F = TypeVar("_F", bound=Callable[..., Any])


def _column_options(command: _F) -> _F:
    return add_options(command, COLUMNS)


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.argument("new", type=click.Path(path_type=Path))
@click.option("--target", "-y", required=True, metavar="COLUMN", help="Column to predict.")
@EVENT
@_column_options
@click.option("--selection", type=click.Path(path_type=Path), help="Results folder of "
              "`bayesvc select`. Only the columns selected there are used.")  # fmt: skip
@click.option("--interval", default=0.9, show_default=True, help="Level of the credible "
              "interval of the mean. Individual values vary more.")  # fmt: skip
@click.option("--trees", default=200, show_default=True, help="Number of trees.")
@SEED
@JOBS
@click.option("--out", type=click.Path(path_type=Path), required=True, help="CSV file to write.")
@report_errors
def predict(
    file: Path, new: Path, target: str, event: str | None, features: tuple[str, ...],
    exclude: tuple[str, ...], id_column: tuple[str, ...], selection: Path | None, interval: float,
    trees: int, seed: int, jobs: int, out: Path,
) -> None:  # fmt: skip
    """Fit BART to FILE and predict the target for the rows of NEW.

    Writes the rows of NEW with three more columns. `predicted` is the estimated mean of the target
    for such a row; `low` and `high` are the limits of its credible interval. If the target has two
    classes, `predicted` is the more probable class, and the probability of each class is written
    instead of the interval. With --event it is the median survival time.

    \b
    Examples:
    bayesvc predict past.csv next.csv --target sales --out predicted.csv
    bayesvc predict past.csv next.csv -y sales --selection past-selection --out predicted.csv
    bayesvc predict trial.csv new.csv -y months --event died --out predicted.csv
    """
    if out.exists():
        raise BadInput(f"{out} already exists. Give another name with --out, or delete it.")
    if not out.absolute().parent.is_dir():
        raise BadInput(
            f"--out must be in an existing folder. Got {out} instead. Create the folder first."
        )
    wanted = split_names(features) if selection is None else _selected(selection)
    frame = read_table(file).frame
    data = choose_columns(
        frame, target, wanted, split_names(exclude), ids=split_names(id_column), event=event
    )
    rows = read_table(new).frame.collect()
    absent = [name for name in data.names if name not in rows.columns]
    if absent:
        raise BadInput(
            f"{new} must have the columns of {file}. Missing: {listed(absent, 10)}. Add them."
        )
    new_X = rows.select(data.names)
    check_predictors(new_X.lazy(), is_new=True)
    model = _fit(data.X.collect(), data.y_or_times, interval, trees, seed, jobs)
    predicted = _predictions(model, new_X, interval)
    write_csv(rows.with_columns(**predicted), out)
    say(f"Wrote {rows.height:,} predictions of {target} to {out}.")


def _selected(path: Path) -> list[str]:
    source = path / "selection.json" if path.is_dir() else path
    try:
        names = json.loads(source.read_text(encoding="utf-8"))["selected"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise BadInput(
            f"--selection must be a folder of `bayesvc select`. Got {path} instead ({error})."
        ) from None
    if not names:
        raise BadInput(f"No column was selected in {source}. Leave out --selection.")
    return [str(name) for name in names]


def _fit(X: Any, y: Any, interval: float, trees: int, seed: int, jobs: int) -> Any:
    import bayesvc as bv
    from bayesvc._validation import check_level
    from bayesvc.responses.encode import encode_y

    check_level("interval", interval)
    encoded = encode_y(y)
    kind: Any = bv.BARTRegressor if encoded.classes is None else bv.BARTClassifier
    if not (encoded.model.is_numeric or encoded.classes is not None):
        kind = bv.BARTSurvival
    with progress_bar("sampling") as show:
        model = kind(n_trees=trees, random_state=seed, n_jobs=jobs, progress=show)
        return model.fit(X, y)


def _predictions(model: Any, X: Any, interval: float) -> dict[str, pl.Series]:
    pl = polars_or_refuse()
    if hasattr(model, "classes_"):
        probabilities = model.predict_proba(X)
        found = {"predicted": model.classes_[probabilities.argmax(axis=1)]}
        found |= {f"probability_{c}": probabilities[:, k] for k, c in enumerate(model.classes_)}
    else:
        mean, low, high = model.predict(X, return_interval=interval)
        found = {"predicted": mean, "low": low, "high": high}
    return {name: pl.Series(values) for name, values in found.items()}
