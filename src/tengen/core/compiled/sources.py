"""Source files of the kernel layers as they were when imported, and which files each of them imports.

Machine code can depend on a module without naming anything in it: an `overload` or `intrinsic` generates code from
tables that it looks up in Python. So the digest of a file covers all files that it imports, directly or not.
Edits elsewhere, and edits of comments and docstrings, leave compiled kernels valid.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path

KERNEL_LAYERS = ("core", "games", "search", "books", "engines")
_HOME = Path(__file__).parents[2]  # the folder of the package
_IMPORT = re.compile(
    rb"^[ \t]*(?:from[ ]+tengen\.([\w.]+)[ ]+import[ ]+(\([^)]*\)|.*)|import[ ]+tengen\.([\w.]+))", re.M
)
_NAME = re.compile(rb"\w+")

_STRING = rb'"""(?:[^"\\]|\\[\s\S]|"(?!""))*"""[ \t]*\n'
_MODULE_DOCSTRING = re.compile(rb"\A" + _STRING)
_DOCSTRING = re.compile(rb"^([ \t]*(?:(?:async )?def |class |\)).*:\n)[ \t]+" + _STRING, re.M)
_CONSTANT_DOCSTRING = re.compile(rb"^(\w[^\"\n]* = [^\"\n]*\n|[)\]}]\n)" + _STRING, re.M)
# A comment with a quotation mark stays, because it might be the end of a string that contains a "#".
_COMMENT = re.compile(rb"^[ \t]*#.*\n|[ \t]+#[^\"'\n]*$", re.M)


def without_comments(source: bytes) -> bytes:
    """Strip docstrings and comments; returns the source unchanged if it has other multi-line strings."""
    stripped = _MODULE_DOCSTRING.sub(b"", source)
    for docstring in (_DOCSTRING, _CONSTANT_DOCSTRING):
        stripped = docstring.sub(rb"\1", stripped)
    if b'"""' in stripped or b"'''" in stripped:
        return source
    return _COMMENT.sub(b"", stripped)


class Sources:
    """Snapshot of the files of a package's kernel layers."""

    def __init__(self, home: Path) -> None:
        self._home = home
        self._contents = {
            str(path): path.read_bytes()
            for layer in KERNEL_LAYERS
            for path in sorted((home / layer).rglob("*.py"))
        }
        self._code: dict[str, bytes] = {}
        self._imported: dict[str, frozenset[str]] = {}
        self._digests: dict[str, str] = {}

    @cached_property
    def whole_digest(self) -> str:
        """Hash of all files."""
        total = hashlib.sha256()
        for path, content in self._contents.items():
            total.update(f"{Path(path).relative_to(self._home)} {len(content)}\n".encode() + content)
        return total.hexdigest()

    def __contains__(self, path: str) -> bool:
        return path in self._contents

    def digest(self, path: str) -> str:
        """Hash of the code of a file and of all files that it imports."""
        if path not in self._digests:
            total = hashlib.sha256()
            for name in sorted(self.reached(path)):
                content = self._code_of(name)
                total.update(f"{Path(name).relative_to(self._home)} {len(content)}\n".encode() + content)
            self._digests[path] = total.hexdigest()
        return self._digests[path]

    def _code_of(self, path: str) -> bytes:
        if path not in self._code:
            self._code[path] = without_comments(self._contents[path])
        return self._code[path]

    def reached(self, path: str) -> set[str]:
        """The file itself and the files of the kernel layers that it imports, directly or indirectly."""
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
            # A name imported from a package may be one of its modules.
            inside = (place / name.decode() for name in _NAME.findall(names or b""))
            for candidate in (place, *inside):
                for file in (candidate.with_suffix(".py"), candidate / "__init__.py"):
                    if str(file) in self._contents:
                        yield str(file)


SOURCES = Sources(_HOME)  # read at import time, when the code in memory is the code on disk
