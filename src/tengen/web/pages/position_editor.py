"""The position editor: place stones, choose who is to move and the rules, then analyse or play on."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import urlencode

from nicegui import context, ui

from tengen import games
from tengen.app.game_options import options_of, read_options
from tengen.app.position_setup import position_formats, read_position, rows_of, set_up_again, write_position
from tengen.core.diagram import Point
from tengen.core.errors import OptionError, TengenError
from tengen.core.game import Game
from tengen.core.game_option import GameOption
from tengen.core.position import Position
from tengen.core.translation import gettext as _
from tengen.core.translation import mark, translate
from tengen.web.board_data import board_data
from tengen.web.elements import Board
from tengen.web.game_sessions import GameSessions, check_board
from tengen.web.pages.board_input import parse_point
from tengen.web.pages.layout import Visit, add_page, frame
from tengen.web.pages.offers_panel import copy_link
from tengen.web.pages.play_on import ask_and_play_on
from tengen.web.pages.widgets import button, copy_text, errors_shown, heading, note

_RULES = ("size", "rules", "komi", "variant")  # options that the editor offers, if the game has them
_EMPTY = "."
_KO = "ko"  # the brush that marks the point of a ko
_FORMAT_NAMES = {"text": mark("Text"), "sgf": "SGF", "obf": "OBF"}
_MAX_TEXT = 20_000


def editor_url(position: Position) -> str:
    """The address of the editor with a position."""
    game = set_up_again(position)
    return f"/editor/{game.name}?{urlencode(game.options())}"


class PositionEditor:
    """One browser's editor. `_rows` are the stones; `_base` has the rules, without stones."""

    def __init__(self, visit: Visit, game: Game) -> None:
        self._visit = visit
        self._sessions = visit.sessions
        start = game.start()
        self._base = game.without_setup()
        self._rows = rows_of(start)
        self._to_move = start.to_move
        self._brush = self._base.stone_symbols[0]
        self._captured, self._ko = _details_of(game, start)
        self._game: Game | None = game
        self._picture = board_data(start, playable=False)

    def build(self) -> None:
        config = {**self._visit.preferences.board_config(), "marking": True, "dots": False, "numbers": False}
        with ui.element("div").classes("tg-table"):
            with ui.element("section").classes("tg-stage").props(f'aria-label="{_("Board")}"'):
                self._board = Board(self._picture, config, mark=self._place, tap=lambda _: None)
            with ui.element("section").classes("tg-side").props(f'aria-label="{_("Position editor")}"'):
                with ui.element("div").classes("tg-card"):
                    heading(_("Set up a position"), 2)
                    self._build_brush()
                    self._build_rules()
                    self._problem = ui.label("").classes("tg-paste-problem").props('role="alert"')
                    with ui.element("div").classes("tg-row"):
                        button(_("Clear the board"), self._clear, "delete_sweep")
                        button(_("Standard start"), self._reset, "restart_alt")
                with ui.element("div").classes("tg-card"), ui.element("div").classes("tg-row"):
                    self._analyse_button = button(_("Analyse"), self._analyse, "insights", main=True)
                    self._play_button = button(_("Play on from here"), self._play, "play_arrow")
                with ui.element("div").classes("tg-card"), ui.expansion(_("Position as text")).props("dense"):
                    self._build_text()
        self._show()

    def _build_brush(self) -> None:
        first, second = (_(name) for name in self._base.players)
        note(_("Click on a point to place or remove"))
        names = {"X": first, "O": second, "#": _("Neutral")}
        brushes = {symbol: names[symbol] for symbol in self._base.stone_symbols} | {_EMPTY: _("Nothing")}
        if "ko" in self._base.setup_details:
            brushes[_KO] = _("Ko")
        ui.toggle(brushes, value=self._brush, on_change=self._choose).props(
            f'no-caps unelevated aria-label="{_("Place")}"'
        )
        note(_("To move"))
        self._mover = ui.toggle({0: first, 1: second}, value=self._to_move, on_change=self._choose_mover)
        self._mover.props(f'no-caps unelevated aria-label="{_("To move")}"')

        self._counts: list[Any] = []
        if "captured" in self._base.setup_details:
            with ui.element("div").classes("tg-fields"):
                for side, name in enumerate((first, second)):
                    field = ui.number(
                        _("Captured by {player}").format(player=name), value=self._captured[side], min=0, step=1
                    )
                    field.props("outlined dense debounce=300").on_value_change(self._change_captured)
                    self._counts.append(field)

    def _build_text(self) -> None:
        """The position as text, to copy or to paste, and as a link."""
        names = {name: _(_FORMAT_NAMES[name]) for name in position_formats(self._base)}
        self._format = ui.toggle(names, value="text", on_change=self._show_text)
        self._format.props(f'no-caps unelevated aria-label="{_("Format")}"')
        self._text = ui.textarea(_("Position")).props("outlined dense autogrow").mark("position-text")
        self._text.style("width: 100%; font-family: monospace")
        with ui.element("div").classes("tg-row"):
            button(_("Use this text"), self._read_text, "input")
            button(_("Copy"), self._copy_text, "content_copy")
            button(_("Copy link"), self._copy_link, "link")

    def _build_rules(self) -> None:
        """Fields for size and rules."""
        self._fields: dict[str, Any] = {}
        with ui.element("div").classes("tg-fields"):
            for option in options_of(self._base.name):
                if option.name not in _RULES:
                    continue
                value = _size_text(self._base) if option.name == "size" else self._text_of(option)
                if option.choices:
                    choices = {choice: choice for choice in option.choices}
                    field: Any = ui.select(choices, value=value if value in choices else option.default)
                else:
                    field = ui.input(value=value)
                field.props(f'outlined dense label="{_(option.label)}" debounce=400')
                field.on_value_change(self._change_rules)
                self._fields[option.name] = field

    def _text_of(self, option: GameOption) -> str:
        return str(getattr(self._base, option.name, None) or option.default)

    # ---- display

    def _show(self) -> None:
        """Draw the position, and say why it cannot be used if that is so."""
        problem = ""
        try:
            self._game = self._base.with_setup(self._rows, self._to_move, self._details())
            position = self._game.start()
            if position.is_over and position.outcome is not None:
                problem = _("The game is over in this position: {result}").format(
                    result=translate(self._game.write_outcome(position.outcome))
                )
        except TengenError as error:
            self._game, problem = None, translate(str(error))
        self._picture = {**self._picture, "stones": "".join(self._rows), "toMove": self._to_move}
        self._board.show(self._picture)
        self._board.set_overlays({} if self._ko is None else {"candidates": [(*self._ko, _("ko"), 1)]})
        self._show_text()
        self._problem.set_text(problem)
        self._analyse_button.set_enabled(self._game is not None)
        self._play_button.set_enabled(not problem)

    def _details(self) -> str:
        """Captured stones and ko, as `Game.with_setup` reads them."""
        words = []
        if any(self._captured):
            words.append(f"captured={self._captured[0]}-{self._captured[1]}")
        if self._ko is not None:
            diagram = self._base.start().diagram()
            words.append(f"ko={diagram.columns[self._ko[0]]}{diagram.rows[self._ko[1]]}")
        return " ".join(words)

    def _show_text(self) -> None:
        if self._game is not None:
            self._text.set_value(write_position(self._game.start(), str(self._format.value)))

    # ---- user actions

    def _change_captured(self) -> None:
        counts = [int(field.value or 0) for field in self._counts]
        if counts != list(self._captured):
            self._captured = (counts[0], counts[1])
            self._show()

    def _read_text(self) -> None:
        with errors_shown():
            game = read_position(self._base, str(self._text.value or "")[:_MAX_TEXT])
            check_board(game)
            ui.navigate.to(editor_url(game.start()))

    async def _copy_text(self) -> None:
        await copy_text(json.dumps(str(self._text.value or "")), _("Copied"))

    async def _copy_link(self) -> None:
        if self._game is not None:
            await copy_link(editor_url(self._game.start()))

    def _choose(self, event: Any) -> None:
        self._brush = str(event.value)

    def _choose_mover(self, event: Any) -> None:
        self._to_move = int(event.value)
        self._show()

    def _place(self, given: dict[str, Any]) -> None:
        point = parse_point(given.get("point"))
        if point is None or point[1] >= len(self._rows) or point[0] >= len(self._rows[0]):
            return
        column, row = point
        if self._brush == _KO:
            self._ko = None if self._ko == point else point
            self._show()
            return
        if self._ko == point:
            self._ko = None
        before = self._rows[row]
        stone = _EMPTY if before[column] == self._brush else self._brush
        self._rows[row] = before[:column] + stone + before[column + 1 :]
        self._show()

    def _clear(self) -> None:
        self._rows = [_EMPTY * len(row) for row in self._rows]
        self._captured, self._ko = (0, 0), None
        self._show_details()

    def _reset(self) -> None:
        self._use(self._base.start())

    def _use(self, start: Position) -> None:
        self._rows, self._to_move = rows_of(start), start.to_move
        self._captured, self._ko = _details_of(start.game, start)
        self._picture = board_data(start, playable=False)
        self._mover.set_value(self._to_move)
        self._show_details()

    def _show_details(self) -> None:
        """Show the numbers of captured stones, and the position."""
        for field, count in zip(self._counts, self._captured, strict=False):
            field.set_value(count)
        self._show()

    def _change_rules(self) -> None:
        given = {name: str(field.value or "") for name, field in self._fields.items()}
        made, problems = read_options(self._base.name, dict(given))
        try:
            if made is not None:
                check_board(made)
        except TengenError as error:
            made, problems = None, {"": translate(str(error))}
        if made is None:
            self._problem.set_text("; ".join(map(translate, problems.values())))
            return
        old, self._base = self._rows, made.without_setup()
        start = self._base.start()
        fresh = rows_of(start)
        self._picture = board_data(start, playable=False)
        same_size = (len(old), len(old[0])) == (len(fresh), len(fresh[0]))
        self._rows = old if same_size else fresh
        self._ko = self._ko if same_size else None
        self._show()

    async def _analyse(self) -> None:
        with errors_shown():
            if self._game is not None:
                session = await self._sessions.open_board(self._game, self._visit.browser)
                ui.navigate.to(f"/analysis/{session.id}")

    async def _play(self) -> None:
        if self._game is not None:
            await ask_and_play_on(self._visit, self._game.start())


