"""Calls that exist only on POSIX have a fallback for Windows: a test of the platform, or an except clause."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from tests.helpers.paths import ROOT

SOURCE = ROOT / "src" / "tengen"
MODULES = {"fcntl", "grp", "pty", "pwd", "resource", "syslog", "termios", "tty"}
NAMES = {
    "os": {
        *(
            "fork",
            "forkpty",
            "getpgid",
            "getuid",
            "geteuid",
            "getgid",
            "killpg",
            "mkfifo",
            "nice",
            "setpgid",
            "setsid",
        ),
        *(
            "setpriority",
            "sched_getaffinity",
            "wait",
            "waitpid",
            "wait3",
            "uname",
            "chown",
            "getloadavg",
            "sysconf",
        ),
    },
    "signal": {
        "SIGKILL",
        "SIGHUP",
        "SIGCHLD",
        "SIGSTOP",
        "SIGCONT",
        "SIGUSR1",
        "SIGUSR2",
        "SIGALRM",
        "alarm",
        "pause",
    },
    "time": {"tzset"},
}
# Whole modules that only POSIX systems run.
POSIX_MODULES = {"protocols/external/supervisor.py"}
GUARDS = ("os.name", "sys.platform", "hasattr(", "getattr(", "IS_POSIX", "is_posix", "platform.system")


def uses(tree: ast.AST, source: str) -> Iterator[tuple[int, str]]:
    """Line and name of each unguarded use."""

    def walk(node: ast.AST, guarded: bool) -> Iterator[tuple[int, str]]:
        if isinstance(node, ast.If | ast.IfExp | ast.While | ast.Assert):
            guarded = guarded or _is_guard(node.test, source)
        elif isinstance(node, ast.BoolOp):
            guarded = guarded or any(_is_guard(value, source) for value in node.values)
        elif isinstance(node, ast.Try):
            names = " ".join(ast.unparse(handler.type) for handler in node.handlers if handler.type is not None)
            guarded = guarded or "AttributeError" in names or "ImportError" in names
        elif isinstance(node, ast.With):
            guarded = guarded or any("AttributeError" in ast.unparse(item.context_expr) for item in node.items)
        elif isinstance(node, ast.FunctionDef):  # `if os.name != "posix": return` guards what follows
            early = [one for one in node.body if isinstance(one, ast.If) and _is_guard(one.test, source)]
            guarded = guarded or any(isinstance(one.body[-1], ast.Return | ast.Raise) for one in early)
        name = _posix_name(node)
        if name and not guarded:
            yield node.lineno, name  # type: ignore[attr-defined]
        for child in ast.iter_child_nodes(node):
            yield from walk(child, guarded)

    yield from walk(tree, False)


def _posix_name(node: ast.AST) -> str:
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        return f"{node.value.id}.{node.attr}" if node.attr in NAMES.get(node.value.id, ()) else ""
    if isinstance(node, ast.Import):
        return next((one.name for one in node.names if one.name in MODULES), "")
    if isinstance(node, ast.ImportFrom):
        return node.module or "" if node.module in MODULES else ""
    return ""


def _is_guard(test: ast.AST, source: str) -> bool:
    text = ast.get_source_segment(source, test) or ""
    return any(guard in text for guard in GUARDS)


def _unguarded(path: Path) -> list[str]:
    source = path.read_text()
    name = path.relative_to(SOURCE).as_posix()
    return (
        []
        if name in POSIX_MODULES
        else [f"{name}:{line}: {what}" for line, what in uses(ast.parse(source), source)]
    )


def test_posix_only_calls_have_a_fallback() -> None:
    found = [use for path in sorted(SOURCE.rglob("*.py")) for use in _unguarded(path)]
    assert not found, "these fail on Windows; test the platform or catch the error: " + "; ".join(found)


def test_the_check_finds_what_it_should() -> None:
    bad = "import os, signal\nos.killpg(1, signal.SIGKILL)\nimport fcntl\n"
    assert [name for _, name in uses(ast.parse(bad), bad)] == ["os.killpg", "signal.SIGKILL", "fcntl"]
    good = (
        "import os, sys\n"
        "if os.name == 'posix':\n    os.nice(1)\n"
        "try:\n    import fcntl\nexcept ImportError:\n    fcntl = None\n"
        "def f():\n    if sys.platform == 'win32':\n        return\n    os.setsid()\n"
        "x = len(os.sched_getaffinity(0)) if hasattr(os, 'sched_getaffinity') else 1\n"
    )
    assert list(uses(ast.parse(good), good)) == []
