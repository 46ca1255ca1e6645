"""A game without a screen: each event as one line, for scripts and for whoever reads logs.

    started
    moved 1 Black f5 0.004 s
    ended B+12 Black wins: the board is full, 38 to 26 discs

The first word of a line is the event; what follows is stable, and as JSON the same facts have names. A text that
comes from outside (a reason, a comment) is the end of its line and has no line breaks.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from typing import Any

from tengen.core.errors import TengenError
from tengen.engines.dead_stones import estimate_dead_stones
from tengen.play import events
from tengen.play.game_tree import MatchError
from tengen.play.match import Match
from tengen.play.match_result import MatchResult
from tengen.play.match_runner import MatchRunner
from tengen.players.player import EnginePlayer
from tengen.runtime.host import EngineHost

Facts = dict[str, Any]  # what an event says, "event" first


class Lines:
    """An observer that writes each event as a line: `match.watch(Lines(match, print))`.

    `thinking` asks for the news of running searches as well, of which there are a few every second.
    """

    def __init__(
        self, match: Match, write: Callable[[str], object], *, as_json: bool = False, thinking: bool = False
    ) -> None:
        self._match = match
        self._write = write
        self._as_json = as_json
        self._thinking = thinking

    def __call__(self, event: events.Event) -> None:
        if isinstance(event, events.SearchProgress) and not self._thinking:
            return
        facts = describe(self._match, event)
        self._write(json.dumps(facts) if self._as_json else as_line(facts))


def describe(match: Match, event: events.Event) -> Facts:
    """What an event says, as plain data that fits into JSON."""
    game = match.game
    match event:
        case events.Started():
            return {"event": "started"}
        case events.Adjourned():
            return {"event": "adjourned"}
        case events.Moved(position=position, move=move, player=player, clock=clock):
            seconds = round(clock.moves[-1].seconds, 3)
            facts = {"event": "moved", "number": position.ply, "player": game.players[player]}
            return facts | {"move": game.write_move(move), "seconds": seconds}
        case events.TakenBack(position=position):
            moves = position.write_moves(event.moves)
            return {"event": "taken-back", "number": position.ply, "moves": moves}
        case events.VariationAdded() | events.VariationDeleted() | events.CommentChanged():
            return {"event": "annotated"}
        case events.SearchProgress(player=player, progress=progress):
            facts = {"event": "thinking", "player": game.players[player], "stage": str(progress.stage)}
            if progress.report is None:
                return facts | {"note": progress.note}
            report = progress.report
            return facts | {
                "move": report.best,
                "value": str(report.value),
                "kind": str(report.value.kind),
                "line": list(report.line),
            }
        case events.CountingStarted():
            return {"event": "counting"}
        case events.Ended(result=result):
            return {"event": "ended", "result": result.code, "text": result.describe(match.game)}
        case events.PlayersChanged():
            return {"event": "altered", "text": "players"}
        case events.ClockChanged():
            return {"event": "altered", "text": "clock"}
        case events.RulesChanged():
            return {"event": "altered", "text": "rules"}
        case events.WinnerPresumed():
            return {"event": "altered", "text": "presumed winner"}
        case events.SaveFailed(error=error):
            return {"event": "not-saved", "text": str(error)}
        case events.Saved():
            return {"event": "saved"}
        case events.EngineFailed(player=player, error=error):
            return {"event": "trouble", "player": game.players[player], "text": str(error)}


def as_line(facts: Facts) -> str:
    """The facts as words, each in its place."""
    words = []
    for name, fact in facts.items():
        if isinstance(fact, list):
            words += fact
        elif name == "seconds":
            words.append(f"{fact:.3f} s")
        else:
            words.append(" ".join(str(fact).split()))
    return " ".join(word for word in words if word)


def play_out(
    match: Match, host: EngineHost, observer: events.Observer | None = None, timeout: float | None = None
) -> MatchResult:
    """Let two engines play a match to its end, and wait for that.

    Where dead stones must be agreed on, playouts tell which are dead. Raises the error of an engine that fails,
    and a `MatchError` if somebody at the table is no engine or the time runs out; the game is then adjourned.
    """
    for player in match.players:
        if not isinstance(player, EnginePlayer):
            raise MatchError("without a screen only engines can play: who else should move?")
    over = threading.Event()
    troubles: list[TengenError] = []

    def attend(event: events.Event) -> None:
        if isinstance(event, events.CountingStarted):
            match.count(estimate_dead_stones(match.live))
        elif isinstance(event, events.EngineFailed):
            troubles.append(event.error)
            over.set()
        elif isinstance(event, events.Ended):
            over.set()

    leave = [match.watch(observer)] if observer is not None else []
    leave.append(match.watch(attend))
    runner = MatchRunner(match, host)
    try:
        if match.is_counting:
            match.count(estimate_dead_stones(match.live))
        elif match.result is None:
            runner.start()
            if not over.wait(timeout):
                raise MatchError(f"the game has not ended within {timeout:g} s")
    finally:
        runner.close()
        for end_watching in leave:
            end_watching()
    if troubles:
        raise troubles[0]
    assert match.result is not None
    return match.result
