"""What the server answers: one model for each answer, with the names of the OpenAPI document.

Fields that the client does not know, of a newer server, are ignored.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict


class Model(BaseModel):
    """An answer. It does not change."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class Part(Model):
    """One part of the server, and its state in one line."""

    ok: bool
    detail: str


class Health(Model):
    """The state of the server and its parts."""

    status: Literal["ok", "degraded"]
    version: str
    uptime_s: int
    open_games: int
    parts: dict[str, Part]


class Rules(Model):
    """A game that can be played, its options with their defaults, and built-in opponents."""

    name: str
    title: str
    players: tuple[str, str]
    options: dict[str, Any]
    opponents: list[str]


class Clock(Model):
    """A player's remaining time in seconds, None without a limit."""

    seconds: float | None
    runs: bool


class State(Model):
    """The current state of a game. `legal` has the legal moves; `board` has one letter per point."""

    id: str
    game: str
    options: dict[str, Any]
    players: tuple[str, str]
    moves: list[str]
    board: list[str]
    to_move: Literal[0, 1] | None
    legal: list[str]
    clocks: tuple[Clock, Clock]
    running: bool
    counting: bool
    """Whether dead stones are agreed on: `count` agrees, `play-on` resumes."""
    dead: list[str] = []
    """Stones marked or counted as dead."""
    unsure: list[str] = []
    """Stones that the engine is not sure about."""
    marking: bool = False
    """Whether the engine is still marking dead stones."""
    rated: bool = False
    result: str | None
    reason: str | None
    offer: str | None = None
    """The pending offer: draw, take back or pause."""
    offered_by: Literal[0, 1] | None = None
    declined: str | None = None
    """The last offer, if it was declined."""
    rematch: str | None = None
    """The id of the rematch."""
    saved: bool = True
    """Whether all changes are stored; if not, saving is retried."""


class Created(Model):
    """A new game and the key of each person's side, to be sent as `X-Tengen-Key` with that side's actions."""

    state: State
    keys: tuple[str | None, str | None]


class Listed(Model):
    """A stored game in a list."""

    id: str
    game: str
    board: str
    players: tuple[str, str]
    date: str
    result: str
    moves: int
    finished: bool


class PlayerInfo(Model):
    """A person or an engine player; only engines have settings."""

    id: str
    name: str
    kind: Literal["person", "engine"]
    settings: dict[str, Any] | None = None


class Explored(Model):
    """The moves played in a position with their results, and the moves of each opening book."""

    games: int
    moves: list[dict[str, int | str]]
    books: dict[str, list[dict[str, Any]]] = {}
    opening: str = ""
    """The name of the opening, if it has one."""


class BookSummary(Model):
    """Counts of a book. `kind` is valued or statistics; `error` is set if the book cannot be read.

    `stages` are rows of [moves, branches, leaves, solved positions], or [stones, positions] for statistics.
    `level`, `reason` and `offender` (a board) are the results of checking a valued book.
    """

    kind: str
    file: str
    bytes: int = 0
    game: str = ""
    options: dict[str, Any] = {}
    positions: int = 0
    branches: int = 0
    leaves: int = 0
    solved: int = 0
    unvalued: int = 0
    level: str = ""
    reason: str = ""
    offender: str = ""
    stages: list[list[int]] = []
    error: str = ""


class Done(Model):
    """The result of an import: how many games were added, and errors of the others."""

    added: int
    duplicates: int
    bad: list[str]


class Draft(Model):
    """A game that was opened for analysis, and the page that shows it."""

    id: str
    page: str


class Value(Model):
    """A value for the side to move. `low` and `high` are proved bounds: both if exact, none if heuristic."""

    amount: float
    kind: Literal["exact", "bound", "heuristic"]
    unit: str
    """Discs, points, wins (+1 or -1), or win rate (0 to 1)."""
    low: float | None
    high: float | None


class Candidate(Model):
    """A candidate move with its expected line and reason."""

    move: str
    value: Value
    line: list[str]
    visits: int
    reason: str


class Overlay(Model):
    """Numbers or text to draw on points: column, row, content."""

    name: str
    points: list[tuple[int, int, float | str]]


class Analysis(Model):
    """An engine's report on a position, best move first; see docs/internals/search.md."""

    engine: str
    best: str
    value: Value
    candidates: list[Candidate]
    nodes: int
    seconds: float
    depth: int
    trust: int
    overlays: list[Overlay]
    version: int


