"""Request and response models of the API."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Annotated, Any, Literal, NamedTuple, TypeAlias

from pydantic import AwareDatetime, BaseModel, Field, StringConstraints

from tengen.app.book_manager import BookJob, GrowthJob
from tengen.app.deck import DeckStatistics, Question
from tengen.app.move_preview import point_name
from tengen.app.player_report import PlayerReport, Tally, departure_rows
from tengen.app.problems import Examination, MoveResult
from tengen.core.diagram import Point
from tengen.core.position import Position
from tengen.core.resource_limits import resource_limits
from tengen.players.player import MAX_NAME_LENGTH, EnginePlayer
from tengen.search.report import Report
from tengen.store.glicko import Skill
from tengen.store.puzzles import Puzzle
from tengen.web.game_session import GameSession
from tengen.web.seating import player_name

_LIMITS = resource_limits()

# Types of requests: every text, list and number is bounded.
Word: TypeAlias = Annotated[str, StringConstraints(max_length=100)]
"""A move, a point, or the name of an engine, an option or a format."""
Name: TypeAlias = Annotated[str, StringConstraints(max_length=MAX_NAME_LENGTH)]
"""Name of a player; engine players can also be given by id."""
OptionText: TypeAlias = Annotated[str, StringConstraints(max_length=3 * _LIMITS.board_points)]
OptionNumber: TypeAlias = Annotated[int, Field(ge=-(10**9), le=10**9)] | Annotated[float, Field(ge=-1e9, le=1e9)]
Options: TypeAlias = Annotated[dict[Word, bool | OptionNumber | OptionText], Field(max_length=20)]
MoveTexts: TypeAlias = Annotated[list[Word], Field(max_length=_LIMITS.record_moves)]


class Error(BaseModel):
    """An error message in one line."""

    detail: str


class Rules(BaseModel):
    """A game that can be played, its options with their defaults, and built-in opponents."""

    name: str
    title: str
    players: tuple[str, str]
    options: dict[str, Any]
    opponents: list[str]


class NewGame(BaseModel):
    """A game to create. Players are given by name (see `Rules.opponents`, /players); new names add people."""

    game: Word
    options: Options = Field(default_factory=dict)
    players: tuple[Name, Name] = Field(description="the first player first; a name that no engine has is a person")
    time: Word = Field("none", description="for example 10m, 5m+3s, 10m+3x30s, 10m+25/10m, 30s/move")
    rated: bool = False


class Clock(BaseModel):
    """A player's remaining time in seconds, None without a limit."""

    seconds: float | None
    runs: bool


class State(BaseModel):
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
    counting: bool = Field(description="whether dead stones are agreed on: `count` agrees, `play-on` resumes")
    dead: list[str] = Field(default_factory=list, description="stones marked or counted as dead")
    unsure: list[str] = Field(default_factory=list, description="stones that the engine is not sure about")
    marking: bool = Field(False, description="whether the engine is still marking dead stones")
    rated: bool = False
    result: str | None
    reason: str | None
    offer: str | None = Field(None, description="the pending offer: draw, take back or pause")
    offered_by: Literal[0, 1] | None = None
    declined: str | None = Field(None, description="the last offer, if it was declined")
    rematch: str | None = Field(None, description="the id of the rematch")
    saved: bool = Field(True, description="whether all changes are stored; if not, saving is retried")

    @classmethod
    def from_session(cls, session: GameSession) -> State:
        """Call it in the event loop. Expensive parts are cached for all watchers."""
        match = session.match
        live, now, clock = match.live, time.monotonic(), match.clock
        clocks = [
            Clock(
                seconds=None if clock.controls[side].is_none else round(clock.left_at(side, now).seconds, 3),
                runs=clock.is_running and clock.player == side,
            )
            for side in (0, 1)
        ]
        to_move, marks = match.to_move, session.dead_stones
        shown = session.watchers.cached("position", lambda: _PositionText.from_position(live))
        return cls(
            id=match.id,
            game=match.game.name,
            options=match.game.options(),
            players=(player_name(match, 0), player_name(match, 1)),
            moves=shown.moves,
            board=shown.board,
            to_move=None if to_move is None else (1 if to_move else 0),
            legal=[] if to_move is None else shown.legal,
            clocks=(clocks[0], clocks[1]),
            running=match.is_running,
            counting=match.is_counting,
            dead=_names(live, marks.points()) if marks.is_shown else [],
            unsure=_names(live, marks.unsure()) if match.is_counting else [],
            marking=marks.is_engine_marking,
            rated=match.is_rated,
            result=None if match.result is None else match.result.code,
            reason=None if match.result is None else match.result.reason,
            offer=None if session.offers.pending is None else session.offers.pending.kind,
            offered_by=None if session.offers.pending is None else (1 if session.offers.pending.side else 0),
            declined=None if session.offers.declined is None else session.offers.declined.kind,
            rematch=session.next_game_id or None,
            saved=match.save_error is None,
        )


