"""How is the documentation built? `make docs` reads this file; warnings are errors."""

from __future__ import annotations

import sys
from pathlib import Path

import chemin

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "extensions"))
from reference import home  # noqa: E402 (found by the line above)

project = "Chemin"
author = "The Chemin developers"
copyright = "The Chemin developers"
version = release = chemin.__version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx_gallery.gen_gallery",
    "numpydoc",
    "myst_parser",
    "cells",
    "mathml",
    "reference",
    "spaces",
]
templates_path = ["_templates"]
exclude_patterns = ["gallery/**/*.ipynb", "gallery/**/*.py", "gallery/**/*.md5"]
suppress_warnings = ["config.cache"]  # the order of the gallery is a function

html_theme = "pydata_sphinx_theme"
html_title = "Chemin"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_math_renderer = "mathml"
html_copy_source = False
html_show_sourcelink = False
html_theme_options = {
    "logo": {"text": "Chemin"},
    "navigation_with_keys": False,
    "show_toc_level": 2,
    "header_links_before_dropdown": 9,
    "pygments_light_style": "tango",
    "pygments_dark_style": "github-dark",
    "article_header_end": ["twin"],
    "footer_start": ["copyright"],
    "footer_end": [],
}
html_sidebars = {"index": [], "start": [], "fr/start": []}

default_role = "py:obj"  # `path` in a docstring is a link where it names something public

myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3

autodoc_mock_imports = ["torch", "torchvision", "safetensors"]
autodoc_typehints = "none"  # the signatures are long, and the docstrings say what is taken
autosummary_generate = True
autosummary_ignore_module_all = False
autosummary_imported_members = True
autosummary_context = {"home": home}
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False

sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "filename_pattern": "/plot_",
    "ignore_pattern": r"(outliers|own_kernel|tour)\.py$",  # programs with options
    "abort_on_example_error": True,
    "show_memory": False,
    "min_reported_time": 0,
    "remove_config_comments": True,
    "download_all_examples": False,
    "write_computation_times": False,  # its page asks the network for a table's script
}
