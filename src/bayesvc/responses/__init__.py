"""Kinds of response, and how they are encoded."""
