"""The start page: what one can do, and the games that were left."""

from __future__ import annotations

from fastapi import Request
from nicegui import ui

from tengen import games
from tengen.store.listing import Filter
from tengen.store.rows import ListedGame
from tengen.web.game_sessions import GameSessions
from tengen.web.icons import drawing
from tengen.web.pages.layout import PAGE_TIMEOUT_S, Visit, card, frame, heading

_ABOUT = {
    "clobber": "move onto a neighbour; who cannot move loses",
    "go": "surround more than your opponent",
    "othello": "turn the discs between yours",
    "pente": "five in a row, or five pairs captured",
}
_OTHER = (
    ("/analysis", "insights", "Analyse", "Try moves on a board, with an engine that says what they are worth"),
    ("/puzzles", "extension", "Puzzles", "Find the move that an engine has proved to be right"),
    ("/library", "library_books", "Library", "Games that were played or imported: look, filter, export"),
    ("/explorer", "account_tree", "Explorer", "What was played in a position, and how it ended"),
    ("/drills", "school", "Drills", "The opening book asks, you answer; what was missed comes back sooner"),
    (
        "/books",
        "auto_stories",
        "Books",
        "Your opening books: what is in them, how far they can be trusted, growing",
    ),
    ("/players", "groups", "Players", "People and engines, their settings and ratings"),
    ("/clobber", "functions", "Clobber solver", "A strip, its independent parts, who wins and how"),
    ("/pente", "query_stats", "Pente", "A live evaluator, players by their features, how the classic one chooses"),
    ("/arena", "emoji_events", "Arena", "Tournaments and tuning: standings, plots, games to look at"),
    ("/demo", "smart_display", "Demo", "Two engines play; nothing of it is kept"),
    ("/options", "tune", "Options", "Colours, sound, how moves are made"),
)


def tile(game: str, target: str) -> None:
    with ui.element("a").classes("tg-tile").props(f'href="{target}"'):
        ui.html(drawing(game), sanitize=False)
        with ui.element("b"):
            ui.label(games.game_class(game).title)
        with ui.element("small"):
            ui.label(_ABOUT.get(game, "a game of your own"))


def listed(game: ListedGame, target: str) -> None:
    """A line for a game in a list."""
    with ui.element("a").classes("tg-item").props(f'href="{target}"'):
        ui.html(drawing(game.game), sanitize=False)
        with ui.element("div").classes("tg-grow"):
            ui.label(f"{game.names[0] or '?'} – {game.names[1] or '?'}")
            with ui.element("small"):
                length = "one move" if game.moves == 1 else f"{game.moves} moves"
                about = [f"{games.game_class(game.game).title} {game.board}", length, game.result]
                ui.label(" · ".join(part for part in about if part))


def register(sessions: GameSessions) -> None:
    @ui.page("/", response_timeout=PAGE_TIMEOUT_S)
    async def start(request: Request) -> None:
        visit = Visit.of(sessions, request)
        unfinished = await sessions.run_in_thread(
            sessions.store.list_games, Filter(finished=False, imported=False), order="changed", limit=6
        )
        recent = await sessions.run_in_thread(
            sessions.store.list_games, Filter(finished=True), order="changed", limit=6
        )
        with frame(visit, "", "/"), ui.element("div").classes("tg-page"):
            heading("What shall we play?")
            with ui.element("div").classes("tg-games"):
                for game in games.names():
                    tile(game, f"/new?game={game}")
            with ui.element("div").classes("tg-columns"):
                if unfinished.games:
                    with card("Unfinished"), ui.element("div").classes("tg-list"):
                        for game_ in unfinished.games:
                            listed(game_, f"/game/{game_.id}")
                if recent.games:
                    with card("Review"), ui.element("div").classes("tg-list"):
                        for game_ in recent.games:
                            listed(game_, f"/analysis/{game_.id}")
                with card("And"), ui.element("div").classes("tg-list"):
                    for target, icon, name, about in _OTHER:
                        with ui.element("a").classes("tg-item").props(f'href="{target}"'):
                            ui.icon(icon, size="22px", color="primary")
                            with ui.element("div").style("min-width: 0"):
                                ui.label(name).style("font-weight: 600")
                                with ui.element("small"):
                                    ui.label(about)
