"""The commands, put together."""

from __future__ import annotations

import click

from bayesvc import __version__
from bayesvc.cli.bench import bench
from bayesvc.cli.compare_command import compare
from bayesvc.cli.demo_command import demo
from bayesvc.cli.info_commands import completion, info, recipes
from bayesvc.cli.predict_command import predict
from bayesvc.cli.select_command import select


class _InOrderOfUse(click.Group):
    """Lists commands as they were added."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.commands)


@click.group(
    cls=_InOrderOfUse,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="To see what comes out: bayesvc demo. With data of your own: "
    "bayesvc select FILE --target COLUMN",
)
@click.version_option(__version__, prog_name="bayesvc")
def app() -> None:
    """Find the variables that drive y, with Bayesian trees."""


for command in (select, compare, predict, recipes, demo, bench, info, completion):
    app.add_command(command)
