"""A player's reviewed games added up: losses by game, phase, opening, time for the move and kind of mistake.

    report = player_report(store, "ann", Filter(game="go"))
    report.phases["opening"].accuracy          # mean over the moves, from 0 to 100
    report.themes                              # what the mistakes were about, most frequent first

Only games with a stored review count. Mistakes are counted by the theme of the reasons: *allowed* if the answer to
the move played has one, such as a capture or a corner, or if it speaks against that move, *missed* if only the
better move has one.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from tengen.app.explanations import Explanation, explain
from tengen.app.game_reports import ReportIndex
from tengen.app.move_reasons import move_reasons
from tengen.app.repertoire import MoveTally, Repertoire
from tengen.app.review import JudgedMove, Judgement, Phase, summarise
from tengen.core.errors import TengenError
from tengen.core.position import Position
from tengen.core.translation import gettext as _
from tengen.core.translation import mark, ngettext
from tengen.games.records import Record
from tengen.store.listing import Filter
from tengen.store.rows import ListedGame
from tengen.store.store import Store

MAX_GAMES = 500  # the latest
MAX_OPENINGS, MAX_MONTHS = 12, 24  # rows of these tables
MIN_REVIEWED_SHARE = 0.5  # of a game's moves, for the game to count
_MOVE_TIMES = ((2.0, mark("under 2 s")), (10.0, mark("2 to 10 s")), (60.0, mark("10 to 60 s")))
_LONG_MOVE = mark("over 1 minute")
THEMES = {
    "capture": mark("capturing stones"),
    "save": mark("stones in danger"),
    "connection": mark("connections"),
    "atari": mark("atari"),
    "corner": mark("corners"),
    "mobility": mark("mobility"),
    "row": mark("rows and threats"),
    "parity": mark("parity"),
    "split": mark("parts of the board"),
    "life": mark("life of groups"),
    "": mark("other"),
}


@dataclass
class Tally:
    """Figures of some moves. Accuracies are comparable between games, losses only within one unit."""

    games: int = 0
    moves: int = 0
    mistakes: int = 0  # mistakes and blunders
    proved: int = 0  # moves that are proved to have given a win or a draw away
    _accuracy: float = 0.0

    def add(self, move: JudgedMove) -> None:
        if move.accuracy is None:
            return
        self.moves += 1
        self._accuracy += move.accuracy
        self.mistakes += move.judgement in (Judgement.MISTAKE, Judgement.BLUNDER)
        self.proved += move.turned and move.is_exact

    @property
    def accuracy(self) -> float | None:
        return self._accuracy / self.moves if self.moves else None

    @property
    def mistakes_per_100(self) -> float | None:
        return 100 * self.mistakes / self.moves if self.moves else None


@dataclass
class PlayerReport:
    """Tallies by several criteria. `themes` counts mistakes by (allowed or missed, theme).

    `repertoire` also counts games that are not reviewed.
    """

    total: Tally = field(default_factory=Tally)
    games: dict[str, Tally] = field(default_factory=lambda: defaultdict(Tally))
    phases: dict[str, Tally] = field(default_factory=lambda: defaultdict(Tally))
    openings: dict[str, Tally] = field(default_factory=lambda: defaultdict(Tally))
    times: dict[str, Tally] = field(default_factory=lambda: defaultdict(Tally))
    months: dict[str, Tally] = field(default_factory=lambda: defaultdict(Tally))
    themes: Counter[tuple[str, str]] = field(default_factory=Counter)
    unreviewed: int = 0
    repertoire: Repertoire = field(default_factory=Repertoire)

    def add_game(
        self, side: int, listed: ListedGame, record: Record, line: list[Position], reports: Mapping[int, Any]
    ) -> None:
        """Count one side of a game."""
        self.repertoire.add(line, side, _points(listed, side))
        summary = summarise(line, reports)
        own = [one for one in summary.moves if one.player == side and one.accuracy is not None]
        mine = [position for position in line[:-1] if position.to_move == side]
        if not own or len(own) < MIN_REVIEWED_SHARE * len(mine):
            self.unreviewed += 1
            return
        opening = record.game.opening_name(line[-1]) or ""
        seconds = _seconds(record, line)
        explanations = explain(line, summary, reports, move_reasons)
        month = listed.date[:7]
        places = [
            (self.games, record.game.name),
            *([(self.openings, opening)] if opening else []),
            *([(self.months, month)] if month else []),
        ]
        self.total.games += 1
        for tallies, name in places:
            tallies[name].games += 1
        for one in own:
            self.total.add(one)
            for tallies, name in places:
                tallies[name].add(one)
            self.phases[one.phase.value].add(one)
            if one.number in seconds:
                self.times[_time_name(seconds[one.number])].add(one)
            if one.number in explanations and one.judgement is not Judgement.INACCURACY:
                self.themes[mistake_theme(explanations[one.number])] += 1


def mistake_theme(found: Explanation) -> tuple[str, str]:
    """What a mistake is about: `("allowed", "corner")`, `("missed", "capture")`, or `("", "")`."""
    allowed = (*found.for_reply, *found.against)
    for what, reasons in (("allowed", allowed), ("missed", found.for_better)):
        theme = next((reason.theme for reason in reasons if reason.theme), "")
        if theme:
            return what, theme
    return "", ""


def theme_name(what: str, theme: str) -> str:
    """A kind of mistake in the current language."""
    about = _(THEMES.get(theme, theme))
    if what == "allowed":
        return _("allowed: {theme}").format(theme=about)
    return _("missed: {theme}").format(theme=about) if what == "missed" else about


def player_report(
    store: Store,
    which: Filter,
    sides: Callable[[ListedGame], Iterable[int]],
    on_progress: Callable[[int], None] = lambda count: None,
) -> PlayerReport:
    """The report over the latest games of a filter. `sides` tells which sides of a game the player had."""
    report = PlayerReport()
    ended = (listed for listed in store.all_games(which) if listed.finished or listed.imported)
    for count, listed in enumerate(islice(ended, MAX_GAMES)):
        on_progress(count)
        try:
            record = store.load(listed.id).record
            line = record.positions()
            reports = ReportIndex.from_stored(store.reports(listed.id)).for_line(line)
            for side in sides(listed):
                report.add_game(side, listed, record, line, reports)
        except TengenError:
            continue  # deleted meanwhile, or a game of a plugin that is not installed
    return report


def sides_of_player(player: str, name: str = "") -> Callable[[ListedGame], list[int]]:
    """Which sides a player had, by id or by name."""
    folded = name.casefold()

    def sides(listed: ListedGame) -> list[int]:
        return [
            side
            for side in (0, 1)
            if (player and listed.players[side] == player)
            or (folded and listed.names[side].casefold().startswith(folded))
        ]

    return sides


def _seconds(record: Record, line: list[Position]) -> dict[int, float]:
    """The time for each move of the main line, where the record has it."""
    found, node, ply = {}, record.root, line[0].ply
    while node.children:
        node = node.children[0]
        if node.move is not None:
            ply += 1
            if node.seconds is not None:
                found[ply] = node.seconds
    return found


def _points(listed: ListedGame, side: int) -> float | None:
    """What a side scored in a game: 1, 0.5 or 0; None if that is not known."""
    result = listed.result.upper()
    if result.startswith(("B+", "W+")):
        return float("BW".index(result[0]) == side)
    return 0.5 if result in ("0", "DRAW", "JIGO") else None


def _time_name(seconds: float) -> str:
    return next((name for most, name in _MOVE_TIMES if seconds < most), _LONG_MOVE)


MAX_DEPARTURES = 12  # rows of the repertoire


def departure_rows(report: PlayerReport) -> list[tuple[str, str, str, str]]:
    """Where games left the repertoire, as texts: the opening, the usual move, the move played, and how often."""
    rows = []
    for one in report.repertoire.departures()[:MAX_DEPARTURES]:
        usual = _with_score(one.usual)
        rows.append((" ".join(one.usual.line) or "–", usual, _with_score(one.played), str(one.games)))
    return rows


def _with_score(tally: MoveTally) -> str:
    count = ngettext("{count} game", "{count} games", tally.games).format(count=tally.games)
    score = "" if tally.score is None else f", {100 * tally.score:.0f} %"
    return f"{tally.text} ({count}{score})"


PHASE_NAMES = {
    Phase.OPENING.value: mark("Opening"),
    Phase.MIDDLE.value: mark("Middle game"),
    Phase.END.value: mark("Endgame"),
}


def tables(report: PlayerReport) -> list[tuple[str, list[tuple[str, Tally]]]]:
    """The tallies as titled tables in the current language; empty ones are left out."""
    from tengen import games

    def by_size(one: tuple[str, Tally]) -> int:
        return -one[1].moves

    titles = [(_(games.game_class(name).title), one) for name, one in report.games.items()]
    phases = [(_(title), report.phases[name]) for name, title in PHASE_NAMES.items() if name in report.phases]
    openings = [(_(name), one) for name, one in report.openings.items()]
    time_names = (*(name for _most, name in _MOVE_TIMES), _LONG_MOVE)
    times = [(_(name), report.times[name]) for name in time_names if name in report.times]
    found = [
        (_("Games"), sorted(titles, key=by_size)),
        (_("Phases"), phases),
        (_("Openings"), sorted(openings, key=by_size)[:MAX_OPENINGS]),
        (_("Time for the move"), times),
        (_("Progress"), sorted(report.months.items())[-MAX_MONTHS:]),
    ]
    return [(title, rows) for title, rows in found if rows]