def _details_of(game: Game, start: Position) -> tuple[tuple[int, int], Point | None]:
    """The stones captured by each side in a position, and the point of a ko."""
    details = dict(word.partition("=")[::2] for word in game.describe_setup(start).split())
    first, _dash, second = details.get("captured", "0-0").partition("-")
    ko = details.get("ko")
    point = None if ko is None else game.points(game.read_move(ko, start))[0]
    return (int(first), int(second)), point


def _size_text(game: Game) -> str:
    """The option `size` of a game, as its form writes it."""
    diagram = game.start().diagram()
    width, height = len(diagram.columns), len(diagram.rows)
    if game.size_is_rows_first:
        return str(width) if height == 1 else f"{height}x{width}"
    return str(width) if width == height else f"{width}x{height}"


def register(sessions: GameSessions) -> None:
    @add_page(sessions, "/editor/{game}")
    async def editor(visit: Visit, game: str) -> None:
        if not games.game_class(game).can_set_up:
            raise OptionError(mark("positions of {game} cannot be set up").format(game=game))
        made = games.game(game, **dict(context.client.request.query_params))
        check_board(made)
        sessions.prefer_kernels(made)
        shown = PositionEditor(visit, made)
        with frame(visit, _("Position editor"), "/analysis"):
            shown.build()
