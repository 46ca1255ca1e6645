"""A game of Clobber in which a win is thrown away, with reports that are exact because everything is tried."""

from __future__ import annotations

import tengen
from tengen.core.position import Position
from tengen.games.records import Record
from tengen.search.report import Candidate, Report, Value
from tengen.store.game_entry import GameEntry
from tengen.store.store import Store


def wins(position: Position) -> bool:
    return any(not wins(position.play(move)) for move in position.legal_moves)


def solved(position: Position) -> Report:
    """An exact report on a Clobber position, by trying everything."""
    found = []
    for move in position.legal_moves:
        won = not wins(position.play(move))
        found.append(Candidate(position.game.write_move(move), Value.exact(1 if won else -1, "wins")))
    found.sort(key=lambda one: -one.value.amount)
    return Report("by hand", found[0].move, found[0].value, tuple(found), 1, 0.0)


def thrown_away() -> tuple[list[Position], dict[int, Report], int]:
    """A game of Clobber in which one move gives a won position away, its reports, and the number of that move."""
    position = tengen.game("clobber", board="XOXOXOXO.XO").start()
    assert wins(position)
    losing = [move for move in position.legal_moves if wins(position.play(move))]
    position = position.play(losing[0])
    while not position.is_over:
        position = position.play(solved(position).best)
    line = list(position.line())
    return line, {one.ply: solved(one) for one in line if not one.is_over}, 1


def add_game(store: Store, *, with_reports: bool, date: str = "2026-05-01", seconds: float = 5.0) -> str:
    """A game of Clobber in which Ann threw a win away with her first move, after some seconds."""
    line, reports, _planted = thrown_away()
    record = Record.of(line[-1])
    record.names, record.date, record.result = ("Ann", "Bob"), date, "W+"
    record.root.children[0].seconds = seconds
    entry = GameEntry(record, end="no moves left")
    store.save(entry)
    for ply, report in reports.items() if with_reports else ():
        store.save_report(entry.id, line[ply].write_moves(line[ply].moves), "by hand", report)
    return entry.id
