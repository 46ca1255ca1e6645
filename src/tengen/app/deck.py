"""A person's deck: the own mistakes, missed drill questions, puzzles and problems in one queue.

    question = next_question(store, "ann", datetime.now(UTC))
    answered = answer_question(store, question, "ann", "D4")
    answered.text                                    # "Right, D4: won (exact)"
    statistics(store, "ann", datetime.now(UTC))      # how many are due, retention, …

What was answered before is asked when it is due; then up to `new_per_day` new ones a day: the own mistakes first,
the latest of them before older ones, then shipped puzzles of the kinds and themes that the person solves worst.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from itertools import pairwise
from typing import Any

from tengen import games
from tengen.app import drills, go_puzzles, pente_puzzles
from tengen.app.puzzle_files import SHIPPED_KINDS, shipped_puzzles
from tengen.app.puzzles import puzzle_kinds, result_words
from tengen.core.errors import OptionError
from tengen.core.position import Position
from tengen.core.translation import gettext as _
from tengen.core.translation import mark
from tengen.store.deck import Card, CardCounts, History
from tengen.store.puzzles import Puzzle
from tengen.store.scheduling import schedules
from tengen.store.store import Store

OPTION = "deck"  # name of the visitor's option
_KINDS = (go_puzzles, pente_puzzles)  # importing them registers their kinds, whose titles are shown
NEW_PER_DAY = 10
MAX_NEW_PER_DAY = 100
MISSES_AHEAD = timedelta(minutes=20)  # misses due within this time are repeated before a session ends
FORECAST_DAYS = 7
RETENTION_DAYS = 30  # retention is that of the last days
MISTAKE = "mistake"  # kind of the puzzles made from reviews
PROBLEM = "problem"  # kind of imported problems
NEVER = datetime(1970, 1, 1, tzinfo=UTC)  # before all answers
_DRILL = "drill "


@dataclass(frozen=True)
class DeckSettings:
    """How many new questions a day, of which games (empty: all), and whether reviews add mistakes."""

    new_per_day: int = NEW_PER_DAY
    games: tuple[str, ...] = ()
    collects: bool = True

    def __post_init__(self) -> None:
        if not 0 <= self.new_per_day <= MAX_NEW_PER_DAY:
            raise OptionError(
                mark("the number of new questions a day is from 0 to {most}").format(most=MAX_NEW_PER_DAY)
            )
        for name in self.games:
            games.game_class(name)

    @classmethod
    def from_option(cls, stored: Any) -> DeckSettings:
        """Read the stored option; one that is not valid counts as not set."""
        try:
            return cls(int(stored["new"]), tuple(map(str, stored["games"])), bool(stored["collects"]))
        except (TypeError, KeyError, ValueError, OptionError):
            return cls()

    def to_option(self) -> dict[str, Any]:
        return {"new": self.new_per_day, "games": list(self.games), "collects": self.collects}


@dataclass(frozen=True)
class Question:
    """A card to ask: its puzzle, and the time of the last answer known to the asker."""

    puzzle: Puzzle
    last: datetime | None = None
    is_new: bool = False

    def position(self) -> Position:
        """Builds the position: call it in a thread, because rules may have to be loaded."""
        game = games.game(self.puzzle.game, **dict(self.puzzle.options))
        return game.start().play_all(self.puzzle.moves)

    @property
    def source(self) -> str:
        """Where the question comes from, in the current language."""
        return source_name(self.puzzle.kind)


@dataclass(frozen=True)
class Answered:
    """Whether an answer is right (None: it cannot be judged, and was not counted), and a sentence about it."""

    right: bool | None
    text: str


def source_name(kind: str) -> str:
    """The title of a kind of puzzles, in the current language."""
    if kind == MISTAKE:
        return _("From your games")
    if kind == PROBLEM:
        return _("Problems")
    if kind.startswith(_DRILL):
        return _("Opening drill")
    return _(next((one.title for one in puzzle_kinds() if one.name == kind), kind))


def find_solver(store: Store, name: str = "") -> str:
    """Whose deck a program in a terminal uses: an account's, that of a name, or without one that used last."""
    if not name:
        return store.last_solver() or "terminal"
    account = store.find_account(name)
    return name if account is None else account.identity


