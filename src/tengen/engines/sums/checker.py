"""Independent checker of proofs about sums of different games.

It reads the format of `engines.clobber.proof` with positions of any ruleset as texts, `domineering:../..`, and has
rules of its own for each game: dictionaries of cells instead of the solver's arrays and codes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

from tengen.engines.clobber.checker import PartRules, check_proof
from tengen.engines.clobber.proof_format import ProofError, check_structure, is_place, parse_proof

FORMAT, VERSION = "tengen sum proof", 1

Place = tuple[int, int]  # row from the top, column from the left
Cells = dict[Place, str]

AROUND = [(down, right) for down in (-1, 0, 1) for right in (-1, 0, 1) if (down, right) != (0, 0)]
BESIDE = [(0, 1), (0, -1), (1, 0), (-1, 0)]
ALONG = [(0, 1), (0, -1)]


def _clobber(cells: Cells, me: str, victims: str = "") -> Iterator[Cells]:
    victims = victims or {"X": "O", "O": "X"}[me]
    for place, content in cells.items():
        for step in BESIDE:
            target = _plus(place, step)
            if content == me and cells.get(target, ".") in victims:
                yield cells | {place: ".", target: me}


def _cannibal_clobber(cells: Cells, me: str) -> Iterator[Cells]:
    return _clobber(cells, me, "XO")


def _nogo(cells: Cells, me: str) -> Iterator[Cells]:
    for place in cells:
        if cells[place] == ".":
            after = cells | {place: me}
            touched = [place, *(_plus(place, step) for step in BESIDE)]
            if all(_has_liberty(after, one) for one in touched if after.get(one) in ("X", "O")):
                yield after


def _has_liberty(cells: Cells, place: Place) -> bool:
    group, front = {place}, [place]
    while front:
        cell = front.pop()
        for near in (_plus(cell, step) for step in BESIDE):
            if cells.get(near) == ".":
                return True
            if cells.get(near) == cells[place] and near not in group:
                group.add(near)
                front.append(near)
    return False


def _domineering(cells: Cells, me: str) -> Iterator[Cells]:
    step = (1, 0) if me == "X" else (0, 1)
    for place in cells:
        if cells[place] == cells.get(_plus(place, step)) == ".":
            yield cells | {place: "#", _plus(place, step): "#"}


def _amazons(cells: Cells, me: str) -> Iterator[Cells]:
    for place in cells:
        if cells[place] == me:
            lifted = cells | {place: "."}
            for target in _queen_moves(lifted, place):
                for arrow in _queen_moves(lifted, target):
                    yield lifted | {target: me, arrow: "#"}


def _queen_moves(cells: Cells, place: Place) -> Iterator[Place]:
    for step in AROUND:
        target = _plus(place, step)
        while cells.get(target) == ".":
            yield target
            target = _plus(target, step)


def _elephants(cells: Cells, me: str) -> Iterator[Cells]:
    step = (0, 1) if me == "X" else (0, -1)
    for place in cells:
        if cells[place] == me and cells.get(_plus(place, step)) == ".":
            yield cells | {place: ".", _plus(place, step): me}


def _toads_and_frogs(cells: Cells, me: str) -> Iterator[Cells]:
    yield from _elephants(cells, me)
    step, enemy = ((0, 1), "O") if me == "X" else ((0, -1), "X")
    for place in cells:
        over, target = _plus(place, step), _plus(_plus(place, step), step)
        if cells[place] == me and cells.get(over) == enemy and cells.get(target) == ".":
            yield cells | {place: ".", target: me}


def _toppling_dominoes(cells: Cells, me: str) -> Iterator[Cells]:
    for place in cells:
        for step in ALONG:
            if cells[place] in (me, "#"):
                after, falling = dict(cells), place
                while after.get(falling, ".") != ".":
                    after[falling] = "."
                    falling = _plus(falling, step)
                yield after


def _kayles(cells: Cells, me: str) -> Iterator[Cells]:
    for place in cells:
        if cells[place] == "#":
            yield cells | {place: "."}
            beside = _plus(place, (0, 1))
            if cells.get(beside) == "#":
                yield cells | {place: ".", beside: "."}


def _nim(cells: Cells, me: str) -> Iterator[Cells]:
    for place in cells:
        after, taken = dict(cells), place
        while after.get(taken) == "#":
            after[taken] = "."
            taken = _plus(taken, (0, 1))
        if after != cells:
            yield after


def _plus(place: Place, step: Place) -> Place:
    return place[0] + step[0], place[1] + step[1]


def _belong_together(game: str, first: str, second: str) -> bool:
    """Whether neighbours with these contents, left or upper one first, can ever matter to each other."""
    if game in ("clobber", "cannibal_clobber"):
        return first != "." and second != "."
    if game == "nogo":
        return "#" not in (first, second) and {first, second} != {"X", "O"}
    if game == "amazons":
        return "#" not in (first, second)
    if game == "domineering":
        return first == second == "."
    if game == "elephants":
        return first + second != "XO"
    if game == "toads_and_frogs":
        return True
    return first != "." and second != "."  # rows of dominoes, pins or counters


GAMES: dict[str, Callable[[Cells, str], Iterator[Cells]]] = {
    "clobber": _clobber,
    "cannibal_clobber": _cannibal_clobber,
    "nogo": _nogo,
    "domineering": _domineering,
    "amazons": _amazons,
    "elephants": _elephants,
    "toads_and_frogs": _toads_and_frogs,
    "toppling_dominoes": _toppling_dominoes,
    "kayles": _kayles,
    "nim": _nim,
}
SYMBOLS = {"clobber": ".XO", "cannibal_clobber": ".XO", "domineering": ".#", "elephants": ".XO",
           "toads_and_frogs": ".XO", "kayles": ".#", "nim": ".#"}  # fmt: skip
STEPS = {"amazons": AROUND} | dict.fromkeys(
    ("elephants", "toads_and_frogs", "toppling_dominoes", "kayles", "nim"), ALONG
)
SURROUNDED = {"nogo": "#", "domineering": "#", "amazons": "#"}


def parse_position(text: str) -> tuple[bool, str, Cells]:
    """Whether it is an impartial version, the game and the cells of `impartial domineering:../..`."""
    name, _, board = text.partition(":")
    rows = board.split("/")
    cells = {(r, c): content for r, row in enumerate(rows) for c, content in enumerate(row)}
    return name.startswith("impartial "), name.removeprefix("impartial "), cells


def _write(cells: Cells) -> str:
    top, left = min(r for r, _ in cells), min(c for _, c in cells)
    bottom, right = max(r for r, _ in cells), max(c for _, c in cells)
    return "/".join("".join(cells[r, c] for c in range(left, right + 1)) for r in range(top, bottom + 1))


class SumRules(PartRules):
    """The rules of all games. Positions are texts, the game's name and the board."""

    def moves(self, board: str, mover: str) -> set[str]:
        self.arithmetic.keep_time()
        is_impartial, game, cells = parse_position(board)
        movers = "XO" if is_impartial else mover
        name = board.partition(":")[0]
        return {f"{name}:{_write(after)}" for me in movers for after in GAMES[game](cells, me)}

    def subgames(self, board: str) -> list[str]:
        _, game, cells = parse_position(board)
        name = board.partition(":")[0]
        outside = SURROUNDED.get(game, ".")
        left = set(cells)
        found = []
        while left:
            part, front = set[Place](), [left.pop()]
            while front:
                place = front.pop()
                part.add(place)
                for step in STEPS.get(game, BESIDE):
                    near = _plus(place, step)
                    first, second = sorted((place, near))
                    if near in left and _belong_together(game, cells[first], cells[second]):
                        left.remove(near)
                        front.append(near)
            rows, columns = [r for r, _ in part], [c for _, c in part]
            cut = {
                (r, c): cells[r, c] if (r, c) in part else outside
                for r in range(min(rows), max(rows) + 1)
                for c in range(min(columns), max(columns) + 1)
            }
            text = f"{name}:{_write(cut)}"
            if any(self.moves(text, mover) for mover in "XO"):
                found.append(_least_image(name, game, cut))
        return found

    def swapped(self, board: str) -> str:
        is_impartial, game, cells = parse_position(board)
        name = board.partition(":")[0]
        if game == "domineering":
            return f"{name}:{_write({(c, r): content for (r, c), content in cells.items()})}"
        if is_impartial or game in ("kayles", "nim"):
            return board
        turned = {place: {"X": "O", "O": "X"}.get(content, content) for place, content in cells.items()}
        if game in ("elephants", "toads_and_frogs"):
            turned = {(r, -c): content for (r, c), content in turned.items()}
        return f"{name}:{_write(turned)}"

    def is_one_part(self, board: str, part: str) -> bool:
        return len(parse_position(board)[2]) == len(parse_position(part)[2])


