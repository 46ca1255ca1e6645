"""Opening drills: a book asks, a person answers, and what was missed comes back sooner.

A drill walks through a book from the start of a game. The book makes the other side's moves, and those that the
person is known to know, each by its weight; where something is to be learned it asks. A *question* is a puzzle of
the store (`store.puzzles`), known by its position's shape, so that turned boards and other orders of moves are one
question; answers are kept there for each solver. When it is asked again follows from them (`due_at`).

Right is, in a book of values, every move that costs at most the drill's loss; in one that counts results, every
common move that did not do badly. What a book cannot tell is neither right nor wrong.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import blake2b
from random import Random

from tengen import games
from tengen.app.value_display import write_value
from tengen.books import installed
from tengen.books.book import ValuedBook
from tengen.books.book_move import Book, BookMove
from tengen.books.nodes import NodeKind
from tengen.books.shapes import shape_of
from tengen.books.statistics import moves_at, place_of_move
from tengen.books.weighted_choice import SelectionPolicy
from tengen.core.errors import OptionError, TengenError
from tengen.core.game import Game, Move
from tengen.core.key_values import pairs
from tengen.core.position import Position
from tengen.search.report import Candidate, Report, Value
from tengen.store.puzzles import Puzzle, PuzzleHistory
from tengen.store.store import Store

NO_QUESTIONS = "the book has nothing to ask for this side: it is too small yet; let it grow, or learn more games"
BOOKS = {"valued": "Book", "statistics": "Statistics"}
LOSS = 2.0
"""Points that an answer may cost, unless told otherwise; and a move of the side that the book plays, at least."""
LEAST_GAMES = 4
"""A position that fewer games had says little of its moves."""
LEAST_SHARE = 0.1
"""Of a position's games, for a move that is common."""
PAUSES = tuple(
    timedelta(**{unit: number})
    for unit, number in (
        ("minutes", 1), ("minutes", 10), ("days", 1), ("days", 3), ("days", 7), ("days", 21), ("days", 60),
    )
)  # fmt: skip
_FIRST_PAUSE = 1  # a first right answer is one step beyond it; a miss goes back to the start
_TRIES = 40  # walks from the start in search of something to ask


@dataclass(frozen=True)
class Drill:
    """What is practised: one side of a game, by one of the user's books, named as explorers name them (BOOKS)."""

    game: Game
    side: int
    book: str
    loss: float = LOSS

    @property
    def kind(self) -> str:
        """Under which the store keeps its questions; what counts as right is no part of it."""
        about = json.dumps([self.game.name, self.game.options(), self.side, self.book], sort_keys=True)
        return f"drill {blake2b(about.encode(), digest_size=12).hexdigest()}"


@dataclass(frozen=True)
class Standing:
    """How far somebody has come: positions that were asked, that are known for days, and that wait to be asked."""

    asked: int
    known: int
    due: int


def parse_drill(game: str, options: str, side: int, book: str, loss: float) -> Drill:
    """The drill described by a URL's parameters. Raises `OptionError` if one of them is not valid."""
    if side not in (0, 1) or not 0 <= loss <= 64:
        raise OptionError("a drill is for side 0 or 1, with a loss from 0 to 64")
    return Drill(games.game(game, **pairs(options.split())), side, book, loss)


# ---- when something is asked again


def step(answers: Sequence[bool]) -> int:
    """How well something is known: each right answer is a step up, a wrong one leads back to the start."""
    reached = _FIRST_PAUSE
    for right in answers:
        reached = min(reached + 1, len(PAUSES) - 1) if right else 0
    return reached


def due_at(practised: PuzzleHistory) -> datetime:
    """When it is to be asked again."""
    return practised.last + PAUSES[step(practised.right)]


def standing(store: Store, drill: Drill, solver: str, now: datetime) -> Standing:
    found = store.practised(drill.kind, solver).values()
    known = sum(step(one.right) > _FIRST_PAUSE for one in found)
    return Standing(len(found), known, sum(due_at(one) <= now for one in found))