def _names(position: Position, points: Iterable[Point]) -> list[str]:
    diagram = position.diagram()
    return [point_name(diagram, point) for point in points]


class _PositionText(NamedTuple):
    """The part of a state that depends on the position only."""

    moves: list[str]
    board: list[str]
    legal: list[str]

    @classmethod
    def from_position(cls, position: Position) -> _PositionText:
        legal = [] if position.is_over else position.write_moves(position.legal_moves)
        return cls(position.write_moves(position.moves), board_rows(position), legal)


class Unsaved(BaseModel):
    """The change was made but not saved yet; the server retries."""

    detail: str
    state: State


class Created(BaseModel):
    """A new game and the key of each person's side, to be sent as `X-Tengen-Key` with that side's actions."""

    state: State
    keys: tuple[str | None, str | None]

    @classmethod
    def from_session(cls, session: GameSession) -> Created:
        seats = session.seating.seats
        assert seats is not None
        keys = [None if session.seating.is_engine(side) else seats.keys[side] for side in (0, 1)]
        return cls(state=State.from_session(session), keys=(keys[0], keys[1]))


class Played(BaseModel):
    move: Word


class Reply(BaseModel):
    """The answer to an offer."""

    accept: bool


class Count(BaseModel):
    """One stone of each dead string."""

    dead: list[Word] = Field(default_factory=list, max_length=_LIMITS.board_points)


class Asked(BaseModel):
    """A position to analyse, given by its game and moves."""

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
    players: tuple[str, str] = Field(validation_alias="names")
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
    """The moves played in a position with their results, and the moves of each opening book."""

    games: int
    moves: list[dict[str, int | str]]
    books: dict[str, list[dict[str, Any]]] = {}
    opening: str = Field("", description="the name of the opening, if it has one")


class BookSize(BaseModel):
    """The number of positions in a book."""

    positions: int


class Grow(BaseModel):
    """Parameters of growing a valued book: see docs/guide/books.md."""

    game: Word
    options: Options = Field(default_factory=dict)
    loss: float = Field(2.0, description="maximum loss of a line for both sides together, in points")
    last: int | None = Field(None, description="only positions with fewer moves than this")
    most: int = Field(100, description="maximum number of new branches per round")
    rounds: int = 1
    depth: int = Field(12, description="search depth")


class BookWork(BaseModel):
    """Progress of a job on a book; `seconds_left` is an estimate."""

    state: Literal["waiting", "running", "stopped", "failed", "done"]
    note: str
    done: int | None = None
    total: int | None = None
    seconds_left: float | None = None

    @classmethod
    def from_job(cls, job: BookJob) -> BookWork:
        work = {"state": job.state, "note": job.describe()}
        if job.progress is not None and job.state == "running":
            work |= {name: getattr(job.progress, name) for name in ("done", "total", "seconds_left")}
        return cls.model_validate(work)


