"""Record types for states of games and searches; fields are attributes, in compiled code and in plain Python."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np


def record_type(*fields: Any) -> np.dtype[Any]:
    """The aligned record of these fields, each (name, type) or (name, type, shape)."""
    check_field_names(name for name, *_ in fields)
    return np.dtype((np.record, np.dtype(list(fields), align=True)))


def check_field_names(names: Iterable[str]) -> None:
    """Raise NameError for a name such as `size`: in plain Python it would be NumPy's attribute, not the field."""
    for name in names:
        if hasattr(np.record, name):
            raise NameError(
                f"a record cannot have a field {name!r}: NumPy gives every record an attribute of that name"
            )