# ---- asking


def day_start(at: datetime) -> datetime:
    """The beginning of a day on the server's clock."""
    return at.astimezone().replace(hour=0, minute=0, second=0, microsecond=0)


def next_question(
    store: Store, solver: str, at: datetime, settings: DeckSettings | None = None, skip: str = ""
) -> Question | None:
    """The question to ask now; None if everything is done for today. `skip` is the puzzle asked last.

    That one comes again only if nothing else is left. Before the session of a day ends, misses are repeated a
    little early.
    """
    settings = settings or DeckSettings()
    for left_out in (skip, "") if skip else ("",):
        found = store.next_card(solver, at, games=settings.games, skip=left_out)
        if found is not None:
            return _question(found)
        if store.count_begun(solver, day_start(at)) < settings.new_per_day:
            found = store.next_card(solver, at, games=settings.games, new=True, skip=left_out)
            if found is not None:
                return _question(found)
            fresh = _new_puzzle(store, solver, settings)
            if fresh is not None:
                return Question(store.replace_puzzle(fresh), is_new=True)
        found = store.next_card(solver, at + MISSES_AHEAD, games=settings.games, misses=True, skip=left_out)
        if found is not None:
            return _question(found)
    return None


def extra_question(
    store: Store, solver: str, at: datetime, settings: DeckSettings | None = None
) -> Question | None:
    """A new question beyond those of the day; None if there is none left."""
    settings = settings or DeckSettings()
    found = store.next_card(solver, at, games=settings.games, new=True)
    if found is not None:
        return _question(found)
    fresh = _new_puzzle(store, solver, settings)
    return None if fresh is None else Question(store.replace_puzzle(fresh), is_new=True)


def _question(card: Card) -> Question:
    return Question(card.puzzle, card.last, card.last is None)


def _new_puzzle(store: Store, solver: str, settings: DeckSettings) -> Puzzle | None:
    """A shipped puzzle that the solver has not answered, of the kind and themes with the worst results.

    Own mistakes count as misses of their themes, so that the person practises what goes wrong in games.
    """
    weak = theme_shares(store.histories(solver))
    best: tuple[float, Puzzle] | None = None
    for kind in SHIPPED_KINDS:
        stock = shipped_puzzles(kind)
        if settings.games and stock[0].game not in settings.games:
            continue
        known = store.practised(kind, solver)
        fresh = [one for one in stock if one.digest not in known]
        if not fresh:
            continue
        right = sum(one.answers[0].right for one in known.values())
        share = (right + 1) / (len(known) + 2) + 0.05 * len(known)  # also those that were practised least
        if best is None or share < best[0]:
            best = share, min(fresh, key=lambda one: _theme_share(one, weak))
    return None if best is None else best[1]


def _theme_share(puzzle: Puzzle, weak: Mapping[str, Share]) -> float:
    """The smoothed share of right answers of the worst theme of a puzzle."""
    found = (weak.get(f"{puzzle.game} {theme}", Share()) for theme in puzzle.themes)
    return min(((one.right + 1) / (one.total + 2) for one in found), default=0.5)


def theme_shares(histories: Sequence[History]) -> dict[str, Share]:
    """Right first answers by game and theme; an own mistake counts as a miss of its themes, too."""
    found: dict[str, Share] = {}
    for history in histories:
        for theme in history.themes:
            name = f"{history.game} {theme}"
            found[name] = found.get(name, Share()).plus(history.answers[0].right)
            if history.kind == MISTAKE:
                found[name] = found[name].plus(False)
    return found


def answer_question(
    store: Store, question: Question, solver: str, move: str, at: datetime | None = None
) -> Answered:
    """Judge a move and store the answer; an empty one if the solver gives up.

    A move that cannot be judged is not stored, nor is a second answer to the same question.
    """
    puzzle = question.puzzle
    if move and move in puzzle.unrated_moves:
        return Answered(None, verdict(puzzle, move))
    right = store.answer_puzzle(puzzle.id, solver, move, at=at, after=question.last or NEVER)
    return Answered(right, verdict(puzzle, move))


# ---- verdicts


