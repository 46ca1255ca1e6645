"""What programs send and get."""

from __future__ import annotations

import json
import time
from typing import Annotated, Any, Literal, NamedTuple, TypeAlias

from pydantic import BaseModel, Field, StringConstraints

from tengen.app.book_manager import BookJob, GrowthJob
from tengen.core.position import Position
from tengen.core.resource_limits import resource_limits
from tengen.play.match import Match
from tengen.players.player import MAX_NAME_LENGTH, EnginePlayer
from tengen.search.report import Report
from tengen.store.puzzles import Puzzle
from tengen.web.game_session import GameSession

_LIMITS = resource_limits()

# What programs may send: every text, list and number has a bound.
Word: TypeAlias = Annotated[str, StringConstraints(max_length=100)]
"""A move, a point, or the name of an engine, an option or a format."""
Name: TypeAlias = Annotated[str, StringConstraints(max_length=MAX_NAME_LENGTH)]
"""Of a player; engine players are found by their id, too."""
OptionText: TypeAlias = Annotated[str, StringConstraints(max_length=3 * _LIMITS.board_points)]
OptionNumber: TypeAlias = Annotated[int, Field(ge=-(10**9), le=10**9)] | Annotated[float, Field(ge=-1e9, le=1e9)]
Options: TypeAlias = Annotated[dict[Word, bool | OptionNumber | OptionText], Field(max_length=20)]
MoveTexts: TypeAlias = Annotated[list[Word], Field(max_length=_LIMITS.record_moves)]
LongText: TypeAlias = Annotated[str, StringConstraints(max_length=12 * _LIMITS.record_moves)]
"""Moves separated by blanks."""


class Error(BaseModel):
    """What went wrong, in one line."""

    detail: str


class Rules(BaseModel):
    """A game that can be played, the options of its rules with their defaults, and ready-made opponents."""

    name: str
    title: str
    players: tuple[str, str]
    options: dict[str, Any]
    opponents: list[str]


class NewGame(BaseModel):
    """A game to begin. A player is the name of one (as in `Rules.opponents` or /players), or a new person's."""

    game: Word
    options: Options = Field(default_factory=dict)
    players: tuple[Name, Name] = Field(
        description="who goes first in front; a name that no engine has is a person"
    )
    time: Word = Field("none", description="as 10m, 5m+3s, 10m+3x30s, 10m+25/10m, 30s/move")
    rated: bool = False


class Clock(BaseModel):
    """A player's time in seconds, None without a limit."""

    seconds: float | None
    runs: bool


class State(BaseModel):
    """A game as it is now. `legal` are the moves that can be made; `board` has a letter for each point."""

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
    result: str | None
    reason: str | None
    offer: str | None = Field(None, description="what a player asks the other for: draw, take back or pause")
    offered_by: Literal[0, 1] | None = None
    rematch: str | None = Field(None, description="the id of the next game between the two")
    saved: bool = Field(True, description="whether all of this is in the store; if not, it is tried again")

    @classmethod
    def of(cls, session: GameSession) -> State:
        """Call it in the server's thread: what takes long is made once for all who ask."""
        match = session.match
        live, now, clock = match.live, time.monotonic(), match.clock
        clocks = [
            Clock(
                seconds=None if clock.controls[side].is_none else round(clock.left_at(side, now).seconds, 3),
                runs=clock.is_running and clock.player == side,
            )
            for side in (0, 1)
        ]
        to_move = match.to_move
        shown = session.shared("position", lambda: _Shown.of(live))
        return cls(
            id=match.id,
            game=match.game.name,
            options=match.game.options(),
            players=(_name(match, 0), _name(match, 1)),
            moves=shown.moves,
            board=shown.board,
            to_move=None if to_move is None else (1 if to_move else 0),
            legal=[] if to_move is None else shown.legal,
            clocks=(clocks[0], clocks[1]),
            running=match.is_running,
            counting=match.is_counting,
            result=None if match.result is None else match.result.code,
            reason=None if match.result is None else match.result.reason,
            offer=None if session.offer is None else session.offer.kind,
            offered_by=None if session.offer is None else (1 if session.offer.side else 0),
            rematch=session.next_game_id or None,
            saved=match.save_error is None,
        )


