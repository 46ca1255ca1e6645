"""The games of a run in pairs, each game a link to its analysis."""

from __future__ import annotations

from functools import partial
from typing import Any

from nicegui import ui

from tengen.app.arena_document import PlayedPair, pairs_of
from tengen.app.arena_queue import ArenaQueue
from tengen.core.locale_format import short_number
from tengen.core.translation import gettext as _
from tengen.core.translation import mark, ngettext, translate
from tengen.web.pages.choices import ChoiceButtons
from tengen.web.pages.widgets import button, note, table_row

PAGE_SIZE = 20
_FILTERS = {
    "all": mark("All"),
    "won": mark("Pairs won"),
    "lost": mark("Pairs lost"),
    "faults": mark("Lost by a fault"),
}


class GamesPanel:
    """A page of the pairs, the newest first."""

    def __init__(self, queue: ArenaQueue, kind: str, identity: str) -> None:
        self._queue = queue
        self._key = kind, identity
        self._pairs: list[PlayedPair] = []
        self._filter = "all"
        self._page = 0
        self._shown: object = None
        self._table: ui.element | None = None

    async def build(self) -> None:
        if self._key[0] == "tunings":
            note(_("Games of a tuning are not stored."))
            return
        self._filters = ChoiceButtons(_("Games"), self._choose)
        self._filters.add_texts({name: _(text) for name, text in _FILTERS.items()})
        self._filters.press("all")
        self._table = ui.element("div").style("width: 100%; overflow-x: auto")
        with ui.element("div").classes("tg-row"):
            self._newer = button(_("Newer"), partial(self._turn, -1), "chevron_left")
            self._count = note("").mark("pairs")
            self._older = button(_("Older"), partial(self._turn, 1), "chevron_right")
        await self.update()

    async def update(self) -> None:
        """Show games that were played meanwhile."""
        if self._table is not None:
            self._pairs = pairs_of(await self._queue.games(*self._key))
            self._show()

    def _choose(self, value: str) -> None:
        self._filter, self._page = value, 0
        self._show()

    def _turn(self, step: int) -> None:
        self._page += step
        self._show()

    def _wanted(self) -> list[PlayedPair]:
        if self._filter == "won":
            return [pair for pair in self._pairs if pair.is_complete and pair.points > 1]
        if self._filter == "lost":
            return [pair for pair in self._pairs if pair.is_complete and pair.points < 1]
        if self._filter == "faults":
            return [pair for pair in self._pairs if pair.has_fault]
        return self._pairs

    def _show(self) -> None:
        assert self._table is not None
        found = self._wanted()
        last = max(0, (len(found) - 1) // PAGE_SIZE)
        self._page = max(0, min(self._page, last))
        shown = found[self._page * PAGE_SIZE : (self._page + 1) * PAGE_SIZE]
        self._count.set_text(
            ngettext("{count} pair", "{count} pairs", len(found)).format(count=len(found))
            + (f" · {self._page + 1} / {last + 1}" if last else "")
        )
        self._newer.set_visibility(self._page > 0)
        self._older.set_visibility(self._page < last)
        stamp = [(pair.contestants, pair.number, len(pair.games)) for pair in shown]
        if stamp == self._shown:
            return
        self._shown = stamp
        self._table.clear()
        with self._table:
            if not shown:
                note(_("None yet"))
                return
            with ui.element("table").classes("tg-pairs tg-pairs-games"):
                heads = (mark("pair"), mark("points"), mark("first game"), mark("second game"))
                table_row(*(_(head) for head in heads), tag="th")
                for pair in shown:
                    _pair_row(pair)


def _pair_row(pair: PlayedPair) -> None:
    cells = [partial(_game, game) for game in pair.games]
    table_row(partial(_number, pair), partial(_points, pair), *cells, *([""] if len(cells) < 2 else []))


def _number(pair: PlayedPair) -> None:
    ui.label(str(pair.number))


def _points(pair: PlayedPair) -> None:
    side = "" if not pair.is_complete or pair.points == 1 else "more" if pair.points > 1 else "less"
    title = _("points of {name}").format(name=pair.contestants[0])
    with ui.element("span").classes(f"tg-pair-points tg-pair-points-{side}" if side else "tg-pair-points") as chip:
        ui.label(short_number(pair.points) if pair.is_complete else "…")
    chip.tooltip(title)


def _game(game: dict[str, Any]) -> None:
    with ui.element("a").props(f'href="/analysis/{game["id"]}"'):
        ui.label(f"{game['players'][0]} – {game['players'][1]}")
    with ui.element("small"):
        ui.label(
            ngettext(
                "{result} · {count} move · {reason}", "{result} · {count} moves · {reason}", game["moves"]
            ).format(result=game["result"], count=game["moves"], reason=translate(str(game["reason"])))
        )
