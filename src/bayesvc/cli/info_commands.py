"""Short commands: recipes, info, completion."""

from __future__ import annotations

import json
import platform
import sys

import click

from bayesvc.cli.errors import says_what_is_wrong
from bayesvc.cli.output import show_table


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@says_what_is_wrong
def recipes(as_json: bool) -> None:
    """List the named methods, with a sentence each."""
    import bayesvc as bv

    found = bv.recipes()
    if as_json:
        click.echo(json.dumps({name: vars(recipe) for name, recipe in found.items()}, indent=1))
        return
    rows = [
        [name, r.prior, r.measure, r.threshold, _fits(r.n_replicates, r.n_permutations), r.summary]
        for name, r in found.items()
    ]
    show_table(["method", "prior", "measure", "threshold", "fits", "summary"], rows)


def _fits(n_replicates: int, n_permutations: int) -> str:
    if n_replicates == 0:
        return "ABC"
    return f"{n_replicates} + {n_permutations}" if n_permutations else str(n_replicates)


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@says_what_is_wrong
def info(as_json: bool) -> None:
    """Show versions, threads and the sampler's CPU path."""
    from importlib.metadata import PackageNotFoundError, version

    import bayesvc as bv
    from bayesvc import _core
    from bayesvc._validation import usable_cpus

    facts = {
        "bayesvc": bv.__version__,
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
        "cpu path": _core.kernel_in_use(),
        "threads": str(usable_cpus()),
    }
    for name in ("numpy", "scipy", "scikit-learn", "polars", "matplotlib", "plotly", "distributed"):
        try:
            facts[name] = version(name)
        except PackageNotFoundError:
            facts[name] = "not installed"
    if as_json:
        click.echo(json.dumps(facts, indent=1))
    else:
        show_table(["", ""], [[name, value] for name, value in facts.items()])


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """Print a script that completes commands in your shell.

    \b
    bayesvc completion bash > ~/.local/share/bash-completion/completions/bayesvc
    bayesvc completion fish > ~/.config/fish/completions/bayesvc.fish
    """
    from click.shell_completion import get_completion_class

    from bayesvc.cli.app import app

    kind = get_completion_class(shell)
    assert kind is not None
    sys.stdout.write(kind(app, {}, "bayesvc", "_BAYESVC_COMPLETE").source())
