"""Engine reports on positions of stored games, so that analysis need not be repeated."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, delete, insert, select

from tengen.players.config import EngineConfig
from tengen.search.report import Kind, Report
from tengen.store.component import StoreComponent, now
from tengen.store.errors import NotStored
from tengen.store.rows import to_microseconds
from tengen.store.schema import games, reports

_KIND_RANK = {Kind.HEURISTIC: 0, Kind.BOUND: 1, Kind.EXACT: 2}


@dataclass(frozen=True)
class StoredReport:
    """A report on the position after `moves`, which may be a variation."""

    moves: tuple[str, ...]
    engine: str
    report: Report


class Reports(StoreComponent):
    """Engine analysis of stored games."""

    def save_report(self, game_id: str, moves: Sequence[str], engine: EngineConfig | str, report: Report) -> bool:
        """Store a report unless a better one is stored; returns whether it was stored.

        There is one per line and engine. Proved beats heuristic, then more nodes, then more time. The engine's
        level and threads are ignored, so a longer search by the same engine replaces a shorter one.
        """
        name = engine_key(engine)
        line, who = _digest(*moves), _digest(name)
        with self._database.write() as connection:
            self._database.lock(connection, "reports")
            number = _number(connection, game_id)
            same = (reports.c.number == number, reports.c.line == line, reports.c.engine_digest == who)
            found = connection.scalar(select(reports.c.report).where(*same))
            if found is not None and report_quality(_read(found)) >= report_quality(report):
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
                    time=to_microseconds(now()),
                )
            )
        return True

    def reports(self, game_id: str, moves: Sequence[str] | None = None) -> list[StoredReport]:
        """Reports stored with a game, or on one line of it; shortest line first, then best report first."""
        with self._database.read() as connection:
            chosen = select(reports).where(reports.c.number == _number(connection, game_id))
            if moves is not None:
                chosen = chosen.where(reports.c.line == _digest(*moves))
            rows = connection.execute(chosen).all()
        found = []
        for row in rows:
            report = _read(row.report)
            if report is not None:
                found.append(StoredReport(tuple(json.loads(row.moves)), row.engine, report))
        found.sort(key=lambda one: (len(one.moves), one.moves, [-part for part in report_quality(one.report)]))
        return found


def engine_key(engine: EngineConfig | str) -> str:
    """Key under which reports are stored: a name, or the engine configuration without level and threads."""
    if isinstance(engine, str):
        return engine
    data = engine.to_dict()
    del data["level"], data["threads"]
    return json.dumps(data, sort_keys=True)


def _read(text: str) -> Report | None:
    """Parse a stored report; None if another version of the program wrote it."""
    try:
        return Report.from_json(text)
    except ValueError:
        return None


def report_quality(report: Report | None) -> tuple[float, ...]:
    """Sort key of reports on the same position: higher is better."""
    if report is None:
        return (-1.0,)
    return (_KIND_RANK[report.value.kind], report.nodes, report.seconds)


def _number(connection: Connection, game_id: str) -> int:
    number = connection.scalar(select(games.c.number).where(games.c.id == game_id))
    if number is None:
        raise NotStored(f"there is no game with the id {game_id}")
    return int(number)


def _digest(*parts: str) -> bytes:
    return hashlib.blake2b(json.dumps(parts).encode(), digest_size=16).digest()
