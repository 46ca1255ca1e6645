"""Driver for KataGo's JSON analysis engine (`katago analysis`) and programs that speak its protocol."""

from __future__ import annotations

import json
import time
from typing import Any, ClassVar

from tengen.core.diagram import Stone
from tengen.core.errors import OptionError
from tengen.core.game import Game
from tengen.core.position import Position
from tengen.games.go import Go
from tengen.protocols.external.analysis import (
    Evaluation,
    Pace,
    SaidMove,
    candidates,
    count,
    grid_overlay,
    number,
    visits_overlay,
    win_rate_value,
)
from tengen.protocols.external.engine import EngineMove, ExternalEngine
from tengen.protocols.external.errors import Refused
from tengen.protocols.external.process import ExternalProcess
from tengen.protocols.line_protocol import printable
from tengen.search.limits import Limits, StopFlag

MAX_VISITS = 1 << 50
REPORT_EVERY_S = 0.25


class KatagoEngine(ExternalEngine):
    """KataGo's analysis protocol. It has no state, so each search sends the whole game."""

    name: ClassVar[str] = "external KataGo"
    analyses_always: ClassVar[bool] = True
    _queries = 0

    def _check_game(self, game: Game) -> None:
        if not isinstance(game, Go):
            raise OptionError("KataGo's analysis protocol is for Go")
        if min(game.width, game.height) < 2:
            raise OptionError("KataGo's analysis protocol needs a board of at least 2x2")
        if 2 * game.komi != int(2 * game.komi):
            raise OptionError(f"KataGo takes a komi of whole or half points, not {game.komi:g}")

    def _handshake(self, process: ExternalProcess) -> None:
        """Wait for its version, which it answers once the model is loaded."""
        for line in self.program.setup:
            process.send(line)
        query = self._send(process, action="query_version")
        deadline = time.monotonic() + self.program.timeout_s
        while self._answer(process.receive(deadline), query) is None:
            pass

    def _quit_command(self) -> str:
        return json.dumps({"id": "end", "action": "terminate_all"})

    def _send(self, process: ExternalProcess, **fields: Any) -> str:
        self._queries += 1
        query = f"tengen {self._queries}"
        process.send(json.dumps({"id": query} | fields))
        return query

    def _answer(self, line: str, query: str) -> dict[str, Any] | None:
        """The answer to our query; None for other lines. Raises `Refused` for an error."""
        try:
            data = json.loads(line)
        except (ValueError, RecursionError):
            return None  # such as a note before its first answer
        if not isinstance(data, dict) or data.get("id", query) != query or "warning" in data:
            return None
        if "error" in data:
            field = f" ({printable(str(data['field']), 40)})" if "field" in data else ""
            raise Refused(f"{self.title} reported: {printable(str(data['error']), 200)}{field}")
        return data if "id" in data else None

    def _request_analysis(self, process: ExternalProcess, position: Position, pace: Pace) -> Evaluation:
        pace.finish = pace.deadline  # it ends by itself: the time limit is part of the query
        query = self._send(process, **_query(position, pace.limits))
        last: Evaluation = Evaluation()
        ending = False
        while True:
            line = process.receive(pace.deadline) if ending else pace.receive(process)
            if line is None:
                ending = True
                pace.deadline = min(pace.deadline, time.monotonic() + self.program.timeout_s)
                self._send(process, action="terminate", terminateId=query)
                continue
            data = self._answer(line, query)
            if data is None or not {"moveInfos", "noResults"} & set(data):
                continue
            is_final = data.get("isDuringSearch") is not True
            if is_final or pace.is_due():
                last = _read(data, position) if "moveInfos" in data else last
                pace.send(last)
            if is_final:
                return last

    # A move is the first candidate of an analysis.

    def _request_move(
        self, process: ExternalProcess, position: Position, limits: Limits, deadline: float, stop: StopFlag
    ) -> EngineMove:
        raise NotImplementedError("this engine only analyses")

    def _request_stop(self, process: ExternalProcess) -> None:
        """An analysis ends itself."""

    def _read_move_after_stop(self, process: ExternalProcess, position: Position, deadline: float) -> EngineMove:
        raise NotImplementedError("this engine only analyses")


def _query(position: Position, limits: Limits) -> dict[str, Any]:
    """The position as a query, with values for the side to move."""
    game = position.game
    assert isinstance(game, Go)
    start = game.start()
    stones = [
        ("BW"[stone is Stone.SECOND], game.write_move(game.point(point)))
        for point, stone in start.diagram().contents().items()
        if stone is not Stone.EMPTY
    ]
    moves = [
        ("BW"[step.parent.to_move], game.write_move(step.move))
        for step in position.line()
        if step.parent is not None and step.move is not None
    ]
    seconds = limits.thinking_time()
    settings: dict[str, Any] = {"reportAnalysisWinratesAs": "SIDETOMOVE"}
    if seconds < 1e9:
        settings["maxTime"] = round(max(0.001, seconds), 3)
    return {
        "rules": {
            "ko": game.ko.upper(),
            "scoring": game.scoring.upper(),
            "tax": "SEKI" if game.scoring == "territory" else "NONE",
            "suicide": game.suicide,
            "hasButton": False,
            "whiteHandicapBonus": game.bonus,
        },
        "komi": game.komi,
        "boardXSize": game.width,
        "boardYSize": game.height,
        "initialStones": stones,
        "initialPlayer": "BW"[start.to_move],
        "moves": moves,
        "maxVisits": min(limits.nodes or MAX_VISITS, MAX_VISITS),
        "includeOwnership": True,
        "includePolicy": True,
        "reportDuringSearchEvery": REPORT_EVERY_S,
        "overrideSettings": settings,
    }


def _read(data: dict[str, Any], position: Position) -> Evaluation:
    """An answer, as far as it makes sense."""
    game = position.game
    assert isinstance(game, Go)
    said: list[tuple[float, SaidMove]] = []
    infos = data["moveInfos"] if isinstance(data["moveInfos"], list) else []
    for rank, info in enumerate(one for one in infos if isinstance(one, dict)):
        rate, move = number(info.get("winrate"), 0, 1), info.get("move")
        if rate is None or not isinstance(move, str):
            continue
        line = info.get("pv")
        words = [word for word in line if isinstance(word, str)] if isinstance(line, list) else []
        points = number(info.get("scoreLead"), -1e4, 1e4)
        order = number(info.get("order"), 0, 1e6)
        made = SaidMove(words or [move], win_rate_value(rate), count(info.get("visits")), points)
        said.append((rank if order is None else order, made))
    found = candidates((one for _, one in sorted(said, key=lambda one: one[0])), position, game.read_move)
    root = data.get("rootInfo")
    nodes = count(root.get("visits")) if isinstance(root, dict) else sum(one.visits for one in found)
    sign = 1.0 if position.to_move == 0 else -1.0
    overlays = [visits_overlay(found, position)]
    for name, factor in (("ownership", sign), ("policy", 1.0)):
        grid = data.get(name)
        if isinstance(grid, list):
            positive = [max(0, one) if name == "policy" and isinstance(one, int | float) else one for one in grid]
            overlays.append(grid_overlay(name, positive, game.width, game.height, factor))
    return Evaluation(found, nodes, 0, tuple(one for one in overlays if one is not None))
