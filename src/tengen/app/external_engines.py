"""Adding external engines as players: what was found on this machine, and a trial before one is stored."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace

from tengen import games
from tengen.core.errors import OptionError
from tengen.core.position import Position
from tengen.core.translation import mark
from tengen.players.config import EngineConfig
from tengen.players.configure import configure_program
from tengen.players.player import EnginePlayer
from tengen.players.profiles import PROFILES, Found, search
from tengen.players.syntax import parse_config
from tengen.protocols.external import ExternalEngine
from tengen.runtime.external import create_external_engine
from tengen.search.limits import Limits
from tengen.search.report import Report

TRIAL_SECONDS = 2.0
DEFAULT_GAMES = {"gtp": "go", "katago": "go", "nboard": "othello", "gomocup": "pente"}  # by protocol


def known_engines() -> list[Found]:
    """The well-known engines, with what was found of each; those that were found come first."""
    return sorted(map(search, PROFILES), key=lambda one: (one.path is None, bool(one.missing)))


def config_of(text: str) -> EngineConfig:
    """The configuration of a program written as `gtp:gnugo --mode gtp`. Raises `OptionError`."""
    config = parse_config(text.strip())
    if config.program is None:
        raise OptionError(mark("an external program is written as gtp:COMMAND"))
    return config


@dataclass(frozen=True)
class Trial:
    """What an engine reported about an early position."""

    report: Report

    def lines(self) -> list[str]:
        """In words."""
        report = self.report
        found = [f"{report.engine}: {report.seconds:.1f} s, {report.nodes:,} nodes"]
        for one in report.candidates[:3]:
            details = [str(one.value)] + [f"{one.visits:,} visits"] * bool(one.visits)
            details += [] if one.points is None else [f"{one.points:+.1f} points"]
            found.append(f"{one.move}: {', '.join(details)}  {' '.join(one.line[:8])}")
        if report.overlays:
            found.append(f"overlays: {', '.join(overlay.name for overlay in report.overlays)}")
        return found


@contextmanager
def analysing_program(config: EngineConfig) -> Iterator[ExternalEngine]:
    """The program of a configuration, for analyses until the block ends. Raises the program's error."""
    program = config.for_analysis().program
    if program is None:
        raise OptionError(mark("an external program is written as gtp:COMMAND"))
    engine = create_external_engine(program)
    assert isinstance(engine, ExternalEngine)
    with closing(engine):
        yield engine


def try_engine(config: EngineConfig, game: str = "") -> Trial:
    """Start a program, let it analyse an early position, and end it. Raises the program's error."""
    with analysing_program(config) as engine:
        position = _early_position(game or DEFAULT_GAMES.get(engine.program.protocol, "go"))
        return Trial(engine.search(position, Limits(seconds=TRIAL_SECONDS, lines=3)))


def _early_position(game: str) -> Position:
    options = {"pente": {"variant": "gomoku", "size": 15}}.get(game, {})
    position = games.game(game, **options).start()
    for move in {"pente": ("H8", "J9")}.get(game, ()):  # on an empty board gomoku engines do not search
        position = position.play(move)
    return position


def try_player(
    text: str, name: str, game: str, seconds: float | None, path: str = ""
) -> tuple[EnginePlayer, list[str]]:
    """Try a program, or a well-known engine by its name, at `path` or on the search path.

    Returns the player to store, and what it reported.
    """
    wanted = next((one for one in PROFILES if one.name == text.strip()), None)
    if wanted is not None:
        config = configure_program(search(wanted, path.strip() or None).program())
        game, name = wanted.game, name or wanted.title
    else:
        config = config_of(text)
    if seconds is not None:
        config = replace(config, limits=Limits(seconds=seconds))
    trial = try_engine(config, game)
    return EnginePlayer(name or trial.report.engine, config), trial.lines()
