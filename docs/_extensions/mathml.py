"""Formulas as MathML, which browsers draw themselves: without scripts, and without a network."""

from typing import Any

from docutils import nodes
from latex2mathml.converter import convert


def _inline(writer: Any, node: nodes.Element) -> None:
    writer.body.append(convert(node.astext()))
    raise nodes.SkipNode


def _block(writer: Any, node: nodes.Element) -> None:
    writer.body.append(f"<p>{convert(node.astext(), display='block')}</p>\n")
    raise nodes.SkipNode


def setup(app: Any) -> dict[str, bool]:
    """Register it; `html_math_renderer = "mathml"` in the settings takes it."""
    app.add_html_math_renderer("mathml", (_inline, None), (_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
