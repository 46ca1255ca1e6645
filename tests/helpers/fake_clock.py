"""A clock that a test moves, so that no test depends on how fast the machine is."""

from __future__ import annotations

from tengen.search.limits import Budget


class FakeClock:
    """Advances by the length of a search slice whenever it is read: slices keep their size whatever they take."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        self.now += Budget.SLICE_S
        return self.now
