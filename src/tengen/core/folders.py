"""Where Tengen keeps what lasts and what can be made anew."""

from __future__ import annotations

import os
from pathlib import Path

import platformdirs


def data_folder() -> Path:
    """Games, books and settings. `TENGEN_DATA` overrides the system's usual place."""
    return _folder("TENGEN_DATA") or Path(platformdirs.user_data_dir("tengen", appauthor=False))


def cache_folder() -> Path:
    """Compiled kernels: deleting it costs time, nothing else. `TENGEN_CACHE` overrides the usual place."""
    return _folder("TENGEN_CACHE") or Path(platformdirs.user_cache_dir("tengen", appauthor=False))


def _folder(variable: str) -> Path | None:
    value = os.environ.get(variable)
    return Path(value).expanduser() if value else None
