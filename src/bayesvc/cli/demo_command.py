"""`bayesvc demo`: a selection on data that ship with the package."""

from __future__ import annotations

import shutil
from importlib.resources import as_file, files
from pathlib import Path

import click

from bayesvc.cli.errors import BadInput, says_what_is_wrong
from bayesvc.cli.output import note
from bayesvc.cli.select_command import select


@click.command()
@click.option("--out", type=click.Path(path_type=Path), default="bayesvc-demo", show_default=True)
@click.pass_context
@says_what_is_wrong
def demo(context: click.Context, out: Path) -> None:
    """Find the six variables of an equation among 306 columns."""
    if out.exists():
        raise BadInput(f"{out} exists; give another folder with --out, or delete it")
    out.mkdir(parents=True)
    table = out / "molecules.csv.gz"
    with as_file(files("bayesvc") / "data" / "feynman_II_11_17.csv.gz") as source:
        shutil.copy(source, table)
    note(
        "The density of polar molecules in an electric field, n_0 (1 + p_d Ef cos(theta) / (kb T)),"
        "\nwith noise, and 300 columns that have nothing to do with it. The command:\n\n"
        f"    bayesvc select {table} --target n --out {out / 'selection'}\n"
    )
    context.invoke(select, file=table, target="n", out=out / "selection")
