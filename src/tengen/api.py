"""The functions of the public API. Import them from `tengen`, which loads this module on first use."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from tengen import games
from tengen.app import pictures, tables
from tengen.app.tables import Result
from tengen.arena.engine_match import EngineMatch
from tengen.arena.match_score import MatchScore
from tengen.books import installed
from tengen.books.book import ValuedBook
from tengen.books.book_file import read_book
from tengen.core.errors import OptionError
from tengen.core.game import Game
from tengen.core.position import Position
from tengen.core.values import Thermograph, Values
from tengen.core.values import thermograph as _thermograph
from tengen.games import records
from tengen.games.records import Record
from tengen.play.review import GameReview, review_moves
from tengen.players.config import EngineConfig
from tengen.players.configure import configured, engine_player, for_game
from tengen.players.player import EnginePlayer
from tengen.players.syntax import parse_config
from tengen.runtime.engine_runner import EngineRunner
from tengen.runtime.turn import create_engine
from tengen.search.limits import Limits
from tengen.search.report import Report
from tengen.search.solve import solve as _solve

EngineLike = str | EngineConfig | EnginePlayer


def game(name: str, /, **options: Any) -> Game:
    """Create a game by name with its options: `game("go", size=9, komi=7)`."""
    return games.game(name, **options)


def read(path: str | Path) -> list[Record]:
    """Read all games of a file: SGF, GGF, OBF, WTHOR, transcripts or plain text. Raises `RecordError`."""
    return list(records.read(Path(path)))


def write(played: Record | Position | Iterable[Record], path: str | Path) -> list[str]:
    """Write one or more games to a file whose suffix names the format, such as `.sgf`.

    A single game is drawn if the suffix is that of a picture: `.png` and `.svg` show its last position, `.gif` and
    `.webp` all moves, `.html` is a page with diagrams and comments to print. Returns what the format cannot store.
    """
    if isinstance(played, Position):
        played = Record.of(played)
    if isinstance(played, Record) and Path(path).suffix.lower() in pictures.SUFFIXES:
        pictures.save_picture(Path(path), played)
        return []
    return list(records.write([played] if isinstance(played, Record) else played, Path(path)))


def player(engine: EngineLike = "", **settings: Any) -> EnginePlayer:
    """An engine as a player, such as `player("uct:nodes=500")` or `player("gtp:gnugo --mode gtp")`.

    Without a level it searches for one second a move.
    """
    if isinstance(engine, EnginePlayer):
        return engine
    config = parse_config(engine) if isinstance(engine, str) else engine
    config = replace(config, settings=tuple(sorted({**dict(config.settings), **settings}.items())))
    if config.program is None:
        if not config.engine:
            raise OptionError("a player needs an engine, such as uct")
        config = configured(config)
    return engine_player(config)


def analyse(
    position: Position,
    engine: EngineLike = "",
    *,
    seconds: float | None = None,
    nodes: int | None = None,
    depth: int | None = None,
    lines: int = 1,
    book: bool = False,
) -> Report:
    """Search a position with the game's default engine or with `engine`, for one second unless a limit is given.

    `lines` asks for that many best moves. With `book` the engine may answer from its opening book.
    """
    config = for_game(_config(engine), position.game)
    limits = Limits(seconds, nodes, depth) or config.limits
    config = replace(config, limits=limits, book=book and config.book)
    runner = EngineRunner(config, position.game)
    limits = replace(config.search_limits(), lines=lines)
    return runner.play(position, limits) if book else runner.search(position, limits)


def solve(position: Position, engine: EngineLike = "", *, wld: bool = False, every_move: bool = False) -> Report:
    """Prove the result of a position under best play; with `wld` only who wins, with `every_move` for each move.

    This takes as long as it takes; Ctrl-C stops it. Raises `OptionError` where the rules allow no proof.
    """
    config = replace(for_game(_config(engine), position.game), book=False)
    return _solve(create_engine(config, position.game), position, wld=wld, every_move=every_move)


def review(
    played: Record | Position,
    engine: EngineLike = "",
    *,
    seconds: float | None = None,
    nodes: int | None = None,
    depth: int | None = None,
) -> GameReview:
    """Review every move of a game: its value, the better move, what was lost and where the game turned.

    `played` is a record or the last position of a game. Limits hold for each position; the default is one second.
    """
    line = played.positions() if isinstance(played, Record) else list(played.line())
    config = for_game(_config(engine), line[0].game)
    config = replace(config.for_analysis(), limits=Limits(seconds, nodes, depth) or config.limits)
    runner = EngineRunner(config, line[0].game)
    backwards = [position for position in reversed(line) if not position.is_over]  # what engines keep then helps
    return review_moves(
        line, {position.ply: runner.search(position, config.search_limits()) for position in backwards}
    )


def match(
    first: EngineLike, second: EngineLike, game: Game | str, *, rounds: int = 5, seed: int = 0
) -> MatchScore:
    """Play a match between two engines: each round is an opening played twice, with colours reversed.

    The result counts wins and estimates the Elo difference with its error bar. Games are played in this process
    and are not stored. For long matches use the command `tengen match`, which uses all cores and can be resumed.
    """
    rules = games.game(game) if isinstance(game, str) else game
    return EngineMatch(rules, (player(first), player(second)), 2 * rounds, seed=seed).play_in_process()


def book(game: Game | str, path: str | Path | None = None) -> ValuedBook | None:
    """The opening book of a game: the user's own, else the shipped one, else None; or the book in a file."""
    if path is not None:
        return read_book(Path(path))
    rules = games.game(game) if isinstance(game, str) else game
    found = installed.valued_books(rules)
    return found[0] if found else None


def rows(result: Result) -> list[dict[str, str | int | float | None]]:
    """A result as a list of dictionaries, for `pandas.DataFrame(tengen.rows(result))`.

    One for each game of a record or several, each move of a review, each candidate of a report, or each game of a
    match.
    """
    return tables.rows(result)


def thermograph(value: str) -> Thermograph:
    """The thermograph of a combinatorial game in standard notation, such as `"{3|-1}"` or `"{2||0|-4}"`."""
    return _thermograph(Values().read(value))


def _config(engine: EngineLike) -> EngineConfig:
    if isinstance(engine, EnginePlayer):
        return engine.config
    return parse_config(engine) if isinstance(engine, str) else engine
