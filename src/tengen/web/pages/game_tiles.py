"""Links with a picture of a game: tiles and list items."""

from __future__ import annotations

from nicegui import ui

from tengen import games
from tengen.core.translation import gettext as _
from tengen.core.translation import mark, ngettext
from tengen.store.rows import ListedGame
from tengen.web.icons import drawing

_ABOUT = {
    "clobber": mark("Capture a neighbour. No move? You lose."),
    "go": mark("Surround the most territory"),
    "othello": mark("Trap discs to flip them"),
    "pente": mark("Five in a row, or five captured pairs"),
}


def about_game(game: str) -> str:
    """The aim of a game in one line."""
    return _(_ABOUT[game]) if game in _ABOUT else _("A game you added")


def tile(game: str, target: str, title: str, *texts: str) -> None:
    """A link with a picture of a game."""
    with ui.element("a").classes("tg-tile").props(f'href="{target}"'):
        ui.html(drawing(game), sanitize=False)
        with ui.element("b"):
            ui.label(title)
        for text in texts:
            with ui.element("small"):
                ui.label(text)


def build_tiles(target: str) -> None:
    """A tile for each game; `{}` in the target stands for its name."""
    with ui.element("div").classes("tg-games"):
        for name in games.names():
            tile(name, target.format(name), _(games.game_class(name).title), about_game(name))


def list_game(game: ListedGame, target: str) -> None:
    """A link to a stored game in a list."""
    length = ngettext("{count} move", "{count} moves", game.moves).format(count=game.moves)
    about = [f"{_(games.game_class(game.game).title)} {game.board}", length, game.result]
    names = f"{game.names[0] or '?'} – {game.names[1] or '?'}"
    list_item(game.game, target, names, " · ".join(part for part in about if part))


def list_item(game: str, target: str, title: str, text: str) -> None:
    """A link in a list, with a picture of a game."""
    with ui.element("a").classes("tg-item").props(f'href="{target}"'):
        ui.html(drawing(game), sanitize=False)
        with ui.element("div").classes("tg-grow"):
            ui.label(title)
            with ui.element("small"):
                ui.label(text)