def verdict(puzzle: Puzzle, move: str) -> str:
    """Explain whether a move is right, by what is proved or estimated of it; without a move, the answer."""
    if puzzle.kind.startswith(_DRILL):
        return drills.verdict(puzzle, move or puzzle.right[0], is_answer=bool(move))
    known = {one.move: result_words(puzzle, one) for one in puzzle.report.candidates}
    best = puzzle.right[0]
    if not move:
        text = _("The answer: {moves}.").format(moves=", ".join(puzzle.right))
        return f"{text} {known[best]}" if best in known else text
    words = known.get(move, "")
    if move in puzzle.unrated_moves:
        return _("Nothing is known of {move}. Try another move.").format(move=move)
    if move in puzzle.right:
        others = [one for one in puzzle.right if one != move]
        text = _("Right, {move}; so is {others}") if others else _("Right, {move}")
        return text.format(move=f"{move}: {words}" if words else move, others=", ".join(others))
    text = _("Not {move}. Better is {best}: {best_words}") if best in known else _("Not {move}. Better is {best}")
    return text.format(
        move=f"{move}: {words}" if words else move,
        best=best,
        best_words=known.get(best, ""),
    )


# ---- statistics


@dataclass(frozen=True)
class Share:
    """Right answers of all answers."""

    right: int = 0
    total: int = 0

    def plus(self, right: bool) -> Share:
        return Share(self.right + right, self.total + 1)

    @property
    def value(self) -> float | None:
        return self.right / self.total if self.total else None


@dataclass(frozen=True)
class DeckStatistics:
    """Figures of a deck. `retention` and `predicted` concern repetitions after a day or more, in the last days.

    `forecast` has the cards due today and on the days after; `kinds` the first answers by kind of question, and
    `themes` those by theme.
    """

    counts: CardCounts
    new_today: int
    today: Share
    days_in_a_row: int
    retention: Share
    predicted: float | None
    forecast: tuple[int, ...]
    kinds: Mapping[str, Share] = field(default_factory=dict)
    themes: Mapping[str, Share] = field(default_factory=dict)


def statistics(store: Store, solver: str, at: datetime, settings: DeckSettings | None = None) -> DeckStatistics:
    """The figures of a deck at a time."""
    settings = settings or DeckSettings()
    histories = store.histories(solver)
    start = day_start(at)
    today = Share()
    kinds: dict[str, Share] = {}
    themes: dict[str, Share] = {}
    days = set()
    for history in histories:
        for answer in history.answers:
            days.add(answer.time.astimezone().date())
            if answer.time >= start:
                today = today.plus(answer.right)
        name = _DRILL.strip() if history.kind.startswith(_DRILL) else history.kind
        kinds[name] = kinds.get(name, Share()).plus(history.answers[0].right)
        for theme in history.themes:
            themes[theme] = themes.get(theme, Share()).plus(history.answers[0].right)
    retention, predicted = recall(histories, at - timedelta(days=RETENTION_DAYS))
    begun = store.count_begun(solver, start)
    counts = store.count_cards(solver, at, games=settings.games)
    dates = Counter(
        max((due.astimezone().date() - start.date()).days, 0)
        for due in store.due_times(solver, start + timedelta(days=FORECAST_DAYS))
    )
    return DeckStatistics(
        counts,
        max(0, settings.new_per_day - begun),
        today,
        _days_in_a_row(days, start.date()),
        retention,
        predicted,
        tuple(dates[day] for day in range(FORECAST_DAYS)),
        kinds,
        themes,
    )


def recall(histories: list[History], since: datetime) -> tuple[Share, float | None]:
    """The share of right answers to repetitions after a day or more, and what the scheduler predicted for them."""
    share, expected = Share(), 0.0
    for history in histories:
        states = list(schedules(history.answers))
        for (before, answer), state in zip(pairwise(history.answers), states, strict=False):
            if answer.time >= since and answer.time - before.time >= timedelta(days=1):
                share = share.plus(answer.right)
                expected += state.recall(answer.time)
    return share, (expected / share.total if share.total else None)


def _days_in_a_row(days: set[date], today: date) -> int:
    """Number of days in a row with answers, up to today or yesterday."""
    day = today if today in days else today - timedelta(days=1)
    count = 0
    while day in days:
        count, day = count + 1, day - timedelta(days=1)
    return count
