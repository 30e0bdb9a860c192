"""The version: the only place that holds it."""

__version__ = "0.1.0"
