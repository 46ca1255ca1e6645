"""Engines on a real clock: 1,000 fast moves at 10 s + 0.1 s, none lost on time."""

from __future__ import annotations

import time

import pytest

import tengen
from tengen.core.position import Position
from tengen.engines.registry import create
from tengen.play.clock import Clock
from tengen.play.time_control import TimeControl
from tengen.play.time_management import limits_for
from tengen.search.limits import Limits

CONTROL = TimeControl.parse("10s+0.1s")
MOVES = 500  # of each game: both together make the thousand


@pytest.mark.parametrize(("name", "options"), [("othello", {}), ("clobber", {"size": "10x10"})])
def test_fast_moves_are_never_too_late(
    name: str, options: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    """One clock runs on through game after game, so that most moves are made with little time left."""
    start: Position = tengen.game(name, **options).start()
    engines = (create("uct", seed=1), create("uct", seed=2))
    for engine in (*engines, *engines):
        engine.search(start, Limits(nodes=50))  # compiled before the clock starts, what keeps the tree as well
    position = start
    clock = Clock.from_control(CONTROL).begin(position.to_move, time.monotonic())
    late, least = [], 10.0
    for _ in range(MOVES):
        mover = position.to_move
        now = time.monotonic()
        limits = limits_for(clock, now)
        assert limits.seconds is not None
        position = position.play(engines[mover].search(position, limits).best)
        if position.is_over:
            position = start
        after = time.monotonic()
        late.append(after - now - limits.seconds)
        least = min(least, clock.left_at(mover, after).main)
        clock = clock.move(after, then=position.to_move)  # raises if the flag has fallen
    late.sort()
    used = sum(made.seconds for made in clock.moves)
    with capsys.disabled():
        print(
            f"\n{name}: {MOVES} moves in {used:.0f} s, none lost on time; beyond the limit median "
            f"{1e3 * late[MOVES // 2]:.1f} ms, most {1e3 * late[-1]:.1f} ms; least time left {least:.2f} s"
        )