class BookGrowth(BaseModel):
    """The current growth: parameters, finished rounds and progress; empty if there is none."""

    plan: Grow | None = None
    rounds_done: int = 0
    work: BookWork | None = None

    @classmethod
    def from_job(cls, growing: GrowthJob | None) -> BookGrowth:
        if growing is None:
            return cls()
        plan = Grow.model_validate({name: getattr(growing.plan, name) for name in Grow.model_fields})
        return cls(plan=plan, rounds_done=growing.plan.done, work=BookWork.from_job(growing))


class Import(BaseModel):
    text: str = Field(max_length=_LIMITS.upload_bytes)


class Draft(BaseModel):
    """A game that was opened for analysis, and the page that shows it."""

    id: str
    page: str


class Done(BaseModel):
    added: int
    duplicates: int
    bad: list[str]


class Value(BaseModel):
    """A value for the side to move. `low` and `high` are proved bounds: both if exact, none if heuristic."""

    amount: float
    kind: Literal["exact", "bound", "heuristic"]
    unit: str = Field(description="discs, points, wins (+1 or -1), or win rate (0 to 1)")
    low: float | None
    high: float | None


class Candidate(BaseModel):
    """A candidate move with its expected line and reason."""

    move: str
    value: Value
    line: list[str]
    visits: int
    reason: str


class Overlay(BaseModel):
    """Numbers or text to draw on points: column, row, content."""

    name: str
    points: list[tuple[int, int, float | str]]


class Analysis(BaseModel):
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

    @classmethod
    def from_report(cls, report: Report) -> Analysis:
        return cls.model_validate_json(report.to_json())


class Valued(BaseModel):
    """A stored report on a position of a game, given by its moves."""

    moves: list[str]
    analysis: Analysis


class Reviewing(BaseModel):
    """Progress of a review, in positions."""

    done: int
    total: int


class PuzzleKind(BaseModel):
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


class PuzzleAsked(BaseModel):
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

    @classmethod
    def from_puzzle(cls, puzzle: Puzzle, position: Position) -> PuzzleAsked:
        return cls(
            id=puzzle.id,
            kind=puzzle.kind,
            game=puzzle.game,
            options=dict(puzzle.options),
            moves=list(puzzle.moves),
            board=board_rows(position),
            to_move=1 if position.to_move else 0,
            legal=position.write_moves(position.legal_moves),
            task=puzzle.task,
            themes=list(puzzle.themes),
        )


class DrillInfo(BaseModel):
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


class DrillAnswered(BaseModel):
    """The verdict on an answer (`right` is None if unknown), all right moves, and the book's report."""

    right: bool | None
    verdict: str
    moves: list[str]
    known: Analysis


class PuzzleAnswered(BaseModel):
    """Whether an answer is right, all right moves, and the proof."""

    right: bool
    moves: list[str]
    proof: Analysis


class DeckStatus(BaseModel):
    """Figures of a deck: cards, today's answers, and the retention of the last 30 days with the predicted one."""

    cards: int
    due: int
    waiting: int = Field(description="cards that were never answered")
    known: int
    new_today: int = Field(description="new questions left for today")
    answered_today: int
    right_today: int
    days_in_a_row: int
    repeated: int = Field(description="repetitions after a day or more in the last 30 days")
    retention: float | None
    predicted: float | None
    forecast: list[int] = Field(description="cards due today and on each day after")
    themes: dict[str, tuple[int, int]] = Field(description="right and all first answers by theme")
    ratings: dict[str, float] = Field(description="puzzle ratings by game")

    @classmethod
    def from_statistics(cls, found: DeckStatistics, ratings: Mapping[str, Skill]) -> DeckStatus:
        return cls(
            themes={name: (one.right, one.total) for name, one in found.themes.items()},
            ratings={game: skill.rating for game, skill in ratings.items()},
            cards=found.counts.total,
            due=found.counts.due,
            waiting=found.counts.new,
            known=found.counts.known,
            new_today=found.new_today,
            answered_today=found.today.total,
            right_today=found.today.right,
            days_in_a_row=found.days_in_a_row,
            repeated=found.retention.total,
            retention=found.retention.value,
            predicted=found.predicted,
            forecast=list(found.forecast),
        )


