"""The report as a file: template, style, scripts and data in one HTML page."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any

from bayesvc._archive import write_text
from bayesvc._text import visible
from bayesvc._typing import PathLike
from bayesvc.report.page import comparison_page, selection_page
from bayesvc.report.summary import DataSummary
from bayesvc.selection.comparison import Comparison
from bayesvc.selection.result import Selection


def write_report(
    result: Selection | Comparison,
    path: PathLike,
    *,
    title: str | None = None,
    data_summary: DataSummary | Mapping[str, Any] | None = None,
) -> Path:
    """Write a selection or a comparison as one HTML file that works offline.

    Parameters
    ----------
    result : Selection or Comparison
    path : str or path
        The file to write; one that exists is replaced.
    title : str, optional
        Heading of the page.
    data_summary : DataSummary or mapping, optional
        The result of `summarize_data`, or further lines by label. Without it the page shows what
        the draws know about the data.

    Returns
    -------
    Path
        Path of the page.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> import numpy as np
    >>> import bayesvc as bv
    >>> X = np.random.default_rng(0).uniform(size=(100, 3))
    >>> found = bv.select(X, X[:, 0], n_replicates=2, burn_in=200, n_draws=200, random_state=0)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     page = bv.write_report(found, pathlib.Path(folder) / "report.html")
    ...     "1 of 3 columns was selected as predictive of y" in page.read_text(encoding="utf-8")
    True
    """
    target = Path(path)
    html = report_html(result, title=title, data_summary=data_summary)
    write_text(target, html)
    return target


def report_html(
    result: Selection | Comparison,
    *,
    title: str | None = None,
    data_summary: DataSummary | Mapping[str, Any] | None = None,
) -> str:
    """Return the page that `write_report` writes.

    Examples
    --------
    >>> import bayesvc as bv
    >>> draws = bv.Draws.from_counts([[[9, 1, 0, 8]], [[7, 0, 1, 9]]], feature_names=list("abcd"))
    >>> page = bv.report.report_html(bv.select_from(draws), title="Four columns")
    >>> "<title>Four columns</title>" in page
    True
    """
    if isinstance(result, Selection):
        page = selection_page(result, title, data_summary)
    elif isinstance(result, Comparison):
        page = comparison_page(result, title, data_summary)
    else:
        raise TypeError(
            f"`result` must be a Selection or a Comparison. Got a {type(result).__name__} "
            "instead. Pass what `bayesvc.select`, `select_from` or `compare` returns."
        )
    return _rendered(page)


def script_json(data: Any) -> str:
    r"""Return JSON that can stand in a script element whatever strings it holds.

    Examples
    --------
    >>> from bayesvc.report.write import script_json
    >>> script_json(["</script>"])
    '["\\u003c/script\\u003e"]'
    """
    text = json.dumps(data, separators=(",", ":"), allow_nan=False)
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


def read_once(script: str) -> str:
    r"""Put the function that holds all of plotly in parentheses, if it is found.

    Browsers only skim a function until it is called, unless parentheses tell them that it is called
    at once. Without these they read all of it twice.

    Examples
    --------
    >>> from bayesvc.report.write import read_once
    >>> read_once("(function (f) { f(); }(this, () => {\n go(); \n}));")
    '(function (f) { f(); }(this, (() => {\n go(); \n})));'
    """
    opening, closing = "this, () => {\n", "\n}));"
    if script.count(opening) != 1 or not script.endswith(closing):
        return script
    parenthesised = script.replace(opening, "this, (() => {\n")
    return parenthesised.removesuffix(closing) + "\n})));"


def _rendered(page: dict[str, Any]) -> str:
    try:
        from jinja2 import Environment, StrictUndefined
        from plotly.offline import get_plotlyjs
    except ModuleNotFoundError as error:
        raise ImportError(
            f"A report needs {error.name}, which is not installed. Run: pip install "
            "'bayesvc[report]'"
        ) from error
    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True,
        finalize=_visible,
    )  # fmt: skip
    scripts = {
        "table_js": _asset("table.js"),
        "plotly_js": read_once(get_plotlyjs().replace("\r\n", "\n")),
        "charts_js": _asset("charts.js"),
    }
    template = environment.from_string(_asset("page.html.jinja"))
    return template.render(
        **page,
        **scripts,
        css=_asset("page.css"),
        json=script_json(page["data"]),
        policy=_policy(scripts.values()),
    )


def _visible(value: Any) -> Any:
    """Show characters in a user's text that are not seen, or turn what follows them."""
    return visible(value, keep="\n\t") if type(value) is str else value  # not what is marked safe


def _policy(scripts: Any) -> str:
    """Return a content security policy: nothing is fetched, no script runs but these."""
    hashes = " ".join(f"'sha256-{_digest(script)}'" for script in scripts)
    return (
        f"default-src 'none'; script-src {hashes}; style-src 'unsafe-inline'; "
        "img-src data: blob:; base-uri 'none'; form-action 'none'"
    )


def _digest(script: str) -> str:
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()


def _asset(name: str) -> str:
    return (files("bayesvc.report") / "assets" / name).read_text(encoding="utf-8")
