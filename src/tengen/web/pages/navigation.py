"""The navigation of every page: four sections and a menu, in the header or, on a phone, in a bar at the bottom."""

from __future__ import annotations

from dataclasses import dataclass

from nicegui import ui

from tengen.core.translation import gettext as _
from tengen.core.translation import mark
from tengen.web.icons import BRAND, navigation_icon
from tengen.web.visitor import Visitor


@dataclass(frozen=True)
class Section:
    """An entry of the navigation; it is current on the pages whose paths start with one of `prefixes`."""

    path: str
    label: str
    icon: str
    prefixes: tuple[str, ...]


SECTIONS = (
    Section("/new", mark("Play"), "play", ("/new", "/game", "/join")),
    Section("/learn", mark("Learn"), "learn", ("/learn", "/deck", "/report", "/puzzles", "/drills")),
    Section("/analysis", mark("Analyse"), "analyse", ("/analysis", "/board")),
    Section("/library", mark("Library"), "library", ("/library",)),
)
_MORE = (
    ("/players", mark("Players")),
    ("/explorer", mark("Explorer")),
    ("/books", mark("Books")),
    ("/clobber", mark("Clobber solver")),
    ("/proofs", mark("Solved positions")),
    ("/pente", mark("Pente tools")),
    ("/arena", mark("Arena")),
    ("/demo", mark("Demo")),
    ("/options", mark("Settings")),
)
_ACCOUNT = ("/accounts", mark("Account"))


def build_navigation(visitor: Visitor, current: str) -> None:
    """The header with the navigation; `current` is the path of the page, or of the page it belongs to."""
    with ui.element("header").classes("tg-header"):
        with ui.element("a").classes("tg-brand").props(f'href="/" aria-label="{_("Tengen, home")}"'):
            ui.html(BRAND, sanitize=False)
            with ui.element("span"):
                ui.label("Tengen")
        with ui.element("nav").classes("tg-nav").props(f'aria-label="{_("Pages")}"'):
            section = _section_of(current)
            for one in SECTIONS:
                link = ui.element("a").classes("tg-nav-item").props(f'href="{one.path}"')
                _mark_current(link, one is section, is_page=one.path == current)
                with link:
                    _build_label(one.icon, _(one.label))
            _build_more(visitor, current, is_current=section is None)
        with ui.element("div").classes("tg-header-end"):
            help_button = ui.element("button").classes("tg-round").props('type="button" data-opens="tg-shortcuts"')
            help_button.props(f'aria-label="{_("Keyboard shortcuts")}" title="{_("Keyboard shortcuts")} (?)"')
            with help_button:
                ui.html("?", sanitize=False)
            settings = ui.element("a").classes("tg-round").props('href="/options"')
            settings.props(f'aria-label="{_("Settings")}" title="{_("Settings")}"')
            with settings:
                ui.html(navigation_icon("settings"), sanitize=False)


def _build_more(visitor: Visitor, current: str, *, is_current: bool) -> None:
    entries = _MORE if visitor.account_id is None else (*_MORE, _ACCOUNT)
    with ui.element("details").classes("tg-more"):
        summary = ui.element("summary").classes("tg-nav-item")
        _mark_current(summary, is_current and any(current == path for path, _label in entries))
        with summary:
            _build_label("more", _("More"))
        with ui.element("div").classes("tg-more-list"):
            for path, label in entries:
                link = ui.element("a").props(f'href="{path}"')
                _mark_current(link, path == current, is_page=True)
                with link:
                    ui.label(_(label))


def _build_label(icon: str, text: str) -> None:
    ui.html(navigation_icon(icon), sanitize=False)
    with ui.element("span"):
        ui.label(text)


def _mark_current(link: ui.element, is_current: bool, *, is_page: bool = False) -> None:
    if is_current:
        link.classes("tg-current").props(f'aria-current="{"page" if is_page else "true"}"')


def _section_of(path: str) -> Section | None:
    return next((one for one in SECTIONS if path and path.startswith(one.prefixes)), None)
