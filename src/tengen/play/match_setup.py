"""What a match starts from: the entry and the clock of a new game, or the clock of a stored one."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from tengen.core.game import Game, Move
from tengen.games.records import Node, Record
from tengen.play.clock import Clock
from tengen.play.persistence import read_clock
from tengen.play.record_import import normalize_record
from tengen.play.time_control import TimeControl
from tengen.players.player import EnginePlayer, Player
from tengen.store.game_entry import GameEntry


def new_entry(
    game: Game, players: tuple[Player, Player], *, rated: bool, opening: Sequence[Move], draft: bool
) -> GameEntry:
    """The entry of a new game after the moves of `opening`.

    A game against oneself, or against an opponent that adapts its strength, is not rated.
    """
    adapts = any(isinstance(one, EnginePlayer) and one.config.adapts for one in players)
    today = datetime.now(UTC).date().isoformat()
    record = Record(game, names=(players[0].name, players[1].name), date=today)
    node, position = record.root, game.start()
    for move in opening:
        node = node.add(Node(move, position.to_move))
        position = position.play(move)
    is_rated = rated and not adapts and players[0].id != players[1].id
    return GameEntry(record, players, rated=is_rated, draft=draft)


def new_clock(entry: GameEntry, control: TimeControl | None, second: TimeControl | None) -> Clock:
    """The clock of a new game. Moves that the game already has took no time."""
    clock = Clock.from_control(control or TimeControl(), second)
    for node in entry.record.nodes()[1:]:
        assert node.player is not None
        clock = clock.add_untimed_move(node.player)
    return clock


def stored_clock(entry: GameEntry) -> Clock:
    """The clock of a stored game. An imported record is first brought into the form that a match needs.

    Raises a `TengenError` if it is unreadable.
    """
    if entry.state:
        return read_clock(entry.state)
    entry.record = normalize_record(entry.record)
    moves = entry.record.nodes()[1:]
    times = [(node.player or 0, node.seconds or 0.0) for node in moves if node.move is not None]
    return Clock.replay(TimeControl(), times)
