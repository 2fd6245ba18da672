"""The views, one topic a file; importing this imports all files named `..._view.py`, which register their views."""

from importlib import import_module
from pkgutil import walk_packages

from tokenlab.show.views.elements.step_list_view import step_list_view

__all__ = ["step_list_view"]

for module in walk_packages(__path__, f"{__name__}."):
    if module.name.endswith("_view"):
        import_module(module.name)
