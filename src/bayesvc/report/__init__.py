"""The result as one HTML file: to read, sort and search in a browser, to print and to send.

Examples
--------
>>> import tempfile, pathlib
>>> import bayesvc as bv
>>> draws = bv.Draws.from_counts([[[9, 1, 0, 8]], [[7, 0, 1, 9]]], feature_names=list("abcd"))
>>> with tempfile.TemporaryDirectory() as folder:
...     page = bv.report.write_report(bv.select_from(draws), pathlib.Path(folder) / "report.html")
...     page.name
'report.html'
"""

from bayesvc.report.summary import DataSummary, describe_response, summarize_data
from bayesvc.report.write import report_html, write_report

__all__ = ["DataSummary", "describe_response", "report_html", "summarize_data", "write_report"]
