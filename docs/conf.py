"""How the documentation site is built: `make docs` runs Sphinx with this file, strictly, into build/docs."""

from __future__ import annotations

import sys
from importlib.metadata import version as installed
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "_ext"))

project = "veridag"
author = "The veridag developers"
copyright = author
version = release = installed("veridag")

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "bibliography",
    "claims",
    "command_line",
    "figure_from_code",
    "kept",
    "mathml",
    "public_names",
    "self_contained",
]
exclude_patterns = ["_ext", "_kept", "_prose", "_static"]
nitpicky = True
nitpick_ignore_regex = [
    ("py:.*", r"(?!veridag).*"),  # types of other packages, whose pages are elsewhere
    # What nobody but the package itself needs.
    ("py:.*", r"veridag\.(_core|checks|data\.reading|data\.preparing|data\.discretization)\..*"),
    ("py:.*", r"veridag\.(graph\.knowledge\.bound|criteria\.independence\.bound|search\.labels)\..*"),
]

myst_heading_anchors = 3  # so that links to a heading work, as they do on a code forge
myst_links_external_new_tab = False
myst_enable_extensions = ["dollarmath"]
html_math_renderer = "mathml"

default_role = "code"  # what stands between single backticks in a docstring is code
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
autodoc_member_order = "bysource"
autodoc_preserve_defaults = True  # alpha: float = 0.05, not an object's repr
autodoc_use_type_comments = False
python_use_unqualified_type_names = True
toc_object_entries_show_parents = "hide"

html_theme = "furo"  # everything it needs comes along: system fonts, its own scripts
html_title = "veridag"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sphinx = False
pygments_style = "friendly"
pygments_dark_style = "native"
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#1f5fbf", "color-brand-content": "#1f5fbf"},
    "dark_css_variables": {"color-brand-primary": "#86b1f5", "color-brand-content": "#86b1f5"},
}
