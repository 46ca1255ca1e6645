"""Queries of KataGo's analysis protocol: their fields are checked, and their moves played.

The texts of errors are KataGo's, because programs look for them.
"""

from __future__ import annotations

import itertools
import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from tengen.core.diagram import Point, letters
from tengen.core.errors import OptionError, PositionError, TengenError
from tengen.core.game import Move
from tengen.core.position import Position
from tengen.games.go import PASS, Go
from tengen.games.go.rules import LARGEST
from tengen.protocols.katago.rules import UnknownRules, go_options, parse_rules
from tengen.search.limits import Limits

MAX_PRIORITY = 1 << 62
MAX_KOMI = 400.0
DEFAULT_LINE_MOVES = 15  # of a variation, after its first move
PLAYERS = {"b": 0, "black": 0, "w": 1, "white": 1}
PERSPECTIVES = {"b": 0, "black": 0, "w": 1, "white": 1, "sidetomove": None}

_VERTEX = re.compile(r"([a-hj-z]{1,2})(\d{1,3})", re.ASCII)
_COORDINATES = re.compile(r"\(\s*(\d{1,3})\s*,\s*(\d{1,3})\s*\)", re.ASCII)
_MOVES_FORM = 'Must be an array of pairs of the form: ["b" or "w", GTP board vertex]'
_RESTRICTION_FORM = "Must be a list of dicts with subfields 'player', 'moves', 'untilDepth'"
_FLAGS = frozenset({"includeOwnership", "includePolicy"})
_UNSUPPORTED_FLAGS = {
    "includeMovesOwnership",
    "includeMovesOwnershipStdev",
    "includeOwnershipStdev",
    "includePVVisits",
    "includeNoResultValue",
}
_KNOWN = _FLAGS | {
    *("id", "moves", "initialStones", "initialPlayer", "rules", "komi", "whiteHandicapBonus", "boardXSize"),
    *("boardYSize", "analyzeTurns", "maxVisits", "analysisPVLen", "avoidMoves", "allowMoves", "overrideSettings"),
    *("reportDuringSearchEvery", "firstReportDuringSearchAfter", "priority", "priorities"),
    *("rootPolicyTemperature", "rootFpuReductionMax"),
}
# Settings of KataGo's search that have no counterpart here: accepted without effect.
_IGNORED_SETTINGS = re.compile(
    r"wideRootNoise|ignorePreRootHistory|antiMirror|rootNumSymmetriesToSample|playoutDoublingAdvantage\w*|cpuct\w*"
    r"|rootSymmetryPruning|root\w*(?:Temperature|Fpu|Noise|Dirichlet|Ending|Prune)\w*|fpu\w*|\w*Utility\w*"
    r"|conservativePass|preventEncore|num(?:Search|Analysis)Threads\w*|nn\w+|useUncertainty\w*|useNoisePruning"
    r"|subtreeValue\w+|useGraphSearch|drawEquivalent\w*|chosenMove\w*|lagBuffer|logSearchInfo|useLcb\w*"
)


class QueryError(Exception):
    """A query cannot be answered, because of one of its fields."""

    def __init__(self, field: str, text: str) -> None:
        super().__init__(text)
        self.field = field


@dataclass(frozen=True)
class Query:
    """What one query asks for. `turns` are the positions to analyse, by turn, each with its priority.

    `perspective` is the player whose values are reported; None is the side to move.
    """

    id: str
    turns: Mapping[int, tuple[Position, int]]
    limits: Limits
    ownership: bool = False
    policy: bool = False
    line_moves: int = DEFAULT_LINE_MOVES
    report_every_s: float = math.inf
    first_report_s: float = math.inf
    perspective: int | None = 0
    # By player: the vertices to which, or (False) apart from which the first move is restricted
    restrictions: Mapping[int, tuple[bool, frozenset[Move]]] = field(default_factory=dict)
    warnings: tuple[tuple[str, str], ...] = ()  # (field, text)

    def limits_at(self, position: Position) -> Limits:
        """The limits of the search of one of its positions. Raises `QueryError` if no move is left."""
        if position.to_move not in self.restrictions:
            return self.limits
        allow, named = self.restrictions[position.to_move]
        moves = tuple(move for move in position.legal_moves if (move in named) == allow)
        if not moves:
            raise QueryError("allowMoves" if allow else "avoidMoves", "No legal move is left")
        return replace(self.limits, moves=moves)


