"""Scoring of Go games: result and dead stones, estimated by playouts, and the rules."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from tengen.core.diagram import Point
from tengen.core.errors import OptionError
from tengen.engines.go.influence import estimate
from tengen.engines.go.mcts.dead_stones import dead_strings, judge_strings, ownership
from tengen.engines.go.scoring.final_score import final_outcome
from tengen.games.go import RULE_SETS
from tengen.protocols.gtp.session import GoGroup
from tengen.protocols.gtp.syntax import Arguments, GtpError, command

_NAMES = {
    "korean": "japanese",
    "chinese-kgs": "chinese",
    "chinese-ogs": "chinese",
    "bga": "aga",
    "cgos": "tromp-taylor",
}


class Scoring(GoGroup):
    """Result and rule commands of Go."""

    @command("final_score")
    def final_score(self, arguments: Arguments) -> str:
        """The score without the dead stones, always with one decimal, as GNU Go writes it."""
        arguments.finish_with_seed()
        outcome = final_outcome(self.session.position)
        return "0" if outcome.winner is None else f"{'BW'[outcome.winner]}+{abs(outcome.score):.1f}"

    @command("estimate_score", "new_score")
    def estimate_score(self) -> str:
        """The score by influence in GNU Go's format, with bounds if all open points went to one side.

        As in GNU Go, bounds are from White's view: the upper bound is White's best result.
        """
        position = self.session.position
        dead = [point for points in dead_strings(position) for point in points]
        found = estimate(position, dead)
        return f"{found} (upper bound: {-found.low:.1f}, lower: {-found.high:.1f})"

    @command("final_status_list")
    def final_status_list(self, arguments: Arguments) -> str:
        """The strings with a status, one per line. Strings in seki are not listed as alive."""
        status = arguments.word("dead, alive or seki").lower()
        arguments.finish_with_seed()
        if status in ("black_territory", "white_territory"):
            return self._territory(0 if status.startswith("b") else 1)
        if status not in ("dead", "alive", "seki"):
            raise GtpError(f"syntax error: expected dead, alive or seki, not {status!r}")
        return "\n".join(
            " ".join(map(self._write, points)) for points, found in self._statuses() if found == status
        )

    def _statuses(self) -> list[tuple[list[Point], str]]:
        """Every string with its status: dead, alive or seki."""
        return [
            (string.points, "dead" if string.is_dead else "seki" if string.in_seki else "alive")
            for string in judge_strings(self.session.position)
        ]

    def _territory(self, player: int) -> str:
        owners = ownership(self.session.position)
        stones = self.session.stones()
        sign = 1 if player == 0 else -1
        return " ".join(
            self._write(point) for point, own in owners.items() if point not in stones and sign * own > 0.5
        )

    @command("final_status")
    def final_status(self, arguments: Arguments) -> str:
        """The status of a point, as in GNU Go."""
        point = self._read(arguments)
        arguments.finish_with_seed()
        if point in self.session.stones():
            return next(found for points, found in self._statuses() if point in points)
        own = ownership(self.session.position)[point]
        return "black_territory" if own > 0.5 else "white_territory" if own < -0.5 else "dame"

    # ---- rules

    @command("kata-get-rules")
    def get_rules(self) -> str:
        game = self._game
        return json.dumps(
            {
                "friendlyPassOk": False,
                "hasButton": False,
                "ko": game.ko.upper(),
                "scoring": game.scoring.upper(),
                "suicide": game.suicide,
                "tax": "NONE",
                "whiteHandicapBonus": game.bonus,
            }
        )

    @command("kata-set-rules", "kgs-rules")
    def set_rules(self, arguments: Arguments) -> None:
        """Set rules by name or by JSON from kata-get-rules. Komi does not change."""
        text = arguments.rest()
        if text.startswith("{"):
            self._set(_read_json(text))
            return
        name = text.lower().replace("_", "-")
        name = _NAMES.get(name, name)
        if name not in RULE_SETS:
            raise GtpError(f"unknown rules: expected {', '.join(RULE_SETS)} or JSON, not {text!r}")
        self._set({option: value for option, value in RULE_SETS[name].items() if option != "komi"})

    @command("kata-set-rule")
    def set_rule(self, arguments: Arguments) -> None:
        name, value = arguments.word("a rule"), arguments.word("its value", last=True)
        given: Any = {"true": True, "false": False}.get(value.lower(), value)
        self._set(_options({name: given}))

    def _set(self, options: dict[str, Any]) -> None:
        try:
            self.session.change(replace(self._game, **options))
        except (OptionError, TypeError) as error:
            raise GtpError(f"unknown rules: {error}") from None


def _read_json(text: str) -> dict[str, Any]:
    try:
        given = json.loads(text)
    except (ValueError, RecursionError):
        raise GtpError("unknown rules: expected JSON as kata-get-rules writes it") from None
    return _options(given)


def _options(given: dict[str, Any]) -> dict[str, Any]:
    """Game options from KataGo's names. Raises for unsupported rules."""
    options: dict[str, Any] = {}
    for name, value in given.items():
        if name in ("ko", "scoring"):
            options[name] = str(value).lower()
        elif name == "suicide" and isinstance(value, bool):
            options[name] = value
        elif name == "whiteHandicapBonus":
            options["bonus"] = str(value)
        elif not (name in ("tax", "hasButton", "friendlyPassOk") and value in ("NONE", False)):
            raise GtpError(f"unknown rules: {name}={value!r} is not supported")
    return options