class _Shown(NamedTuple):
    """What a state tells of a position."""

    moves: list[str]
    board: list[str]
    legal: list[str]

    @classmethod
    def of(cls, position: Position) -> _Shown:
        legal = [] if position.is_over else position.write_moves(position.legal_moves)
        return cls(position.write_moves(position.moves), board_of(position), legal)


class Unsaved(BaseModel):
    """What was asked for is done, but could not be saved; the server goes on trying."""

    detail: str
    state: State


class Created(BaseModel):
    """A new game, and the key of each person's side: send it as `X-Tengen-Key` with what that side does."""

    state: State
    keys: tuple[str | None, str | None]

    @classmethod
    def of(cls, session: GameSession) -> Created:
        seats = session.seats
        assert seats is not None
        keys = [None if session.is_engine(side) else seats.keys[side] for side in (0, 1)]
        return cls(state=State.of(session), keys=(keys[0], keys[1]))


class Played(BaseModel):
    move: Word


class Reply(BaseModel):
    """The answer to what the other player asks for."""

    accept: bool


class Count(BaseModel):
    """One stone of each string that is dead."""

    dead: list[Word] = Field(default_factory=list, max_length=_LIMITS.board_points)


class Asked(BaseModel):
    """A position to analyse: by its game and moves. What the engine knows better it says in its report."""

    game: Word
    options: Options = Field(default_factory=dict)
    moves: MoveTexts = Field(default_factory=list)
    engine: Name = Field("uct", description="an engine's name, or that of an engine player")
    seconds: float = Field(1.0, gt=0, le=_LIMITS.analysis_seconds)
    lines: int = Field(1, ge=1, le=50)


class Listed(BaseModel):
    id: str
    game: str
    board: str
    players: tuple[str, str]
    date: str
    result: str
    moves: int
    finished: bool


class PlayerInfo(BaseModel):
    id: str
    name: str
    kind: Literal["person", "engine"]
    settings: dict[str, Any] | None = None


class Explored(BaseModel):
    """Each move that was played in a position: how often, and how those games ended; and what each book knows."""

    games: int
    moves: list[dict[str, int | str]]
    books: dict[str, list[dict[str, Any]]] = {}


class BookSize(BaseModel):
    """How many positions a book has now."""

    positions: int


class BookInfo(BaseModel):
    """A book, counted: `stages` are [moves, branches, leaves, solved], or of statistics [stones, positions].

    `level` is broken, consistent, valued or negamaxed; `reason` and `offender` tell what keeps it from the next.
    """

    kind: Literal["valued", "statistics"]
    file: str
    bytes: int
    game: str
    options: dict[str, Any]
    positions: int
    branches: int
    leaves: int
    solved: int
    unvalued: int
    level: str
    reason: str
    offender: str
    stages: list[list[int]]
    error: str


class Grow(BaseModel):
    """By what a valued book is to grow: see docs/guide/books.md."""

    game: Word
    options: Options = Field(default_factory=dict)
    loss: float = Field(2.0, description="what a line may cost both sides together, in the game's points")
    last: int | None = Field(None, description="only after fewer than `last` moves")
    most: int = Field(100, description="new branches in a round, at most")
    rounds: int = 1
    depth: int = Field(12, description="how deep positions are searched")


class BookWork(BaseModel):
    """How work on a book goes; `seconds_left` is a guess by the speed of late."""

    state: Literal["waiting", "running", "stopped", "failed", "done"]
    note: str
    done: int | None = None
    total: int | None = None
    seconds_left: float | None = None

    @classmethod
    def of(cls, work: BookJob) -> BookWork:
        progress = work.progress if work.state == "running" else None
        return cls.model_validate(
            {
                "state": work.state,
                "note": work.describe(),
                "done": None if progress is None else progress.done,
                "total": None if progress is None else progress.total,
                "seconds_left": None if progress is None else progress.seconds_left,
            }
        )


