"""`bayesvc recipes`, `info` and `completion`."""

from __future__ import annotations

import json
import platform
import sys
from typing import TYPE_CHECKING

import click

from bayesvc.cli.errors import report_errors
from bayesvc.cli.output import say_json, show_table

if TYPE_CHECKING:
    from bayesvc.selection.methods import Recipe


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print as JSON.")
@report_errors
def recipes(as_json: bool) -> None:
    """List the named methods."""
    import bayesvc as bv

    found = bv.recipes()
    if as_json:
        say_json(json.dumps({name: vars(recipe) for name, recipe in found.items()}, indent=1))
        return
    rows = [
        [name, r.prior, r.measure, r.threshold, _replicates(r), r.summary]
        for name, r in found.items()
    ]
    show_table(["method", "prior", "measure", "threshold", "replicates", "summary"], rows)


def _replicates(recipe: Recipe) -> str:
    if recipe.n_replicates == 0:
        return "ABC"
    null = f" + {recipe.n_permutations} null" if recipe.n_permutations else ""
    return f"{recipe.n_replicates}{null}"


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print as JSON.")
@report_errors
def info(as_json: bool) -> None:
    """Show versions, CPUs and the sampler's instruction set."""
    from importlib.metadata import PackageNotFoundError, version

    import bayesvc as bv
    from bayesvc import _core
    from bayesvc._validation import usable_cpus

    facts = {
        "bayesvc": bv.__version__,
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
        "cpu path": _core.available_kernels()[-1],
        "threads": str(usable_cpus()),
    }
    for name in ("numpy", "scipy", "scikit-learn", "polars", "matplotlib", "plotly", "distributed"):
        try:
            facts[name] = version(name)
        except PackageNotFoundError:
            facts[name] = "not installed"
    if as_json:
        say_json(json.dumps(facts, indent=1))
    else:
        show_table(["", ""], [[name, value] for name, value in facts.items()])


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """Print a completion script for your shell.

    \b
    bayesvc completion bash > ~/.local/share/bash-completion/completions/bayesvc
    bayesvc completion fish > ~/.config/fish/completions/bayesvc.fish
    """
    from click.shell_completion import get_completion_class

    kind = get_completion_class(shell)
    assert kind is not None
    sys.stdout.write(
        kind(
            click.get_current_context().find_root().command, {}, "bayesvc", "_BAYESVC_COMPLETE"
        ).source()
    )
