"""`bayesvc predict`: learn from one table, predict the target in another."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from bayesvc.cli.chosen_columns import check_predictors, choose
from bayesvc.cli.errors import BadInput, says_what_is_wrong
from bayesvc.cli.output import progress_bar
from bayesvc.cli.run_options import listed
from bayesvc.cli.table_file import polars_or_refuse, read_table

if TYPE_CHECKING:
    import polars as pl


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.argument("new", type=click.Path(path_type=Path))
@click.option("--target", "-y", required=True, help="Column to be predicted.")
@click.option("--features", multiple=True, help="Columns to predict from; all by default.")
@click.option("--exclude", multiple=True, help="Columns to leave out.")
@click.option("--id-column", multiple=True, help="Columns that only name the rows.")
@click.option("--selection", type=click.Path(path_type=Path), help="Folder of `bayesvc select`: "
              "predict from the columns selected there.")  # fmt: skip
@click.option("--interval", default=0.9, show_default=True, help="Probability that the mean of "
              "the target for such rows is between low and high; one row varies more.")  # fmt: skip
@click.option("--trees", default=200, show_default=True, help="Trees in a forest.")
@click.option("--seed", default=0, show_default=True, help="Of all random numbers.")
@click.option("--jobs", default=-1, help="Number of threads; all CPUs by default.")
@click.option("--out", type=click.Path(path_type=Path), required=True, help="CSV file to write.")
@says_what_is_wrong
def predict(
    file: Path, new: Path, target: str, features: tuple[str, ...], exclude: tuple[str, ...],
    id_column: tuple[str, ...], selection: Path | None, interval: float, trees: int, seed: int,
    jobs: int, out: Path,
) -> None:  # fmt: skip
    """Fit a forest to FILE and predict the rows of NEW.

    Writes the rows of NEW with the column predicted, and low and high, the interval of the mean of
    the target for rows like this one. For two classes it writes the probability of each instead.

    \b
    bayesvc predict past.csv next.csv --target sales --out predicted.csv
    bayesvc predict past.csv next.csv -y sales --selection past-selection --out predicted.csv
    """
    if out.exists():
        raise BadInput(f"{out} exists; give another name with --out, or delete it")
    if not out.absolute().parent.is_dir():
        raise BadInput(f"--out {out}: there is no folder {out.absolute().parent}; make it first")
    wanted = listed(features) if selection is None else _selected(selection)
    frame = read_table(file).frame
    data = choose(frame, target, wanted, listed(exclude), ids=listed(id_column))
    rows = read_table(new).frame
    absent = [name for name in data.X.columns if name not in rows.columns]
    if absent:
        raise BadInput(f"{new} lacks columns of {file}: {', '.join(absent[:10])}; add them")
    new_X = rows.select(data.X.columns)
    check_predictors(new_X, is_new=True)
    model = _fit(data.X, data.y, interval, trees, seed, jobs)
    predicted = _predictions(model, new_X, interval)
    rows.with_columns(**predicted).write_csv(out)
    click.echo(f"{rows.height:,} predictions of {target} in {out}")


def _selected(path: Path) -> list[str]:
    source = path / "selection.json" if path.is_dir() else path
    try:
        names = json.loads(source.read_text(encoding="utf-8"))["selected"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise BadInput(
            f"{source} is no selection ({error}); give a folder of `bayesvc select`"
        ) from None
    if not names:
        raise BadInput(f"{source}: nothing was selected; leave out --selection")
    return [str(name) for name in names]


def _fit(X: Any, y: Any, interval: float, trees: int, seed: int, jobs: int) -> Any:
    import bayesvc as bv
    from bayesvc._validation import check_number
    from bayesvc.responses.encode import encode_y

    check_number("--interval", interval, above=0, below=1, remedy="give a share such as 0.9")
    binary = encode_y(y).response == "binary"
    kind = bv.BARTClassifier if binary else bv.BARTRegressor
    with progress_bar("sampling") as show:
        model = kind(n_trees=trees, random_state=seed, n_jobs=jobs, progress=show)
        return model.fit(X, y)


def _predictions(model: Any, X: Any, interval: float) -> dict[str, pl.Series]:
    pl = polars_or_refuse()
    if hasattr(model, "classes_"):
        shares = model.predict_proba(X)
        found = {"predicted": model.classes_[shares.argmax(axis=1)]}
        found |= {f"probability_{c}": shares[:, k] for k, c in enumerate(model.classes_)}
    else:
        mean, low, high = model.predict(X, return_interval=interval)
        found = {"predicted": mean, "low": low, "high": high}
    return {name: pl.Series(values) for name, values in found.items()}
