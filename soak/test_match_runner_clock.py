"""Engines of the host on a real clock, two games at once: 1,000 fast moves at 10 s + 0.1 s, none lost on time."""

from __future__ import annotations

import threading
import time

import pytest

import tengen
from tengen.play import events
from tengen.play.match import Match
from tengen.play.match_runner import MatchRunner
from tengen.play.time_control import TimeControl
from tengen.players.configure import configure, engine_player
from tengen.runtime.host import EngineHost
from tengen.search.limits import Limits

MOVES = 1000
CONTROL = TimeControl.parse("10s+0.1s")
UCT = engine_player(configure("uct", Limits(seconds=60.0)))


def test_fast_moves_at_two_tables_are_never_too_late(capsys: pytest.CaptureFixture[str]) -> None:
    moves, least, ends = 0, 10.0, []
    lock = threading.Lock()
    began = time.monotonic()

    with EngineHost(2) as host:

        def play_on() -> None:
            """Game after game, until there were moves enough."""
            nonlocal moves, least
            while moves < MOVES:
                match = Match.new(tengen.game("othello"), (UCT, UCT), CONTROL)
                ended = threading.Event()

                def note(event: events.Event, ended: threading.Event = ended, match: Match = match) -> None:
                    nonlocal moves, least
                    if isinstance(event, events.Moved):
                        with lock:
                            moves += 1
                            least = min(least, event.clock.left[event.player].main)
                    elif isinstance(event, events.Ended):
                        ends.append(event.result)
                        ended.set()

                match.watch(note)
                runner = MatchRunner(match, host)
                runner.start()
                assert ended.wait(120), "the game does not end"
                runner.close()

        threads = [threading.Thread(target=play_on) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    lost = [end for end in ends if end.result.endswith("+T")]
    with capsys.disabled():
        print(
            f"\ntables: {moves} moves of {len(ends)} games in {time.monotonic() - began:.0f} s, two at once; "
            f"{len(lost)} lost on time; least time left after a move {least:.2f} s"
        )
    assert not lost
    assert moves >= MOVES
