"""The home page: games to play, unfinished and recent games, and links to everything else."""

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
    "clobber": "Capture a neighbour. No move? You lose.",
    "go": "Surround the most territory",
    "othello": "Trap discs to flip them",
    "pente": "Five in a row, or five captured pairs",
}
_OTHER = (
    ("/analysis", "insights", "Analyse", "Try moves on a board with an engine's evaluation"),
    ("/puzzles", "extension", "Puzzles", "Find the move that is proved best"),
    ("/library", "library_books", "Library", "Played and imported games: browse, filter, export"),
    ("/explorer", "account_tree", "Explorer", "Moves played in a position, and their results"),
    ("/drills", "school", "Drills", "Learn openings by spaced repetition"),
    (
        "/books",
        "auto_stories",
        "Books",
        "Your opening books: contents, verification, growth",
    ),
    ("/players", "groups", "Players", "People and engines: settings and ratings"),
    ("/clobber", "functions", "Clobber solver", "Independent parts of a board, who wins, and how"),
    ("/pente", "query_stats", "Pente", "Live evaluation, custom players, move statistics"),
    ("/arena", "emoji_events", "Arena", "Tournaments and tuning: standings, plots, games"),
    ("/demo", "smart_display", "Demo", "Two engines play; nothing is saved"),
    ("/options", "tune", "Options", "Theme, sound, board, move input"),
)


def tile(game: str, target: str) -> None:
    with ui.element("a").classes("tg-tile").props(f'href="{target}"'):
        ui.html(drawing(game), sanitize=False)
        with ui.element("b"):
            ui.label(games.game_class(game).title)
        with ui.element("small"):
            ui.label(_ABOUT.get(game, "A game you added"))


def list_game(game: ListedGame, target: str) -> None:
    """Add a game to a list."""
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
        visit = Visit.from_request(sessions, request)
        unfinished = await sessions.run_in_thread(
            sessions.store.list_games, Filter(finished=False, imported=False), order="changed", limit=6
        )
        recent = await sessions.run_in_thread(
            sessions.store.list_games, Filter(finished=True), order="changed", limit=6
        )
        with frame(visit, "", "/"), ui.element("div").classes("tg-page"):
            heading("What would you like to play?")
            with ui.element("div").classes("tg-games"):
                for game in games.names():
                    tile(game, f"/new?game={game}")
            with ui.element("div").classes("tg-columns"):
                if unfinished.games:
                    with card("Unfinished"), ui.element("div").classes("tg-list"):
                        for game_ in unfinished.games:
                            list_game(game_, f"/game/{game_.id}")
                if recent.games:
                    with card("Review"), ui.element("div").classes("tg-list"):
                        for game_ in recent.games:
                            list_game(game_, f"/analysis/{game_.id}")
                with card("More"), ui.element("div").classes("tg-list"):
                    for target, icon, name, about in _OTHER:
                        with ui.element("a").classes("tg-item").props(f'href="{target}"'):
                            ui.icon(icon, size="22px", color="primary")
                            with ui.element("div").style("min-width: 0"):
                                ui.label(name).style("font-weight: 600")
                                with ui.element("small"):
                                    ui.label(about)
