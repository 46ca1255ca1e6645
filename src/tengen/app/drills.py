"""Opening drills: a book asks for a move, the user answers, and missed positions return sooner.

A drill walks through a book from the start of a game. The book plays the other side's moves and the moves that the
user already knows, at random by weight, and asks where something is to be learned. A *question* is a puzzle in the
store (`store.puzzles`), identified by its position's shape, so that symmetric positions and transpositions are one
question. The answers of each solver are stored there and determine when a question is due again
(`store.scheduling`), in a drill and in the solver's deck.

In a book of values, a move is right if it loses at most the drill's `loss`; in a statistics book, if it is common
and did not score badly. Moves that the book cannot judge are neither right nor wrong.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
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
from tengen.core.translation import gettext as _
from tengen.core.translation import mark, translate
from tengen.search.report import Candidate, Report, Value
from tengen.store.puzzles import Puzzle, PuzzleHistory
from tengen.store.scheduling import schedule
from tengen.store.store import Store

NO_QUESTIONS = mark("the book is too small to ask anything for this side: let it grow, or learn more games")
BOOKS = {"valued": mark("Book"), "statistics": mark("Statistics")}
LOSS = 2.0
"""Default loss in points that an answer may have; also the minimum limit for moves of the book's side."""
MIN_GAMES = 4
"""Positions with fewer games are not asked."""
MIN_SHARE = 0.1
"""Minimum share of a position's games for a common move."""
_MAX_WALKS = 40  # random walks from the start in search of a new question


@dataclass(frozen=True)
class Drill:
    """One side of a game, practised with one of the user's books; `book` is a value of `BOOKS`."""

    game: Game
    side: int
    book: str
    loss: float = LOSS

    @property
    def kind(self) -> str:
        """The kind under which the store has the questions; independent of `loss`."""
        about = json.dumps([self.game.name, self.game.options(), self.side, self.book], sort_keys=True)
        return f"drill {blake2b(about.encode(), digest_size=12).hexdigest()}"


@dataclass(frozen=True)
class DrillProgress:
    """Progress of a solver: positions asked, known for days, and due now."""

    asked: int
    known: int
    due: int


def parse_drill(game: str, options: str, side: int, book: str, loss: float) -> Drill:
    """The drill described by a URL's parameters. Raises `OptionError` if one of them is not valid."""
    if side not in (0, 1) or not 0 <= loss <= 64:
        raise OptionError(mark("a drill is for side 0 or 1, with a loss from 0 to 64"))
    return Drill(games.game(game, **pairs(options.split())), side, book, loss)


# ---- scheduling


def due_at(practised: PuzzleHistory) -> datetime:
    """When a question is due again."""
    return schedule(practised.answers).due


def drill_progress(store: Store, drill: Drill, solver: str, now: datetime) -> DrillProgress:
    found = [schedule(one.answers) for one in store.practised(drill.kind, solver).values()]
    return DrillProgress(len(found), sum(one.is_learned for one in found), sum(one.due <= now for one in found))


# ---- questions


def book_of(drill: Drill) -> Book:
    """The book of a drill. Raises `OptionError` if the user has none."""
    found: Book | None = None
    if drill.book == BOOKS["valued"]:
        found = next(iter(installed.valued_books(drill.game)), None)
    elif drill.book == BOOKS["statistics"]:
        found = installed.statistics.book(drill.game)
    if found is None:
        raise OptionError(
            mark("there is no book {book!r} of {game}").format(book=drill.book, game=drill.game.describe())
        )
    return found


def next_question(
    store: Store, drill: Drill, solver: str, random: Random, now: datetime, after: Position | None = None
) -> Puzzle | None:
    """The next question for a solver; None if the book has nothing to ask.

    In this order: missed questions that are due, the continuation of the line that led to `after`, other due
    questions, a new question, and finally the question due soonest.
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
        for _walk_number in range(_MAX_WALKS):
            asked = _walk(drill, book, drill.game.start(), random, is_wanted)
            if asked is not None:
                yield asked

    def going_on() -> Iterator[Puzzle]:
        asked = None if after is None else _walk(drill, book, after, random, is_wanted)
        if asked is not None:
            yield asked

    missed = [one for one in due if not one.answers[-1].right]
    for source in (again(missed), going_on(), again(due), on_the_way(), again(in_order)):
        asked = next(source, None)
        if asked is not None:
            return store.replace_puzzle(asked)
    return None


def _again(store: Store, drill: Drill, book: Book, one: PuzzleHistory) -> Puzzle | None:
    """An earlier question with the book's current answer; None if it has none."""
    try:
        position = drill.game.start().play_all(store.puzzle(one.id).moves)
    except TengenError:  # the rules may have changed
        return None
    return question(drill, book, position)


