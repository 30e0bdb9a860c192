"""Settings of the documentation: `make docs`."""

import sys
from pathlib import Path

import bayesvc

sys.path.append(str(Path(__file__).parent / "_extensions"))

project = "bayesvc"
author = "The bayesvc developers"
copyright = author
version = release = bayesvc.__version__

extensions = [
    "mathml",
    "myst_nb",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx_design",
    "tables",
]
exclude_patterns = ["_build", "reproduction/choice.md", "reproduction/figures"]
html_theme = "pydata_sphinx_theme"
html_title = "bayesvc"
html_math_renderer = "mathml"
html_theme_options = {
    "header_links_before_dropdown": 6,
    "navigation_with_keys": False,
    "show_prev_next": True,
    "show_toc_level": 2,
}
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_sourcelink = False

# Pages with code are run by the build; an error stops it.
nb_execution_mode = "force"
nb_execution_raise_on_error = True
nb_execution_timeout = 300
nb_merge_streams = True
nb_output_stderr = "remove"  # warnings are also notes of the results, which the pages show

# inherited docstrings refer to sections of scikit-learn's own manual
suppress_warnings = ["ref.ref"]

myst_enable_extensions = ["dollarmath", "colon_fence"]
myst_heading_anchors = 3
myst_url_schemes = {
    "http": None,
    "https": None,
    "source": "https://github.com/bayesvc/bayesvc/blob/main/{{path}}",
}

autosummary_generate = True
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False
autodoc_typehints = "none"
