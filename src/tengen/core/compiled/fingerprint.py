"""Hash of everything that the machine code of a kernel depends on.

Numba compiles a kernel together with everything it reaches by name, in any module: helpers, the rules of its
records, and global constants, whose values it freezes. The traversal here resolves names as Numba does, among the
loaded objects. The code in memory is what gets compiled, even if the file has changed since; a kernel defined in a
notebook has no file at all.

Implementations registered by `overload` or `intrinsic` cannot be reached by name. So the file of each function is
part of the hash, and within Tengen also every file that it imports (see `sources`).
"""

from __future__ import annotations

import enum
import functools
import hashlib
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np
from numba import types
from numba.core.dispatcher import Dispatcher

from tengen.core.compiled.sources import SOURCES

_PLAIN = (type(None), bool, int, float, complex, str, bytes, type(...), np.generic)
_LIBRARIES = {"llvmlite", "numba", "numpy"}  # covered by their version numbers


def kernel_fingerprint(function: Callable[..., Any], argument_types: Iterable[Any]) -> str:
    """Hash of everything that the code of `function` for these argument types depends on."""
    return _walk(function, argument_types).digest.hexdigest()


def code_size(function: Callable[..., Any], argument_types: Iterable[Any]) -> int:
    """Bytes of Python bytecode that are compiled for these argument types."""
    return _walk(function, argument_types).code_size


def closure_digest(function: Callable[..., Any]) -> str:
    """Hash of the code of a function that a factory made, and of what the factory gave it.

    Variables without a value yet, such as the function itself if it is recursive, do not count.
    """
    walk = _Walk()
    walk._code(function.__code__)
    for cell in getattr(function, "__closure__", None) or ():
        with suppress(ValueError):  # no value yet
            value = cell.cell_contents
            value = getattr(value, "py_func", value)
            if isinstance(value, (FunctionType, ModuleType)):
                walk._add(getattr(value, "__module__", ""), getattr(value, "__qualname__", value.__name__))
            else:
                walk.visit(value, ())
    return walk.digest.hexdigest()[:12]


def _walk(function: Callable[..., Any], argument_types: Iterable[Any]) -> _Walk:
    walk = _Walk()
    for kind in argument_types:
        walk.records.update(_records(kind))
    walk.visit(function, ())
    walk.visit_rules()
    return walk


class _Walk:
    def __init__(self) -> None:
        self.digest = hashlib.sha256()
        self.code_size = 0
        self.records: dict[tuple[str, ...], None] = {}  # field names of each, in the order of discovery
        self._seen: set[Any] = set()
        self._files: set[str] = set()
        self._generics: list[Callable[..., Any]] = []

    def visit(self, value: Any, names: tuple[str, ...]) -> None:
        """Hash a value; of a module, only the attributes in `names`, which the function may use."""
        if isinstance(value, Dispatcher):
            value = value.py_func
        if isinstance(value, FunctionType):
            self._function(value)
        elif isinstance(value, ModuleType):
            if not _of_library(value.__name__):
                for name in names:
                    self._name(name, vars(value), names)
        elif isinstance(value, tuple):
            self._add("tuple", len(value))
            for item in value:
                self.visit(item, names)
        elif isinstance(value, frozenset):
            self._add("set", *sorted(map(repr, value)))
        elif isinstance(value, _PLAIN):
            self._add(type(value).__name__, repr(value))
        elif isinstance(value, np.ndarray):
            content = b"" if value.dtype.hasobject else value.tobytes()
            self._add("array", value.dtype, value.shape, hashlib.sha256(content).hexdigest())
        elif isinstance(value, np.dtype):
            self._add("dtype", value)
            if value.names:
                self.records[value.names] = None
        elif isinstance(value, enum.EnumMeta):
            members: Iterable[Any] = value
            self._add("enum", [(member.name, member.value) for member in members])
        else:  # a class, a built-in function, an intrinsic: hash its name and file
            self._add("other", type(value).__qualname__, str(getattr(value, "__name__", "")))
            module = getattr(value, "__module__", None) or ""
            if not _of_library(module):
                self._file(getattr(sys.modules.get(module), "__file__", None) or "")

    def visit_rules(self) -> None:
        """Hash each record's implementations of the rules found so far, until no new rules or records appear."""
        done: set[tuple[int, tuple[str, ...]]] = set()
        while pending := [
            (generic, fields)
            for generic in self._generics
            for fields in self.records
            if (id(generic), fields) not in done
        ]:
            for generic, fields in pending:
                done.add((id(generic), fields))
                self._add("rule", generic.__name__, fields)
                self.visit(generic.rule_for(fields), ())  # type: ignore[attr-defined]

    def _function(self, function: FunctionType) -> None:
        if id(function) in self._seen:
            return
        self._seen.add(id(function))
        if hasattr(function, "rule_for"):  # declared by `dispatch.generic`
            self._generics.append(function)
            return
        if _of_library(function.__module__):
            return
        self._add("function", function.__qualname__)
        self._file(function.__code__.co_filename)
        names = tuple(_code_names(function.__code__))
        self._code(function.__code__, docstring=function.__doc__)
        for name in names:
            self._name(name, function.__globals__, names)
        for cell in function.__closure__ or ():
            self.visit(cell.cell_contents, names)
        self.visit(function.__defaults__, names)

    def _name(self, name: str, scope: dict[str, Any], names: tuple[str, ...]) -> None:
        place = (id(scope), name, names)
        if name in scope and place not in self._seen:
            self._seen.add(place)
            self._add("name", name)
            self.visit(scope[name], names)

    def _code(self, code: CodeType, docstring: str | None = None) -> None:
        self.code_size += len(code.co_code)
        self._add("code", code.co_code, code.co_exceptiontable, code.co_names, code.co_varnames, code.co_freevars)
        for index, constant in enumerate(code.co_consts):
            if index == 0 and docstring is not None and constant == docstring:
                continue
            if isinstance(constant, CodeType):
                self._code(constant)
            else:
                self.visit(constant, ())

    def _file(self, name: str) -> None:
        if name not in self._files:
            self._files.add(name)
            self._add("file", file_digest(name))

    def _add(self, *parts: Any) -> None:
        self.digest.update(repr(parts).encode() + b"\n")


@functools.cache
def file_digest(name: str) -> str:
    """Hash of the content that a file had at the first call; empty for names that are not files."""
    if name in SOURCES:
        return SOURCES.digest(name)
    try:
        return hashlib.sha256(Path(name).read_bytes()).hexdigest()
    except OSError:
        return ""


def _code_names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _code_names(constant)


def _records(kind: Any) -> dict[tuple[str, ...], None]:
    """The field names of every record within a Numba type."""
    if isinstance(kind, types.Record):
        return {tuple(kind.fields): None}
    if isinstance(kind, types.Array):
        return _records(kind.dtype)
    if isinstance(kind, types.BaseTuple):
        return {fields: None for part in kind for fields in _records(part)}
    return {}


def _of_library(module: str | None) -> bool:
    return (module or "").partition(".")[0] in _LIBRARIES
