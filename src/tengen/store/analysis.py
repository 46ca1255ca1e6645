"""Reports of searches, kept with the game and used again."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, delete, insert, select

from tengen.players.config import EngineConfig
from tengen.search.report import Kind, Report
from tengen.store.errors import NotStored
from tengen.store.part import Part, now
from tengen.store.rows import microseconds
from tengen.store.schema import games, reports

_TRUST = {Kind.HEURISTIC: 0, Kind.BOUND: 1, Kind.EXACT: 2}


@dataclass(frozen=True)
class KeptReport:
    """A report on the position after `moves`, which need not be the game's own."""

    moves: tuple[str, ...]
    engine: str
    report: Report


class Analysis(Part):
    """What engines said of positions."""

    def keep_report(self, game_id: str, moves: Sequence[str], engine: EngineConfig | str, report: Report) -> bool:
        """Keep a report unless a better one is there; returns whether it was kept.

        One for each line and engine: what is proved is better than a guess, then more nodes, then more time. A
        config counts without its level and threads, so that a longer search of the same engine replaces a shorter
        one.
        """
        name = engine_text(engine)
        line, who = _digest(*moves), _digest(name)
        with self._database.write() as connection:
            self._database.hold(connection, "reports")
            number = _number(connection, game_id)
            same = (reports.c.number == number, reports.c.line == line, reports.c.engine_digest == who)
            found = connection.scalar(select(reports.c.report).where(*same))
            if found is not None and _worth(_read(found)) >= _worth(report):
                return False
            connection.execute(delete(reports).where(*same))
            connection.execute(
                insert(reports).values(
                    number=number,
                    line=line,
                    engine_digest=who,
                    moves=json.dumps(list(moves)),
                    engine=name,
                    report=report.to_json(),
                    time=microseconds(now()),
                )
            )
        return True

    def reports(self, game_id: str, moves: Sequence[str] | None = None) -> list[KeptReport]:
        """The reports kept with a game, or those on one line of it; the shortest line first, then the best."""
        with self._database.read() as connection:
            chosen = select(reports).where(reports.c.number == _number(connection, game_id))
            if moves is not None:
                chosen = chosen.where(reports.c.line == _digest(*moves))
            rows = connection.execute(chosen).all()
        found = []
        for row in rows:
            report = _read(row.report)
            if report is not None:
                found.append(KeptReport(tuple(json.loads(row.moves)), row.engine, report))
        found.sort(key=lambda kept: (len(kept.moves), kept.moves, [-part for part in _worth(kept.report)]))
        return found


def engine_text(engine: EngineConfig | str) -> str:
    """What a report is kept under: a name, or everything in a config that is not about how long it thinks."""
    if isinstance(engine, str):
        return engine
    data = engine.to_dict()
    del data["level"], data["threads"]
    return json.dumps(data, sort_keys=True)


def _read(text: str) -> Report | None:
    """A stored report; None if another version of this program wrote it, which makes it worth nothing here."""
    try:
        return Report.from_json(text)
    except ValueError:
        return None


def _worth(report: Report | None) -> tuple[float, ...]:
    if report is None:
        return (-1.0,)
    return (_TRUST[report.value.kind], report.nodes, report.seconds)


def _number(connection: Connection, game_id: str) -> int:
    number = connection.scalar(select(games.c.number).where(games.c.id == game_id))
    if number is None:
        raise NotStored(f"there is no game with the id {game_id}")
    return int(number)


def _digest(*parts: str) -> bytes:
    return hashlib.blake2b(json.dumps(parts).encode(), digest_size=16).digest()
