"""Makes proofs for the checkers of this package, with the engines. Each is checked before it is returned."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from tengen.app.proofs.go_life import KILL, LIVE, PASS, State, Zone, check_closed, start_state
from tengen.app.proofs.proof_file import Effort, InvalidProof, ProofFile, verify_text
from tengen.core.diagram import Point
from tengen.core.errors import OptionError
from tengen.core.interrupt import stopping_when
from tengen.core.position import Position
from tengen.games.clobber import Clobber
from tengen.games.go import Go
from tengen.runtime.messages import Request
from tengen.search.report import Kind, Report

if TYPE_CHECKING:
    from tengen.engines.go.reading.life import LifeReader
    from tengen.engines.go.reading.tactics import ReadResult

MAX_QUIET_THREATS = 2  # of a win of Pente
MAX_STATES = 20_000  # of a strategy of Go
SERVER_SECONDS = 30.0  # to check a proof that a visitor of a server asked for


def certify(position: Position, report: Report, effort: Effort | None = None) -> str:
    """The text of a proof of the value of a position. Raises `OptionError` if there is none for it."""
    make = _CERTIFIERS.get(position.game.name)
    if make is None:
        raise OptionError(
            f"there are no certificates of values of {position.game.title}; "
            "for life and death in Go use `tengen problem --certificate`"
        )
    return make(position, report, effort)


def has_proof(position: Position, report: Report) -> bool:
    """Whether `certify` has a format for the value of a position; it may still be too large."""
    if report.value.kind is not Kind.EXACT or position.is_over:
        return False
    name = position.game.name
    if name in _UNITS and report.value.unit != _UNITS[name]:
        return False
    return name in _CERTIFIERS and (name not in _WINS_ONLY or report.value.amount > 0)


def certify_request(request: Request, report: Report) -> str:
    """`certify` for a helper process of a server, within a time limit."""
    return certify(request.position(), report, Effort(SERVER_SECONDS))


def clobber_win(position: Position, effort: Effort | None = None) -> str:
    """Who wins at Clobber, in the format of the solver."""
    from tengen.engines.clobber.proof import prove_position
    from tengen.engines.clobber.solver import SearchLimits, Solver

    game = position.game
    assert isinstance(game, Clobber)
    effort = effort or Effort()
    limits = SearchLimits(seconds=effort.left)
    text = prove_position(Solver(), game.text(position), "XO"[position.to_move], limits)
    if text is None:
        _check_time(effort)
        raise OptionError("not solved, so there is no certificate")
    verify_text(text, effort)
    return text + "\n"


def pente_win(position: Position, effort: Effort | None = None) -> ProofFile:
    """A forced win for the side to move."""
    from tengen.engines.pente.search_threads import SearchThread
    from tengen.engines.pente.threats.proof import build_proof

    effort = effort or Effort()
    thread = SearchThread()
    with stopping_when(lambda: effort.left <= 0, thread.stop.array):
        proof = build_proof(position, threes=MAX_QUIET_THREATS, thread=thread)
    _check_time(effort)
    if proof is None:
        raise OptionError("no forced win by threats was found, so there is no certificate")
    winner = position.game.players[position.to_move]
    return ProofFile.of("pente-win", position, {"winner": winner, "plies": proof.plies}, proof.to_data(position))


def othello_value(position: Position, report: Report) -> ProofFile:
    """The exact value of a position, or proved bounds."""
    value = report.value
    if value.kind is Kind.HEURISTIC or value.unit != _UNITS["othello"]:
        raise OptionError("only a proved value in discs has a certificate: solve without --wld")
    low, high = (None if one is None else round(one) for one in (value.low, value.high))
    line = list(report.line) if low == high else []
    return ProofFile.of("othello-value", position, {"low": low, "high": high}, {"line": line})


_CERTIFIERS: dict[str, Callable[[Position, Report, Effort | None], str]] = {
    "clobber": lambda position, report, effort: clobber_win(position, effort),
    "pente": lambda position, report, effort: _checked(pente_win(position, effort), effort).to_json(),
    "othello": lambda position, report, effort: _checked(othello_value(position, report), effort).to_json(),
}
_WINS_ONLY = frozenset(("pente",))  # games with proofs of wins, but not of losses
_UNITS = {"othello": "discs"}  # of the values that have proofs


def go_life(position: Position, target: Point, goal: str, first: int, effort: Effort | None = None) -> ProofFile:
    """The life or death of a string if player `first` moves first, without a ko.

    Raises `OptionError` if it is not proved.
    """
    game = position.game
    if not isinstance(game, Go):
        raise OptionError("life and death are about Go")
    effort = effort or Effort()
    return _checked(_StrategyBuilder(position, target, goal, first, effort).build(), effort)


def go_answer(position: Position, target: Point, effort: Effort | None = None) -> ProofFile:
    """What the side to move achieves with a string, or cannot prevent. Raises `OptionError` if unproved."""
    from tengen.app.problems import Outcome, ProblemReader

    effort = effort or Effort()
    first = position.to_move
    owner = int(position.diagram().contents()[target]) - 1
    outcome = ProblemReader(position, target).outcome
    if outcome is Outcome.KO:
        raise OptionError("it depends on a ko, so there is no certificate")
    lives = (first == owner) == (outcome is Outcome.WORKS)
    return go_life(position, target, LIVE if lives else KILL, first, effort)


def go_answer_request(request: Request, target: Point) -> str:
    """`go_answer` for a helper process of a server, within a time limit."""
    return go_answer(request.position(), target, Effort(SERVER_SECONDS)).to_json()


def _check_time(effort: Effort) -> None:
    """Raise `OptionError` at the time limit."""
    if effort.left <= 0:
        raise OptionError(f"no certificate was found within {effort.seconds:g} s")


def _checked(made: ProofFile, effort: Effort | None) -> ProofFile:
    try:
        verify_text(made.to_json(), effort)
    except InvalidProof as error:
        raise OptionError(f"no certificate: {error}") from None
    return made


class _StrategyBuilder:
    """Asks the reader for a move in every position of the claimant, and collects them."""

    def __init__(self, position: Position, target: Point, goal: str, first: int, effort: Effort) -> None:
        from tengen.engines.go.board import geometry_for_size
        from tengen.engines.go.reading.life import LifeReader
        from tengen.engines.go.reading.point_sets import list_points
        from tengen.engines.go.reading.tactics import TacticalReader

        diagram = position.diagram()
        self._effort = effort
        self._position, self._target, self._goal, self._first = position, target, goal, first
        self._width, self._height = len(diagram.columns), len(diagram.rows)
        self._geometry = geometry_for_size(self._width, self._height)
        self._life: LifeReader = LifeReader(TacticalReader(self._geometry))
        self._life.tactics.load(position)
        self._at = self._index(target)
        colour = self._life.tactics.colour(self._at)
        region = self._life.region(self._at)
        if not region.is_closed:
            raise OptionError("the string is not shut in by living stones, so its life cannot be proved")
        points = tuple(map(self._point, list_points(region.zone)))
        self._contents = {point: int(stone) for point, stone in diagram.contents().items()}
        self._attacker = 3 - colour
        self._claimant = self._attacker if goal == KILL else colour
        try:
            walls = check_closed(self._contents, set(points), self._attacker)
        except InvalidProof as error:
            raise OptionError(str(error)) from None
        self._zone = Zone(points, self._attacker, walls)
        self._names = [f"{diagram.columns[column]}{diagram.rows[row]}" for column, row in points]
        self._inside = points.index(target)
        self._strategy: dict[str, str] = {}

    def _index(self, point: Point) -> int:
        return self._geometry.stride * (point[1] + 1) + point[0] + 1

    def _point(self, index: int) -> Point:
        return index % self._geometry.stride - 1, index // self._geometry.stride - 1

    def build(self) -> ProofFile:
        begins = self._first + 1 == self._claimant
        start = start_state(self._position, self._zone.points, begins)
        if begins:
            found = self._solve(start, frozenset())
        else:
            found = all(self._solve(one, frozenset()) for one in self._open(start))
        if not found:
            done = "killed" if self._goal == KILL else "saved"
            raise OptionError(f"it is not proved that the string can be {done} without a ko")
        column, row = self._target
        diagram = self._position.diagram()
        claim = {
            "string": f"{diagram.columns[column]}{diagram.rows[row]}",
            "goal": self._goal,
            "first": self._position.game.players[self._first],
        }
        strategy = [[key, move] for key, move in self._strategy.items()]
        return ProofFile.of("go-life", self._position, claim, {"zone": self._names, "strategy": strategy})

    def _open(self, state: State) -> list[State]:
        """What the opponent's moves lead to, as far as the string is on the board."""
        found = self._zone.replies(state, 3 - self._claimant)
        return [one for one in found if one.stones[self._inside]]

    def _solve(self, state: State, path: frozenset[tuple[int, ...]]) -> bool:
        """Find a move in a position with the claimant to move, and in all that follow."""
        key = self._zone.write(state, self._names)
        if key in self._strategy:
            return True
        if len(self._strategy) >= MAX_STATES:
            raise OptionError(f"the proof would have more than {MAX_STATES:,} positions")
        for at, after in self._candidates(state):
            if self._goal == KILL and after.stones in path:
                continue
            if not after.stones[self._inside] or self._holds(after):
                self._strategy[key] = PASS if at < 0 else self._names[at]
                further = path | {after.stones}
                if not after.stones[self._inside] or all(self._solve(one, further) for one in self._open(after)):
                    return True
                del self._strategy[key]
        return False

    def _candidates(self, state: State) -> list[tuple[int, State]]:
        """The claimant's moves, most promising first."""
        found = []
        for at in range(len(state.stones)):
            after = self._zone.play(state, at, self._claimant, may_retake=False)
            if after is not None:
                found.append((at, after))
        read = self._read(state, self._claimant)
        best = self._point(read.move) if read.move else None
        found.sort(key=lambda one: (self._zone.points[one[0]] != best, bool(one[1].stones[self._inside])))
        if self._goal == LIVE:
            found.insert(0, (-1, State(state.stones)))
        return found

    def _holds(self, after: State) -> bool:
        """Whether the reader proves the claim with the opponent to move."""
        from tengen.engines.go.reading.tactics import Result

        read = self._read(after, 3 - self._claimant)
        return read.conclusive and read.result is Result.FAILS

    def _read(self, state: State, mover: int) -> ReadResult:
        _check_time(self._effort)
        contents = {**self._contents, **dict(zip(self._zone.points, state.stones, strict=True))}
        rows = [contents[column, row] for row in range(self._height) for column in range(self._width)]
        life = self._life
        life.tactics.load_stones(np.array(rows, np.int8))
        ask = life.attack if mover == self._attacker else life.defend
        return ask(self._at)
