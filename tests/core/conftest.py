"""Fixtures of the tests of compiled code."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tengen.core.compiled import cache


@pytest.fixture(scope="module")
def private_kernel_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """An empty kernel cache for the tests of a module."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TENGEN_CACHE", str(tmp_path_factory.mktemp("cache")))
        cache.kernel_folder.cache_clear()
        yield
    cache.kernel_folder.cache_clear()
