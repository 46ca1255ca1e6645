"""Events that arrive while a page still works on an earlier one, and answers of browsers; without a browser."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import CancelledError
from types import SimpleNamespace
from typing import Any
from unittest.mock import AsyncMock, MagicMock

import pytest

from tengen import games
from tengen.app.dead_stones import DeadStones
from tengen.app.lessons import lesson
from tengen.app.lessons.progress import LessonProgress
from tengen.app.lessons.step_run import StepRun
from tengen.play.match import Match
from tengen.players.player import MAX_NAME_LENGTH, Person
from tengen.web.pages import analysis, board_input, library, new_game, page_updates, play, widgets
from tengen.web.pages import lesson as lesson_page
from tengen.web.pages.home_board import continue_game
from tengen.web.panels import ShownPosition
from tengen.web.session_events import Reviewed, SessionChanged, Watchers
from tests.helpers.api_server import ApiServer, api_server


class Threads:
    """Stands for `run_in_thread`: calls wait until the test lets them go on, in any order."""

    def __init__(self) -> None:
        self.waiting: list[asyncio.Future[None]] = []

    async def run(self, work: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        waits = asyncio.get_running_loop().create_future()
        self.waiting.append(waits)
        await waits
        return work(*args, **kwargs)

    async def release(self, number: int) -> None:
        self.waiting[number].set_result(None)
        for _ in range(3):
            await asyncio.sleep(0)


def _visit(threads: Threads, **sessions: Any) -> Any:
    return SimpleNamespace(
        browser="ann", sessions=SimpleNamespace(run_in_thread=threads.run, visitors=MagicMock(), **sessions)
    )


def test_a_game_chosen_while_another_is_loading_keeps_its_own_opponents(monkeypatch: pytest.MonkeyPatch) -> None:
    threads = Threads()

    async def find(_visit: object, game: str) -> Any:
        return await threads.run(lambda: SimpleNamespace(game=game, engines=[]))

    monkeypatch.setattr(new_game, "Players", SimpleNamespace(find=find))
    monkeypatch.setattr(new_game, "last_settings", lambda _visitors, _browser, game: game)
    form: Any = new_game.Form(_visit(threads, host=MagicMock()), "go")
    form._more, form._rules = MagicMock(options={}), MagicMock()
    shown: list[object] = []
    monkeypatch.setattr(form, "_show", lambda settings: shown.append((settings, form._players.game)))

    async def choose() -> None:
        first, second = (asyncio.ensure_future(form._choose_game(game)) for game in ("go", "pente"))
        await asyncio.sleep(0)
        await threads.release(1)
        await threads.release(0)
        await asyncio.gather(first, second)

    asyncio.run(choose())
    assert shown == [("pente", "pente")]


def test_the_library_shows_only_games_that_fit_the_last_filter(monkeypatch: pytest.MonkeyPatch) -> None:
    threads = Threads()
    store = SimpleNamespace(list_games=lambda which, **_: SimpleNamespace(games=[which.game], after=None))
    page = library.Library(_visit(threads, store=store))
    page._table, page._more, page._delete, page._restore = (MagicMock() for _ in range(4))
    monkeypatch.setattr(library, "_row", lambda game: {"id": game})

    async def choose() -> None:
        page._game = "go"
        first = asyncio.ensure_future(page._load())
        await asyncio.sleep(0)
        page._game = "pente"
        second = asyncio.ensure_future(page._load())
        await asyncio.sleep(0)
        await threads.release(1)
        await threads.release(0)
        await asyncio.gather(first, second)

    asyncio.run(choose())
    assert page._rows == [{"id": "pente"}]


def test_the_library_exports_games_of_a_player_with_any_name(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = MagicMock()
    monkeypatch.setattr(library, "ui", drawn)
    page = library.Library(_visit(Threads()))
    page._table = MagicMock(selected=[])
    page._name = "Ann & Bob #1"
    page._export("sgf")
    drawn.download.from_url.assert_called_once_with("/export.sgf?game=&name=Ann+%26+Bob+%231&state=all")


@pytest.fixture
def go_lesson(monkeypatch: pytest.MonkeyPatch) -> tuple[lesson_page.LessonPage, Threads, list[LessonProgress]]:
    """The page of the first step that has a reply, the threads it waits for, and the progress it stores."""
    monkeypatch.setattr(lesson_page, "context", SimpleNamespace(client=MagicMock(is_deleted=False)))
    monkeypatch.setattr(lesson_page, "load_progress", lambda _visit: LessonProgress())
    threads, stored = Threads(), []
    lessons = lesson("go")
    number = next(at for at, step in enumerate(lessons.parts) if step.id == "count")
    page = lesson_page.LessonPage(_visit(threads), lessons, number)
    page._run = StepRun(lessons, lessons.parts[number])
    page._board, page._feedback = MagicMock(), MagicMock()
    monkeypatch.setattr(page, "show", MagicMock())
    page._sessions.visitors.set_options = lambda _browser, lessons: stored.append(lessons)
    return page, threads, stored


def test_a_second_click_in_a_lesson_does_not_answer_twice(go_lesson: Any) -> None:
    page, threads, stored = go_lesson

    async def click() -> None:
        page._client.is_deleted = True  # nothing is shown any more, but the answer counts
        clicks = [asyncio.ensure_future(page._answer("pass")) for _ in range(2)]
        await asyncio.sleep(0)
        for number in range(len(threads.waiting)):
            await threads.release(number)
        await asyncio.gather(*clicks)

    asyncio.run(click())
    assert len(threads.waiting) == 1
    assert stored == [{"go": ["count"]}]


def test_a_step_that_is_done_counts_even_if_its_reply_was_not_awaited(go_lesson: Any) -> None:
    page, threads, stored = go_lesson

    async def go_on() -> None:
        answer = asyncio.ensure_future(page._answer("pass"))
        await asyncio.sleep(0)
        page._run = StepRun(page._lesson, page._lesson.puzzles[0])  # the next step
        page._number += 1
        await threads.release(0)
        await answer

    asyncio.run(go_on())
    assert stored == [{"go": ["count"]}]
    page._board.show.assert_not_called()


@pytest.fixture
def site(tmp_path: Any) -> Any:
    with api_server(tmp_path) as server:
        yield server


def test_a_game_continues_on_the_home_page_after_its_session_was_closed(site: ApiServer) -> None:
    ann = "a" * 32
    with site.visitor() as visitor:
        made = site.begin(visitor, players=["Ann", "Bea"])["state"]
    position = games.game("othello").start()
    move = position.write_moves(position.legal_moves)[0]

    async def play() -> tuple[int, bool]:
        shown = await site.sessions.get(made["id"])
        await site.sessions.close_session(made["id"])
        await continue_game(site.sessions, made["id"], ann, move, 0, 0.0)
        return (await site.sessions.get(made["id"])).match.live.ply, shown.match.is_running

    assert site.run(play) == (1, False)


@pytest.mark.parametrize(
    "answer", [{"return_value": True}, {"return_value": False}, {"side_effect": TimeoutError}]
)
def test_a_link_is_said_to_be_copied_only_if_it_is(
    monkeypatch: pytest.MonkeyPatch, answer: dict[str, Any]
) -> None:
    drawn = MagicMock(run_javascript=AsyncMock(**answer))
    monkeypatch.setattr(widgets, "ui", drawn)
    asyncio.run(widgets.copy_text("'a link'", "Link copied"))
    (call,) = drawn.notify.call_args_list
    assert (call.args[0] == "Link copied") is answer.get("return_value", False)


def test_a_page_that_fails_does_not_keep_events_from_other_pages(caplog: pytest.LogCaptureFixture) -> None:
    watchers = Watchers(MagicMock(), MagicMock())
    seen: list[object] = []
    for watcher in (MagicMock(side_effect=RuntimeError("the page was deleted")), seen.append):
        watchers.add(watcher)
    watchers._notify(SessionChanged())
    assert seen == [SessionChanged()]
    assert "the page was deleted" in caplog.text


def _game_page(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The page of a game of Go in which Ann is to move, with nothing drawn."""
    for module in (play, page_updates):
        monkeypatch.setattr(module, "context", SimpleNamespace(client=MagicMock(is_deleted=False)))
    position = games.game("go", size=5).start()
    match = MagicMock(live=position, to_move=0)
    page: Any = play.GamePage(MagicMock(), MagicMock(match=match))
    page._off_board, page._analysis, page._result = MagicMock(), MagicMock(), MagicMock()
    page._show_moves, page._update_overlays = MagicMock(), MagicMock()
    return page


