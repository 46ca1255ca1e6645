"""New puzzles about what a person misses most: generated on demand, with proved answers, for the person's deck.

    made = await puzzles_for(store.histories("ann"), 5, host, asyncio.to_thread)
    for puzzle in made:
        store.add_card("ann", puzzle)

Weak spots are the themes with the smallest share of right first answers; own mistakes count as misses.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from itertools import cycle, islice
from random import Random
from typing import Any

from tengen.app import go_puzzles
from tengen.app.deck import Share, theme_shares
from tengen.app.puzzle_files import SHIPPED_KINDS, shipped_puzzles
from tengen.app.puzzle_generation import finished, go_puzzle_about
from tengen.app.puzzles import puzzle_kind
from tengen.core.errors import OptionError, TengenError
from tengen.core.translation import mark
from tengen.runtime.host import EngineHost
from tengen.store.deck import History
from tengen.store.puzzles import Puzzle

MAX_SPOTS = 3  # practised at once
MAX_ATTEMPTS = 30  # positions tried for a puzzle

Run = Callable[..., Awaitable[Any]]  # runs a function elsewhere: in a thread or in a helper process


@dataclass(frozen=True)
class WeakSpot:
    """A theme, and the kind of puzzles that has most of it; without a theme, all of that kind."""

    kind: str
    theme: str = ""


def weak_spots(histories: Sequence[History], games: Sequence[str] = ()) -> list[WeakSpot]:
    """The themes of the answered questions of these games (empty: all), the worst first."""
    shares = theme_shares(histories)
    kinds: dict[str, Counter[str]] = {}
    for kind in SHIPPED_KINDS:
        for puzzle in shipped_puzzles(kind):
            for theme in puzzle.themes:
                kinds.setdefault(f"{puzzle.game} {theme}", Counter())[kind] += 1

    def success(name: str) -> float:
        share = shares.get(name, Share())
        return (share.right + 1) / (share.total + 2)

    known = [name for name in shares if name in kinds and (not games or name.split()[0] in games)]
    found = [WeakSpot(kinds[name].most_common(1)[0][0], name.split()[1]) for name in sorted(known, key=success)]
    return found or [WeakSpot(kind) for kind in SHIPPED_KINDS if not games or puzzle_kind(kind).game in games]


async def puzzles_for(
    histories: Sequence[History],
    count: int,
    host: EngineHost,
    run: Run,
    games: Sequence[str] = (),
    random: Random | None = None,
) -> list[Puzzle]:
    """New puzzles about the weak spots, in turn; fewer than `count` if some are not found or a later one fails."""
    random = random or Random()
    spots = weak_spots(histories, games)[:MAX_SPOTS]
    if not spots:
        raise OptionError(mark("there are no puzzles of this game"))
    made: dict[bytes, Puzzle] = {}
    for spot in islice(cycle(spots), count):
        try:
            puzzle = await _make(spot, host, run, random)
        except TengenError:
            if not made:
                raise
            break
        if puzzle is not None:
            made[puzzle.digest] = puzzle
    return list(made.values())


async def _make(spot: WeakSpot, host: EngineHost, run: Run, random: Random) -> Puzzle | None:
    """A puzzle with the theme, or without it if none was found in `MAX_ATTEMPTS`."""
    if spot.kind in go_puzzles.KINDS:
        puzzle: Puzzle = await run(go_puzzle_about, spot.kind, spot.theme, random.getrandbits(30), MAX_ATTEMPTS)
        return puzzle
    other = None
    for _attempt in range(MAX_ATTEMPTS):
        composed = await puzzle_kind(spot.kind).compose(host, random)
        if composed is None:
            continue
        other = finished(composed)
        if not spot.theme or spot.theme in other.themes:
            break
    return other
