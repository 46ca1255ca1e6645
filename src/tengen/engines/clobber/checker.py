"""Independent checker of proofs. It uses no table, no database and none of the solver's code.

It knows the rules, the definition of a sum and of the order of games, and computes every value that a proof
relies on itself, in plain Python. `proof` documents the format, and `proof_format` validates it.
"""

from __future__ import annotations

import math
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tengen.core.errors import TengenError
from tengen.core.values.arithmetic import Arithmetic, DeadlinePassed
from tengen.engines.clobber.proof_format import ProofError, read_proof
from tengen.engines.clobber.up_bounds import NO_BOUND, UNKNOWN, ZERO, UpBounds

MAX_MULTIPLE = 15  # multiples of up that forms are compared with


class Unchecked(TengenError):
    """A proof without errors so far that was not checked completely."""


class PartRules(ABC):
    """What a checker knows of the parts of positions, which are texts: moves and, if necessary, values."""

    def __init__(self, arithmetic: Arithmetic) -> None:
        self.arithmetic = arithmetic
        self._values: dict[str, int] = {}

    @abstractmethod
    def moves(self, board: str, mover: str) -> set[str]:
        """The boards after each move."""

    @abstractmethod
    def subgames(self, board: str) -> list[str]:
        """The independent parts that have moves, each in its normal form."""

    @abstractmethod
    def swapped(self, board: str) -> str:
        """The board with the roles of the players swapped."""

    @abstractmethod
    def is_one_part(self, board: str, part: str) -> bool:
        """Whether a board is nothing but its only part."""

    def value(self, subgame: str) -> int:
        """The value of a part, computed from its moves."""
        if subgame not in self._values:
            sides = [{self.value_of_board(after) for after in self.moves(subgame, mover)} for mover in "XO"]
            self._values[subgame] = self.arithmetic.game(*sides)
        return self._values[subgame]

    def value_of_board(self, board: str) -> int:
        total = 0
        for subgame in self.subgames(board):
            total = self.arithmetic.add(total, self.value(subgame))
        return total


class Rules(PartRules):
    """Subgames of Clobber boards."""

    def moves(self, board: str, mover: str) -> set[str]:
        """The boards after each move."""
        self.arithmetic.keep_time()
        rows = board.split("/")
        enemy = "O" if mover == "X" else "X"
        found = set()
        for r, row in enumerate(rows):
            for c, stone in enumerate(row):
                for down, right in ((0, 1), (0, -1), (1, 0), (-1, 0)):
                    y, x = r + down, c + right
                    if stone == mover and 0 <= y < len(rows) and 0 <= x < len(row) and rows[y][x] == enemy:
                        cells = [list(line) for line in rows]
                        cells[r][c], cells[y][x] = ".", mover
                        found.add("/".join("".join(line) for line in cells))
        return found

    def subgames(self, board: str) -> list[str]:
        """The connected subgames that have moves, each in its normal form."""
        rows = board.split("/")
        left = {(r, c): s for r, row in enumerate(rows) for c, s in enumerate(row) if s != "."}
        pieces = []
        while left:
            front = [next(iter(left))]
            piece: dict[tuple[int, int], str] = {}
            while front:
                r, c = front.pop()
                if (r, c) in left:
                    piece[r, c] = left.pop((r, c))
                    front += [(r + 1, c), (r - 1, c), (r, c + 1), (r, c - 1)]
            if set(piece.values()) == {"X", "O"}:
                pieces.append(_least_image(piece))
        return pieces

    def swapped(self, board: str) -> str:
        return board.translate(str.maketrans("XO", "OX"))

    def is_one_part(self, board: str, part: str) -> bool:
        return _stones(board) == _stones(part)


def _least_image(piece: dict[tuple[int, int], str]) -> str:
    images = []
    for turned in (False, True):
        for flip_r in (1, -1):
            for flip_c in (1, -1):
                cells = {}
                for (r, c), stone in piece.items():
                    y, x = flip_r * r, flip_c * c
                    cells[(x, y) if turned else (y, x)] = stone
                top, left = min(y for y, _ in cells), min(x for _, x in cells)
                bottom, right = max(y for y, _ in cells), max(x for _, x in cells)
                rows = range(top, bottom + 1)
                images.append(
                    "/".join("".join(cells.get((y, x), ".") for x in range(left, right + 1)) for y in rows)
                )
    return min(images, key=lambda image: (image.count("/"), image))


@dataclass(frozen=True)
class Canonical:
    """The id of a canonical form, as a type distinct from indices in a proof."""

    id: int


Key = str | Canonical  # of a term: equal subgames or forms have the same key


