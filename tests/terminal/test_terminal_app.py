"""The terminal app on a screen of its own, by keys and mouse, on a store in a temporary folder."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.widgets import Input, OptionList, Select, Static, Switch

import tengen
from tengen.play.clock import TimeIsUp
from tengen.play.match import Match
from tengen.play.time_control import TimeControl
from tengen.players.config import EngineConfig
from tengen.players.configure import configure, engine_player
from tengen.players.opponents import opponents
from tengen.players.player import EnginePlayer, Person, Player
from tengen.runtime.host import EngineHost, SearchHandle
from tengen.search.limits import Limits
from tengen.store.errors import StoreError
from tengen.store.listing import Filter
from tengen.store.store import Store
from tengen.terminal.app import app_session as session
from tengen.terminal.app import game_loading as opening
from tengen.terminal.app.dialogs import ChoiceDialog, HelpDialog, TextDialog
from tengen.terminal.app.game_loading import open_game, start_game
from tengen.terminal.app.game_screen import GameScreen
from tengen.terminal.app.library_screen import LibraryScreen
from tengen.terminal.app.main import TengenApp
from tengen.terminal.app.menu_screen import MenuScreen
from tengen.terminal.app.new_game_screen import NewGameScreen
from tengen.terminal.app.option_fields import OptionFields
from tengen.terminal.app.player_editor import PlayerEditor
from tengen.terminal.app.players_screen import PlayersScreen
from tengen.terminal.app.review_screen import Graph, ReviewScreen
from tengen.terminal.app.settings_screen import SettingsScreen
from tests.helpers.waiting import TIMEOUT_S

ANN, BEA = Person("Ann"), Person("Bea")
QUICK = engine_player(configure("flat", Limits(nodes=30)))
SLOW = engine_player(configure("uct", Limits(seconds=600)))
OTHELLO = tengen.game("othello", size=4)

Play = Callable[["Sitting"], Awaitable[None]]


class Sitting:
    """The app, somebody at its keys, and a way to wait."""

    def __init__(self, app: TengenApp, pilot: Pilot[None]) -> None:
        self.app, self.pilot = app, pilot

    @property
    def store(self) -> Store:
        assert self.app.session is not None
        return self.app.session.store

    @property
    def screen(self) -> Any:
        return self.app.screen

    async def until(self, condition: Callable[[], object]) -> None:
        deadline, delay = time.monotonic() + TIMEOUT_S, 0.02
        while True:
            await self.pilot.pause(delay)  # each draws the screen: those who wait long look less often
            if condition():
                return
            assert time.monotonic() < deadline, f"it never came; the screen is {self.screen}, {self.notes()}"
            delay = min(delay * 1.3, 0.25)

    async def on(self, kind: type[Any]) -> None:
        await self.until(lambda: isinstance(self.screen, kind) and self.screen.is_mounted)
        await self.pilot.pause()

    async def press(self, *keys: str) -> None:
        await self.pilot.press(*keys)

    def notes(self) -> list[str]:
        return [note.message for note in self.app._notifications]

    def text(self, selector: str) -> str:
        return str(self.screen.query_one(selector, Static).content)

    async def begin(self, *players: Player, game: tengen.core.game.Game = OTHELLO, control: str = "none") -> Match:
        session = self.app.session
        assert session is not None
        per_player = TimeControl.parse(control)
        pair = (players[0], players[1])
        start_game(self.app, session, game, lambda: Match.new(game, pair, per_player, save=session.store.save))
        await self.on(GameScreen)
        match: Match = self.screen.match
        await self.until(lambda: match.is_running or match.result is not None)
        return match


@asynccontextmanager
async def sitting(size: tuple[int, int] = (80, 24), demo: bool = False) -> AsyncIterator[Sitting]:
    app = TengenApp(demo=demo)
    try:
        async with app.run_test(size=size) as pilot:
            here = Sitting(app, pilot)
            await here.until(lambda: app.session is not None)
            yield here
    finally:
        app.close()


class Lent(EngineHost):
    """One host for every test, because a worker needs seconds to load Numba. Closing it cancels what was asked."""

    def __init__(self) -> None:
        super().__init__(1)
        self._asked: list[SearchHandle] = []

    def _submit(self, *arguments: Any, **options: Any) -> SearchHandle:
        self._asked.append(super()._submit(*arguments, **options))
        return self._asked[-1]

    def close(self) -> None:
        for handle in self._asked:
            handle.cancel()
        self._asked.clear()

    def end(self) -> None:
        super().close()


@pytest.fixture(scope="module")
def host() -> Iterator[Lent]:
    made = Lent()
    yield made
    made.end()


@pytest.fixture(autouse=True)
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, host: Lent) -> Path:
    monkeypatch.setenv("TENGEN_DATA", str(tmp_path))
    monkeypatch.delenv("TENGEN_DATABASE", raising=False)
    monkeypatch.setattr(session, "EngineHost", lambda **options: host)
    return tmp_path


def at(*arguments: Any, **options: Any) -> Callable[[Play], Callable[[], None]]:
    """Runs a test with the app open."""

    def decorate(play: Play) -> Callable[[], None]:
        def test() -> None:
            async def run() -> None:
                async with sitting(*arguments, **options) as here:
                    await play(here)

            asyncio.run(run())

        test.__name__, test.__doc__ = play.__name__, play.__doc__
        return test

    return decorate


@at()
async def test_a_game_from_the_menu_to_the_library(here: Sitting) -> None:
    """New game by its form, a move, leaving, and continuing from the menu."""
    assert here.screen.query_one(OptionList).get_option("continue").disabled
    await here.press("n")
    await here.on(NewGameScreen)
    await here.until(lambda: len(here.screen.query("#seats Select")) == 2)
    here.screen.query_one("#option-size Select", Select).value = "4"
    here.screen.query_one("#time", Input).value = "5m+3s"
    # An opponent that has nothing to compile.
    here.screen.query("#seats Select").last(Select).value = opponents("othello")[0].id
    await here.pilot.pause()
    await here.press("ctrl+s")
    await here.on(GameScreen)
    match = here.screen.match
    assert match.game == OTHELLO
    assert str(match.clock.controls[0]) == "5m+3s"
    await here.until(lambda: match.is_running)
    await here.press("b", "1", "enter")  # a move as text
    await here.until(lambda: match.live.ply == 2)  # and the engine's answer
    assert here.store.load(match.id).record.moves()  # kept after every move
    await here.press("escape")
    await here.on(MenuScreen)
    await here.until(lambda: not match.is_running)
    await here.until(lambda: not here.screen.query_one(OptionList).get_option("continue").disabled)
    await here.press("c")
    await here.on(GameScreen)
    assert here.screen.match.id == match.id
    assert here.screen.match.live == match.live


@at()
async def test_errors_stand_beside_the_field(here: Sitting) -> None:
    await here.press("n")
    await here.on(NewGameScreen)
    here.screen.query_one("#game", Select).value = "go"
    await here.until(lambda: here.screen.query_one(OptionFields).game_name == "go")
    await here.until(lambda: here.screen.query("#option-komi Input"))
    here.screen.query_one("#option-komi Input", Input).value = "a lot"
    here.screen.query_one("#time", Input).value = "5"
    await here.until(lambda: "a number" in here.text("#option-komi .note"))
    assert "lacks units" in here.text("#time-row .note")
    await here.press("ctrl+s")
    assert isinstance(here.screen, NewGameScreen)


@at()
async def test_board_by_keys_and_mouse(here: Sitting) -> None:
    """See what a move would do, then make it; what is illegal is said and not made."""
    match = await here.begin(ANN, BEA)
    board = here.screen.board
    board.move_cursor_to((0, 0))
    await here.until(lambda: "is illegal" in here.text("#aim"))
    await here.press("enter")
    await here.pilot.pause(0.1)
    assert match.live.ply == 0
    legal = [match.game.points(move)[0] for move in match.live.legal_moves]
    point = legal[0]
    place = next(
        (x, y) for x in range(board.size.width) for y in range(board.size.height) if board.point_at(x, y) == point
    )
    await here.pilot.click(board, offset=place)
    await here.until(lambda: "turns" in here.text("#aim"))
    assert match.live.ply == 0  # tried, not confirmed
    await here.pilot.click(board, offset=place)
    await here.until(lambda: match.live.ply == 1)
    await here.press("left", "down")
    assert board.cursor != point


@at()
async def test_looking_back_variations_and_remarks(here: Sitting) -> None:
    match = await here.begin(ANN, BEA)
    for _ in range(4):
        match.play(match.live.legal_moves[0])
    await here.press("pageup", "pageup")
    await here.until(lambda: here.screen.view.position.ply == 2)
    other = here.screen.view.position.write_moves(here.screen.view.position.legal_moves)[-1]
    assert here.screen.shown.can_play
    await here.press(*other, "enter")
    await here.until(lambda: len(here.screen.view.node.node.children) == 0 and here.screen.view.position.ply == 3)
    assert match.live.ply == 4  # the game is as it was
    await here.press("ctrl+k")
    await here.on(TextDialog)
    await here.press(*"why", "enter")
    await here.until(lambda: here.screen.view.node.node.comment == "why")
    await here.until(lambda: "why" in here.text("#remark"))
    await here.press("greater_than_sign")
    await here.until(lambda: here.screen.view.node.node.comment == "")
    await here.press("less_than_sign")
    await here.until(lambda: here.screen.view.node.node.comment == "why")
    await here.press("delete")
    await here.until(lambda: here.screen.view.position.ply == 2)
    await here.press("end")
    await here.until(lambda: here.screen.view.is_at_live)
    await here.press("home")
    await here.until(lambda: here.screen.view.position.ply == 0)


@at()
async def test_take_back_draw_resign_and_rematch(here: Sitting) -> None:
    match = await here.begin(ANN, BEA)
    match.play(match.live.legal_moves[0])
    await here.press("backspace")
    await here.until(lambda: match.live.ply == 0)
    await here.press("ctrl+d")
    await here.on(ChoiceDialog)
    await here.press("down", "enter")  # declined
    await here.on(GameScreen)
    assert match.result is None
    await here.press(*"resign", "enter")  # written out
    await here.on(ChoiceDialog)
    await here.press("enter")
    await here.until(lambda: match.result is not None)
    await here.until(lambda: "resigned" in here.text("#turn"))
    await here.press("ctrl+b")
    await here.until(lambda: isinstance(here.screen, GameScreen) and here.screen.match is not match)
    await here.until(lambda: here.screen.is_mounted)  # the app must not exit meanwhile
    assert here.screen.match.players == (ANN, BEA)  # the loser goes first


@at()
async def test_clobber_by_stone_and_neighbour(here: Sitting) -> None:
    match = await here.begin(ANN, BEA, game=tengen.game("clobber", board="XOXO"))
    here.screen.board.move_cursor_to((0, 0))
    await here.press("enter")
    await here.until(lambda: here.screen.chosen == (0, 0))
    await here.until(lambda: here.screen.board.cursor == (1, 0))
    await here.press("enter")
    await here.until(lambda: match.live.ply == 1)
    assert match.live.write_moves(match.live.moves) == ["1-2"]
    await here.press("ctrl+d")
    await here.until(lambda: any("cannot be drawn" in note for note in here.notes()))


@at()
async def test_dead_stones_are_agreed_on(here: Sitting) -> None:
    match = await here.begin(ANN, BEA, game=tengen.game("go", size=5, rules="japanese"))
    for move in ("C3", "A1", "pass"):
        match.play(move)
    await here.press("ctrl+p")
    await here.until(lambda: match.is_counting)
    await here.until(lambda: "As marked: Black wins by 18.5" in here.text("#aim"))  # the engine marks A1
    here.screen.board.move_cursor_to((0, 4))
    await here.press("enter")
    await here.until(lambda: "As marked: White wins by 6.5" in here.text("#aim"))
    here.screen.choose_off_board("play on")
    await here.until(lambda: match.live.ply == 2)
    match.play("pass")
    match.play("pass")
    await here.until(lambda: "As marked: Black wins by 18.5" in here.text("#aim"))
    await here.press("ctrl+p")
    await here.until(lambda: match.result is not None)
    assert match.result == match.result.from_outcome(
        match.game, match.game.count(match.live, ["A1"]), counted=True
    )


@at()
async def test_an_engine_thinks_moves_at_once_and_is_exchanged(here: Sitting) -> None:
    match = await here.begin(SLOW, ANN, game=tengen.game("othello"))
    await here.until(lambda: "(estimate)" in here.text("#thought") or "exact" in here.text("#thought"))
    assert "is thinking" in here.text("#turn")
    await here.press("ctrl+t", "f", "5", "enter")  # an engine's move is its own
    await here.until(lambda: any("wait" in note for note in here.notes()))
    await here.until(lambda: here.screen.expected_marks())
    await here.press("ctrl+o")
    await here.on(SettingsScreen)
    thinking = here.screen.app.screen_stack[-2].runner._handle
    await here.until(lambda: len(here.screen.query("#seats Select")) == 2)
    assert not thinking.done()  # the search goes on
    await here.press("escape")
    await here.on(GameScreen)
    await here.press("exclamation_mark")
    await here.until(lambda: match.live.ply == 1)
    await here.press("ctrl+g")
    await here.until(lambda: here.text("#thought").startswith("Hint: "))
    await here.press("ctrl+o")
    await here.on(SettingsScreen)
    await here.until(lambda: len(here.screen.query("#seats Select")) == 2)
    here.screen.query("#seats Select").first(Select).value = here.screen._players[2].id
    here.screen.query_one("#time", Input).value = "10m"
    await here.pilot.click("#apply")
    await here.until(lambda: match.players[0] is not SLOW and str(match.clock.controls[0]) == "10m")
    assert match.players[1] == ANN


@at()
async def test_the_flag_falls_and_trouble_is_shown(here: Sitting) -> None:
    broken = EnginePlayer("Broken", EngineConfig("tests.helpers.faulty_engines:Broken", Limits(nodes=1)))
    match = await here.begin(ANN, broken)
    match.play(match.live.legal_moves[0])
    await here.until(lambda: any("Broken failed" in note for note in here.notes()))
    assert match.result is None
    await here.press("escape")
    await here.on(MenuScreen)
    match = await here.begin(ANN, BEA, control="100ms")
    await here.until(lambda: match.result is not None)
    assert "time" in match.result.reason
    with pytest.raises((TimeIsUp, tengen.core.errors.TengenError)):
        match.play(match.live.legal_moves[0])


@at()
async def test_what_is_not_saved_is_said(here: Sitting) -> None:
    match = await here.begin(ANN, BEA)

    def fail(entry: object) -> None:
        raise StoreError("the disk is full")

    match._storage.write = fail
    here.screen.board.move_cursor_to(match.game.points(match.live.legal_moves[0])[0])
    await here.press("enter")
    await here.until(lambda: any("Not saved: the disk is full" in note for note in here.notes()))
    assert match.live.ply == 1


@at((120, 40))
async def test_library_lists_sorts_filters_deletes_and_moves_files(here: Sitting) -> None:
    for number in range(60):
        match = Match.new(OTHELLO, (ANN, Person(f"P{number:02}")), save=here.store.save)
        if number % 2:
            match.resign()
    await here.press("l")
    await here.on(LibraryScreen)
    library: LibraryScreen = here.screen
    await here.until(lambda: library.table.row_count == 50 and library._count == 60)
    await here.press("right_square_bracket")
    await here.until(lambda: library.table.row_count == 10)
    await here.press("left_square_bracket")
    await here.until(lambda: library.table.row_count == 50)
    library.sort_by("second")
    await here.until(lambda: library._page.games[0].names[1] == "P00")
    await here.press("r")
    await here.until(lambda: library._page.games[0].names[1] == "P59")
    library.query_one("#status", Select).value = "unfinished"
    await here.until(lambda: library._count == 30)
    await here.press("slash", *"p4")
    await here.until(lambda: library._count == 5)
    await here.press("enter", "d")
    await here.until(lambda: library._count == 4)
    await here.press("u")
    await here.until(lambda: library._count == 5)
    await here.press("space", "space")
    await here.until(lambda: "2 marked" in here.text("#state"))
    path = Path(tengen.core.folders.data_folder()) / "out.sgf"
    await here.press("e")
    await here.on(TextDialog)
    here.screen.query_one(Input).value = str(path)
    await here.press("enter")
    await here.until(path.exists)
    await here.on(LibraryScreen)
    await here.press("i")
    await here.on(TextDialog)
    here.screen.query_one(Input).value = str(path)
    await here.press("enter")
    await here.until(lambda: any("added" in note or "already stored" in note for note in here.notes()))
    await here.on(LibraryScreen)
    await here.press("i")
    await here.on(TextDialog)
    here.screen.query_one(Input).value = "/nowhere/at all.sgf"
    await here.press("enter")
    await here.until(lambda: any("nowhere" in note for note in here.notes()))


@at((100, 40))
async def test_players_are_made_edited_and_never_doubled(here: Sitting) -> None:
    match = Match.new(OTHELLO, (ANN, BEA), save=here.store.save)
    match.start()
    for _ in range(2):  # before each side has moved, a game is not rated
        match.play(match.live.legal_moves[0])
    match.resign()
    await here.press("p")
    await here.on(PlayersScreen)
    await here.until(lambda: here.screen.table.row_count == 2)
    await here.until(lambda: "1 rated game:" in here.text("#history"))
    await here.press("n")
    await here.on(TextDialog)
    await here.press(*"ann", "enter")
    await here.until(lambda: any("'Ann'" in note for note in here.notes()))  # in any case
    await here.press("g")
    await here.on(PlayerEditor)
    editor: PlayerEditor = here.screen
    await here.until(lambda: editor.query("#set-rave"))
    editor.query_one("#set-rave", Input).value = "-1"
    editor.query_one("#level-seconds", Input).value = ""
    await here.until(lambda: "from 0 to" in here.text("#row-set-rave .note"))
    assert "set a limit" in here.text("#row-level-seconds .note")
    editor.query_one("#set-rave", Input).value = "500"
    editor.query_one("#level-depth", Input).value = "4"
    await here.until(lambda: "uct ignores depth" in here.text("#row-level-depth .note"))
    editor.query_one("#level-depth", Input).value = ""
    editor.query_one("#level-nodes", Input).value = "100"
    editor.query_one("#vision", Select).value = "85"
    editor.query_one("#book", Switch).value = False
    await here.until(
        lambda: editor.query_one("#name", Input).placeholder == "Uct 100 nodes, rave 500, no book, vision 85"
    )
    await here.press("ctrl+s")
    await here.on(PlayersScreen)
    (engine,) = [player for player in here.store.players() if isinstance(player, EnginePlayer)]
    assert dict(engine.config.settings)["rave"] == 500
    assert engine.config.vision == 85
    await here.press("g")
    await here.on(PlayerEditor)
    await here.until(lambda: here.screen.query("#set-rave"))
    here.screen.query_one("#engine", Select).value = "alphabeta"
    await here.until(lambda: here.screen.query("#set-aspiration"))
    await here.press("escape")
    await here.on(PlayersScreen)


@at((120, 40))
async def test_review_values_positions_and_keeps_them(here: Sitting) -> None:
    match = Match.new(OTHELLO, (ANN, BEA), save=here.store.save)
    match.start()
    while match.result is None:
        match.play(match.live.legal_moves[0])
    assert here.app.session is not None
    open_game(here.app, here.app.session, match.id)
    await here.on(ReviewScreen)
    review: ReviewScreen = here.screen
    await here.press("home")
    await here.until(lambda: here.store.reports(match.id, ()))
    await here.until(lambda: "exact" in here.text("#thought") or "discs" in here.text("#thought"))
    assert review.query_one(Graph)._values
    await here.press("ctrl+a")
    await here.until(lambda: len(here.store.reports(match.id)) == match.live.ply)
    await here.press("escape")
    await here.on(MenuScreen)
    open_game(here.app, here.app.session, match.id)
    await here.on(ReviewScreen)
    again: ReviewScreen = here.screen
    assert again is not review
    await here.until(lambda: len(again._reports) == match.live.ply)  # used again
    await here.press("home")
    await here.until(lambda: again.shown.position.ply == 0)
    await here.pilot.pause(0.5)
    assert again._search is None


@at((120, 40))
async def test_review_of_go_shows_the_life_of_groups(here: Sitting) -> None:
    """White's two stones are enclosed by living ones, and dead."""
    game = tengen.game("go", board=".X.OX/XXXOX/..XXX/XXX.X/.X.X. O")
    match = Match.new(game, (ANN, BEA), save=here.store.save)
    match.start()
    match.resign()
    assert here.app.session is not None
    open_game(here.app, here.app.session, match.id)
    await here.on(ReviewScreen)
    await here.press("ctrl+e", "f2")  # the evaluator would take time from the helper process
    await here.on(HelpDialog)
    lines = str(here.screen.query_one(Static).content).splitlines()
    assert "Group of 2 White stones at D5: dead" in [line.partition(";")[0] for line in lines], lines
    await here.press("escape")
    await here.on(ReviewScreen)
    await here.press("f1")
    await here.on(HelpDialog)
    assert "F2" in str(here.screen.query_one(Static).content)


