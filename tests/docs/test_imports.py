"""Rules for imports that import-linter does not check."""

from __future__ import annotations

import ast
from pathlib import Path

from tests.helpers.paths import ROOT

TEST_FILES = sorted([*(ROOT / "tests").rglob("*.py"), *(ROOT / "soak").rglob("*.py")])


def imported_modules(path: Path) -> set[str]:
    """Every module named in an import statement of a file; `from a import b` counts as both `a` and `a.b`."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            module = "." * node.level + (node.module or "")
            found |= {module, *(f"{module}.{alias.name}" for alias in node.names)}
    return found


def test_no_test_module_is_imported() -> None:
    """What two test modules share belongs in tests/helpers."""
    wrong = [
        f"{path.relative_to(ROOT)} imports {name}"
        for path in TEST_FILES
        for name in imported_modules(path)
        if name.rpartition(".")[2].startswith("test_")
    ]
    assert wrong == []
