"""Rules for imports that import-linter does not check."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import tengen
from tests.helpers.paths import ROOT

PACKAGE = Path(tengen.__file__).parent
TEST_FILES = sorted([*(ROOT / "tests").rglob("*.py"), *(ROOT / "soak").rglob("*.py")])

# Names of entry points, by which other packages add to Tengen. They are no modules.
ENTRY_POINT_GROUPS = {"tengen.games", "tengen.engines", "tengen.protocols"}

# Hidden imports that break the order of the layers. Remove an entry with its import: an unused one fails the test.
ALLOWED: dict[str, set[str]] = {}


def imported_modules(node: ast.AST) -> set[str]:
    """Every module named in import statements; `from a import b` counts as both `a` and `a.b`."""
    found = set()
    for statement in ast.walk(node):
        if isinstance(statement, ast.Import):
            found |= {alias.name for alias in statement.names}
        elif isinstance(statement, ast.ImportFrom):
            module = "." * statement.level + (statement.module or "")
            found |= {module, *(f"{module}.{alias.name}" for alias in statement.names)}
    return found


def test_no_test_module_is_imported() -> None:
    """What two test modules share belongs in tests/helpers."""
    wrong = [
        f"{path.relative_to(ROOT)} imports {name}"
        for path in TEST_FILES
        for name in imported_modules(ast.parse(path.read_text("utf-8")))
        if name.rpartition(".")[2].startswith("test_")
    ]
    assert wrong == []


def layers() -> dict[str, int]:
    """The rank of each package in the contract of import-linter; 0 is the lowest layer."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    (contract,) = (one for one in settings["tool"]["importlinter"]["contracts"] if one["type"] == "layers")
    rows = [[name.strip() for name in row.split("|")] for row in contract["layers"]]
    return {name: rank for rank, row in enumerate(reversed(rows)) for name in row}


def hidden_imports(tree: ast.Module) -> Iterator[str]:
    """Modules that a file imports inside functions, or names in strings such as "tengen.x.y:Name".

    Docstrings and the messages of errors are sentences; only strings that are a dotted name alone count.
    """
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            yield from imported_modules(node)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            if re.fullmatch(r"tengen(\.\w+)+(:\w+)?", node.value) and node.value not in ENTRY_POINT_GROUPS:
                yield node.value


def breaks_the_order(importer: str, imported: str, ranks: dict[str, int]) -> bool:
    """Whether a module of a lower layer names one of a higher layer, or of another package of the same layer."""
    here, there = (".".join(name.split(":")[0].split(".")[:2]) for name in (importer, imported))
    return here != there and here in ranks and there in ranks and ranks[there] >= ranks[here]


def test_imports_in_functions_and_strings_follow_the_layers() -> None:
    ranks, found = layers(), {}
    for path in sorted(PACKAGE.rglob("*.py")):
        importer = ".".join(("tengen", *path.relative_to(PACKAGE).with_suffix("").parts))
        tree = ast.parse(path.read_text("utf-8"))
        wrong = {name for name in hidden_imports(tree) if breaks_the_order(importer, name, ranks)}
        if wrong:
            found[importer.removeprefix("tengen.")] = wrong
    assert found == ALLOWED


def test_every_package_has_a_layer() -> None:
    packages = {f"tengen.{path.parent.name}" for path in PACKAGE.glob("*/__init__.py")}
    assert packages == set(layers())


def test_hidden_imports_are_found() -> None:
    source = '''
"""About tengen.cli and others."""
import tengen.core
SPEC = "tengen.protocols.external:Program"
def run():
    from tengen.web import server
    raise ValueError("see tengen.cli for more")
'''
    ranks = layers()
    found = {
        name for name in hidden_imports(ast.parse(source)) if breaks_the_order("tengen.runtime.x", name, ranks)
    }
    assert found == {"tengen.protocols.external:Program", "tengen.web", "tengen.web.server"}
    assert not breaks_the_order("tengen.web.x", "tengen.runtime.pool", ranks)
    assert breaks_the_order("tengen.web.x", "tengen.terminal", ranks)
