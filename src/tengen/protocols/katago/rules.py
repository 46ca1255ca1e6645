"""KataGo's names of Go rules, and Tengen's options for them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

AREA, TERRITORY = "AREA", "TERRITORY"
_FIELDS: dict[str, tuple[Any, ...]] = {  # each with its values, the default first
    "ko": ("POSITIONAL", "SIMPLE", "SITUATIONAL"),
    "scoring": (AREA, TERRITORY),
    "tax": ("NONE", "SEKI", "ALL"),
    "suicide": (True, False),
    "hasButton": (False, True),
    "whiteHandicapBonus": ("0", "N-1", "N"),
    "friendlyPassOk": (True, False),
}


def _rules(
    ko: str, scoring: str, suicide: bool, bonus: str, tax: str = "NONE", button: bool = False
) -> dict[str, Any]:
    given = {"ko": ko, "scoring": scoring, "suicide": suicide, "whiteHandicapBonus": bonus}
    return given | {"tax": tax, "hasButton": button, "friendlyPassOk": True}


_JAPANESE = _rules("SIMPLE", TERRITORY, False, "0", "SEKI")
_SERVER_CHINESE = _rules("POSITIONAL", AREA, False, "N")
_AGA = _rules("SITUATIONAL", AREA, False, "N-1")
_NEW_ZEALAND = _rules("SITUATIONAL", AREA, True, "0")
_NAMED = {  # written without spaces, hyphens and underscores
    "tromptaylor": _rules("POSITIONAL", AREA, True, "0"),
    "chinese": _rules("SIMPLE", AREA, False, "N"),
    "chineseogs": _SERVER_CHINESE,
    "chinesekgs": _SERVER_CHINESE,
    "japanese": _JAPANESE,
    "korean": _JAPANESE,
    "stonescoring": _rules("SIMPLE", AREA, False, "0", "ALL"),
    "aga": _AGA,
    "bga": _AGA,
    "french": _AGA,
    "agabutton": _rules("SITUATIONAL", AREA, False, "N-1", button=True),
    "newzealand": _NEW_ZEALAND,
    "nz": _NEW_ZEALAND,
}
_DEFAULT_KOMI = {AREA: 7.5, TERRITORY: 6.5}


class UnknownRules(Exception):
    """The rules cannot be read."""


def parse_rules(given: object) -> dict[str, Any]:
    """All fields of rules in KataGo's form, from a name or some of them. Raises `UnknownRules`."""
    if isinstance(given, str):
        if given.lstrip().startswith("{"):
            try:
                return parse_rules(json.loads(given))
            except (ValueError, RecursionError):
                raise UnknownRules from None
        name = given.lower().translate(str.maketrans("", "", " -_"))
        if name not in _NAMED:
            raise UnknownRules
        return dict(_NAMED[name])
    if not isinstance(given, Mapping):
        raise UnknownRules
    rules = {name: values[0] for name, values in _FIELDS.items()}
    for name, value in given.items():
        value = value.upper() if isinstance(value, str) else value
        is_komi = name == "komi" and isinstance(value, int | float)  # the query's own komi goes first
        if not is_komi and not any(value == one and type(value) is type(one) for one in _FIELDS.get(name, ())):
            raise UnknownRules
        rules[name] = value
    return rules


def go_options(rules: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Options of our game for KataGo's rules, and the fields that differ because Tengen does not have them."""
    tax = "SEKI" if rules["scoring"] == TERRITORY else "NONE"
    changed = {name: value for name, value in (("tax", tax), ("hasButton", False)) if rules[name] != value}
    options = {
        "ko": rules["ko"].lower(),
        "scoring": rules["scoring"].lower(),
        "suicide": rules["suicide"],
        "bonus": rules["whiteHandicapBonus"],
        "komi": rules.get("komi", _DEFAULT_KOMI[rules["scoring"]]),
    }
    return options, changed
