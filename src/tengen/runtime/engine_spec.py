"""The engine that the host runs for a player's settings."""

from __future__ import annotations

import json
from dataclasses import replace

from tengen.players.player import Genome, weaknesses_of
from tengen.runtime.messages import EngineSpec

FOREIGN = "tengen.protocols.foreign.hosted:Hosted"  # by name: that layer is above this one


def spec_of(genome: Genome, seed: int = 0) -> EngineSpec:
    """The engine that the host runs for a genome."""
    if genome.foreign is not None:  # it may be started twice in one search, each time with its own patience
        settings = {"spec": json.dumps(genome.foreign.to_dict())}
        return EngineSpec(FOREIGN, seed, genome.threads, settings, 3 * genome.foreign.patience)
    return EngineSpec(genome.engine, seed, genome.threads, dict(genome.settings) | weaknesses_of(genome))


def adviser_of(genome: Genome, seed: int = 0) -> EngineSpec:
    """The engine that the host runs to look at positions: it never gives up, nor errs as people do."""
    spec = spec_of(genome, seed)
    kept = {name: value for name, value in spec.settings.items() if name not in ("resign", "error")}
    return replace(spec, settings=kept)
