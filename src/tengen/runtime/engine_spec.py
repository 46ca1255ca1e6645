"""The engine that the host runs for a player's settings."""

from __future__ import annotations

import json
from dataclasses import replace

from tengen.players.player import EngineConfig, weaknesses_of
from tengen.runtime.messages import EngineSpec

FOREIGN = "tengen.protocols.external.hosted:Hosted"  # by name: that layer is above this one


def spec_of(config: EngineConfig, seed: int = 0) -> EngineSpec:
    """The engine that the host runs for a config."""
    if config.program is not None:  # it may be started twice in one search, each time with its own patience
        settings = {"spec": json.dumps(config.program.to_dict())}
        return EngineSpec(FOREIGN, seed, config.threads, settings, 3 * config.program.patience)
    return EngineSpec(config.engine, seed, config.threads, dict(config.settings) | weaknesses_of(config))


def adviser_of(config: EngineConfig, seed: int = 0) -> EngineSpec:
    """The engine that the host runs to look at positions: it never gives up, nor errs as people do."""
    spec = spec_of(config, seed)
    kept = {name: value for name, value in spec.settings.items() if name not in ("resign", "error")}
    return replace(spec, settings=kept)
