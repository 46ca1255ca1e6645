"""Engine configurations that this version can play, checked against the engines' own declarations."""

from __future__ import annotations

import hashlib
import json
import shlex
from dataclasses import replace
from pathlib import Path
from typing import Any

from tengen.core.errors import OptionError
from tengen.core.game import Game
from tengen.core.resource_limits import resource_limits
from tengen.core.translation import mark
from tengen.engines import registry
from tengen.players.config import DEFAULT_LIMITS, EngineConfig
from tengen.players.player import MAX_NAME_LENGTH, EnginePlayer
from tengen.players.program import ExternalProgram
from tengen.search.limits import Limits
from tengen.search.tunables import JUDGEMENT, VISION, Number, settle, with_current_names, write_number


def configure(
    engine: str,
    limits: Limits,
    *,
    book: bool = True,
    vision: int = 100,
    judgement: int = 100,
    threads: int = 1,
    seed: int = 0,
    **settings: Any,
) -> EngineConfig:
    """A configuration with a checked value for every setting of the engine; the others have their defaults."""
    given = tuple(sorted(settings.items()))
    return configured(EngineConfig(engine, limits, given, book, vision, judgement, threads, seed=seed))


def configure_program(program: ExternalProgram, limits: Limits | None = None) -> EngineConfig:
    """An external program. It gets the limits as far as its protocol can express them.

    Without limits, a GTP program searches as its own options say: told to use one second a move, GNU Go at
    `--level 10` would silently play at a lower level. Other protocols have no such options and get the default.
    """
    default = Limits() if program.protocol == "gtp" else DEFAULT_LIMITS
    config = EngineConfig(program.protocol, default if limits is None else limits, program=program)
    check_limits(config)
    return config


def configured(config: EngineConfig) -> EngineConfig:
    """The configuration with checked settings, and with the default limits if it has none."""
    if config.program is not None:
        check_limits(config)
        return config
    settled = settle(config.engine, registry.engine_class(config.engine).tunables, dict(config.settings))
    checked = replace(config, limits=config.limits or DEFAULT_LIMITS, settings=tuple(sorted(settled.items())))
    check_limits(checked)
    return checked


def for_game(config: EngineConfig, game: Game) -> EngineConfig:
    """The configuration with the engine's name and all of its settings filled in for this game.

    Raises `OptionError` if the engine does not play the game or a setting is wrong.
    """
    if config.program is not None:
        return config
    name = config.engine or registry.default_engine(game)
    registry.check(name, game)
    settled = settle(name, registry.engine_class(name).tunables, dict(config.settings))
    return replace(config, engine=name, settings=tuple(sorted(settled.items())))


def check_machine_limits(limits: Limits) -> None:
    """Raise `OptionError` for limits above those of this machine. Stored ones are lowered when used."""
    most = resource_limits()
    if limits.seconds is not None and limits.seconds > most.level_seconds:
        raise OptionError(
            mark("a level has at most {level_seconds:g} seconds a move, not {seconds:g}").format(
                level_seconds=most.level_seconds, seconds=limits.seconds
            )
        )
    if limits.nodes is not None and limits.nodes > most.level_nodes:
        raise OptionError(
            mark("a level has at most {level_nodes:,} nodes a move, not {nodes:,}").format(
                level_nodes=most.level_nodes, nodes=limits.nodes
            )
        )


def check_limits(config: EngineConfig) -> None:
    """Raise `OptionError` for limits above this machine's, or that the engine cannot follow."""
    limits = config.limits
    check_machine_limits(limits)
    if config.program is not None or not limits:
        return
    kind = registry.engine_class(config.engine)
    if limits.seconds is None and limits.nodes is None and not kind.deepens:
        raise OptionError(mark("{engine} ignores depth: set seconds or nodes").format(engine=config.engine))
    if limits.depth is not None and kind.max_depth is not None and limits.depth > kind.max_depth:
        raise OptionError(
            mark("{engine} searches at most {max_depth} plies deep, not {depth}").format(
                engine=config.engine, max_depth=kind.max_depth, depth=limits.depth
            )
        )


def check_plays(config: EngineConfig, game: Game) -> None:
    """Raise `OptionError` if an engine cannot play this game within its limits."""
    if config.program is None:
        registry.check(config.engine, game)
        check_limits(config)  # a stored player may be older than the checks


def engine_settings(config: EngineConfig) -> dict[str, Number]:
    """Constructor settings of the engine: its own, and the weaknesses that it supports."""
    weak = {name: getattr(config, name) for name in ("vision", "judgement") if getattr(config, name) < 100}
    if not weak:
        return dict(config.settings)
    supported = {weakness.name for weakness in registry.engine_class(config.engine).weaknesses}
    return dict(config.settings) | {name: value for name, value in weak.items() if name in supported}


def engine_player(config: EngineConfig) -> EnginePlayer:
    """A player with a name made from its configuration."""
    return EnginePlayer(config_name(config), config)


def config_name(config: EngineConfig) -> str:
    """A name made from all that differs from the defaults: `Uct 1 s`, `Uct 1 s, rave 500, no book`.

    Different configurations have different names. Where that gets too long, as after tuning, a digest stands for
    the differences: `Uct 1 s, tuned 5f3c81d2`.
    """
    # A third-party engine's defaults are not looked up: a name must not need that engine's package.
    known = registry.engine_class(config.engine).tunables if config.engine in registry.names() else ()
    defaults = {tunable.name: tunable.default for tunable in known}
    program = config.program
    engine = Path(program.command[0]).name if program else config.engine
    parts = [f"{engine[:1].upper()}{engine[1:]} {config.limits}".rstrip()]
    if program and len(program.command) > 1:
        parts.append(shlex.join(program.command[1:]))
    settings = sorted(with_current_names(engine, known, dict(config.settings)).items())
    parts += [f"{name} {write_number(value)}" for name, value in settings if value != defaults.get(name)]
    if not config.book:
        parts.append("no book")
    if config.opening:
        parts.append(f"opening {config.opening}")
    if config.variety:
        parts.append(f"variety {write_number(config.variety)}")
    for weakness in (VISION, JUDGEMENT):
        if getattr(config, weakness.name) != weakness.default:
            parts.append(f"{weakness.name} {getattr(config, weakness.name)}")
    if config.threads > 1:
        parts.append(f"{config.threads} threads")
    if config.seed:
        parts.append(f"seed {config.seed}")
    name = ", ".join(parts)
    if len(name) > MAX_NAME_LENGTH:
        digest = hashlib.sha256(json.dumps(config.to_dict(), sort_keys=True).encode()).hexdigest()
        name = f"{parts[0]}, tuned {digest[:8]}"
    return name
