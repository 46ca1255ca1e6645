"""A small independent checker of proofs. It trusts no table, no database and none of the solver's code.

It knows the rules, the definition of a sum and of the order of games, and it works out every value that a proof
relies on by itself, in plain Python. `proof` says what a proof looks like.
"""

from __future__ import annotations

import json
from typing import Any

from tengen.core.errors import TengenError

FORMAT, VERSION = "tengen clobber proof", 1


class ProofError(TengenError):
    """A file that is no proof, or a proof that does not hold; the message says where."""


class Arithmetic:
    """Games as ids of canonical forms, compared and added straight from the definitions."""

    def __init__(self) -> None:
        self.options: list[tuple[tuple[int, ...], tuple[int, ...]]] = [((), ())]
        self._ids: dict[tuple[frozenset[int], frozenset[int]], int] = {(frozenset(), frozenset()): 0}
        self._order: dict[tuple[int, int], bool] = {}
        self._sums: dict[tuple[int, int], int] = {}
        self._negatives: dict[int, int] = {0: 0}
        self._ups: list[tuple[int, int]] = []

    def at_most(self, a: int, b: int) -> bool:
        """A <= b unless Left has a move in a to at least b, or Right one in b to at most a."""
        if a == b:
            return True
        known = self._order.get((a, b))
        if known is None:
            known = not any(self.at_most(b, left) for left in self.options[a][0]) and not any(
                self.at_most(right, a) for right in self.options[b][1]
            )
            self._order[a, b] = known
        return known

    def game(self, lefts: set[int], rights: set[int]) -> int:
        """The canonical form of the game with these options."""
        while True:
            lefts = {a for a in lefts if not any(a != b and self.at_most(a, b) for b in lefts)}
            rights = {a for a in rights if not any(a != b and self.at_most(b, a) for b in rights)}
            reversed_left = self._reversible(lefts, rights, left=True)
            if reversed_left is not None:
                option, reply = reversed_left
                lefts = lefts - {option} | set(self.options[reply][0])
                continue
            reversed_right = self._reversible(lefts, rights, left=False)
            if reversed_right is None:
                break
            option, reply = reversed_right
            rights = rights - {option} | set(self.options[reply][1])
        key = (frozenset(lefts), frozenset(rights))
        if key not in self._ids:
            self._ids[key] = len(self.options)
            self.options.append((tuple(sorted(lefts)), tuple(sorted(rights))))
        return self._ids[key]

    def _reversible(self, lefts: set[int], rights: set[int], *, left: bool) -> tuple[int, int] | None:
        for option in lefts if left else rights:
            for reply in self.options[option][1 if left else 0]:
                if self._below(reply, lefts, rights) if left else self._above(reply, lefts, rights):
                    return option, reply
        return None

    def _below(self, x: int, lefts: set[int], rights: set[int]) -> bool:
        """Whether x <= {lefts | rights}."""
        return not any(self.at_most(right, x) for right in rights) and not any(
            self._above(left, lefts, rights) for left in self.options[x][0]
        )

    def _above(self, x: int, lefts: set[int], rights: set[int]) -> bool:
        """Whether {lefts | rights} <= x."""
        return not any(self.at_most(x, left) for left in lefts) and not any(
            self._below(right, lefts, rights) for right in self.options[x][1]
        )

    def add(self, a: int, b: int) -> int:
        if a == 0 or b == 0:
            return a + b
        key = (min(a, b), max(a, b))
        if key not in self._sums:
            sides = [
                {self.add(x, b) for x in self.options[a][side]} | {self.add(a, x) for x in self.options[b][side]}
                for side in (0, 1)
            ]
            self._sums[key] = self.game(*sides)
        return self._sums[key]

    def negative(self, a: int) -> int:
        if a not in self._negatives:
            lefts, rights = self.options[a]
            self._negatives[a] = self.game({self.negative(x) for x in rights}, {self.negative(x) for x in lefts})
        return self._negatives[a]

    def ups(self, k: int) -> tuple[int, int]:
        """K up, and k up + star, for k >= 0."""
        if not self._ups:
            self._ups.append((0, self.game({0}, {0})))
        while len(self._ups) <= k:
            up = self.game({0}, {self._ups[-1][1]})
            self._ups.append((up, self.add(up, self._ups[0][1])))
        return self._ups[k]

    def scale(self, k: int, star: int) -> int:
        """A multiple of up, of either sign, with or without a star."""
        value = self.ups(abs(k))[star]
        return value if k >= 0 else self.negative(value)