@at((120, 40))
async def test_review_of_other_games_has_no_groups(here: Sitting) -> None:
    match = Match.new(OTHELLO, (ANN, BEA), save=here.store.save)
    match.start()
    match.resign()
    assert here.app.session is not None
    open_game(here.app, here.app.session, match.id)
    await here.on(ReviewScreen)
    await here.press("f2", "f1")
    await here.on(HelpDialog)
    assert "F2" not in str(here.screen.query_one(Static).content)


def test_a_demonstration_leaves_nothing_behind(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opening, "DEMO_GAMES", (("othello", {}),))

    async def from_the_command_line() -> None:
        async with sitting(demo=True) as here:
            await here.on(GameScreen)
            match = here.screen.match
            await here.until(lambda: match.live.ply >= 2)
            assert here.store.count_games() == 1
            await here.press("escape")
            await here.on(MenuScreen)

    asyncio.run(from_the_command_line())
    assert list(data.iterdir()) == []

    async def from_the_menu() -> None:
        async with sitting() as here:
            before = here.store.players(), here.store.count_games()
            await here.press("d")
            await here.on(GameScreen)
            session = here.screen.session
            assert session.is_demo
            await here.until(lambda: here.screen.match.live.ply >= 1)
            await here.press("escape")
            await here.on(MenuScreen)
            assert here.screen.session is session  # a menu on which everything can be tried
            assert session.store.count_games() == 1
            await here.press("escape")
            await here.until(lambda: here.screen.session is here.app.session)
            assert (here.store.players(), here.store.count_games()) == before

    asyncio.run(from_the_menu())
    with Store.open() as store:
        assert store.count_games(Filter()) == 0
        assert store.players() == []


