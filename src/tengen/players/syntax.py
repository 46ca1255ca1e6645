"""Engine configurations as text, for command lines, tournament files and forms.

    ENGINE[:ITEM,ITEM...]         uct:500nodes,rave=100,book=off
    PROTOCOL[,ITEM...]:COMMAND    gtp,2s,timeout=5:gnugo --mode gtp --level 10

An item is a limit of the search for one move (`1s`, `500nodes`, `depth4`, or `seconds=1`, `nodes=500`, `depth=4`),
`book=on` or `book=off`, `opening=MOVES` (`opening=f5 d6 c3`), `variety=POINTS`, `threads=N`, `seed=N`, `vision=N`,
`judgement=N`, or an engine setting, `name=value`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from tengen.core.errors import OptionError
from tengen.core.translation import mark
from tengen.engines import registry
from tengen.players.config import EngineConfig
from tengen.players.configure import configure_program
from tengen.players.program import DEFAULT_TIMEOUT_S, ExternalProgram, protocol_names
from tengen.search.limits import Limits
from tengen.search.tunables import write_number

_LIMIT = re.compile(r"(?:(?P<seconds>\d{1,9}(?:\.\d{1,9})?)s|(?P<nodes>\d{1,12})nodes?|depth(?P<depth>\d{1,9}))")
_LIMIT_KINDS: dict[str, type] = {"seconds": float, "nodes": int, "depth": int}
_TRAIT_KINDS: dict[str, type] = {"vision": int, "judgement": int, "threads": int, "seed": int, "variety": float}
_SWITCH = {"on": True, "off": False}


def parse_limits(text: str) -> Limits:
    """Limits such as `1s`, `500nodes`, `depth4` or `2s,500nodes`. Spaces are ignored."""
    items = _items("".join(text.lower().split()))
    if not items or not set(items) <= set(_LIMIT_KINDS):
        raise OptionError(
            mark("a level is written as 1s, 500nodes, depth4 or 2s,500nodes, not {text!r}").format(text=text)
        )
    return _take_limits(items)


def is_config(text: str) -> bool:
    """Whether a text names an engine or a program, rather than a player."""
    head = text.partition(":")[0]
    return head in registry.names() or head.partition(",")[0] in protocol_names()


def parse_config(text: str) -> EngineConfig:
    """Read a configuration; `for_game` checks its engine and settings. An empty text is the default engine."""
    head, _, rest = text.partition(":")
    protocol, _, items = head.partition(",")
    if head not in registry.names() and protocol in protocol_names():
        return _parse_program(protocol, items, rest)
    if "." in head and rest:  # an import path contains a colon itself
        attribute, _, rest = rest.partition(":")
        head = f"{head}:{attribute}"
    return with_items(EngineConfig(head), _items(rest))


def write_config(config: EngineConfig) -> str:
    """Text that `parse_config` reads as this configuration, without settings that have their defaults."""
    program = config.program
    items = [f"{write_number(config.limits.seconds)}s"] if config.limits.seconds is not None else []
    items += [f"{config.limits.nodes}nodes"] if config.limits.nodes is not None else []
    items += [f"depth{config.limits.depth}"] if config.limits.depth is not None else []
    if program is not None:
        items += [f"timeout={program.timeout_s:g}"] if program.timeout_s != DEFAULT_TIMEOUT_S else []
        return f"{','.join([program.protocol, *items])}:{program}"
    default = EngineConfig()
    items += [] if config.book else ["book=off"]
    items += [f"opening={config.opening}"] if config.opening else []
    items += [
        f"{name}={write_number(getattr(config, name))}"
        for name in _TRAIT_KINDS
        if getattr(config, name) != getattr(default, name)
    ]
    known = registry.engine_class(config.engine).tunables if config.engine else ()
    defaults = {tunable.name: tunable.default for tunable in known}
    items += [
        f"{name}={value if isinstance(value, str) else write_number(value)}"
        for name, value in config.settings
        if value != defaults.get(name)
    ]
    return f"{config.engine}:{','.join(items)}" if items else config.engine


def with_items(config: EngineConfig, items: Mapping[str, Any]) -> EngineConfig:
    """The configuration with other items; all names that are not described above are settings."""
    rest = dict(items)
    limits = _take_limits(rest)
    changes: dict[str, Any] = {} if not limits else {"limits": limits}
    for name, kind in _TRAIT_KINDS.items():
        if name in rest:
            changes[name] = _number(rest.pop(name), kind, name)
    if "opening" in rest:
        changes["opening"] = " ".join(str(rest.pop("opening")).split())
    if "book" in rest:
        book = rest.pop("book")
        if str(book).lower() not in _SWITCH:
            raise OptionError(mark("book should be on or off, not {book!r}").format(book=book))
        changes["book"] = _SWITCH[str(book).lower()]
    return replace(config, **changes, settings=tuple(sorted({**dict(config.settings), **rest}.items())))


def config_from_options(
    engine: str = "",
    limits: str = "",
    *,
    threads: int | None = None,
    seed: int | None = None,
    book: bool = True,
    variety: float | None = None,
    settings: Mapping[str, Any] | None = None,
) -> EngineConfig:
    """The configuration that command-line options describe; `check_plays` checks it for a game.

    `engine` is an engine's name or a whole configuration as text; options that are given override its items.
    """
    config = with_items(parse_config(engine), settings or {})
    return replace(
        config,
        limits=parse_limits(limits) if limits else config.limits,
        threads=config.threads if threads is None else threads,
        seed=config.seed if seed is None else seed,
        book=book and config.book,
        variety=config.variety if variety is None else variety,
    )


def _items(text: str) -> dict[str, Any]:
    items: dict[str, Any] = {}
    for word in text.split(",") if text else ():
        found = _LIMIT.fullmatch(word.strip())
        if found is not None and found.lastgroup is not None:
            name, value = found.lastgroup, found[found.lastgroup]
        else:
            name, equals, value = word.strip().partition("=")
            if not equals or not name:
                raise OptionError(f"an item is written as 1s, 500nodes, depth4 or name=value, not {word!r}")
        if name in items:
            raise OptionError(mark("{name} is given twice").format(name=name))
        items[name] = value
    return items


def _parse_program(protocol: str, text: str, command: str) -> EngineConfig:
    items = _items(text)
    limits = _take_limits(items)
    timeout = items.pop("timeout", items.pop("patience", None))  # `patience` until version 0.1
    if items:
        raise OptionError(
            mark("a program takes a level and a timeout, not {choices}").format(choices=", ".join(items))
        )
    others = {} if timeout is None else {"timeout_s": _number(timeout, float, "timeout")}
    return configure_program(ExternalProgram.parse(protocol, command, **others), limits or None)


def _take_limits(items: dict[str, Any]) -> Limits:
    given = {name: _number(items.pop(name), kind, name) for name, kind in _LIMIT_KINDS.items() if name in items}
    return Limits(**given)


def _number(text: Any, kind: type, name: str) -> Any:
    try:
        return kind(text)
    except (TypeError, ValueError):
        expected = mark("a whole number") if kind is int else mark("a number")
        raise OptionError(
            mark("{name} should be {expected}, not {text!r}").format(name=name, expected=expected, text=text)
        ) from None
