"""On-disk cache of compiled kernels: never stale, safe for concurrent processes, self-repairing.

Numba's own cache does not notice an edit in another module. It also writes its index without a lock, so two
processes that compile different games can corrupt it. Here each combination of function and signature has its own
file, written to a temporary name and renamed into place. The file name is a hash of everything the content depends
on:

- the code, constants and files that the function reaches, in any module (see `fingerprint`),
- its argument types, the processor, and the versions and settings of Numba and Python.

So an edit invalidates only the kernels that it reaches, there is no index, and an existing file is either valid or
fails its checksum and is replaced. If the folder is not writable, kernels are compiled in each process. A process
that needs a kernel waits while another one compiles it, which holds a lock file.

Cached code is executed, and a checksum does not prove who wrote it. So the cache uses only folders and files that
belong to this user or root and that no one else can modify (see `core.trusted_files`).
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
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import IO, Any

import llvmlite
import numba
import numpy as np
from numba import config
from numba.core import serialize
from numba.core.caching import _Cache
from numba.core.compiler import CompileResult
from numba.core.entrypoints import init_all
from numba.core.runtime import rtsys
from numba.core.sigutils import normalize_signature

from tengen.core.compiled.fingerprint import kernel_fingerprint
from tengen.core.file_lock import try_lock, unlock
from tengen.core.folders import cache_folder
from tengen.core.trusted_files import (
    Untrusted,
    check_trusted_folder,
    make_trusted_folder,
    read_trusted_file,
    write_trusted_file,
)

MAX_OLD_VERSIONS = 4
OLD_VERSION_MAX_AGE_S = 24 * 3600.0
CACHE_LIMIT_BYTES = 300_000_000  # per combination of versions; about five times the size of all kernels
TEMPORARY_MAX_AGE_S = 3600.0
_MAGIC = b"tengen kernel 1\n"
_FOLDER = re.compile("[0-9a-f]{20}")
_WRITING = ".writing-"
_LOCK = ".lock-"
READY_PREFIX = ".ready-"  # of marker files: see `runtime.kernel_groups`
LOCK_POLL_S = 0.02

_listeners: list[Callable[[str], None]] = []
write_failures: list[str] = []  # why kernels could not be stored


@contextmanager
def compile_listener(listener: Callable[[str], None]) -> Iterator[None]:
    """Within this block, call `listener` with the name of each kernel before it is compiled."""
    _listeners.append(listener)
    try:
        yield
    finally:
        _listeners.remove(listener)


@functools.cache
def kernel_folder() -> Path:
    """The folder for kernels of the installed versions of Numba, NumPy and Python."""
    versions = (numba.__version__, llvmlite.__version__, np.__version__, platform.python_version())
    settings = (config.BOUNDSCHECK, int(config.OPT))
    name = hashlib.sha256(repr((versions, settings)).encode()).hexdigest()[:20]
    return cache_folder() / "kernels" / name


@functools.cache
def _trusted(folder: Path) -> bool:
    """Whether only this user or root can have written to this folder. Empties it if others could."""
    try:
        for path in (folder.parent, folder):
            check_trusted_folder(path, empty_if_shared=True)
    except (OSError, Untrusted) as error:
        write_failures.append(f"{folder}: {error}")
        return False
    return True


def prune(keep: Path) -> None:
    """Delete the folders of other versions, except a few recent ones that the user may switch back to.

    In the folder `keep`, delete temporary files of killed processes, and the least recently used kernels beyond
    `CACHE_LIMIT_BYTES`.
    """
    with suppress(OSError):
        folders = sorted(
            (path for path in keep.parent.iterdir() if path != keep and _FOLDER.fullmatch(path.name)),
            key=lambda path: path.stat().st_mtime,
            reverse=True,
        )
        for rank, path in enumerate(folders):
            if rank >= MAX_OLD_VERSIONS or _age(path) > OLD_VERSION_MAX_AGE_S:
                shutil.rmtree(path, ignore_errors=True)
        for path in (*keep.glob(f"{_WRITING}*"), *keep.glob(f"{_LOCK}*")):
            if _age(path) > TEMPORARY_MAX_AGE_S:
                path.unlink()
        for path in keep.glob(f"{READY_PREFIX}*"):
            if _age(path) > OLD_VERSION_MAX_AGE_S:
                path.unlink()
        _drop_unused(keep)


def _drop_unused(folder: Path) -> None:
    kernels = [(entry.stat(), entry.path) for entry in os.scandir(folder) if not entry.name.startswith(".")]
    total = sum(status.st_size for status, _ in kernels)
    for status, path in sorted(kernels, key=lambda kernel: kernel[0].st_mtime):
        if total <= CACHE_LIMIT_BYTES:
            return
        os.unlink(path)
        total -= status.st_size
        for marker in folder.glob(f"{READY_PREFIX}*"):  # its group may have needed this kernel
            marker.unlink()


def _touch(kernel: Path) -> None:
    """Mark a kernel and its folder as recently used, so that `prune` keeps them."""
    with suppress(OSError):
        os.utime(kernel)
        os.utime(kernel.parent)


def _age(path: Path) -> float:
    return time.time() - path.stat().st_mtime


def _define_symbols(target_context: Any) -> None:
    """Define what machine code may refer to: the allocator, hash seeds and extensions of Numba.

    Much faster than `target_context.refresh()`, which also loads everything that only the compiler needs.
    """
    from numba.cpython import hashing  # noqa: F401

    rtsys.initialize(target_context)
    init_all()


class BeingCompiled(Exception):
    """Another process is compiling the kernel."""


class KernelCache(_Cache):  # type: ignore[misc]
    """The cache of one kernel, implementing the interface of Numba's dispatcher."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function
        self._name = f"{function.__module__}.{function.__qualname__}"
        self._enabled = True
        self._locks: list[tuple[Path, IO[bytes]]] = []
        self._paths: dict[Any, Path] = {}
        self.waits_for_others = True  # otherwise `BeingCompiled` is raised

    @property
    def cache_path(self) -> str:
        return str(kernel_folder())

    def enable(self) -> None:
        self._enabled = True

    def disable(self) -> None:
        self._enabled = False

    def flush(self) -> None:
        """Do nothing: there is no in-memory cache."""

    def load_overload(self, sig: Any, target_context: Any) -> CompileResult | None:
        _define_symbols(target_context)
        result = None
        if self._enabled and _trusted(kernel_folder()):
            path = self._path(sig, target_context.codegen())
            result = self._read(path, target_context)
            if result is None and self._lock(path):  # stored meanwhile, perhaps
                result = self._read(path, target_context)
        if result is None:
            for listener in list(_listeners):
                listener(self._name)
        return result

    @contextmanager
    def compiling(self) -> Iterator[None]:
        """Release, at the end of this block, the locks taken in it. Numba's compiler lock protects it."""
        before = len(self._locks)
        try:
            yield
        finally:
            while len(self._locks) > before:
                path, file = self._locks.pop()
                with suppress(OSError):
                    path.unlink()
                unlock(file)
                file.close()

    def _lock(self, path: Path) -> bool:
        """Lock a kernel for compilation; returns False if the folder is not writable or does not support locks."""
        lock = path.with_name(f"{_LOCK}{path.name}")
        with suppress(OSError), ExitStack() as on_failure:
            make_trusted_folder(path.parent)
            file = on_failure.enter_context(lock.open("ab"))
            while not try_lock(file):
                if not self.waits_for_others:
                    raise BeingCompiled
                time.sleep(LOCK_POLL_S)
            on_failure.pop_all()
            self._locks.append((lock, file))
            return True
        return False

    def is_stored(self, signature: Any, target_context: Any) -> bool:
        """Whether the file of a compiled version exists."""
        if signature not in self._paths:
            self._paths[signature] = self._path(signature, target_context.codegen())
        return self._paths[signature].exists()

    def save_overload(self, sig: Any, data: CompileResult) -> None:
        # A kernel that contains addresses of this process (a large global array, a ctypes function) would crash
        # another process. Fail here instead of silently compiling it in every process.
        if data.library.has_dynamic_globals or data.lifted:
            raise TypeError(f"{self._name} cannot be cached: it uses large global arrays or addresses")
        if self._enabled and _trusted(kernel_folder()):
            self._write(self._path(sig, data.codegen), serialize.dumps(data._reduce()))

    def _path(self, signature: Any, codegen: Any) -> Path:
        argument_types, _ = normalize_signature(signature)
        identity = (
            self._name,
            str(argument_types),
            codegen.magic_tuple(),
            kernel_fingerprint(self._function, argument_types),
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
            return None  # damaged: the caller recompiles and replaces it
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
