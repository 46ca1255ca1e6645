"""Commands: one thin module for each group of them, over what the layers below can do.

Modules that are slow to load are imported inside the functions that need them: `tengen --help` and mistakes on the
command line are answered at once.
"""

from tengen.cli.commands import app, main, run

__all__ = ["app", "main", "run"]
