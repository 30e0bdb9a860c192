"""What starting does not load: figures, tables and models come when they are asked for."""

from __future__ import annotations

import subprocess
import sys

import pytest

HEAVY = {
    "dask", "distributed", "jinja2", "joblib", "matplotlib", "narwhals", "numpy", "pandas",
    "plotly", "polars", "rich", "scipy", "sklearn",
}  # fmt: skip


def loaded_by(code: str) -> set[str]:
    """Return the packages that a new process has loaded after the code."""
    told = "import sys; print(*{name.partition('.')[0] for name in sys.modules}, file=sys.stderr)"
    done = subprocess.run(
        [sys.executable, "-c", f"{code}\n{told}"], capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    return set(done.stderr.split())


def command(*arguments: str) -> str:
    """Return code that runs the command line and goes on."""
    return f"from bayesvc.cli.app import app\napp({list(arguments)!r}, standalone_mode=False)"


@pytest.mark.parametrize(
    "code",
    ["import bayesvc", command("--help"), command("--version"), command("select", "--help"),
     command("bench", "run", "--help")],
    ids=["import", "--help", "--version", "select --help", "bench run --help"],
)  # fmt: skip
def test_starting_loads_nothing_heavy(code):
    loaded = loaded_by(code)
    assert "bayesvc" in loaded
    assert not loaded & HEAVY


def test_sampling_loads_numpy_alone():
    assert loaded_by("import bayesvc as bv; bv.sample, bv.DART, bv.Draws") & HEAVY == {"numpy"}


def test_no_public_name_loads_what_only_an_extra_brings():
    # scikit-learn may load pandas and rich by itself
    extras = {"dask", "distributed", "jinja2", "matplotlib", "plotly", "polars"}
    assert not loaded_by("from bayesvc import *") & extras


def test_every_public_name_is_there():
    import bayesvc

    assert sorted(bayesvc.__all__) == sorted(dir(bayesvc))
    for name in bayesvc.__all__:
        assert getattr(bayesvc, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'selekt'"):
        bayesvc.selekt  # noqa: B018
