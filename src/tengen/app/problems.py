"""Problems of Go on demand: is a string alive, dead, unsettled or a ko, and what does each move do?

    found = examine(position, (2, 0))
    found.verdict                  # Verdict.UNSETTLED
    found.is_proved                # only in a region shut in by living stones
    moves_of(position, (2, 0))     # what each move of the side to move leads to

`problem_of` makes a puzzle of a set-up position, for example of a collection of problems. All of this loads
compiled code: run it in a helper process of a server.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING

from tengen.app.deck import PROBLEM
from tengen.app.puzzle_themes import detect_themes
from tengen.core.diagram import Point, Stone, connected
from tengen.core.errors import OptionError
from tengen.core.position import Position
from tengen.core.translation import mark
from tengen.games.go import PASS, Go
from tengen.runtime.messages import Request
from tengen.search.report import Candidate, Report, Value
from tengen.store.puzzles import Puzzle

if TYPE_CHECKING:
    from tengen.engines.go.reading.life import LifeReader
    from tengen.engines.go.reading.tactics import ReadResult


class Verdict(StrEnum):
    """What happens to a string with best play."""

    ALIVE = "alive"
    DEAD = "dead"
    UNSETTLED = "unsettled"  # whoever moves first decides
    KO = "ko"  # depends on a ko
    UNCLEAR = "unclear"  # not proved, and what was read about the string and about its moves differs


VERDICTS = {
    Verdict.ALIVE: mark("alive, even if {attacker} moves first"),
    Verdict.DEAD: mark("dead, even if {owner} moves first"),
    Verdict.UNSETTLED: mark("unsettled: whoever moves first decides"),
    Verdict.KO: mark("it depends on a ko"),
    Verdict.UNCLEAR: mark("reading does not settle it"),
}


class Outcome(StrEnum):
    """What a move leads to, for the side that makes it."""

    WORKS = "works"
    KO = "ko"
    FAILS = "fails"


@dataclass(frozen=True)
class Examination:
    """The life of a string. `kill` and `save` are the moves that decide it, where there are any."""

    verdict: Verdict
    is_proved: bool
    owner: int
    kill: str | None
    save: str | None
    points: int  # of the region where it is decided


@dataclass(frozen=True)
class MoveResult:
    """What one move leads to. `is_proved` is False if it was only read, not searched completely."""

    move: str
    outcome: Outcome
    is_proved: bool


class ProblemReader:
    """Questions about one string of one position."""

    def __init__(self, position: Position, target: Point) -> None:
        from tengen.engines.go.board import geometry_for_size
        from tengen.engines.go.reading.life import LifeReader
        from tengen.engines.go.reading.tactics import TacticalReader

        game = position.game
        if not isinstance(game, Go):
            raise OptionError(mark("life and death are about Go"))
        if not position.diagram().contents().get(target):
            raise OptionError(mark("there is no stone there"))
        self._game, self._position = game, position
        self._geometry = geometry_for_size(game.width, game.height)
        self._life: LifeReader = LifeReader(TacticalReader(self._geometry))
        self._life.tactics.load(position)
        self._at = self._geometry.stride * (target[1] + 1) + target[0] + 1
        self._colour = self._life.tactics.colour(self._at)
        self._region = self._life.region(self._at)

    @property
    def owner(self) -> int:
        return self._colour - 1

    @property
    def is_closed(self) -> bool:
        """Whether the region is shut in by living stones, so that results can be proved."""
        return self._region.is_closed

    def examine(self) -> Examination:
        """The life of the string. What is not proved agrees with `moves`, or is called unclear."""
        found = self.read()
        if found.is_proved:
            return found
        named, expected = self._name(self._mover_first), self.outcome
        results = {one.move: one.outcome for one in self._moves}
        best = min((*results.values(), self.elsewhere().outcome), key=list(Outcome).index)
        if best is expected and (named is None or results.get(named) is expected):
            return found
        return replace(found, verdict=Verdict.UNCLEAR, kill=None, save=None)

    @property
    def outcome(self) -> Outcome:
        """What the side to move achieves."""
        return self._result(self._mover_first)

    def read(self) -> Examination:
        """The life of the string without trying every move: final only if it is proved."""
        kill, save = self._result(self._attack), self._result(self._defence)
        if kill is Outcome.FAILS:
            verdict = Verdict.ALIVE
        elif kill is Outcome.WORKS:
            verdict = {Outcome.FAILS: Verdict.DEAD, Outcome.WORKS: Verdict.UNSETTLED}.get(save, Verdict.KO)
        else:
            verdict = Verdict.KO
        return Examination(
            verdict,
            self._attack.conclusive and self._defence.conclusive and self.is_closed,
            self.owner,
            self._name(self._attack) if verdict is not Verdict.ALIVE else None,
            self._name(self._defence) if save is not Outcome.FAILS and verdict is not Verdict.ALIVE else None,
            self._region.zone.bit_count(),
        )

    def moves(self) -> list[MoveResult]:
        """What each move of the side to move within the region leads to, the best first."""
        return list(self._moves)

    @cached_property
    def _moves(self) -> list[MoveResult]:
        from tengen.engines.go.reading.point_sets import list_points

        inside = {*list_points(self._region.zone), self._mover_first.move}
        mover = self._position.to_move + 1
        found = []
        for move in self._position.legal_moves:
            point = 0 if move == PASS else int(self._geometry.from_rules[move])
            if move == PASS or point not in inside:
                continue
            with self._life.tactics.trial_move(point, mover) as legal:
                if not legal:
                    continue
                text = self._game.write_move(move)
                if self._life.tactics.colour(self._at) != self._colour:
                    outcome = Outcome.WORKS if self._kills else Outcome.FAILS  # captured, or a suicide
                    found.append(MoveResult(text, outcome, True))
                    continue
                found.append(self._after_reply(text))
        order = list(Outcome).index
        if self.is_closed and self._mover_first.conclusive:
            found = [self._limited(one) for one in found]
        return sorted(found, key=lambda one: (order(one.outcome), one.move))

    def _limited(self, one: MoveResult) -> MoveResult:
        """The result of a move if the best possible outcome is proved."""
        if one.is_proved:
            return one
        if one.move == self._name(self._mover_first):
            return MoveResult(one.move, self.outcome, True)
        return replace(one, outcome=max(one.outcome, self.outcome, key=list(Outcome).index))

    def elsewhere(self) -> MoveResult:
        """What a move outside of the region leads to."""
        reply = self._defence if self._kills else self._attack
        return MoveResult("", self._answered(reply), reply.conclusive and self.is_closed)

    @property
    def _kills(self) -> bool:
        """Whether the side to move is the attacker."""
        return self._position.to_move != self.owner

    @cached_property
    def _attack(self) -> ReadResult:
        return self._life.attack(self._at, self._region)

    @cached_property
    def _defence(self) -> ReadResult:
        return self._life.defend(self._at, self._region)

    @property
    def _mover_first(self) -> ReadResult:
        return self._attack if self._kills else self._defence

    @staticmethod
    def _result(read: ReadResult) -> Outcome:
        """The outcome for the side that moves first."""
        from tengen.engines.go.reading.tactics import Result

        return {Result.FAILS: Outcome.FAILS, Result.WORKS: Outcome.WORKS}.get(read.result, Outcome.KO)

    def _after_reply(self, move: str) -> MoveResult:
        """What the position read now, after `move`, leads to if the opponent moves next."""
        reply = self._life.defend(self._at) if self._kills else self._life.attack(self._at)
        return MoveResult(move, self._answered(reply), reply.conclusive and self.is_closed)

    @classmethod
    def _answered(cls, reply: ReadResult) -> Outcome:
        """The outcome for the side to move if the opponent moves first."""
        return {Outcome.FAILS: Outcome.WORKS, Outcome.WORKS: Outcome.FAILS}.get(cls._result(reply), Outcome.KO)

    def _name(self, result: ReadResult) -> str | None:
        """A move of a result in the game's notation."""
        if not result.move:
            return None
        stride = self._geometry.stride
        return self._game.write_move(self._game.point((result.move % stride - 1, result.move // stride - 1)))


def examine(position: Position, target: Point) -> Examination:
    """Whether the string on a point is alive, dead, unsettled or a ko."""
    return ProblemReader(position, target).examine()


def moves_of(position: Position, target: Point) -> list[MoveResult]:
    """What each move of the side to move leads to for the string on a point."""
    return ProblemReader(position, target).moves()


def read_problem(request: Request, target: Point) -> tuple[Examination, list[MoveResult]]:
    """Both for a position given by its moves, for a helper process."""
    reader = ProblemReader(request.position(), target)
    return reader.examine(), reader.moves()


@dataclass(frozen=True)
class String:
    """A string: its player, points, and the name of one of them."""

    player: int
    points: tuple[Point, ...]
    name: str


def strings_of(position: Position) -> list[String]:
    """The strings on the board, the largest first."""
    diagram = position.diagram()
    contents = diagram.contents()
    found = []
    for first in _strings(position):
        same = {one for one, stone in contents.items() if stone is contents[first]}
        points = tuple(sorted(connected(first, same)))
        name = f"{diagram.columns[first[0]]}{diagram.rows[first[1]]}"
        found.append(String(int(contents[first]) - 1, points, name))
    return found


def problem_of(position: Position, target: Point | None = None) -> Puzzle | None:
    """A puzzle: kill or save a string. Without `target`, the largest string that the side to move decides.

    None if there is none whose every move is proved.
    """
    for point in [target] if target is not None else _strings(position):
        reader = ProblemReader(position, point)
        if not reader.is_closed:
            continue
        found = reader.read()
        if not found.is_proved or found.verdict is Verdict.ALIVE or found.verdict is Verdict.DEAD:
            continue
        results, elsewhere = reader.moves(), reader.elsewhere()
        if all(one.is_proved for one in (*results, elsewhere)) and any(
            one.outcome is Outcome.WORKS for one in results
        ):
            return _puzzle(position, point, reader.owner, results, elsewhere.outcome)
    return None


def problem_of_game(line: Sequence[Position], step: int = 3) -> Puzzle | None:
    """The last problem that a game of Go went through, as `problem_of`; None if none is found.

    Only every `step`-th position is read, from the end of the game on, where groups are shut in.
    """
    for position in reversed(line):
        if position.ply % step == 0 and not position.is_over:
            found = problem_of(position)
            if found is not None:
                return found
    return None


def _puzzle(
    position: Position, target: Point, owner: int, results: list[MoveResult], elsewhere: Outcome
) -> Puzzle:
    """The puzzle with the results of the moves in the region of a string, and of moves `elsewhere`."""
    game = position.game
    contents = position.diagram().contents()
    string = connected(target, {one for one, stone in contents.items() if stone is contents[target]})
    kills = position.to_move != owner
    won, lost = Value.exact(1, "wins"), Value.exact(-1, "wins")
    words = {
        Outcome.WORKS: mark("kills") if kills else mark("lives"),
        Outcome.KO: mark("only by winning a ko"),
        Outcome.FAILS: mark("the stones live") if kills else mark("the stones die"),
    }
    candidates = tuple(
        Candidate(one.move, won if one.outcome is Outcome.WORKS else lost, (one.move,), reason=words[one.outcome])
        for one in results
    )
    inside = {one.move for one in results}
    outside = tuple(
        text for text in position.write_moves(position.legal_moves) if text not in inside and text != "pass"
    )
    candidates += tuple(Candidate(move, lost, (move,), reason=words[elsewhere]) for move in outside)
    right = tuple(one.move for one in results if one.outcome is Outcome.WORKS)
    task = (
        mark("{player} to play and kill the marked stones")
        if kills
        else mark("{player} to play and live with the marked stones")
    ).format(player=game.players[position.to_move])
    made = Puzzle(
        PROBLEM,
        game.name,
        game.options(),
        tuple(position.write_moves(position.moves)),
        task,
        right,
        Report("every move read exactly", right[0], won, candidates, 0, 0.0),
        marked=tuple(sorted(string)),
    )
    return replace(made, themes=detect_themes(made))


def _strings(position: Position) -> list[Point]:
    """A point of each string, the largest first."""
    contents = position.diagram().contents()
    left = {point for point, stone in contents.items() if stone is not Stone.EMPTY}
    found: list[tuple[int, Point]] = []
    while left:
        first = min(left)
        string = connected(first, {one for one in left if contents[one] is contents[first]})
        found.append((-len(string), first))
        left -= set(string)
    return [point for _size, point in sorted(found)]
