"""A real Chromium plays: whole games, against engines, between browsers, on a phone, with an engine beside."""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tengen.store.store import Store
from tests.helpers.web_site import PHONE, STRAW, Site, Visitor

PIECE = b"RIFF" + struct.pack(
    "<I4s4sIHHIIHH4sI", 32036, b"WAVE", b"fmt ", 16, 1, 1, 8000, 16000, 2, 16, b"data", 32000
)


@pytest.fixture(scope="module")
def music(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with two pieces, and what should not be heard of it."""
    folder = tmp_path_factory.mktemp("music")
    for name in ("Prelude.wav", "Fugue.wav"):
        (folder / name).write_bytes(PIECE + bytes(32000))
    (folder / "away.mp3").symlink_to("/etc/passwd")
    (folder / "secret.txt").write_text("nothing to hear")
    return folder


@pytest.fixture(scope="module")
def site_arguments(music: Path) -> tuple[str, ...]:
    return "--music", str(music)


@pytest.fixture(scope="module")
def _phone(browser: Browser, site: str) -> Iterator[Visitor]:
    visitor = Visitor.arrive(browser, site, **PHONE)
    yield visitor
    visitor.leave()


@pytest.fixture
def phone(_phone: Visitor) -> Iterator[Visitor]:
    with _phone.without_complaints():
        yield _phone


def test_a_game_from_the_form_to_the_rematch(ann: Visitor) -> None:
    ann.go("/")
    ann.shot("start")
    assert "tailwind" not in ann.page.content()  # it would style the whole page anew at every change
    ann.page.locator('a[href="/new?game=clobber"]').click()
    ann.page.get_by_role("group", name="Size").get_by_role("button", name="Other").click()
    ann.page.get_by_role("textbox", name="Size").fill("8")
    ann.page.get_by_label("Other engine players").click()
    ann.page.get_by_role("option", name=STRAW).click()
    expect(ann.page.locator(".tg-summary")).to_have_text(f"Clobber Strip of 8 against {STRAW} · No limit")
    ann.shot("new-game")
    ann.press("Start")
    ann.wait_for_board()
    ann.play_out()
    ann.shot("clobber-over")
    assert "You won" in ann.status() or "You lost" in ann.status()
    ann.press("Rematch")
    ann.wait_for_status("Your move|thinking")
    ann.wait_for_board()
    assert ann.ply() in (0, 1)


@pytest.mark.parametrize(
    ("game", "options"),
    [("othello", {"size": 4}), ("go", {"size": 5}), ("pente", {"size": 5})],
)
def test_a_whole_game_of_each(ann: Visitor, game: str, options: dict[str, object]) -> None:
    ann.begin(game, STRAW, **options)
    ann.shot(f"{game}-begins")
    ann.play_out()
    if game == "go":
        expect(ann.page.get_by_role("button", name="Agree")).to_be_enabled()  # the engine has marked dead stones
        taken = next(index for index, stone in enumerate(ann.stones()) if stone != ".")
        dead = ann.page.locator(".tg-dead").count()  # as the program thinks: a click on such a stone lets it live
        ann.click([taken % 5, taken // 5])
        ann.until(f"() => document.querySelectorAll('.tg-dead').length !== {dead}")
        ann.press("Reset marks")
        ann.until(f"() => document.querySelectorAll('.tg-dead').length === {dead}")
        ann.press("Agree")
        ann.wait_for_status("You won|You lost|Draw")
        expect(ann.page.locator(".tg-dead")).to_have_count(dead)  # so that one sees why it ended so
    ann.shot(f"{game}-over")


def test_take_back_hint_look_back_keyboard_and_resign(ann: Visitor) -> None:
    ann.begin("othello", STRAW, size=6)
    ann.move(ann.legal()[0])
    ann.wait_for_ply(2)
    ann.wait_for_status("Your move")
    ann.press("Back")
    ann.wait_for_status("Viewing move 1 of 2")
    expect(ann.page.locator(".tg-move").first).to_have_class(re.compile("tg-here"))
    ann.press("Live")
    ann.wait_for_turn(2)
    ann.press("Take back")
    ann.until("() => !document.querySelector('.tg-move')")
    ann.press("Hint")
    ann.page.wait_for_selector("text=Hint:")
    expect(ann.page.locator(".tg-ghost")).to_have_count(1)
    ann.page.locator(".tg-board > svg").focus()
    ann.page.keyboard.press("ArrowLeft")  # shows the cursor
    (column, row), (to_column, to_row) = ann.cursor(), ann.legal()[0][1]
    for _ in range(abs(to_column - column)):
        ann.page.keyboard.press("ArrowRight" if to_column > column else "ArrowLeft")
    for _ in range(abs(to_row - row)):
        ann.page.keyboard.press("ArrowDown" if to_row > row else "ArrowUp")
    ann.page.keyboard.press("Enter")
    ann.wait_for_turn(2)
    illegal = next(index for index, stone in enumerate(ann.stones()) if stone == "X")
    ann.click([illegal % 6, illegal // 6])
    expect(ann.page.locator(".tg-aim.tg-problem")).to_be_visible()
    ann.press("Resign")
    ann.page.locator(".q-dialog").get_by_role("button", name="Resign").click()
    ann.wait_for_status("You lost")
    expect(ann.page.locator(".tg-result")).to_contain_text("Ann resigned")


def test_two_people_in_two_browsers_and_a_third_who_only_looks(
    browser: Browser, site: str, ann: Visitor, phone: Visitor
) -> None:
    path = ann.invite("othello")
    bea, eve = phone, Visitor.arrive(browser, site)
    bea.go(path)
    bea.press("Join game")
    bea.wait_for_board()
    bea.wait_for_status("is to move")
    ann.wait_for_status("Your move")
    eve.go(ann.page.url.removeprefix(site))
    eve.wait_for_board()
    assert not eve.accepts_moves()
    assert not bea.accepts_moves()
    bea.context.set_offline(True)  # a tunnel
    ann.move(ann.legal()[0])
    eve.wait_for_ply(1)
    assert bea.ply() == 0
    bea.context.set_offline(False)
    bea.wait_for_ply(1)  # what happened meanwhile is there
    bea.complaints.clear()  # of the connection that was lost
    bea.page.reload()  # nothing is lost by that
    bea.wait_for_board()
    bea.wait_for_status("Your move")
    move = bea.legal()[0]
    bea.page.touchscreen.tap(*bea.place(move[1]))
    bea.page.get_by_role("button", name=f"Play {move[0]}").click()
    for visitor in (ann, bea):
        visitor.wait_for_ply(2)
    eve.until("() => document.querySelectorAll('.tg-move').length == 2")
    assert eve.stones() == ann.stones() == bea.stones()
    ann.press("Draw")
    bea.press("Accept")
    for visitor in (ann, bea, eve):
        visitor.wait_for_status("Draw")
    expect(eve.page.get_by_role("button", name="Rematch")).to_be_disabled()
    ann.press("Rematch")
    bea.press("Go to rematch")
    bea.wait_for_status("Your move|is to move")
    eve.leave()
    assert eve.complaints == []


def test_two_tabs_and_a_server_that_is_started_again(server: Site, ann: Visitor) -> None:
    game = ann.begin("clobber", STRAW, size=14)
    tab = ann.open_tab()
    tab.go(f"/game/{game}")
    tab.wait_for_board()
    tab.move(tab.legal()[0])  # either tab may move: both are Ann
    for visitor in (ann, tab):
        visitor.wait_for_ply(2)
    assert ann.stones() == tab.stones()
    stones = ann.stones()
    server.start_again()
    for visitor in (ann, tab):
        # The pages come back by themselves, and their browser still sits at the board.
        visitor.until("() => performance.getEntriesByType('navigation')[0].type === 'reload'")
        visitor.wait_for_board()
        visitor.wait_for_status("Your move")
        assert visitor.stones() == stones
    ann.move(ann.legal()[0])
    tab.wait_for_ply(3)
    tab.page.close()
    ann.complaints.clear()  # of the connection that was lost


def test_a_phone_tries_a_move_before_it_is_played(phone: Visitor) -> None:
    phone.begin("othello", STRAW, size=6)
    move, other = phone.legal()[:2]
    phone.page.touchscreen.tap(*phone.place(move[1]))
    expect(phone.page.locator(".tg-aim")).to_contain_text("turns")
    assert phone.ply() == 0
    phone.page.touchscreen.tap(*phone.place(other[1]))
    phone.shot("phone-try")
    phone.page.get_by_role("button", name=f"Play {other[0]}").click()
    phone.wait_for_ply(2)
    expect(phone.page.locator(".tg-move").first).to_have_text(other[0])
    for path in (
        "/",
        "/new",
        "/library",
        "/players",
        "/players/new",
        "/options",
        "/demo",
        "/clobber",
        "/proofs",
        "/explorer",
        "/puzzles",
    ):
        phone.go(path)
        wide = phone.excess_width()
        assert wide <= 0, f"{path} is {wide} pixels wider than the phone"


def test_music_from_the_folder_and_nothing_else_of_the_disk(ann: Visitor) -> None:
    ann.go("/options")
    ann.page.get_by_role("switch", name="Music while playing").click()
    ann.begin("clobber", STRAW, size=8)
    expect(ann.page.get_by_text("♪ Fugue")).to_be_visible()
    ann.press("Play music")
    ann.until("() => document.querySelector('audio').currentTime > 0.1")
    ann.press("Next track")
    expect(ann.page.get_by_text("♪ Prelude")).to_be_visible()
    ann.page.reload()
    expect(ann.page.get_by_text("♪ Prelude")).to_be_visible()  # where it was
    get = ann.context.request.get
    assert get(f"{ann.address}/music/0").body()[:4] == b"RIFF"
    for path in ("2", "-1", "99", "Fugue.wav", "..%2f..%2fetc%2fpasswd", "../static/tengen.css/../../music/5"):
        assert get(f"{ann.address}/music/{path}").status in (404, 422), path


def test_an_engines_view_is_shown_to_who_asks_for_it_and_the_game_is_unrated(server: Site, ann: Visitor) -> None:
    game = ann.begin("othello", STRAW, rated=True, size=4)
    ann.move(ann.legal()[0])
    ann.wait_for_ply(2)
    expect(ann.page.locator(".tg-graph")).to_be_hidden()
    ann.page.get_by_role("switch", name="Engine analysis").click()
    ann.press("Continue")
    ann.until("() => document.querySelector('.tg-graph-line').getAttribute('d').split('L').length >= 3")
    ann.page.wait_for_selector(".tg-bar")
    ann.choose_layer("Candidates")
    ann.page.wait_for_selector(".tg-rank-1")
    ann.shot("helper")
    ann.page.get_by_role("switch", name="Engine analysis").click()
    expect(ann.page.locator(".tg-rank-1")).to_have_count(0)
    with Store.open(str(server.folder / "tengen.db")) as store:
        assert not store.load(game).rated
