"""Compiled kernels on disk: never stale, safe for many processes, made anew when damaged.

Numba's own cache does not notice an edit in another module, and writes an index without a lock, so that two
processes that compile different games can leave it broken. Here each function and signature has a file of
its own, written whole and renamed into place, whose name is a hash of all that its content depends on:

- the code, constants and files that the function reaches, wherever they live (see `closure`),
- its argument types, the processor, and the versions and settings of Numba and Python.

An edit costs the kernels that it reaches and no others.

So there is no index, nothing to lock, and a file that exists is right, or fails its checksum and is replaced.
A folder that cannot be written costs the time to compile, nothing else.

What lies there is executed, and a checksum proves nothing about who wrote it. So only folders and files are used
that belong to this user or root and that nobody else can change (see `core.trusted_files`).
"""

from __future__ import annotations

import functools
import hashlib
import os
import pickle
import platform
import re
import secrets
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import llvmlite
import numba
import numpy as np
from numba import config
from numba.core import serialize
from numba.core.caching import _Cache
from numba.core.compiler import CompileResult
from numba.core.sigutils import normalize_signature

from tengen.core.compiled.closure import closure_digest
from tengen.core.folders import cache_folder
from tengen.core.trusted_files import (
    Untrusted,
    check_trusted_folder,
    make_trusted_folder,
    read_trusted_file,
    write_trusted_file,
)

KEPT_VERSIONS = 4
KEPT_SECONDS = 24 * 3600.0
KEPT_BYTES = 300_000_000  # of kernels for these versions: about five times what all of Tengen needs
KEPT_UNFINISHED_SECONDS = 3600.0
_MAGIC = b"tengen kernel 1\n"
_FOLDER = re.compile("[0-9a-f]{20}")
_WRITING = ".writing-"

_listeners: list[Callable[[str], None]] = []
write_failures: list[str] = []  # why kernels could not be kept, for `tengen doctor`


@contextmanager
def announcing(listener: Callable[[str], None]) -> Iterator[None]:
    """Within this block, `listener` is told the name of each kernel that is about to be compiled."""
    _listeners.append(listener)
    try:
        yield
    finally:
        _listeners.remove(listener)


@functools.cache
def kernel_folder() -> Path:
    """Where the kernels of exactly these versions live."""
    versions = (numba.__version__, llvmlite.__version__, np.__version__, platform.python_version())
    settings = (config.BOUNDSCHECK, int(config.OPT))
    name = hashlib.sha256(repr((versions, settings)).encode()).hexdigest()[:20]
    return cache_folder() / "kernels" / name


@functools.cache
def _trusted(folder: Path) -> bool:
    """Whether nobody else can have put kernels into this folder. One that others could write to is emptied."""
    try:
        for path in (folder.parent, folder):
            check_trusted_folder(path, empty_if_shared=True)
    except (OSError, Untrusted) as error:
        write_failures.append(f"{folder}: {error}")
        return False
    return True


def prune(keep: Path) -> None:
    """Delete the folders of other versions, except for a few recent ones: one may switch back and forth.

    In the folder to keep, delete what killed processes left half written, and the kernels that were not used for
    longest when there are too many.
    """
    with suppress(OSError):
        folders = sorted(
            (path for path in keep.parent.iterdir() if path != keep and _FOLDER.fullmatch(path.name)),
            key=lambda path: path.stat().st_mtime,
            reverse=True,
        )
        for rank, path in enumerate(folders):
            if rank >= KEPT_VERSIONS or _age(path) > KEPT_SECONDS:
                shutil.rmtree(path, ignore_errors=True)
        for path in keep.glob(f"{_WRITING}*"):
            if _age(path) > KEPT_UNFINISHED_SECONDS:
                path.unlink()
        _drop_unused(keep)


def _drop_unused(folder: Path) -> None:
    kernels = [(entry.stat(), entry.path) for entry in os.scandir(folder) if not entry.name.startswith(_WRITING)]
    total = sum(status.st_size for status, _ in kernels)
    for status, path in sorted(kernels, key=lambda kernel: kernel[0].st_mtime):
        if total <= KEPT_BYTES:
            return
        os.unlink(path)
        total -= status.st_size


def _touch(kernel: Path) -> None:
    """Mark a kernel, and its folder, as used today: what several installations use by turns is not old."""
    with suppress(OSError):
        os.utime(kernel)
        os.utime(kernel.parent)


def _age(path: Path) -> float:
    return time.time() - path.stat().st_mtime


class KernelCache(_Cache):  # type: ignore[misc]
    """The cache of one kernel, in the form that Numba's dispatcher asks for."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function
        self._name = f"{function.__module__}.{function.__qualname__}"
        self._enabled = True

    @property
    def cache_path(self) -> str:
        return str(kernel_folder())

    def enable(self) -> None:
        self._enabled = True

    def disable(self) -> None:
        self._enabled = False

    def flush(self) -> None:
        """Nothing is held in memory."""

    def load_overload(self, sig: Any, target_context: Any) -> CompileResult | None:
        target_context.refresh()
        result = None
        if self._enabled and _trusted(kernel_folder()):
            result = self._read(self._path(sig, target_context.codegen()), target_context)
        if result is None:
            for listener in list(_listeners):
                listener(self._name)
        return result

    def save_overload(self, sig: Any, data: CompileResult) -> None:
        # A kernel that holds addresses of this process (a big global array, a ctypes function) would crash
        # the next one: better to notice while writing it than to compile it at every start.
        if data.library.has_dynamic_globals or data.lifted:
            raise TypeError(f"{self._name} cannot be kept on disk: it uses large global arrays or addresses")
        if self._enabled and _trusted(kernel_folder()):
            self._write(self._path(sig, data.codegen), serialize.dumps(data._reduce()))

    def _path(self, signature: Any, codegen: Any) -> Path:
        argument_types, _ = normalize_signature(signature)
        identity = (
            self._name,
            str(argument_types),
            codegen.magic_tuple(),
            closure_digest(self._function, argument_types),
        )
        code = hashlib.sha256(repr(identity).encode()).hexdigest()[:24]
        return kernel_folder() / f"{self._function.__name__}-{code}"

    def _read(self, path: Path, target_context: Any) -> CompileResult | None:
        try:
            content = read_trusted_file(path)
        except (OSError, Untrusted):
            return None
        head = len(_MAGIC) + 32
        payload = content[head:]
        if content[:head] != _MAGIC + hashlib.sha256(payload).digest():
            return None  # damaged: the caller compiles and replaces it
        _touch(path)
        return CompileResult._rebuild(target_context, *pickle.loads(payload))

    def _write(self, path: Path, payload: bytes) -> None:
        temporary = path.with_name(f"{_WRITING}{os.getpid()}-{secrets.token_hex(4)}")
        try:
            make_trusted_folder(path.parent)
            try:
                write_trusted_file(temporary, _MAGIC + hashlib.sha256(payload).digest() + payload)
                os.replace(temporary, path)
            except BaseException:
                with suppress(OSError):
                    temporary.unlink()
                raise
            prune(path.parent)
        except (OSError, Untrusted) as error:
            write_failures.append(f"{path.parent}: {getattr(error, 'strerror', None) or error}")
