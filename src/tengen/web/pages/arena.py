"""The arena: the queue of runs and their results, also of runs that were started in a terminal."""

from __future__ import annotations

import time
from functools import partial
from html import escape

from nicegui import context, ui

from tengen.app.arena_queue import RunView
from tengen.core.translation import gettext as _
from tengen.core.translation import mark, ngettext, translate
from tengen.jobs.progress import duration
from tengen.web.game_sessions import GameSessions
from tengen.web.icons import drawing
from tengen.web.pages.layout import Visit, add_page, page
from tengen.web.pages.widgets import button, card, note

POLL_INTERVAL_S = 2.0
_SILENCE_NOTICE_S = 600.0  # mention it if there was no update for this long
KINDS = {
    "matches": mark("Match"),
    "variants": mark("Variants"),
    "tournaments": mark("Tournament"),
    "tunings": mark("Tuning"),
}
STATES = {
    "waiting": mark("waiting"),
    "running": mark("running"),
    "stopped": mark("stopped"),
    "failed": mark("failed"),
    "finished": mark("finished"),
}
_NEW = {
    "matches": (mark("Match"), "sports_score"),
    "tests": (mark("Sequential test"), "query_stats"),
    "variants": (mark("Variants of one idea"), "account_tree"),
    "tournaments": (mark("Tournament"), "emoji_events"),
    "tunings": (mark("Tuning"), "tune"),
}


def describe_state(view: RunView) -> str:
    """The state of a run in a few words."""
    silent = time.time() - view.status.time
    if view.state == "running" and silent > _SILENCE_NOTICE_S:
        return _("no update for {duration}").format(duration=duration(silent))
    return _(STATES.get(view.state, view.state))


def state_chip(view: RunView) -> ui.element:
    """The state with its mark."""
    with ui.element("span").classes(f"tg-state tg-state-{view.state}") as chip:
        ui.label(describe_state(view))
    return chip


def meter_html(view: RunView, *, wide: bool = False) -> str:
    """A bar with the share that is done; empty where the length is not known."""
    status = view.status
    if not status.total or view.state == "finished":  # a test may end before its last game
        return ""
    share = 100 * min(1.0, status.done / status.total)
    label = escape(_("{done} of {total}").format(done=status.done, total=status.total))
    attributes = f'role="progressbar" aria-valuemin="0" aria-valuemax="100" aria-valuenow="{share:.0f}"'
    classes = "tg-meter tg-meter-wide" if wide else "tg-meter"
    return f'<div class="{classes}" {attributes} aria-label="{label}"><i style="width:{share:.1f}%"></i></div>'


class RunList:
    """The runs: those that are played or wait, and the results."""

    def __init__(self, visit: Visit) -> None:
        self._queue = visit.sessions.arena
        self._is_owner = visit.visitor.is_owner
        self._client = context.client
        self._shown: object = None

    def build(self, views: list[RunView]) -> None:
        self._place = ui.element("div").classes("tg-stack")
        self._show(views)
        ui.timer(POLL_INTERVAL_S, self._poll)

    async def _poll(self) -> None:
        views = await self._queue.views()
        if not self._client.is_deleted:
            self._show(views)

    def _show(self, views: list[RunView]) -> None:
        stamp = [(one.status.kind, one.status.id, one.status.time, one.state, one.note) for one in views]
        if stamp == self._shown:
            return  # rebuilding would lose a click
        self._shown = stamp
        self._place.clear()
        active = [one for one in views if one.state in ("running", "waiting")]
        over = [one for one in views if one.state not in ("running", "waiting")]
        with self._place:
            if active:
                with card(_("Now")), ui.element("div").classes("tg-list"):
                    for one in active:
                        _list_run(one)
            with card(_("Results")), ui.element("div").classes("tg-list"):
                for one in over:
                    _list_run(one)
                if not over:
                    self._explain()

    def _explain(self) -> None:
        with ui.element("div").classes("tg-empty"):
            ui.label(_("Games between engines: who is stronger, by how much, and is a new idea worth it?"))
            if not self._is_owner:
                return
            ui.label(_("Start a run here, or in a terminal:"))
            with ui.element("code"):
                ui.label("tengen match uct:nodes=500 uct:nodes=1000 --game go size=9")


def _list_run(view: RunView) -> None:
    status = view.status
    link = ui.element("a").classes("tg-run").props(f'href="/arena/{status.kind}/{status.id}"')
    with link:
        ui.html(drawing(status.game), sanitize=False)
        with ui.element("div"):
            with ui.element("b"):
                ui.label(status.name)
            with ui.element("small"):
                ui.label(f"{_(KINDS[status.kind])} · {status.about}")
            text = translate(view.note) if view.state == "failed" else status.caption
            if text:
                with ui.element("small"):
                    ui.label(text)
        with ui.element("div").classes("tg-run-end"):
            state_chip(view)
            if view.state != "finished":
                ui.html(meter_html(view), sanitize=False)


def register(sessions: GameSessions) -> None:
    from tengen.web.pages import arena_form, arena_run

    @add_page(sessions, "/arena")
    async def arena(visit: Visit) -> None:
        views = await sessions.arena.views()
        with page(visit, _("Arena"), "/arena"):
            if visit.visitor.is_owner:
                with ui.element("div").classes("tg-row"):
                    for kind, (text, icon) in _NEW.items():
                        button(
                            _(text),
                            partial(ui.navigate.to, f"/arena/new?kind={kind}"),
                            icon,
                            main=kind == "matches",
                        )
            else:
                note(_("Only the owner of this server can start and stop runs."))
            waiting = sum(one.state == "waiting" for one in views)
            if waiting:
                note(ngettext("{count} run waits", "{count} runs wait", waiting).format(count=waiting))
            RunList(visit).build(views)

    arena_form.register(sessions)
    arena_run.register(sessions)
