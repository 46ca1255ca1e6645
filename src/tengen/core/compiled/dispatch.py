"""Generic functions dispatched on the type of a game's record, so that one search compiles for every game.

A game's state is one NumPy record whose field names identify the game. `generic` declares a rule that games
implement; `rule` registers an implementation. Compiled code resolves the call at compile time, through Numba's
`overload`; plain Python resolves it by the field names of the record. In both cases the caller writes
`play(state, move)`.

    FIELDS = ("heap", "turn")            # at least one name, here `heap`, is unique to the game

    @rule(FIELDS)
    def is_over(state):
        return state.heap == 0
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, TypeVar

from numba import types
from numba.extending import overload

from tengen.core.compiled.kernel import RULE_OPTIONS
from tengen.core.compiled.records import check_field_names

Function = TypeVar("Function", bound=Callable[..., Any])

_declared: dict[str, Callable[..., Any]] = {}
_rules: dict[tuple[str, tuple[str, ...]], Callable[..., Any]] = {}


def generic(function: Function, *, inline: bool = False) -> Function:
    """Declare a rule. Its body is the default implementation; with an empty body there is none.

    With `inline`, the compiler always inlines it: for rules called in the innermost loops.
    """
    name = function.__name__
    has_default = not _is_stub(function)

    def rule_for(fields: tuple[str, ...]) -> Callable[..., Any] | None:
        return _rules.get((name, fields), function if has_default else None)

    def choose(fields: tuple[str, ...]) -> Callable[..., Any]:
        chosen = rule_for(fields)
        if chosen is None:
            raise NotImplementedError(f"the game with the fields {', '.join(fields)} has no rule {name!r}")
        return chosen

    def plain(state: Any, *arguments: Any) -> Any:
        return choose(state.dtype.names)(state, *arguments)

    def typed(state: Any) -> Callable[..., Any] | None:
        return choose(tuple(state.fields)) if isinstance(state, types.Record) else None

    # overload() requires a function with the same parameter names.
    parameters = list(inspect.signature(function).parameters)
    source = f"def implementation({', '.join(parameters)}): return typed({parameters[0]})"
    scope: dict[str, Any] = {"typed": typed}
    exec(source, scope)
    options = {**RULE_OPTIONS, "forceinline": inline}
    overload(plain, strict=False, jit_options=options)(scope["implementation"])
    plain.__name__, plain.__doc__ = name, function.__doc__
    vars(plain)["__signature__"] = inspect.signature(function)
    vars(plain)["rule_for"] = rule_for  # used by `fingerprint`
    _declared[name] = plain
    return plain  # type: ignore[return-value]


def rule(fields: tuple[str, ...] | None) -> Callable[[Function], Function]:
    """Register a function as the implementation, for the record with these fields, of the rule of the same name.

    Returns the generic rule, so that a game's rules can call each other.
    """
    if fields is None:
        raise TypeError("the names of a record are needed; this type is no record")
    check_field_names(fields)

    def register(function: Function) -> Function:
        name = function.__name__
        if name not in _declared:
            raise NameError(f"there is no generic rule {name!r}; there are {', '.join(sorted(_declared))}")
        if len(inspect.signature(function).parameters) != len(inspect.signature(_declared[name]).parameters):
            raise TypeError(f"the rule {name!r} takes {inspect.signature(_declared[name])}")
        before = _rules.get((name, fields))
        if before is not None and before.__code__.co_filename != function.__code__.co_filename:
            raise NameError(
                f"the rule {name!r} for the fields {', '.join(fields)} is that of {before.__module__}; "
                f"a game needs a field name that no other game has"
            )
        _rules[name, fields] = function
        return _declared[name]  # type: ignore[return-value]

    return register


def inherit_rules(fields: tuple[str, ...] | None, base: tuple[str, ...] | None) -> None:
    """Use the rules of the record with the fields `base` for that with `fields`, except those it has itself."""
    if fields is None or base is None:
        raise TypeError("the names of a record are needed; this type is no record")
    check_field_names(fields)
    for (name, owner), function in list(_rules.items()):
        if owner == base:
            _rules.setdefault((name, fields), function)


def _is_stub(function: Callable[..., Any]) -> bool:
    """Whether the body is only a docstring or `...`."""
    code = function.__code__
    stubs = (_documented_stub.__code__.co_code, _bare_stub.__code__.co_code)
    return code.co_code in stubs and set(code.co_consts) <= {function.__doc__, None}


def _documented_stub(state: Any) -> None:
    """Compiles to different code than `_bare_stub`: the docstring is a constant, too."""


def _bare_stub(state: Any) -> None: ...
