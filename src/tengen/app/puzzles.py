"""Puzzle kinds: how positions to solve are composed. An engine that can prove results adds a kind here.

A kind has a function that makes one attempt at composing a puzzle. It gets the engine host and a random source,
and returns a `Puzzle` with its proof, or None if the position is too easy or not proved. Adding a kind takes one
call:

    async def compose(host: EngineHost, random: Random) -> Puzzle | None: ...

    register_puzzles(PuzzleKind("ladders", mark("Ladders"), "go", mark("Does the ladder work?"), compose))

All searches run in the host's background, where they yield to games, and nothing is compiled in this process.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from random import Random
from typing import TypeAlias

from tengen import games
from tengen.app.value_display import write_value
from tengen.core.errors import GameOver, OptionError
from tengen.core.translation import mark, translate
from tengen.engines import registry
from tengen.players.config import EngineConfig
from tengen.runtime.host import EngineHost
from tengen.runtime.messages import Request
from tengen.search.limits import Limits
from tengen.search.report import Candidate, Kind, Report
from tengen.store.puzzles import Puzzle, Setting

ALL_LINES = 1000  # more than any position has moves
_MIN_MOVES = 4  # fewer choices are no puzzle
_MAX_MARGIN_DISCS = 24.0  # clearly won games are too easy

Compose: TypeAlias = Callable[[EngineHost, Random], Awaitable[Puzzle | None]]


@dataclass(frozen=True)
class PuzzleKind:
    """`name` is used in URLs and in the store; `about` describes the task in one line."""

    name: str
    title: str
    game: str
    about: str
    compose: Compose


_kinds: dict[str, PuzzleKind] = {}


def register_puzzles(kind: PuzzleKind) -> None:
    """Add a kind; it replaces one with the same name."""
    _kinds[kind.name] = kind


def puzzle_kinds() -> list[PuzzleKind]:
    return list(_kinds.values())


def puzzle_kind(name: str) -> PuzzleKind:
    if name not in _kinds:
        raise OptionError(f"there are no puzzles {name!r}; available: {', '.join(_kinds)}")
    return _kinds[name]


def result_words(puzzle: Puzzle, candidate: Candidate) -> str:
    """What a move leads to, in the current language: "kills" where stones are marked, otherwise its value."""
    reason = translate(candidate.reason)
    if puzzle.marked and reason:
        return reason
    value = write_value(candidate.value)
    return f"{value}, {reason}" if reason else value


# ---- shared by kinds


async def prove(host: EngineHost, engine: str, request: Request, limits: Limits) -> Report | None:
    """An engine's report on every move of a position; None if the game is over."""
    every = replace(limits, lines=ALL_LINES)
    try:
        return await host.search(
            EngineConfig(engine, book=False), request, every, game_id=f"puzzle {engine}", background=True
        )
    except GameOver:
        return None


async def play_on(host: EngineHost, request: Request, engine: EngineConfig, limits: Limits, plies: int) -> Request:
    """The position after up to `plies` moves by an engine; fewer if the game ends."""
    for _ in range(plies):
        try:
            report = await host.search(engine, request, limits, game_id=f"puzzle {engine.engine}", background=True)
        except GameOver:
            break
        request = replace(request, moves=(*request.moves, report.best))
    return request


def keeps_value(report: Report) -> tuple[str, ...] | None:
    """The moves that keep the value of a position; None unless the value of every move is proved."""
    if any(one.value.kind is not Kind.EXACT for one in report.candidates):
        return None
    return tuple(one.move for one in report.candidates if one.value.amount == report.value.amount)


def is_interesting(right: tuple[str, ...] | None, candidates: tuple[Candidate, ...]) -> bool:
    """Whether there is a right move and enough wrong ones."""
    return right is not None and len(candidates) >= _MIN_MOVES and 1 <= len(right) <= len(candidates) // 4


def _puzzle(kind: str, request: Request, task: str, right: tuple[str, ...], report: Report) -> Puzzle:
    options: Mapping[str, Setting] = dict(request.options)
    return Puzzle(kind, request.game, options, tuple(map(str, request.moves)), task, right, report)