class Valued(Model):
    """A stored report on a position of a game, given by its moves."""

    moves: list[str]
    analysis: Analysis


class Reviewing(Model):
    """Progress of a review, in positions."""

    done: int
    total: int


class PuzzleKind(Model):
    """A kind of puzzles, and the caller's score."""

    name: str
    title: str
    game: str
    about: str
    answered: int
    solved: int
    streak: int
    best: int
    missed: int


class PuzzleAsked(Model):
    """A puzzle: a position and a task."""

    id: str
    kind: str
    game: str
    options: dict[str, Any]
    moves: list[str]
    board: list[str]
    to_move: Literal[0, 1]
    legal: list[str]
    task: str
    themes: list[str]


class DeckQuestion(PuzzleAsked):
    """A question of the deck; `last` is when it was answered before, and `origin` the game of a mistake."""

    last: datetime | None
    is_new: bool
    origin: str


class PuzzleAnswered(Model):
    """Whether an answer is right, all right moves, and the proof."""

    right: bool
    moves: list[str]
    proof: Analysis


class DeckStatus(Model):
    """Figures of a deck: cards, today's answers, and the retention of the last 30 days with the predicted one."""

    cards: int
    due: int
    waiting: int
    """Cards that were never answered."""
    known: int
    new_today: int
    """New questions left for today."""
    answered_today: int
    right_today: int
    days_in_a_row: int
    repeated: int
    """Repetitions after a day or more in the last 30 days."""
    retention: float | None
    predicted: float | None
    forecast: list[int]
    """Cards due today and on each day after."""
    themes: dict[str, tuple[int, int]]
    """Right and all first answers by theme."""
    ratings: dict[str, float]
    """Puzzle ratings by game."""


class DeckAnswered(Model):
    """Whether an answer is right (null: it cannot be judged), a sentence, all right moves, and what is known."""

    right: bool | None
    verdict: str
    moves: list[str]
    known: Analysis


class DrillInfo(Model):
    """A drill: one side of a game with a book, and the caller's progress."""

    game: str
    options: dict[str, Any]
    side: Literal[0, 1]
    book: str
    answered: int
    solved: int
    streak: int
    best: int
    known: int
    due: int


class DrillAnswered(Model):
    """The verdict on an answer (`right` is None if unknown), all right moves, and the book's report."""

    right: bool | None
    verdict: str
    moves: list[str]
    known: Analysis


class ProblemMove(Model):
    """A move of the side to move, and what it leads to."""

    move: str
    outcome: Literal["works", "ko", "fails"]
    proved: bool


class ProblemRead(Model):
    """What happens to a string of Go. `kill` and `save` decide it."""

    verdict: Literal["alive", "dead", "unsettled", "ko", "unclear"]
    proved: bool
    owner: int
    kill: str | None
    save: str | None
    moves: list[ProblemMove]


class Figures(Model):
    """Figures of some moves; `proved` counts wins and draws that are proved to be given away."""

    games: int
    moves: int
    accuracy: float | None
    mistakes_per_100: float | None
    proved: int


class PlayerFigures(Model):
    """A player's reviewed games. `departures` are opening, usual move, played move and number of games."""

    total: Figures
    games: dict[str, Figures]
    phases: dict[str, Figures]
    openings: dict[str, Figures]
    times: dict[str, Figures]
    months: dict[str, Figures]
    departures: list[tuple[str, str, str, str]]
    unreviewed: int


class Run(Model):
    """A run of the arena. `result` depends on the kind; `plan` is known if it was started on this server."""

    kind: str
    id: str
    name: str
    about: str
    game: str
    state: str
    """Waiting, running, stopped, failed or finished."""
    note: str = ""
    caption: str = ""
    done: int = 0
    total: int | None = None
    figures: list[tuple[str, str]] = []
    workers: list[dict[str, Any]] = []
    result: dict[str, Any] = {}
    plan: dict[str, Any] | None = None

    @property
    def is_active(self) -> bool:
        """Whether it is played, or waits for that."""
        return self.state in ("waiting", "running")


class RunGames(Model):
    """Games of a run, the first to end first. `points` are those of the first of the `contestants`."""

    total: int
    games: list[dict[str, Any]]


class Link(Model):
    """The path of a page that everybody who knows it can read."""

    path: str
