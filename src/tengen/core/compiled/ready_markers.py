"""Marker files in the kernel cache: everything that a program needs is compiled.

A marker is named after what needs the kernels and all source files that kernels can depend on. So a program that
starts with a full cache knows that without examining any kernel. `cache.prune` deletes markers that are not in
use, and all of them with a kernel.
"""

from __future__ import annotations

import hashlib
import os
from contextlib import suppress
from pathlib import Path

from llvmlite import binding

from tengen.core.compiled.cache import READY_PREFIX, kernel_folder
from tengen.core.compiled.sources import SOURCES


def is_marked(owner: object) -> bool:
    """Whether the kernels of `owner`, named by its `repr`, are known to be in the cache."""
    with suppress(OSError):
        os.utime(_marker(owner))
        return True
    return False


def mark_ready(owner: object) -> None:
    with suppress(OSError):
        _marker(owner).touch()


def _marker(owner: object) -> Path:
    identity = (owner, SOURCES.whole_digest, binding.get_host_cpu_name())
    return kernel_folder() / f"{READY_PREFIX}{hashlib.sha256(repr(identity).encode()).hexdigest()[:24]}"