def test_a_pass_button_is_not_replaced_under_the_pointer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(board_input, "ui", MagicMock())
    made = MagicMock()
    monkeypatch.setattr(board_input, "chip", made)
    moves, position = board_input.OffBoardMoves(MagicMock()), games.game("go", size=5).start()
    for _ in range(3):  # such as a paused clock, an offer, a saved game
        moves.show(position)
    assert made.call_count == 1
    moves.show(position.play("C3").play("C4"))
    assert made.call_count == 2


def test_the_reports_of_a_review_are_shown_together(monkeypatch: pytest.MonkeyPatch) -> None:
    page = _game_page(monkeypatch)

    async def review() -> None:
        for number in range(200):
            page.on_event(Reviewed(("C3",) * number))
        await asyncio.sleep(0.01)

    asyncio.run(review())
    assert page._analysis.show.call_count == page._result.show_review.call_count == 1


def test_a_panel_shows_what_was_asked_last(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page_updates, "context", SimpleNamespace(client=MagicMock(is_deleted=False)))
    threads, shown, switch = Threads(), [], ["all games"]

    async def load(_position: object) -> str:
        asked = switch[0]
        return str(await threads.run(lambda: asked))

    loader = page_updates.PositionLoader(load, shown.append, shown.append)

    async def ask() -> None:
        loader(ShownPosition(games.game("othello").start(), None))
        await asyncio.sleep(0.01)
        switch[0] = "own games"
        loader.reload()
        await asyncio.sleep(0.01)
        await threads.release(1)
        await threads.release(0)
        await asyncio.sleep(0.01)

    asyncio.run(ask())
    assert shown == ["own games"]


