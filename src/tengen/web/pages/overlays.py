"""The overlay selector: one overlay on the board, chosen among those of the engine and of the panels."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from nicegui import ui

from tengen.core.position import Position
from tengen.core.translation import gettext as _
from tengen.core.translation import mark, translate
from tengen.search.report import Report
from tengen.web.board_data import candidate_overlay, overlay_data
from tengen.web.panels import OverlayData

NONE, CANDIDATES = "none", "candidates"
# Names that engines and panels give to their overlays, for the catalogues.
NAMES = (
    *(mark("Visits"), mark("Win rate"), mark("Ownership"), mark("Criticality"), mark("Worth"), mark("Status")),
    *(mark("Territory"), mark("Moyo"), mark("Area"), mark("Strings"), mark("Threats"), mark("Captures")),
    *(mark("{player}'s rows"), mark("{player}'s captures"), mark("{player}'s capture threats")),
)


class OverlaySelector:
    """A select field, and a legend below the board. `changed` is called after each new choice.

    The choice stays for other positions, even if they do not have the overlay.
    """

    def __init__(self, changed: Callable[[], None], *, prefer: Iterable[str] = (CANDIDATES,)) -> None:
        self._changed = changed
        self._prefer = list(prefer)
        self._chosen = CANDIDATES if CANDIDATES in self._prefer else NONE
        self._names = {CANDIDATES: _("Candidates"), NONE: _("No overlay")}
        self._added: tuple[Position | None, dict[str, OverlayData]] = (None, {})
        self._is_default = True  # the user has not chosen yet

    def build(self) -> None:
        self._select = ui.select(self._names, value=self._chosen, on_change=self._choose)
        self._select.props(f'dense outlined options-dense aria-label="{_("Overlay")}"')

    def build_legend(self) -> None:
        self._legend = ui.label("").classes("tg-quiet tg-legend")

    def set_visibility(self, visible: bool) -> None:
        self._select.set_visibility(visible)

    def add(self, position: Position, overlays: dict[str, OverlayData], choose: str = "") -> None:
        """Add overlays of a panel for a position, and select the one named `choose`."""
        before = self._added[1] if self._added[0] is position else {}
        self._added = (position, {**before, **overlays})
        self._offer(overlays)
        if choose and choose in self._names and choose != self._chosen:
            self._select.set_value(choose)
        else:
            self._changed()

    def selected(self, position: Position, report: Report | None) -> dict[str, Any]:
        """The data of the selected overlay for a position."""
        found: dict[str, Any] = {}
        if report is not None:
            self._offer(overlay.name for overlay in report.overlays)
            if self._chosen == CANDIDATES:
                found = candidate_overlay(position, report)
            for overlay in report.overlays:
                if overlay.name == self._chosen:
                    found = overlay_data(overlay, position.game.players)
        if self._added[0] is position:
            found = self._added[1].get(self._chosen, found)
        self._legend.set_text(translate(found.get("legend", "")))
        return {name: value for name, value in found.items() if name != "legend"}

    def _offer(self, names: Iterable[str]) -> None:
        fresh = [name for name in names if name not in self._names]
        if not fresh:
            return
        self._names |= {name: translate(name[:1].upper() + name[1:]) for name in fresh}
        if self._is_default:
            self._chosen = next((name for name in self._prefer if name in self._names), self._chosen)
        self._select.set_options(dict(self._names), value=self._chosen)

    def _choose(self, event: Any) -> None:
        if event.value != self._chosen:
            self._chosen = str(event.value)
            self._is_default = False
            self._changed()