class Checker:
    """Checks a structurally valid proof in one pass, from independent sums to the board itself."""

    def __init__(self, proof: dict[str, Any], rules: type[PartRules] = Rules) -> None:
        self.arithmetic = Arithmetic()
        self.rules = rules(self.arithmetic)
        self.proof = proof
        self.forms = [0]
        for lefts, rights in proof["forms"][1:]:
            self.forms.append(
                self.arithmetic.game({self.forms[i] for i in lefts}, {self.forms[i] for i in rights})
            )
        self.verdicts: list[bool] = []
        self._images: dict[str, str] = {}
        self._form_bounds: dict[int, UpBounds] = {}  # of forms
        self._shown: dict[Key, UpBounds] = {}  # of subgames, proved by the sums so far

    def check(self, seconds: float = math.inf, on_sum: Callable[[int], None] | None = None) -> int:
        """Check all sums and return their number; `on_sum` receives the number checked before each one.

        Raises `ProofError` at the first that does not hold, and `Unchecked` if the time is not enough.
        """
        self.arithmetic.deadline = time.perf_counter() + seconds
        try:
            for number, node in enumerate(self.proof["sums"]):
                self.arithmetic.keep_time()
                if on_sum is not None:
                    on_sum(number)
                if not self._holds(node):
                    claim = "won" if node["won"] else "lost"
                    raise ProofError(
                        f"the proof does not hold: sum {number} ({_shown(node)}) is not shown to be {claim}"
                    )
                self.verdicts.append(node["won"])
                self._note([self._key(term) for term in node["sum"]], node["won"])
        except DeadlinePassed:
            raise Unchecked(
                f"the proof was not checked within {seconds:g} s: the first {len(self.verdicts)} of its "
                f"{len(self.proof['sums'])} sums hold"
            ) from None
        last = self.proof["sums"][-1]
        terms = self._terms()
        if self.proof["mover"] == "O":
            terms = [self._opposite(term) for term in terms]
        same = self._equal(terms, [self._key(term) for term in last["sum"]])
        if not same or last["won"] != self.proof["wins"]:
            raise ProofError("the proof does not hold: its last sum is not the board")
        return len(self.verdicts)

    def _terms(self) -> list[Key]:
        """The parts of the position that the proof is about."""
        terms: list[Key] = []
        for term in self.proof["terms"] if "terms" in self.proof else [self.proof["board"]]:
            terms += [self._key(term)] if isinstance(term, int) else self.rules.subgames(term)
        return terms

    def _holds(self, node: dict[str, Any]) -> bool:
        """Whether the claimed result of a sum, with Left to move, is justified."""
        terms, won = node["sum"], bool(node["won"])
        keys = [self._key(term) for term in terms]
        if "move" in node:
            place, after, child = node["move"]
            return won and self._leads(terms, place, after, child) and not self.verdicts[child]
        if "moves" in node:
            answered = {(place, after): child for place, after, child in node["moves"]}
            wanted = {(place, after) for place, term in enumerate(terms) for after in self._moves(term)}
            return (
                not won
                and wanted <= set(answered)
                and all(
                    self._leads(terms, place, after, answered[place, after])
                    and self.verdicts[answered[place, after]]
                    for place, after in wanted
                )
            )
        if node.get("by") == "bounds":
            return self._by_bounds(keys, won)
        values = [self._value(key) for key in keys]
        if len(values) > 2:
            values = [*values[:1], self._total(values[1:])]
        values += [0] * (2 - len(values))
        lost = self.arithmetic.at_most(values[0], self.arithmetic.negative(values[1]))
        return won != lost

    def _by_bounds(self, keys: list[Key], won: bool) -> bool:
        """Whether the bounds of the terms add up to the claimed result."""
        total = ZERO
        for key in keys:
            total += self._up_bounds(key if won else self._opposite(key))
        return total.wins_first if won else total.wins_second

    def _up_bounds(self, key: Key) -> UpBounds:
        """Bounds of a form, from its value; of a subgame, from earlier sums that compared it with multiples of
        up.
        """
        if not isinstance(key, Canonical):
            return self._shown.get(key, UNKNOWN)
        if key.id not in self._form_bounds:
            arithmetic, game = self.arithmetic, key.id

            def second(k: int, star: int) -> bool:
                return arithmetic.at_most(arithmetic.scale(k, star), game)

            def first(k: int, star: int) -> bool:
                return not arithmetic.at_most(game, arithmetic.scale(k, star))

            self._form_bounds[key.id] = UpBounds(
                _largest(second, 0), _largest(second, 1), _largest(first, 0), _largest(first, 1)
            )
        return self._form_bounds[key.id]

    def _note(self, keys: list[Key], won: bool) -> None:
        """Learn a bound from the sum of a subgame and a multiple of up, c, which Left, to move, wins or loses."""
        subgames = [key for key in keys if not isinstance(key, Canonical)]
        others = [key.id for key in keys if isinstance(key, Canonical)]
        if len(subgames) != 1 or len(others) > 1:
            return
        multiple_of_up = self._rung(others[0] if others else 0)
        if multiple_of_up is None:
            return
        k, star = multiple_of_up
        if won:  # Left wins subgame - (-c) moving first
            self._learn(subgames[0], 2 + star, -k)
        else:  # subgame + c <= 0, so c <= -subgame
            self._learn(self._opposite(subgames[0]), star, k)

    def _learn(self, key: Key, which: int, k: int) -> None:
        numbers = [*self._shown.get(key, UNKNOWN)]
        numbers[which] = max(numbers[which], k)
        self._shown[key] = UpBounds(*numbers)

    def _rung(self, game: int) -> tuple[int, int] | None:
        """(k, star) of a form that is k up, or k up + star."""
        standing = self._up_bounds(Canonical(game))
        for k, star in ((standing.second, 0), (standing.second_star, 1)):
            if abs(k) <= MAX_MULTIPLE and self.arithmetic.scale(k, star) == game:
                return k, star
        return None

    def _moves(self, term: str | int) -> list[str | int]:
        if isinstance(term, str):
            return sorted(self.rules.moves(term, "X"))
        return [*self.proof["forms"][term][0]]

    def _leads(self, terms: list[str | int], place: int, after: str | int, child: int) -> bool:
        """Whether a move is legal and leads to the negative of an earlier sum."""
        if after not in self._moves(terms[place]):
            return False
        rest = [self._key(term) for index, term in enumerate(terms) if index != place]
        rest += self.rules.subgames(after) if isinstance(after, str) else [self._key(after)]
        return self._equal(rest, [self._opposite(self._key(term)) for term in self.proof["sums"][child]["sum"]])

    def _equal(self, one: list[Key], other: list[Key]) -> bool:
        """Whether two sums are equal: terms that differ must have equal values."""
        left, right = [*one], [*other]
        for key in one:
            if key in right:
                left.remove(key)
                right.remove(key)
        for keys in (left, right):  # cancel a subgame and its negative
            for key in list(keys):
                opposite = self._opposite(key)
                if key in keys and opposite in keys and (key != opposite or keys.count(key) > 1):
                    keys.remove(key)
                    keys.remove(opposite)
        return self._total([self._value(key) for key in left]) == self._total([self._value(key) for key in right])

    def _key(self, term: str | int) -> Key:
        """Key of a term: a subgame in normal form, or a form. Raises `ProofError` if it is not one subgame."""
        if not isinstance(term, str):
            return Canonical(self.forms[term])
        if term not in self._images:
            subgames = self.rules.subgames(term)
            if len(subgames) != 1 or not self.rules.is_one_part(term, subgames[0]):
                raise ProofError(f"the proof does not hold: {term[:60] or 'an empty board'} is not one part")
            self._images[term] = subgames[0]
        return self._images[term]

    def _opposite(self, key: Key) -> Key:
        if isinstance(key, Canonical):
            return Canonical(self.arithmetic.negative(key.id))
        return self._key(self.rules.swapped(key))

    def _value(self, key: Key) -> int:
        return key.id if isinstance(key, Canonical) else self.rules.value(key)

    def _total(self, values: list[int]) -> int:
        total = 0
        for value in sorted(values):
            total = self.arithmetic.add(total, value)
        return total