def read_query(data: Mapping[str, Any], default: Limits) -> Query:
    """A query from its JSON object. Raises `QueryError`."""
    reader = _Reader(data)
    game = reader.game()
    line = reader.play(game)
    settings, warnings = _read_settings(data.get("overrideSettings", {}))
    visits = reader.integer("maxVisits", 1, 1 << 50)
    limits = default
    if "seconds" in settings or "nodes" in settings or visits is not None:
        limits = Limits(
            seconds=settings.get("seconds", default.seconds), nodes=settings.get("nodes", default.nodes)
        )
    if visits is not None:
        limits = replace(limits, nodes=visits)
    every = reader.number(
        "reportDuringSearchEvery", 0.001, 1e6, "Must be number of seconds from 0.001 to 1000000.0"
    )
    first = reader.number(
        "firstReportDuringSearchAfter", 0.001, 1e6, "Must be number of seconds from 0.001 to 1000000.0"
    )
    line_moves = reader.integer("analysisPVLen", 1, 1000)
    restrictions, restriction_warnings = reader.restrictions(game)
    return Query(
        id=data["id"],
        turns=reader.turns(line),
        limits=limits,
        ownership=reader.flag("includeOwnership"),
        policy=reader.flag("includePolicy"),
        line_moves=settings.get("line_moves", DEFAULT_LINE_MOVES) if line_moves is None else line_moves,
        report_every_s=math.inf if every is None else every,
        first_report_s=first if first is not None else math.inf if every is None else every,
        perspective=settings.get("perspective", 0),
        restrictions=restrictions,
        warnings=(*reader.warnings, *warnings, *restriction_warnings, *reader.unused_fields()),
    )