class DeckQuestion(PuzzleAsked):
    """A question of the deck; `last` is when it was answered before, and `origin` the game of a mistake."""

    last: datetime | None
    is_new: bool
    origin: str

    @classmethod
    def from_question(cls, question: Question, position: Position) -> DeckQuestion:
        asked = PuzzleAsked.from_puzzle(question.puzzle, position)
        about = {"last": question.last, "is_new": question.is_new, "origin": question.puzzle.origin}
        return cls.model_validate({**asked.model_dump(), **about})


class DeckAnswer(BaseModel):
    """A move, or nothing to give up, and `last` of the question."""

    move: Word = ""
    last: AwareDatetime | None = None


class DeckAnswered(BaseModel):
    """Whether an answer is right (null: it cannot be judged), a sentence, all right moves, and what is known."""

    right: bool | None
    verdict: str
    moves: list[str]
    known: Analysis


def report_dict(report: Report) -> dict[str, Any]:
    """A report as JSON data; see docs/internals/search.md."""
    found: dict[str, Any] = json.loads(report.to_json())
    return found


def board_rows(position: Position) -> list[str]:
    """The rows of a board, one letter per point."""
    return ["".join(".XO#"[stone] for stone in row) for row in position.diagram().stones]


def player_kind(player: object) -> Literal["person", "engine"]:
    return "engine" if isinstance(player, EnginePlayer) else "person"


class ProblemAsked(BaseModel):
    """A position of Go, and a stone of the string that it is about."""

    options: Options = Field(default_factory=dict)
    moves: MoveTexts = Field(default_factory=list)
    string: Word


class ProblemMove(BaseModel):
    move: str
    outcome: Literal["works", "ko", "fails"]
    proved: bool


class ProblemRead(BaseModel):
    """What happens to a string. `kill` and `save` decide it; `moves` are those of the side to move."""

    verdict: Literal["alive", "dead", "unsettled", "ko", "unclear"]
    proved: bool
    owner: int
    kill: str | None
    save: str | None
    moves: list[ProblemMove]

    @classmethod
    def from_reading(cls, found: Examination, results: Iterable[MoveResult]) -> ProblemRead:
        return cls(
            verdict=found.verdict.value,
            proved=found.is_proved,
            owner=found.owner,
            kill=found.kill,
            save=found.save,
            moves=[ProblemMove(move=one.move, outcome=one.outcome.value, proved=one.is_proved) for one in results],
        )


class Figures(BaseModel):
    """Figures of some moves; `proved` counts wins and draws that are proved to be given away."""

    games: int
    moves: int
    accuracy: float | None
    mistakes_per_100: float | None
    proved: int

    @classmethod
    def from_tally(cls, tally: Tally) -> Figures:
        return cls(
            games=tally.games,
            moves=tally.moves,
            accuracy=tally.accuracy,
            mistakes_per_100=tally.mistakes_per_100,
            proved=tally.proved,
        )


class PlayerFigures(BaseModel):
    """A player's reviewed games. `departures` are opening, usual move, played move and number of games."""

    total: Figures
    games: dict[str, Figures]
    phases: dict[str, Figures]
    openings: dict[str, Figures]
    times: dict[str, Figures]
    months: dict[str, Figures]
    departures: list[tuple[str, str, str, str]]
    unreviewed: int

    @classmethod
    def from_report(cls, found: PlayerReport) -> PlayerFigures:
        names = ("games", "phases", "openings", "times", "months")
        tables = {name: getattr(found, name) for name in names}
        return cls(
            total=Figures.from_tally(found.total),
            **{
                name: {one: Figures.from_tally(tally) for one, tally in rows.items()}
                for name, rows in tables.items()
            },
            departures=departure_rows(found),
            unreviewed=found.unreviewed,
        )