def _walk(
    drill: Drill, book: Book, position: Position, random: Random, is_wanted: Callable[[Puzzle], bool]
) -> Puzzle | None:
    """The first wanted question on a random walk through the book; None if there is none."""
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
    """Weight of a book move: by its loss, or by the number of games."""
    if option.value is None or best.value is None:
        return float(option.games)
    cost = best.value.amount - option.value.amount
    return 1 / (1 + cost) if cost <= loss else 0.0


def question(drill: Drill, book: Book, position: Position) -> Puzzle | None:
    """The question at a position; None if the book has no answer or every answer would be right."""
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
        mark("{player} to move: what does the book play?").format(player=position.game.players[position.to_move]),
        found.right,
        Report(drill.book, best.move, best.value, found.candidates, 0, 0.0),
        place=shape_of(position).key.hex(),
        unrated_moves=found.unrated_moves,
    )


@dataclass(frozen=True)
class _RatedMoves:
    """The moves of a position, best first, and which are right."""

    candidates: tuple[Candidate, ...]
    right: tuple[str, ...]
    unrated_moves: tuple[str, ...] = ()


def _by_values(book: ValuedBook, position: Position, loss: float) -> _RatedMoves | None:
    entry = book.lookup(position) if book.fits(position.game) else None
    options = [option for option in book.options(position) if option.value is not None]
    if entry is None or entry.kind is NodeKind.LEAF or not options:
        return None
    worth, best = book.value_of(entry), options[0].value
    if worth is None or best is None or best.amount < worth.amount:
        return None  # the best move is not in the book
    bar = best.amount - loss
    right = tuple(option.text for option in options if option.value and option.value.amount >= bar)
    candidates = [_candidate(option.text, option.value, option.kind) for option in options if option.value]
    listed = {option.move for option in options}
    absent = [position.game.write_move(move) for move in position.legal_moves if move not in listed]
    # No move outside the book is better than the best unplayed move, which is in the book.
    unplayed = next((option for option in options if option.move == entry.move), None)
    if unplayed is None or unplayed.value is None or unplayed.value.amount >= bar:
        return _RatedMoves(tuple(candidates), right, tuple(absent))
    most = Value.heuristic(unplayed.value.amount, unplayed.value.unit)
    candidates += [
        _candidate(text, most, mark("no better than {move}").format(move=unplayed.text)) for text in absent
    ]
    return _RatedMoves(tuple(candidates), right)


def _candidate(text: str, value: Value, reason: str) -> Candidate:
    return Candidate(text, value, (text,), reason=reason)


def _by_counts(options: Sequence[BookMove], position: Position) -> _RatedMoves | None:
    games = sum(option.games for option in options)
    if games < MIN_GAMES:
        return None
    candidates, right = [], []
    for option in options:
        texts = position.write_moves(_images(position, option.move))
        if option.games >= MIN_SHARE * games and option.win_rate >= SelectionPolicy.least:
            right += texts
        words = mark("{games} of {total} games, {wins} won, {losses} lost").format(
            games=option.games, total=games, wins=option.wins, losses=option.losses
        )
        value = Value.heuristic(option.win_rate, "win rate")
        candidates += [Candidate(text, value, (text,), option.games, words) for text in texts]
    if not right:
        return None
    candidates.sort(key=lambda one: (one.move not in right, -one.visits))
    return _RatedMoves(tuple(candidates), tuple(right))


def _images(position: Position, move: Move) -> list[Move]:
    """The given move and its equivalents by the symmetry of the position."""
    shape = shape_of(position)
    if len(shape.placements) == 1:
        return [move]
    if len(position.game.points(move)) == 1:
        same = set(moves_at(position.game, shape, place_of_move(position.game, shape, move)))
    else:
        key = shape_of(position.play(move)).key
        same = {other for other in position.legal_moves if shape_of(position.play(other)).key == key}
    return [move, *sorted((same & set(position.legal_moves)) - {move})]


# ---- verdicts


def verdict(asked: Puzzle, move: str, *, is_answer: bool = True) -> str:
    """Explain whether a move is right, by its value or by the games in which it was played.

    Without `is_answer`, a right move is only explained: the solver asked for it.
    """
    known = {one.move: one for one in asked.report.candidates}
    best = asked.report.candidates[0]
    if move in asked.unrated_moves:
        return _("The book has no value for {move}. Try another move.").format(move=move)
    if move in asked.right:
        others = [one for one in asked.right if one != move]
        if not is_answer:
            text = _("{move}: {words}; so is {others}") if others else "{move}: {words}"
        else:
            text = _("Right, {move}: {words}; so is {others}") if others else _("Right, {move}: {words}")
        return text.format(move=move, words=_words(known[move]), others=", ".join(others[:4]))
    played = _words(known[move]) if move in known else _("nobody played it here")
    return _("Not {move}: {words}. Better is {best}: {best_words}").format(
        move=move, words=played, best=best.move, best_words=_words(best)
    )


def _words(one: Candidate) -> str:
    if one.visits:
        return translate(one.reason)
    more = f", {translate(one.reason)}" if one.reason.startswith("no better") else ""
    return f"{write_value(one.value)}{more}"