@pytest.mark.parametrize("size", [(40, 16), (200, 60)])
def test_every_screen_fits_every_terminal(size: tuple[int, int]) -> None:
    async def look() -> None:
        async with sitting(size) as here:
            match = await here.begin(ANN, BEA, game=tengen.game("go"))
            board = here.screen.board
            assert board.size.height >= 6
            assert board.size.width >= min(38, size[0] - 2)
            board.move_cursor_to((18, 18))
            await here.pilot.pause()
            seen = {board.point_at(x, y) for x in range(board.size.width) for y in range(board.size.height)}
            assert (18, 18) in seen  # the cursor stays in sight
            await here.press("enter")
            await here.until(lambda: match.live.ply == 1)
            await here.press("escape")
            for key, kind in (("n", NewGameScreen), ("l", LibraryScreen), ("p", PlayersScreen)):
                await here.on(MenuScreen)
                await here.press(key)
                await here.on(kind)
                await here.press("escape")

    asyncio.run(look())


def test_quitting_in_mid_search_keeps_the_game() -> None:
    identity = ""

    async def quit_() -> None:
        nonlocal identity
        async with sitting() as here:
            match = await here.begin(ANN, SLOW, game=tengen.game("othello"), control="10m")
            match.play(match.live.legal_moves[0])
            identity = match.id
            await here.until(lambda: here.screen._thinking is not None)
            await here.press("ctrl+c")
            await here.pilot.pause(0.2)

    asyncio.run(quit_())
    with Store.open() as store:
        entry = store.load(identity)
        assert not entry.is_finished
        again = Match.open(entry)
        assert again.live.ply == 1
        assert not again.is_running
