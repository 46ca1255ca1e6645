"""The sources of the kernel layers, as they were when they were imported, and what each of them stands on.

Machine code can depend on a module without naming anything in it: an `overload` or `intrinsic` writes code from
tables that it finds by Python's means. So a file counts together with all files that it imports, directly or not.
An edit elsewhere leaves compiled kernels alone.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from pathlib import Path

KERNEL_LAYERS = ("core", "games", "search", "books", "engines")
_HOME = Path(__file__).parents[2]  # the package itself
_IMPORT = re.compile(
    rb"^[ \t]*(?:from[ ]+tengen\.([\w.]+)[ ]+import[ ]+(\([^)]*\)|.*)|import[ ]+tengen\.([\w.]+))", re.M
)
_NAME = re.compile(rb"\w+")


class Sources:
    """The files of a package's kernel layers as they are now, whoever edits them later."""

    def __init__(self, home: Path) -> None:
        self._home = home
        self._contents = {
            str(path): path.read_bytes()
            for layer in KERNEL_LAYERS
            for path in sorted((home / layer).rglob("*.py"))
        }
        self._imported: dict[str, frozenset[str]] = {}
        self._digests: dict[str, str] = {}

    def __contains__(self, path: str) -> bool:
        return path in self._contents

    def digest(self, path: str) -> str:
        """A hash of a file and of all that it imports."""
        if path not in self._digests:
            total = hashlib.sha256()
            for name in sorted(self.reached(path)):
                content = self._contents[name]
                total.update(f"{Path(name).relative_to(self._home)} {len(content)}\n".encode() + content)
            self._digests[path] = total.hexdigest()
        return self._digests[path]

    def reached(self, path: str) -> set[str]:
        """A file and the files of the kernel layers that it imports, directly or not."""
        found, pending = {path}, [path]
        while pending:
            name = pending.pop()
            if name not in self._imported:
                self._imported[name] = frozenset(self._imports(name))
            pending.extend(self._imported[name] - found)
            found |= self._imported[name]
        return found

    def _imports(self, path: str) -> Iterator[str]:
        for match in _IMPORT.finditer(self._contents[path]):
            module, names, whole = match.groups()
            place = self._home.joinpath(*(module or whole).decode().split("."))
            # What is imported from a package may be a module of it.
            inside = (place / name.decode() for name in _NAME.findall(names or b""))
            for candidate in (place, *inside):
                for file in (candidate.with_suffix(".py"), candidate / "__init__.py"):
                    if str(file) in self._contents:
                        yield str(file)


SOURCES = Sources(_HOME)  # now, when they are being imported