# ---- what is asked


def book_of(drill: Drill) -> Book:
    """The book of a drill. Raises `OptionError` if the user has none."""
    found: Book | None = None
    if drill.book == BOOKS["valued"]:
        found = next(iter(installed.valued_books(drill.game)), None)
    elif drill.book == BOOKS["statistics"]:
        found = installed.statistics.book(drill.game)
    if found is None:
        raise OptionError(f"there is no book {drill.book!r} of {drill.game.describe()}")
    return found


def next_question(
    store: Store, drill: Drill, solver: str, random: Random, now: datetime, after: Position | None = None
) -> Puzzle | None:
    """What to ask somebody next; None if the book has nothing to ask.

    First what was missed and is due; then the line goes on that led to `after`; then whatever else is due, then
    something new, and at last what is due soonest.
    """
    book = book_of(drill)
    practised = store.practised(drill.kind, solver)
    in_order = sorted(practised.values(), key=due_at)
    due = [one for one in in_order if due_at(one) <= now]

    def is_wanted(asked: Puzzle) -> bool:
        known = practised.get(asked.digest)
        return known is None or due_at(known) <= now

    def again(waiting: list[PuzzleHistory]) -> Iterator[Puzzle]:
        for one in waiting:
            asked = _again(store, drill, book, one)
            if asked is not None:
                yield asked

    def on_the_way() -> Iterator[Puzzle]:
        for _ in range(_TRIES):
            asked = _walk(drill, book, drill.game.start(), random, is_wanted)
            if asked is not None:
                yield asked

    def going_on() -> Iterator[Puzzle]:
        asked = None if after is None else _walk(drill, book, after, random, is_wanted)
        if asked is not None:
            yield asked

    missed = [one for one in due if not one.right[-1]]
    for source in (again(missed), going_on(), again(due), on_the_way(), again(in_order)):
        asked = next(source, None)
        if asked is not None:
            return store.replace_puzzle(asked)
    return None


def _again(store: Store, drill: Drill, book: Book, one: PuzzleHistory) -> Puzzle | None:
    """A question from before, as the book answers it now; None if it cannot any more."""
    try:
        position = drill.game.start().play_all(store.puzzle(one.id).moves)
    except TengenError:  # rules have changed since
        return None
    return question(drill, book, position)


def _walk(
    drill: Drill, book: Book, position: Position, random: Random, is_wanted: Callable[[Puzzle], bool]
) -> Puzzle | None:
    """The first question on a way through the book; None if the way ends before."""
    while not position.is_over:
        asked = question(drill, book, position)
        if asked is not None and is_wanted(asked):
            return asked
        options = book.options(position)
        loss = drill.loss if position.to_move == drill.side else max(drill.loss, LOSS)
        weights = [_weight(option, options[0], loss) for option in options]
        if not any(weights):
            return None
        position = position.play(random.choices(options, weights)[0].move)
    return None


def _weight(option: BookMove, best: BookMove, loss: float) -> float:
    """How likely a move of the book is: by what it costs, or by how often it was played."""
    if option.value is None or best.value is None:
        return float(option.games)
    cost = best.value.amount - option.value.amount
    return 1 / (1 + cost) if cost <= loss else 0.0


def question(drill: Drill, book: Book, position: Position) -> Puzzle | None:
    """What a book asks at a position; None where it knows no answer, or every answer would be right."""
    if position.is_over or position.to_move != drill.side:
        return None
    if isinstance(book, ValuedBook):
        found = _by_values(book, position, drill.loss)
    else:
        found = _by_counts(book.options(position), position)
    if found is None or len(found.right) + len(found.unrated_moves) >= len(position.legal_moves):
        return None
    best = found.candidates[0]
    return Puzzle(
        drill.kind,
        position.game.name,
        position.game.options(),
        tuple(position.write_moves(position.moves)),
        f"{position.game.players[position.to_move]} to move: what does the book play?",
        found.right,
        Report(drill.book, best.move, best.value, found.candidates, 0, 0.0),
        place=shape_of(position).key.hex(),
        unrated_moves=found.unrated_moves,
    )


