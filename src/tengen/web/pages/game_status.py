"""What a game's page says about its state: whose move it is, or how the game ended."""

from __future__ import annotations

from collections.abc import Collection

from tengen.app.value_display import write_value
from tengen.core.locale_format import number, short_number
from tengen.core.translation import gettext as _
from tengen.core.translation import ngettext, translate
from tengen.games.records.results import margin
from tengen.play.match import Match
from tengen.play.match_result import MatchResult
from tengen.runtime.messages import Progress, Stage
from tengen.web.game_session import GameSession
from tengen.web.seating import player_name


def status_text(session: GameSession, who: str) -> str:
    """The state of the game in one line, for a visitor or the key of a seat."""
    match = session.match
    mine = session.seating.sides(who)
    if match.result is not None:
        return result_headline(match, mine)
    if session.engine_error:
        name = player_name(match, match.live.to_move)
        return _("{name} failed: {error}").format(name=name, error=translate(session.engine_error))
    if session.seating.unclaimed_side is not None:
        return _("Waiting for your opponent")
    if match.is_counting:
        return _("Which stones are dead?")
    assert match.to_move is not None
    name = player_name(match, match.to_move)
    if not match.is_running:
        return _("Paused; {name} is to move").format(name=name)
    if session.seating.is_engine(match.to_move):
        return _("{name} is thinking …").format(name=name)
    if match.to_move in mine:
        return _("Your move, {name}").format(name=name)
    return _("{name} is to move").format(name=name)


def search_text(progress: Progress, *, shows_plan: bool) -> str:
    """What the engine to move is doing. Its evaluation is shown only if the plan is."""
    report = progress.report
    if report is None:
        if progress.stage is Stage.COMPILING:
            return translate(progress.note)
        return f"{translate(progress.stage.value)} {translate(progress.note)}".strip() + " …"
    nodes = number(report.nodes)
    if not shows_plan:
        return _("{nodes} nodes, {seconds} s").format(nodes=nodes, seconds=number(report.seconds, 1))
    value = f"{report.best}: {write_value(report.value)}"
    if report.depth:
        return _("{value} · depth {depth}, {nodes} nodes").format(value=value, depth=report.depth, nodes=nodes)
    return _("{value} · {nodes} nodes").format(value=value, nodes=nodes)


def result_headline(match: Match, mine: Collection[int]) -> str:
    """How the game ended: `You lost by 10.5 points`; names the winner unless exactly one side is `mine`."""
    result = match.result
    assert result is not None
    if result.is_void:
        return _("The game was aborted")
    if result.winner is None:
        return _("Draw")
    points = margin(result.code)
    amount = "" if points is None else _amount(abs(points), match.game.unit)
    if len(mine) == 1:
        if result.winner in mine:
            return _("You won by {amount}").format(amount=amount) if amount else _("You won")
        return _("You lost by {amount}").format(amount=amount) if amount else _("You lost")
    name = player_name(match, result.winner)
    if amount:
        return _("{name} won by {amount}").format(name=name, amount=amount)
    return _("{name} won").format(name=name)


def result_reason(match: Match) -> str:
    """Why the game ended, in a few words."""
    result = match.result
    assert result is not None
    if result.winner is None or result.code[1:] not in ("+R", "+T"):
        return _sentence(result)
    loser = player_name(match, 1 - result.winner)
    if result.code.endswith("R"):
        return _("{name} resigned").format(name=loser)
    return _("{name} ran out of time").format(name=loser)


def _sentence(result: MatchResult) -> str:
    reason = translate(result.reason)
    return reason[:1].upper() + reason[1:]


def _amount(points: float, unit: str) -> str:
    """An amount with its unit; empty for games without scores."""
    whole = 1 if points == 1 else 2
    if unit == "points":
        return ngettext("{number} point", "{number} points", whole).format(number=short_number(points))
    if unit == "discs":
        return ngettext("{number} disc", "{number} discs", whole).format(number=short_number(points))
    return ""