def test_a_move_for_another_position_is_not_made_in_an_analysis() -> None:
    page: Any = analysis.AnalysisPage.__new__(analysis.AnalysisPage)
    page.board, page._board_data, page._show_all = MagicMock(), MagicMock(), MagicMock()
    page.analysis = MagicMock(position=games.game("othello").start(), play=AsyncMock())
    asyncio.run(page._move({"move": "f5", "ply": 3}))
    page.analysis.play.assert_not_called()
    page.board.show.assert_called_once()
    for given in ({"move": "f5", "ply": 0}, {"move": "pass"}):
        asyncio.run(page._move(given))
    assert [call.args for call in page.analysis.play.call_args_list] == [("f5",), ("pass",)]


def test_nobody_agrees_to_marks_that_change_at_the_same_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    rules = games.game("go", board="O.XO./XXXO./..XOO/XXXO./..XO. X", rules="japanese")
    match = Match.new(rules, (Person("Ann"), Person("Bea")))
    match.start()
    for _ in range(2):
        match.play("pass")
    marks = DeadStones(match, MagicMock(submit=MagicMock(side_effect=CancelledError)), lambda: None)
    changing = threading.Thread(target=marks.toggle, args=((0, 0),))
    points = marks.points

    def points_and_then_a_change() -> list[Any]:
        found = points()
        if changing.ident is None:
            changing.start()
            changing.join(0.2)
        return found

    monkeypatch.setattr(marks, "points", points_and_then_a_change)
    marks.agree((0,), (0, 1), seen=[])
    changing.join()
    assert (points(), marks.agreed) == ([(0, 0)], set())


def test_a_name_of_any_length_is_not_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    form: Any = new_game.Form(MagicMock(), "go")
    form._friend, form._options, form._clock = MagicMock(value="x" * 1_000_000), MagicMock(), MagicMock()
    form._opening, form._rated, form._ponder = MagicMock(value=""), MagicMock(), MagicMock()
    assert len(form._current().friend) == MAX_NAME_LENGTH + 1


def test_a_game_that_is_being_closed_is_opened_again_only_afterwards(site: ApiServer) -> None:
    with site.visitor() as visitor:
        game_id = site.begin(visitor, players=["Ann", "Bea"])["state"]["id"]

    async def open_while_closing() -> None:
        sessions = site.sessions
        old = await sessions.get(game_id)
        may_close, close = threading.Event(), old.close
        old.close = lambda: (may_close.wait(), close())  # type: ignore[method-assign]
        closing = asyncio.ensure_future(sessions.close_session(game_id))
        opening = asyncio.ensure_future(sessions.get(game_id))
        await asyncio.wait({opening}, timeout=0.2)
        was_early = opening.done()
        may_close.set()
        await closing
        assert not was_early
        assert await opening is not old
        assert sessions.open_sessions() == [await opening]

    site.run(open_while_closing)
