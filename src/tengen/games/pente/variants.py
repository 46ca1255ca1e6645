"""Named variants of Pente as sets of options."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tengen.core.errors import OptionError
from tengen.core.translation import mark

STANDARD: dict[str, Any] = {
    "first": "centre",
    "second": "anywhere",
    "row": 5,
    "exact": False,
    "captures": "pairs",
    "goal": 10,
    "poof": False,
    "boat": False,
    "stones": 1,
    "renju": False,
    "caro": False,
}
_WITHOUT_CAPTURES = {"captures": "none", "goal": 0}

VARIANTS: dict[str, dict[str, Any]] = {
    mark("standard"): STANDARD,
    mark("tournament"): STANDARD | {"second": "tournament"},
    mark("freestyle"): STANDARD | {"first": "anywhere"},
    mark("five-in-a-row"): STANDARD | {"goal": 0},
    mark("no-capture"): STANDARD | _WITHOUT_CAPTURES,
    mark("keryo"): STANDARD | {"captures": "triples", "goal": 15},
    mark("gomoku"): STANDARD | _WITHOUT_CAPTURES | {"first": "anywhere", "exact": True},
    mark("g-pente"): STANDARD | {"second": "g-pente"},
    mark("renju"): STANDARD | _WITHOUT_CAPTURES | {"renju": True},
    mark("caro"): STANDARD | _WITHOUT_CAPTURES | {"first": "anywhere", "caro": True},
    mark("keryo-tournament"): STANDARD | {"captures": "triples", "goal": 15, "second": "tournament"},
    mark("o-pente"): STANDARD | {"captures": "triples", "goal": 15, "second": "tournament", "poof": True},
    mark("poof"): STANDARD | {"poof": True},
    mark("boat"): STANDARD | {"boat": True},
    mark("connect6"): STANDARD | _WITHOUT_CAPTURES | {"first": "anywhere", "row": 6, "stones": 2},
}


def expand(options: Mapping[str, Any]) -> dict[str, Any]:
    """Expand `variant=` into single options; options given explicitly take precedence.

    With an opening protocol, the first stones are unrestricted. Without captures, captures cannot win. A board
    determines the size.
    """
    given = dict(options)
    expanded: dict[str, Any] = {}
    if str(given.get("board", "")).strip() and "size" not in given:
        expanded["size"] = len(str(given["board"]).split()[0].split("/"))
    if "variant" in given:
        name = str(given.pop("variant")).lower()
        if name not in VARIANTS:
            raise OptionError(
                mark("pente: variant should be {choices}, not {name!r}").format(
                    choices=", ".join(VARIANTS), name=name
                )
            )
        expanded.update(VARIANTS[name])
    if str(given.get("opening", "none")) != "none":
        expanded.update(first="anywhere", second="anywhere")
    if str(given.get("captures", "")) == "none":
        expanded["goal"] = 0
    return expanded | given


def name_of(options: Mapping[str, Any]) -> str | None:
    """Name of the variant with these options, ignoring the opening protocol; None if there is none."""
    for name, rules in VARIANTS.items():
        if all(options[option] == value for option, value in rules.items()):
            return name
    return None
