"""Matches without a screen: each event is written as one line, for scripts and logs.

    started
    moved 1 Black f5 0.004 s
    ended B+12 Black wins: the board is full, 38 to 26 discs

The first word of a line is the event. The format is stable; as JSON the same fields have names. Free text (a
reason, a comment) comes last and contains no line breaks.
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

EventData = dict[str, Any]  # fields of an event, "event" first


class EventWriter:
    """An observer that writes each event as a line: `match.watch(EventWriter(match, print))`.

    With `thinking`, the progress of running searches is written as well, a few times per second.
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
        self._write(json.dumps(facts) if self._as_json else format_line(facts))


def describe(match: Match, event: events.Event) -> EventData:
    """The fields of an event as JSON data."""
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


def format_line(facts: EventData) -> str:
    """The fields as one line of text."""
    words = []
    for name, fact in facts.items():
        if isinstance(fact, list):
            words += fact
        elif name == "seconds":
            words.append(f"{fact:.3f} s")
        else:
            words.append(" ".join(str(fact).split()))
    return " ".join(word for word in words if word)


def run_match(
    match: Match, host: EngineHost, observer: events.Observer | None = None, timeout: float | None = None
) -> MatchResult:
    """Let two engines play a match, and wait for the result.

    If dead stones must be agreed on, they are estimated by playouts. Raises the error of an engine that fails, and
    `MatchError` if a player is not an engine or after `timeout` seconds; the game is then adjourned.
    """
    for player in match.players:
        if not isinstance(player, EnginePlayer):
            raise MatchError("a match without a screen needs two engine players")
    finished = threading.Event()
    engine_errors: list[TengenError] = []

    def on_event(event: events.Event) -> None:
        if isinstance(event, events.CountingStarted):
            match.finish_counting(estimate_dead_stones(match.live))
        elif isinstance(event, events.EngineFailed):
            engine_errors.append(event.error)
            finished.set()
        elif isinstance(event, events.Ended):
            finished.set()

    unwatch = [match.watch(observer)] if observer is not None else []
    unwatch.append(match.watch(on_event))
    runner = MatchRunner(match, host)
    try:
        if match.is_counting:
            match.finish_counting(estimate_dead_stones(match.live))
        elif match.result is None:
            runner.start()
            if not finished.wait(timeout):
                raise MatchError(f"the game has not ended within {timeout:g} s")
    finally:
        runner.close()
        for stop_watching in unwatch:
            stop_watching()
    if engine_errors:
        raise engine_errors[0]
    assert match.result is not None
    return match.result
