"""The fields of an engine player's editor, as data for any front end."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from tengen.core.errors import OptionError
from tengen.core.translation import mark
from tengen.engines import registry
from tengen.players.config import THREADS, WEAKNESS_STEP_PERCENT, EngineConfig
from tengen.players.configure import check_machine_limits, configure
from tengen.search.limits import Limits
from tengen.search.tunables import Tunable, with_current_names

LIMIT_FIELDS = {
    "seconds": mark("per move; set at least one of these three limits"),
    "nodes": mark("positions or playouts per move"),
    "depth": mark("search depth in plies, if the engine supports it"),
}
FIELD_NAMES = {
    "seconds": mark("Seconds"),
    "nodes": mark("Nodes"),
    "depth": mark("Depth"),
    "vision": mark("Vision"),
    "judgement": mark("Judgement"),
}
PERCENTAGES = tuple(range(100, 55, -WEAKNESS_STEP_PERCENT))


@dataclass(frozen=True)
class SettingField:
    """A setting of an engine, and its value in the form."""

    tunable: Tunable
    value: Any

    @property
    def help(self) -> str:
        tunable = self.tunable
        is_switch = isinstance(tunable.default, bool)
        if is_switch:
            return tunable.help
        return mark("from {low:,.10g} to {high:,.10g}: {help}").format(
            low=tunable.low, high=tunable.high, help=tunable.help
        )


def setting_fields(engine: str, config: EngineConfig) -> list[SettingField]:
    """The settings of an engine, with the values of `config` if it is the same engine. The first is `threads`."""
    tunables = registry.engine_class(engine).tunables if engine in registry.names() else ()
    now = dict(config.settings) if engine == config.engine else {}
    now = with_current_names(engine, tunables, now)
    fields = [SettingField(tunable, now.get(tunable.name, tunable.default)) for tunable in tunables]
    return [SettingField(THREADS, config.threads), *fields]


def write_field(value: object) -> str:
    return "" if value is None else f"{value:g}" if isinstance(value, float) else str(value)


def read_player_form(
    old: EngineConfig, engine: str, limits: Mapping[str, str], settings: Mapping[str, Any], **others: Any
) -> tuple[EngineConfig | None, dict[str, str]]:
    """The configuration that the fields describe, or None and the problems by the name of the field.

    `others` are book, vision and judgement. External programs and unknown engines keep their settings.
    """
    problems: dict[str, str] = {}
    numbers: dict[str, Any] = {}
    for name, text in limits.items():
        kind = float if name == "seconds" else int
        try:
            if text.strip():
                numbers[name] = kind(text)
                check_machine_limits(Limits(**{name: numbers[name]}))
        except OptionError as error:
            problems[name] = str(error)
        except ValueError:
            text = mark("{name} should be a number") if kind is float else mark("{name} should be a whole number")
            problems[name] = text.format(name=name)
    if not numbers and not problems and old.program is None:
        problems["seconds"] = mark("set a limit: seconds, nodes or depth")
    checked: dict[str, Any] = {}
    for field in setting_fields(engine, old):
        name = field.tunable.name
        if name in settings:
            try:
                checked[name] = field.tunable.check(settings[name])
            except OptionError as error:
                problems[name] = str(error)
    if problems:
        return None, problems
    try:
        if old.program is None and engine in registry.names():
            return configure(engine, Limits(**numbers), **others, **checked), {}
        return replace(old, limits=Limits(**numbers), threads=checked["threads"], **others), {}
    except OptionError as error:  # only a depth, for an engine without depth limits
        return None, {"depth": str(error)}