@dataclass(frozen=True)
class _Judged:
    """The moves of a position, the best first; right ones are among them."""

    candidates: tuple[Candidate, ...]
    right: tuple[str, ...]
    unrated_moves: tuple[str, ...] = ()


def _by_values(book: ValuedBook, position: Position, loss: float) -> _Judged | None:
    entry = book.lookup(position) if book.fits(position.game) else None
    options = [option for option in book.options(position) if option.value is not None]
    if entry is None or entry.kind is NodeKind.LEAF or not options:
        return None
    worth, best = book.value_of(entry), options[0].value
    if worth is None or best is None or best.amount < worth.amount:
        return None  # the best move is not among those that the book knows
    bar = best.amount - loss
    right = tuple(option.text for option in options if option.value and option.value.amount >= bar)
    candidates = [_candidate(option.text, option.value, option.kind) for option in options if option.value]
    listed = {option.move for option in options}
    absent = [position.game.write_move(move) for move in position.legal_moves if move not in listed]
    # No move that is not in the book is better than the best unplayed one, which is.
    unplayed = next((option for option in options if option.move == entry.move), None)
    if unplayed is None or unplayed.value is None or unplayed.value.amount >= bar:
        return _Judged(tuple(candidates), right, tuple(absent))
    most = Value.heuristic(unplayed.value.amount, unplayed.value.unit)
    candidates += [_candidate(text, most, f"no better than {unplayed.text}") for text in absent]
    return _Judged(tuple(candidates), right)


def _candidate(text: str, value: Value, reason: str) -> Candidate:
    return Candidate(text, value, (text,), reason=reason)


def _by_counts(options: Sequence[BookMove], position: Position) -> _Judged | None:
    games = sum(option.games for option in options)
    if games < LEAST_GAMES:
        return None
    candidates, right = [], []
    for option in options:
        decided = option.wins + option.losses + option.draws
        share = (option.wins + option.draws / 2) / decided if decided else 0.5
        texts = position.write_moves(_images(position, option.move))
        if option.games >= LEAST_SHARE * games and share >= SelectionPolicy.least:
            right += texts
        words = f"{option.games} of {games} games, {option.wins} won, {option.losses} lost"
        value = Value.heuristic(share, "win rate")
        candidates += [Candidate(text, value, (text,), option.games, words) for text in texts]
    if not right:
        return None
    candidates.sort(key=lambda one: (one.move not in right, -one.visits))
    return _Judged(tuple(candidates), tuple(right))


def _images(position: Position, move: Move) -> list[Move]:
    """The moves that come to the same where a position is its own image; the given one first."""
    shape = shape_of(position)
    if len(shape.placements) == 1:
        return [move]
    if len(position.game.points(move)) == 1:
        same = set(moves_at(position.game, shape, place_of_move(position.game, shape, move)))
    else:
        key = shape_of(position.play(move)).key
        same = {other for other in position.legal_moves if shape_of(position.play(other)).key == key}
    return [move, *sorted((same & set(position.legal_moves)) - {move})]


# ---- what is said of an answer


def verdict(asked: Puzzle, move: str) -> str:
    """Why a move is right or not: by its value, or by the games in which it was played."""
    known = {one.move: one for one in asked.report.candidates}
    best = asked.report.candidates[0]
    if move in asked.unrated_moves:
        return f"The book does not know {move}, and cannot tell. Try another."
    if move in asked.right:
        others = [one for one in asked.right if one != move]
        also = f"; so is {', '.join(others[:4])}" if others else ""
        return f"Right, {move}: {_words(known[move])}{also}"
    said = f"Not {move}: {_words(known[move])}" if move in known else f"Not {move}: nobody played it here"
    return f"{said}. Better is {best.move}: {_words(best)}"


def _words(one: Candidate) -> str:
    if one.visits:
        return one.reason
    more = f", {one.reason}" if one.reason.startswith("no better") else ""
    return f"{write_value(one.value)}{more}"
