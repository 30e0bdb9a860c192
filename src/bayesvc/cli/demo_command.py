"""`bayesvc demo`: a selection on data that come with the package."""

from __future__ import annotations

from pathlib import Path

import click

from bayesvc.cli.errors import BadInput, report_errors
from bayesvc.cli.output import note
from bayesvc.cli.select_command import select


@click.command()
@click.option("--out", type=click.Path(path_type=Path), default="bayesvc-demo", show_default=True,
              help="Folder for the example.")  # fmt: skip
@click.pass_context
@report_errors
def demo(context: click.Context, out: Path) -> None:
    """Run an example: find six relevant variables among 306 columns."""
    import shutil
    from importlib.resources import as_file, files

    if out.exists():
        raise BadInput(f"{out} already exists. Give another folder with --out, or delete it.")
    out.mkdir(parents=True)
    table = out / "molecules.csv.gz"
    with as_file(files("bayesvc") / "data" / "feynman_II_11_17.csv.gz") as source:
        shutil.copy(source, table)
    note(
        "Density of polar molecules in an electric field, n_0 (1 + p_d Ef cos(theta) / (kb T)),",
        "with noise and 300 irrelevant columns. The command is:",
        "",
        f"    bayesvc select {table} --target n --out {out / 'selection'}",
        "",
    )
    context.invoke(select, file=table, target="n", out=out / "selection")