class BookGrowth(BaseModel):
    """What grows, how many of its rounds are in the book, and how it goes; nothing if none was asked for."""

    plan: Grow | None = None
    rounds_done: int = 0
    work: BookWork | None = None

    @classmethod
    def of(cls, growing: GrowthJob | None) -> BookGrowth:
        if growing is None:
            return cls()
        plan = Grow.model_validate({name: getattr(growing.plan, name) for name in Grow.model_fields})
        return cls(plan=plan, rounds_done=growing.plan.done, work=BookWork.of(growing))


class Import(BaseModel):
    text: str = Field(max_length=_LIMITS.upload_bytes)


class Done(BaseModel):
    added: int
    duplicates: int
    bad: list[str]


class Value(BaseModel):
    """For the side to move. `low` and `high` are what is proved: both if it is exact, none if it is a guess."""

    amount: float
    kind: Literal["exact", "bound", "heuristic"]
    unit: str = Field(description="discs, points, wins (+1 or -1), or win rate (0 to 1)")
    low: float | None
    high: float | None


class Candidate(BaseModel):
    """A move that was looked at, how it might go on, and why it counts."""

    move: str
    value: Value
    line: list[str]
    visits: int
    reason: str


class Overlay(BaseModel):
    """Numbers or text to draw: column, row, content."""

    name: str
    points: list[tuple[int, int, float | str]]


class Analysis(BaseModel):
    """What an engine found of a position, the best move first; docs/internals/search.md says more."""

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

    @classmethod
    def of(cls, report: Report) -> Analysis:
        return cls.model_validate_json(report.to_json())


class Valued(BaseModel):
    """What is kept of a position of a game: by its moves from the start."""

    moves: list[str]
    analysis: Analysis


class Reviewing(BaseModel):
    """How many positions of a game have been valued, of how many; asking again tells it again."""

    done: int
    total: int


class PuzzleKind(BaseModel):
    """Puzzles that are offered, and how whoever asks does at them."""

    name: str
    title: str
    game: str
    about: str
    answered: int
    solved: int
    streak: int
    best: int
    missed: int


class PuzzleAsked(BaseModel):
    """A position, and what is asked of it."""

    id: str
    kind: str
    game: str
    options: dict[str, Any]
    moves: list[str]
    board: list[str]
    to_move: Literal[0, 1]
    legal: list[str]
    task: str

    @classmethod
    def of(cls, puzzle: Puzzle, position: Position) -> PuzzleAsked:
        return cls(
            id=puzzle.id,
            kind=puzzle.kind,
            game=puzzle.game,
            options=dict(puzzle.options),
            moves=list(puzzle.moves),
            board=board_of(position),
            to_move=1 if position.to_move else 0,
            legal=position.write_moves(position.legal_moves),
            task=puzzle.task,
        )


class DrillInfo(BaseModel):
    """A side of a game that a book can be asked about, and how far whoever asks has come with it."""

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


class DrillAnswered(BaseModel):
    """Whether an answer is right, None if the book cannot tell; why; every right one, and what the book knows."""

    right: bool | None
    verdict: str
    moves: list[str]
    known: Analysis


class PuzzleAnswered(BaseModel):
    """Whether an answer is right, every right one, and the proof."""

    right: bool
    moves: list[str]
    proof: Analysis


def report_of(report: Report) -> dict[str, Any]:
    """A report as it is kept and sent everywhere; docs/internals/search.md says what is in it."""
    found: dict[str, Any] = json.loads(report.to_json())
    return found


def board_of(position: Position) -> list[str]:
    """The rows of a board, a letter for each point."""
    return ["".join(".XO"[stone] for stone in row) for row in position.diagram().stones]


def _name(match: Match, side: int) -> str:
    player = match.players[side]
    return player.name if player is not None else match.record.names[side] or match.game.players[side]


def kind_of(player: object) -> Literal["person", "engine"]:
    return "engine" if isinstance(player, EnginePlayer) else "person"
