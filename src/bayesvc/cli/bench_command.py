"""`bayesvc bench`: the paper's study, and results compared with the published ones."""

from __future__ import annotations

import os
import sys

import click

from bayesvc.cli.bench_compare import compare
from bayesvc.cli.bench_results import claims, export, figures, status, table
from bayesvc.cli.bench_run import rescore, run
from bayesvc.cli.output import InOrderOfUse


@click.group(cls=InOrderOfUse)
def bench() -> None:
    """Repeat the simulation study of Ye and Li.

    The results can be compared with theirs.
    """
    sys.path.insert(0, os.getcwd())  # for --methods module:function


for command in (run, status, table, compare, claims, figures, export, rescore):
    bench.add_command(command)
