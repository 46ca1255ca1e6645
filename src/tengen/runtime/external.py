"""External programs as engines. Driver classes are entry points of the group `tengen.protocols`."""

from __future__ import annotations

from importlib.metadata import entry_points

from tengen.core.errors import OptionError
from tengen.players.program import PROTOCOL_GROUP, ExternalProgram
from tengen.search.engine import Engine


def create_external_engine(program: ExternalProgram) -> Engine:
    """The engine that drives an external program. Raises `OptionError` if its protocol is not installed."""
    points = entry_points(group=PROTOCOL_GROUP, name=program.protocol)
    if not points:
        raise OptionError(
            f"the protocol {program.protocol} is not installed: reinstall Tengen, or install its plugin"
        )
    point = next(iter(points))
    try:
        engine = point.load()(program)
    except (ImportError, AttributeError) as error:
        raise OptionError(
            f"the protocol {program.protocol} cannot be loaded from {point.value}: {error}"
        ) from error
    if not isinstance(engine, Engine):
        raise OptionError(f"the protocol {program.protocol} is broken: {point.value} is not an engine")
    return engine
