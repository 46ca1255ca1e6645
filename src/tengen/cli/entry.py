"""The entry point. Commands that answer small questions at once are built without importing all others."""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any

from tengen.core.errors import TengenError
from tengen.core.translation import translate

# Groups of commands that are built alone if the command line begins with their names: all take half a second.
_QUICK_GROUPS = {
    "clobber": "tengen.cli.clobber",
    "proofs": "tengen.cli.proofs",
    "sums": "tengen.cli.sums",
}

APP_SETTINGS: dict[str, Any] = {
    "name": "tengen",
    "no_args_is_help": True,
    "add_completion": False,
    "rich_markup_mode": None,
    "pretty_exceptions_enable": False,
    "context_settings": {"help_option_names": ["-h", "--help"]},
}


def main() -> None:
    """Entry point. Errors are printed as one line; Ctrl-C exits cleanly."""
    # NumPy would start threads for linear algebra; they take longer to start than they save on our small matrices.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    sys.exit(run(sys.argv[1:]))


def run(arguments: list[str]) -> int:
    """Run a command line; returns its exit code. With no arguments, starts the web app."""
    arguments = arguments or ["web"]
    try:
        if arguments == ["gtp"]:  # started often by other programs, and parsing takes as long as a hundred queries
            import_module("tengen.cli.serving").serve_default_gtp()
            return 0
        group = arguments[0] if arguments[0] in _QUICK_GROUPS else ""
        result = _commands(group)(arguments, prog_name="tengen", standalone_mode=False)
        code = result if isinstance(result, int) else 0
        if code == 130:  # newer versions of typer turn Ctrl-C into its exit code
            _print("stopped")
        return code
    except TengenError as error:
        _print_error(translate(str(error)))
        return 2
    except KeyboardInterrupt:
        _print("stopped")
        return 130
    except BrokenPipeError:
        sys.stderr.close()
        return 1
    except Exception as error:
        if type(error).__name__ == "Abort":  # Ctrl-C in a prompt of typer
            _print("stopped")
            return 130
        # Usage errors: typer's exception class has no public name.
        message = getattr(error, "format_message", None)
        if message is None:
            raise
        if type(error).__name__ == "NoArgsIsHelpError":
            import_module("tengen.cli.console").console.print(message())
            return 0
        context = getattr(error, "ctx", None)
        command = "tengen" if context is None else context.command_path
        _print_error(f"{message().rstrip('.')} (see: {command} --help)")
        return int(getattr(error, "exit_code", 2))


@functools.cache
def _commands(group: str = "") -> Callable[..., Any]:
    """The click command of all groups, or of one; built once because that is slow."""
    import typer

    if not group:
        return typer.main.get_command(import_module("tengen.cli.commands").app)
    app = typer.Typer(**APP_SETTINGS)
    app.add_typer(import_module(_QUICK_GROUPS[group]).app, name=group)
    return typer.main.get_command(app)


def _print_error(message: str) -> None:
    _print(f"tengen: {message}", style="red")


def _print(text: str, **style: str) -> None:
    """Print to standard error."""
    import_module("tengen.cli.console").errors.print(text, **style)
