"""The command line: one thin module per group of commands, over the layers below.

Slow modules are imported inside the functions that need them, so that `tengen --help` and usage errors are fast.
"""

from tengen.cli.commands import app, main, run

__all__ = ["app", "main", "run"]
