"""Draws from the fits of other packages."""
