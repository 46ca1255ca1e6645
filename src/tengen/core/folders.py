"""Folders for user data and for the cache."""

from __future__ import annotations

import os
from pathlib import Path

import platformdirs


def data_folder() -> Path:
    """Folder of games, books and settings. `TENGEN_DATA` overrides the default of the system."""
    return _folder("TENGEN_DATA") or Path(platformdirs.user_data_dir("tengen", appauthor=False))


def cache_folder() -> Path:
    """Folder of compiled kernels, which may be deleted. `TENGEN_CACHE` overrides the default of the system."""
    return _folder("TENGEN_CACHE") or Path(platformdirs.user_cache_dir("tengen", appauthor=False))


def _folder(variable: str) -> Path | None:
    value = os.environ.get(variable)
    return Path(value).expanduser() if value else None