def _players(game: str) -> tuple[str, str]:
    return games.game_class(game).players


# ---- the kinds


SQUARES_LEFT = (10, 13)


async def _othello_endgame(host: EngineHost, random: Random) -> Puzzle | None:
    """The last squares of a game that began by chance; every move solved to the disc."""
    by_chance = EngineConfig("random", book=False, seed=random.getrandbits(30))
    start = await play_on(host, Request("othello"), by_chance, Limits(nodes=1), 10)
    request = await play_on(
        host, start, EngineConfig("othello", book=False), Limits(depth=1), 50 - random.randint(*SQUARES_LEFT)
    )
    report = await prove(host, "othello", request, Limits(seconds=10.0))
    if report is None:
        return None
    right = keeps_value(report)
    if (
        right is None
        or len(right) > 1
        or not is_interesting(right, report.candidates)
        or abs(report.value.amount) > _MAX_MARGIN_DISCS
    ):
        return None
    player = _players("othello")[len(request.moves) % 2]  # a pass is a move, too
    return _puzzle(
        "othello-endgame",
        request,
        mark("{player} to move: which move gets the most discs?").format(player=player),
        right,
        report,
    )


async def _clobber_win(host: EngineHost, random: Random) -> Puzzle | None:
    """A strip on which few moves win."""
    board = "".join(random.choice("XO") if random.random() < 0.9 else "." for _ in range(random.randint(12, 18)))
    first = random.randrange(2)
    request = Request("clobber", {"board": board, "first": "XO"[first]})
    report = await prove(host, registry.default_engine(games.game("clobber")), request, Limits(seconds=4.0))
    if report is None or report.value.amount <= 0:
        return None
    right = keeps_value(report)
    if right is None or not is_interesting(right, report.candidates):
        return None
    task = mark("{player} to move wins: with which move?").format(player=_players("clobber")[first])
    return _puzzle("clobber-win", request, task, right, report)


PENTE_SIZE = 9
_WIN_IN_TWO = 3  # plies


async def _pente_win(host: EngineHost, random: Random) -> Puzzle | None:
    """A win with the second stone at the latest, from the end of a game that went so.

    A search of three plies leaves nothing out, so a move that it does not call won does not win in time.
    """
    seed = random.getrandbits(30)
    start = await play_on(
        host,
        Request("pente", {"size": PENTE_SIZE}),
        EngineConfig("random", book=False, seed=seed),
        Limits(nodes=1),
        4,
    )
    game = await play_on(host, start, EngineConfig("uct", book=False, seed=seed), Limits(nodes=150), 60)
    if len(game.moves) < 8:
        return None
    request = replace(game, moves=game.moves[:-_WIN_IN_TWO])
    at_once = await prove(host, "alphabeta", request, Limits(depth=1))
    if at_once is None or _wins(at_once):
        return None
    report = await prove(host, "alphabeta", request, Limits(depth=_WIN_IN_TWO))
    if report is None or (report.depth < _WIN_IN_TWO and not _wins(report)):
        return None
    right = _wins(report)
    if not is_interesting(right, report.candidates):
        return None
    player = _players("pente")[len(request.moves) % 2]
    task = mark("{player} to play and win in 2").format(player=player)
    return _puzzle("pente-win", request, task, right, report)


def _wins(report: Report) -> tuple[str, ...]:
    return tuple(one.move for one in report.candidates if one.value.kind is Kind.EXACT and one.value.amount > 0)


register_puzzles(
    PuzzleKind(
        "othello-endgame",
        mark("Othello endings"),
        "othello",
        mark("The last squares: one move gets the most discs"),
        _othello_endgame,
    )
)
register_puzzles(
    PuzzleKind(
        "clobber-win", mark("Winning at Clobber"), "clobber", mark("A strip that few moves win"), _clobber_win
    )
)
register_puzzles(
    PuzzleKind(
        "pente-win", mark("Pente in two"), "pente", mark("Win with your second stone at the latest"), _pente_win
    )
)