class Rules:
    """Parts of Clobber boards: their moves and, if need be, their values."""

    def __init__(self, arithmetic: Arithmetic) -> None:
        self.arithmetic = arithmetic
        self._values: dict[str, int] = {}

    def moves(self, board: str, mover: str) -> set[str]:
        """The boards after each move."""
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

    def parts(self, board: str) -> list[str]:
        """The connected pieces in which somebody can move, each as the least of its images."""
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

    def value(self, part: str) -> int:
        """The value of a part, worked out from its moves."""
        if part not in self._values:
            sides = [{self.value_of_board(after) for after in self.moves(part, mover)} for mover in "XO"]
            self._values[part] = self.arithmetic.game(*sides)
        return self._values[part]

    def value_of_board(self, board: str) -> int:
        total = 0
        for part in self.parts(board):
            total = self.arithmetic.add(total, self.value(part))
        return total


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


def swapped(board: str) -> str:
    return board.translate(str.maketrans("XO", "OX"))


class Checker:
    """Goes through a proof once, from the sums that need no others to the board itself."""

    def __init__(self, proof: dict[str, Any]) -> None:
        self.arithmetic = Arithmetic()
        self.rules = Rules(self.arithmetic)
        self.proof = proof
        self.forms = [0]
        for lefts, rights in proof["forms"][1:]:
            self.forms.append(
                self.arithmetic.game(
                    {self.forms[i] for i in _earlier(lefts, len(self.forms))},
                    {self.forms[i] for i in _earlier(rights, len(self.forms))},
                )
            )
        self.verdicts: list[bool] = []

    def check(self) -> int:
        """How many sums were checked. Raises `ProofError` at the first that does not hold."""
        for number, node in enumerate(self.proof["sums"]):
            try:
                holds = self._holds(node, number)
            except RecursionError:
                raise ProofError(f"the proof goes too deep at sum {number}") from None
            if not holds:
                claim = "won" if node["won"] else "lost"
                raise ProofError(
                    f"the proof does not hold: sum {number} ({_shown(node)}) is not shown to be {claim}"
                )
            self.verdicts.append(bool(node["won"]))
        board = self.proof["board"] if self.proof["mover"] == "X" else swapped(self.proof["board"])
        last = self.proof["sums"][-1]
        whole: list[str | int] = [*self.rules.parts(board)]
        if not self._equal(whole, last["sum"]) or bool(last["won"]) != bool(self.proof["wins"]):
            raise ProofError("the proof does not hold: its last sum is not the board")
        return len(self.verdicts)

    def _holds(self, node: dict[str, Any], number: int) -> bool:
        """Whether Left, to move in a sum, wins it just as claimed."""
        terms = node["sum"]
        if "move" in node:
            place, after, child = node["move"]
            return (
                bool(node["won"]) and self._leads(terms, place, after, child, number) and not self.verdicts[child]
            )
        if "moves" in node:
            answered = {(place, after): child for place, after, child in node["moves"]}
            wanted = {(place, after) for place, term in enumerate(terms) for after in self._moves(term)}
            return (
                not node["won"]
                and wanted <= set(answered)
                and all(
                    self._leads(terms, place, after, answered[place, after], number)
                    and self.verdicts[answered[place, after]]
                    for place, after in wanted
                )
            )
        values = [self._value(term) for term in terms]
        if node.get("by") == "bounds":
            return self._by_bounds(values, bool(node["won"]))
        if len(values) > 2:
            values = [*values[:1], self._total(values[1:])]
        values += [0] * (2 - len(values))
        lost = self.arithmetic.at_most(values[0], self.arithmetic.negative(values[1]))
        return bool(node["won"]) != lost

    def _by_bounds(self, values: list[int], won: bool) -> bool:
        """Whether multiples of up below (or above) each term add up to enough."""
        arithmetic = self.arithmetic
        best = {
            0: 0,
            1: -(10**6),
        }  # without and with a star: how many ups are surely there, for the claim's winner
        for value in values:
            mine = value if won else arithmetic.negative(value)
            gains = {}
            for star in (0, 1):
                k = 8
                while k > -9 and not arithmetic.at_most(arithmetic.scale(k, star), mine):
                    k -= 1
                gains[star] = k if k > -9 else -(10**6)
            best = {star: max(best[0] + gains[star], best[1] + gains[1 - star]) for star in (0, 1)}
        # Left, to move, wins what is above 0 or at least down + star; he loses what is at most 0, or below star.
        return (best[0] >= 1 or best[1] >= -1) if won else (best[0] >= 0 or best[1] >= 2)

    def _moves(self, term: str | int) -> list[str | int]:
        if isinstance(term, str):
            return sorted(self.rules.moves(term, "X"))
        return [int(place) for place in self.proof["forms"][term][0]]

    def _leads(self, terms: list[str | int], place: int, after: str | int, child: int, number: int) -> bool:
        """Whether a move is one, and the sum that it leads to is the negative of an earlier one."""
        if not 0 <= child < number or after not in self._moves(terms[place]):
            return False
        rest: list[str | int] = [term for index, term in enumerate(terms) if index != place]
        rest += self.rules.parts(after) if isinstance(after, str) else [after]
        other = self.proof["sums"][child]["sum"]
        return self._equal(rest, other, negated=True)

    def _equal(self, one: list[str | int], other: list[str | int], *, negated: bool = False) -> bool:
        """Whether two sums are equal, or opposite: what is not the same in both must have the same value."""
        left = [self._normal(term) for term in one]
        right = [self._normal(term, negated=negated) for term in other]
        for term in list(left):
            if term in right:
                left.remove(term)
                right.remove(term)
        for terms in (left, right):  # a part and its negative are nothing
            for term in list(terms):
                opposite = self._normal(term, negated=True)
                if term in terms and opposite in terms and (term != opposite or terms.count(term) > 1):
                    terms.remove(term)
                    terms.remove(opposite)
        return self._total([self._value(term) for term in left]) == self._total(
            [self._value(term) for term in right]
        )

    def _normal(self, term: str | int, *, negated: bool = False) -> str | int:
        """A part as its least image; a form as -1 minus its canonical id, so that equal ones are the same."""
        if isinstance(term, str):
            part = self.rules.parts(swapped(term) if negated else term)
            return part[0] if part else -1
        value = self.forms[term] if term >= 0 else -1 - term
        return -1 - (self.arithmetic.negative(value) if negated else value)

    def _value(self, term: str | int) -> int:
        if isinstance(term, str):
            return self.rules.value_of_board(term)
        return self.forms[term] if term >= 0 else -1 - term

    def _total(self, values: list[int]) -> int:
        total = 0
        for value in sorted(values):
            total = self.arithmetic.add(total, value)
        return total


def _earlier(places: list[int], count: int) -> list[int]:
    if not all(isinstance(place, int) and 0 <= place < count for place in places):
        raise ProofError("the proof does not hold: a form has options that do not come before it")
    return places


def _shown(node: dict[str, Any]) -> str:
    return " + ".join(str(term) for term in node["sum"])[:60] or "nothing"


def verify(text: str) -> tuple[dict[str, Any], int]:
    """Check a proof. Returns it and the number of sums in it; raises `ProofError`."""
    try:
        proof = json.loads(text)
        if proof["format"] != FORMAT:
            raise KeyError
    except (ValueError, KeyError, TypeError, RecursionError):
        raise ProofError(
            "this is not a proof: expected the JSON that `tengen clobber solve --proof` writes"
        ) from None
    if proof.get("version") != VERSION:
        raise ProofError(f"this proof has version {proof.get('version')!r}; this checker reads version {VERSION}")
    try:
        if set(proof["board"]) - set("XO./") or proof["mover"] not in ("X", "O") or not proof["sums"]:
            raise ProofError("the proof does not hold: its board or mover makes no sense")
        return proof, Checker(proof).check()
    except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
        raise ProofError(f"the proof is damaged: {type(error).__name__} ({error})") from None