def _least_image(name: str, game: str, cells: Cells) -> str:
    """One text for all symmetric images of a part."""
    images = [cells]
    if game not in ("elephants", "toads_and_frogs", "nim"):
        images += [{(r, -c): content for (r, c), content in one.items()} for one in list(images)]
        images += [{(-r, c): content for (r, c), content in one.items()} for one in list(images)]
    if game in ("clobber", "cannibal_clobber", "nogo", "amazons"):
        images += [{(c, r): content for (r, c), content in one.items()} for one in list(images)]
    return f"{name}:{min(map(_write, images), key=lambda text: (text.count('/'), text))}"


def is_position(text: object) -> bool:
    """Whether this is a position of a known game, with rows of equal length."""
    if not isinstance(text, str):
        return False
    name, colon, board = text.partition(":")
    game = name.removeprefix("impartial ")
    rows = board.split("/")
    return (
        bool(colon)
        and game in GAMES
        and set("".join(rows)) <= set(SYMBOLS.get(game, ".XO#"))
        and bool(rows[0])
        and len({len(row) for row in rows}) == 1
    )


def verify(
    text: str, seconds: float = math.inf, on_sum: Callable[[int, int], None] | None = None
) -> tuple[dict[str, Any], int]:
    """Check a proof; return it and its number of sums. Raises `ProofError`, or `Unchecked` at the time limit."""
    proof = parse_proof(text, FORMAT, VERSION, "tengen sums solve --proof")
    check_structure(proof, is_position)
    terms = proof.get("terms")
    forms = len(proof["forms"])
    if not isinstance(terms, list) or not all(is_position(term) or is_place(term, forms) for term in terms):
        raise ProofError("the proof does not hold: its position makes no sense")
    return check_proof(proof, SumRules, seconds, on_sum)