class _Reader:
    """Reads the fields of one query."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        self.data = data
        self.warnings: list[tuple[str, str]] = []
        text = f"Must provide an integer from 2 to {LARGEST}"
        sides = [self.integer(name, 2, LARGEST, text) for name in ("boardXSize", "boardYSize")]
        for name, side in zip(("boardXSize", "boardYSize"), sides, strict=True):
            if side is None:
                raise QueryError(name, text)
        self.width, self.height = sides[0] or 0, sides[1] or 0
        self._columns = letters(self.width, skip="I")

    # ---- plain values

    def integer(self, name: str, low: int, high: int, text: str = "") -> int | None:
        if name not in self.data:
            return None
        value = self.data[name]
        if type(value) is not int or not low <= value <= high:
            raise QueryError(
                name, text or f"Must be an integer from {low} to {'2^50' if high == 1 << 50 else high}"
            )
        return value

    def number(self, name: str, low: float, high: float, text: str) -> float | None:
        if name not in self.data:
            return None
        value = self.data[name]
        if type(value) not in (int, float) or not low <= value <= high:
            raise QueryError(name, text)
        return float(value)

    def flag(self, name: str) -> bool:
        value = self.data.get(name, False)
        if type(value) is not bool:
            raise QueryError(name, "Must be a boolean")
        return value

    def unused_fields(self) -> list[tuple[str, str]]:
        """Warnings about fields that have no effect."""
        found = []
        for name in self.data:
            if name in _UNSUPPORTED_FLAGS:
                if self.flag(name):
                    found.append((name, "Not supported by Tengen: the answer is without it"))
            elif name not in _KNOWN:
                found.append((name, "Unexpected or unused field, do you have a typo?"))
        return found

    # ---- the game

    def game(self) -> Go:
        """The game with its rules and the stones at its start."""
        stones = self._pairs("initialStones", allow_pass=False) if "initialStones" in self.data else []
        if "moves" not in self.data:
            raise QueryError("moves", "Must specify an array of [player,location] pairs")
        self.moves = self._pairs("moves", allow_pass=True)
        first = self._player("initialPlayer", self.data) if "initialPlayer" in self.data else None
        options = self._rules()
        placed = {point: player for player, point in stones}  # a later stone replaces an earlier one
        black = [point for point, player in placed.items() if player == 0]
        opening = itertools.takewhile(lambda move: move[0] == 0 and move[1] is not None, self.moves)
        # As in KataGo, Black's stones before White's first are a handicap, also if they are played one by one.
        handicap = len(black) + sum(1 for _ in opening) if len(black) == len(placed) else 0
        if first is None:
            first = self.moves[0][0] if self.moves else int(len(black) == len(placed) >= 2)
        rows = (
            "".join(
                ".XO"[placed[column, row] + 1 if (column, row) in placed else 0] for column in range(self.width)
            )
            for row in range(self.height)
        )
        options |= {"board": f"{'/'.join(rows)} {'XO'[first]}", "handicap": handicap if handicap >= 2 else 0}
        try:
            return Go(width=self.width, height=self.height, **options)
        except (OptionError, PositionError) as error:
            raise QueryError("initialStones", str(error)) from None

    def _rules(self) -> dict[str, Any]:
        given = self.data.get("rules")
        if not isinstance(given, str | dict):
            raise QueryError(
                "rules",
                'Must specify rules string, such as "chinese" or "tromp-taylor", or a JSON object with detailed '
                "rules parameters.",
            )
        try:
            rules = parse_rules(given)
        except UnknownRules:
            written = given if isinstance(given, str) else json.dumps(given)
            raise QueryError("rules", f"Could not parse rules: {written[:200]}") from None
        options, changed = go_options(rules)
        if changed:
            used = json.dumps(rules | changed)
            self.warnings.append(
                ("rules", f"Rules {json.dumps(rules)} not supported by Tengen, using {used} instead")
            )
        text = f"Must be a integer or half-integer from {-MAX_KOMI} to {MAX_KOMI}"
        komi = self.number("komi", -MAX_KOMI, MAX_KOMI, text)
        if komi is not None:
            options["komi"] = komi
        if not abs(options["komi"]) <= MAX_KOMI or 2 * options["komi"] != int(2 * options["komi"]):
            raise QueryError("komi", text)
        if "whiteHandicapBonus" in self.data:
            bonus = self.data["whiteHandicapBonus"]
            if bonus not in ("0", "N", "N-1"):
                raise QueryError("whiteHandicapBonus", "Must be a string: 0, N or N-1")
            options["bonus"] = bonus
        return options

    def play(self, game: Go) -> list[Position]:
        """The positions after 0, 1, 2, … moves, each with the side to move that the next move has."""
        position = game.start()
        line = [position]
        for number, (player, point) in enumerate(self.moves):
            move = PASS if point is None else game.point(point)
            try:
                position = _play(position, player, move)
            except TengenError:
                raise QueryError("moves", f"Illegal move {number}: {game.write_move(move)}") from None
            line.append(position)
        return line

    def turns(self, line: Sequence[Position]) -> dict[int, tuple[Position, int]]:
        """The positions to analyse, each with its priority."""
        asked = self._integers("analyzeTurns", "Must specify an array of integers indicating turns to analyze")
        turns = [len(line) - 1] if asked is None else asked
        for turn in turns:
            if not 0 <= turn < len(line):
                raise QueryError("analyzeTurns", f"Invalid turn number: {turn}")
        priority = self.integer("priority", -MAX_PRIORITY, MAX_PRIORITY, "Must be a number between -2^62 and 2^62")
        priorities = self._integers("priorities", "Must specify an array of integers indicating priorities")
        if priorities is None:
            priorities = [priority or 0] * len(turns)
        elif priority is not None:
            raise QueryError("priority", "Cannot specify both priority and priorities")
        elif asked is None:
            raise QueryError("priorities", "Can only specify when also specifying analyzeTurns")
        if len(priorities) != len(turns):
            raise QueryError("priorities", "Must be of matching length to analyzeTurns")
        for one in priorities:
            if abs(one) > MAX_PRIORITY:
                raise QueryError("priorities", f"Invalid priority: {one}")
        by_turn = dict(zip(turns, priorities, strict=True))
        return {turn: (_unfinished(line[turn]), by_turn[turn]) for turn in sorted(by_turn)}

    def restrictions(self, game: Go) -> tuple[dict[int, tuple[bool, frozenset[Move]]], list[tuple[str, str]]]:
        """The moves that each player may, or may not, play first; and warnings."""
        if "allowMoves" in self.data and "avoidMoves" in self.data:
            raise QueryError("allowMoves", "Cannot specify both allowMoves and avoidMoves")
        name = "allowMoves" if "allowMoves" in self.data else "avoidMoves"
        entries = self.data.get(name, [])
        if not isinstance(entries, list) or not all(
            isinstance(entry, dict) and {"moves", "untilDepth", "player"} <= set(entry) for entry in entries
        ):
            raise QueryError(name, _RESTRICTION_FORM)
        found: dict[int, set[Move]] = {}
        warnings: list[tuple[str, str]] = []
        for entry in entries:
            player = self._player("player", entry, name)
            if name == "allowMoves" and player in found:
                raise QueryError(name, "Cannot specify allowMoves more than once for the same player")
            if not isinstance(entry["moves"], list) or not all(isinstance(word, str) for word in entry["moves"]):
                raise QueryError(name, "Must be an array of GTP board vertices")
            points = [self._point(word, name, allow_pass=True) for word in entry["moves"]]
            moves = {PASS if point is None else game.point(point) for point in points}
            depth = entry["untilDepth"]
            if type(depth) is not int or not 1 <= depth <= 10**9:
                raise QueryError(name, "untilDepth: Must be a positive integer")
            if depth > 1 and not warnings:
                warnings.append((name, "Tengen restricts the first move only, as with untilDepth 1"))
            found.setdefault(player, set()).update(moves)
        allow = name == "allowMoves"
        return {player: (allow, frozenset(moves)) for player, moves in found.items()}, warnings

    # ---- players, points and lists

    def _integers(self, name: str, text: str) -> list[int] | None:
        if name not in self.data:
            return None
        values = self.data[name]
        if not isinstance(values, list) or not all(type(value) is int for value in values):
            raise QueryError(name, text)
        return values

    def _player(self, key: str, data: Mapping[str, Any], name: str = "") -> int:
        value = data[key]
        if not isinstance(value, str) or value.lower() not in PLAYERS:
            raise QueryError(name or key, 'Must be "b" or "w"')
        return PLAYERS[value.lower()]

    def _pairs(self, name: str, *, allow_pass: bool) -> list[tuple[int, Point | None]]:
        entries = self.data[name]
        if not isinstance(entries, list):
            raise QueryError(name, _MOVES_FORM)
        pairs = []
        for entry in entries:
            if not (isinstance(entry, list) and len(entry) == 2 and all(isinstance(part, str) for part in entry)):
                raise QueryError(name, _MOVES_FORM)
            if entry[0].lower() not in PLAYERS:
                raise QueryError(name, f"Could not parse player: {entry[0][:40]}")
            pairs.append((PLAYERS[entry[0].lower()], self._point(entry[1], name, allow_pass=allow_pass)))
        return pairs

    def _point(self, word: str, name: str, *, allow_pass: bool) -> Point | None:
        """A point of the board; None is a pass."""
        if word.lower() == "pass" and allow_pass:
            return None
        column, row = -1, -1
        if found := _VERTEX.fullmatch(word.lower()):
            label = found[1].upper()
            column = self._columns.index(label) if label in self._columns else -1
            row = self.height - int(found[2])
        elif found := _COORDINATES.fullmatch(word):
            column, row = int(found[1]), int(found[2])
        if not (0 <= column < self.width and 0 <= row < self.height):
            raise QueryError(name, f"Could not parse board location: {word[:40]}")
        return column, row


def _read_settings(given: object) -> tuple[dict[str, Any], list[tuple[str, str]]]:
    """The settings that have an effect, and warnings about unknown ones."""
    if not isinstance(given, dict):
        raise QueryError("overrideSettings", "Must be an object")
    settings: dict[str, Any] = {}
    unknown = []
    for name, value in given.items():
        number = _number(value)
        if name == "reportAnalysisWinratesAs":
            if str(value).lower() not in PERSPECTIVES:
                raise _bad_setting(f"Could not parse config value for reportAnalysisWinratesAs: {str(value)[:40]}")
            settings["perspective"] = PERSPECTIVES[str(value).lower()]
        elif name in ("maxVisits", "maxPlayouts"):
            if not 1 <= number <= 1 << 50:
                raise _bad_setting(f"{name} should be an integer from 1 to 2^50")
            settings["nodes"] = min(settings.get("nodes", 1 << 50), int(number))
        elif name == "maxTime":
            if not 0 < number <= 1e20:
                raise _bad_setting("maxTime should be a number of seconds")
            settings["seconds"] = number
        elif name == "analysisPVLen":
            if not 1 <= number <= 1000:
                raise _bad_setting("analysisPVLen should be an integer from 1 to 1000")
            settings["line_moves"] = int(number)
        elif name == "humanSLProfile" and value:
            raise _bad_setting("humanSLProfile needs KataGo's human model, which Tengen does not have")
        elif _IGNORED_SETTINGS.fullmatch(name) is None and not name.startswith("humanSL"):
            unknown.append(name[:60])
    return settings, [("overrideSettings", f"Unknown config params: {','.join(unknown[:20])}")] if unknown else []


def _bad_setting(text: str) -> QueryError:
    return QueryError("overrideSettings", f"Could not set settings: {text}")


def _number(value: object) -> float:
    """A number that may be written as text; NaN for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return math.nan
    try:
        return float(value)
    except (ValueError, OverflowError):
        return math.nan


# ---- positions


def _play(position: Position, player: int, move: Move) -> Position:
    """The position after a move of either player.

    A move that only the history forbids, such as retaking a ko, is played without it, as in KataGo.
    """
    if position.to_move != player or position.is_over:
        position = _without_history(position, player)
    if move not in position.legal_moves and position.ply > 0:
        position = _without_history(position, player)
    return position.play(move)


def _unfinished(position: Position) -> Position:
    """The position, or after two passes the same board with the game going on."""
    return _without_history(position, position.to_move) if position.is_over else position


def _without_history(position: Position, player: int) -> Position:
    """A new game from this board, with this player to move."""
    game = position.game
    assert isinstance(game, Go)
    komi = game.komi
    if game.scoring == "territory":  # prisoners count, but a new game begins without any
        komi += int(position.state.captured[1]) - int(position.state.captured[0])
    return replace(game, board=game.write_rows(position, player), komi=komi, free_handicap=False).start()
