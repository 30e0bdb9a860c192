"""The command `bayesvc` with all its commands."""

from __future__ import annotations

import click

from bayesvc import __version__
from bayesvc.cli.bench_command import bench
from bayesvc.cli.compare_command import compare
from bayesvc.cli.demo_command import demo
from bayesvc.cli.info_commands import completion, info, recipes
from bayesvc.cli.output import InOrderOfUse
from bayesvc.cli.predict_command import predict
from bayesvc.cli.select_command import select
from bayesvc.exceptions import silenced


@click.group(
    cls=InOrderOfUse,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="\b\nFor an example, run:\n  bayesvc demo\n\n"
    "\b\nFor data of your own, run:\n  bayesvc select FILE --target COLUMN",
)
@click.version_option(__version__, prog_name="bayesvc")
def app() -> None:
    """Use Bayesian trees to find the columns of a table that help to predict a response."""
    click.get_current_context().with_resource(silenced())  # the commands print notes themselves


for command in (select, compare, predict, recipes, demo, bench, info, completion):
    app.add_command(command)
