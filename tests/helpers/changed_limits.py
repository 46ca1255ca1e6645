"""Resource limits changed for part of a test, in this process and in those it starts."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tengen.core.resource_limits import resource_limits


@contextmanager
def changed_limits(**limits: float) -> Iterator[None]:
    """Set resource limits within a `with` block, as an operator does in limits.toml."""
    before = os.environ.get("TENGEN_LIMITS")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "limits.toml"
        path.write_text("".join(f"{name} = {value}\n" for name, value in limits.items()))
        os.environ["TENGEN_LIMITS"] = str(path)
        resource_limits.cache_clear()
        try:
            resource_limits()
            yield
        finally:
            if before is None:
                del os.environ["TENGEN_LIMITS"]
            else:
                os.environ["TENGEN_LIMITS"] = before
            resource_limits.cache_clear()