def _largest(holds: Callable[[int, int], bool], star: int) -> int:
    """The largest k up to `MAX_MULTIPLE` that satisfies a monotone predicate."""
    if not holds(-MAX_MULTIPLE, star):
        return NO_BOUND
    low, high = -MAX_MULTIPLE, MAX_MULTIPLE + 1  # low satisfies it, high does not
    while high - low > 1:
        middle = (low + high) // 2
        if holds(middle, star):
            low = middle
        else:
            high = middle
    return low


def _stones(board: str) -> int:
    return board.count("X") + board.count("O")


def _shown(node: dict[str, Any]) -> str:
    return " + ".join(str(term) for term in node["sum"])[:60] or "nothing"


def verify(
    text: str, seconds: float = math.inf, on_sum: Callable[[int, int], None] | None = None
) -> tuple[dict[str, Any], int]:
    """Check a proof; return it and its number of sums. Raises `ProofError`, or `Unchecked` at the time limit.

    Before each sum, `on_sum` receives the number of checked sums and their total.
    """
    return check_proof(read_proof(text), Rules, seconds, on_sum)


def check_proof(
    proof: dict[str, Any],
    rules: type[PartRules],
    seconds: float = math.inf,
    on_sum: Callable[[int, int], None] | None = None,
) -> tuple[dict[str, Any], int]:
    """The same for a proof whose structure is valid, about positions of any games."""
    count = len(proof["sums"])
    try:
        checker = Checker(proof, rules)
        return proof, checker.check(seconds, None if on_sum is None else lambda done: on_sum(done, count))
    except RecursionError:
        raise ProofError("the proof goes too deep to be checked: its games are too long") from None
