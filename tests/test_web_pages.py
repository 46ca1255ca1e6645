"""A real Chromium goes through the pages: whole games, analysis, library, players, two browsers, a phone."""

from __future__ import annotations

import json
import random
import struct
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tengen.arena.status import Status, Teller
from tests.web_site import PATIENCE, PHONE, STRAW, Site, Visitor, chromium

NASTY = "<img src=x onerror=alert(1)>"


PIECE = b"RIFF" + struct.pack(
    "<I4s4sIHHIIHH4sI", 32036, b"WAVE", b"fmt ", 16, 1, 1, 8000, 16000, 2, 16, b"data", 32000
)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder, music = tmp_path_factory.mktemp("site"), tmp_path_factory.mktemp("music")
    for name in ("Prelude.wav", "Fugue.wav"):
        (music / name).write_bytes(PIECE + bytes(32000))
    (music / "away.mp3").symlink_to("/etc/passwd")
    (music / "secret.txt").write_text("nothing to hear")
    made = Site(folder, "--music", str(music))
    yield made
    made.close()
    assert "Traceback" not in (folder / "server.log").read_text()


@pytest.fixture(scope="module")
def site(server: Site) -> str:
    return server.address


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as found:
        yield found


@pytest.fixture(scope="module")
def _ann(browser: Browser, site: str) -> Iterator[Visitor]:
    visitor = Visitor.arrive(browser, site)  # one browser for all: it need not load everything anew
    yield visitor
    visitor.leave()


@pytest.fixture(scope="module")
def _phone(browser: Browser, site: str) -> Iterator[Visitor]:
    visitor = Visitor.arrive(browser, site, **PHONE)
    yield visitor
    visitor.leave()


@pytest.fixture
def ann(_ann: Visitor) -> Iterator[Visitor]:
    _ann.complaints.clear()
    yield _ann
    assert _ann.complaints == []


@pytest.fixture
def phone(_phone: Visitor) -> Iterator[Visitor]:
    _phone.complaints.clear()
    yield _phone
    assert _phone.complaints == []


def play_out(visitor: Visitor, seed: int = 1) -> None:
    """Click moves until the game is over; pass where there is nothing else."""
    rng = random.Random(seed)
    for _ in range(120):
        visitor.wait_for_status("Your move|wins|Draw|Mark the dead")
        status = visitor.status()
        if not status.startswith("Your move"):
            return
        ply, moves = visitor.ply(), visitor.legal()
        can_pass = visitor.page.get_by_role("button", name="Pass", exact=True).first.is_visible()
        if can_pass and (not moves or ply >= 8):
            visitor.press("Pass")
        elif moves:
            visitor.move(rng.choice(moves))
        else:
            visitor.page.wait_for_timeout(50)  # the picture is behind the words
            continue
        visitor.page.wait_for_function(
            "ply => getElement(parseInt(document.querySelector('.tg-board').id.slice(1))).pic.ply > ply", arg=ply
        )
    raise AssertionError("the game never ended")


def test_a_game_from_the_form_to_the_rematch(ann: Visitor) -> None:
    ann.go("/")
    ann.shot("start")
    ann.page.get_by_role("link", name="Clobber move onto").click()
    ann.page.get_by_label("Size").fill("8")
    ann.page.get_by_label("Player 2").click()
    ann.page.get_by_role("option", name=STRAW).click()
    ann.shot("new-game")
    ann.press("Start")
    ann.wait_for_board()
    play_out(ann)
    ann.shot("clobber-over")
    assert "wins" in ann.status()
    ann.press("Rematch")
    ann.page.wait_for_function("() => document.querySelector('.tg-status')?.innerText.match('Your move|thinking')")
    assert ann.ply() in (0, 1)


@pytest.mark.parametrize(
    ("game", "options"),
    [("othello", {"size": 4}), ("go", {"size": 5, "rules": "japanese"}), ("pente", {"size": 5})],
)
def test_a_whole_game_of_each(ann: Visitor, game: str, options: dict[str, object]) -> None:
    ann.begin(game, STRAW, **options)
    ann.shot(f"{game}-begins")
    play_out(ann)
    if game == "go":
        expect(ann.page.get_by_role("button", name="Agree")).to_be_visible()
        taken = next(index for index, stone in enumerate(ann.stones()) if stone != ".")
        dead = ann.page.locator(".tg-dead").count()  # as the program thinks: a click on such a stone lets it live
        ann.click([taken % 5, taken // 5])
        ann.page.wait_for_function(f"() => document.querySelectorAll('.tg-dead').length !== {dead}")
        ann.press("Agree")
        ann.wait_for_status("wins|Draw")
    ann.shot(f"{game}-over")


def test_take_back_hint_look_back_keyboard_and_resign(ann: Visitor) -> None:
    ann.begin("othello", STRAW, size=6)
    ann.move(ann.legal()[0])
    ann.wait_for_ply(2)
    ann.wait_for_status("Your move")
    ann.press("Back")
    assert ann.page.locator(".tg-move.tg-here").count() == 1
    ann.press("Live")
    ann.press("Take back")
    ann.page.wait_for_function("() => !document.querySelector('.tg-move')")
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
    ann.wait_for_ply(2)
    ann.wait_for_status("Your move")
    illegal = next(index for index, stone in enumerate(ann.stones()) if stone == "X")
    ann.click([illegal % 6, illegal // 6])
    expect(ann.page.locator(".tg-aim.tg-problem")).to_be_visible()
    ann.press("Resign")
    ann.page.locator(".q-dialog").get_by_role("button", name="Resign").click()
    ann.wait_for_status("White wins: Black resigned")


def test_two_people_in_two_browsers_and_a_third_who_only_looks(
    browser: Browser, site: str, ann: Visitor, phone: Visitor
) -> None:
    ann.go("/new?game=othello")
    ann.page.get_by_label("Player 2").click()
    ann.page.get_by_role("option", name="by link").click()
    ann.press("Start")
    ann.wait_for_board()
    ann.wait_for_status("Waiting for Guest")
    path = ann.page.get_by_role("link", name="The link for your opponent").get_attribute("href")
    bea, eve = phone, Visitor.arrive(browser, site)
    bea.go(str(path))
    bea.press("Sit down")
    bea.wait_for_board()
    bea.wait_for_status("is to move")
    ann.wait_for_status("Your move")
    eve.go(ann.page.url.removeprefix(site))
    eve.wait_for_board()
    assert eve.legal() == [] == bea.legal()
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
    ann.wait_for_ply(2)
    eve.page.wait_for_function("() => document.querySelectorAll('.tg-move').length == 2")
    assert eve.stones() == ann.stones() == bea.stones()
    ann.press("Draw")
    bea.press("Accept")
    for visitor in (ann, bea, eve):
        visitor.wait_for_status("Draw: agreed")
    assert eve.page.get_by_role("button", name="Rematch").is_hidden()
    ann.press("Rematch")
    bea.press("To the rematch")
    bea.wait_for_status("Your move|is to move")
    eve.leave()
    assert eve.complaints == []


def test_two_tabs_and_a_server_that_is_started_again(server: Site, ann: Visitor) -> None:
    game = ann.begin("clobber", STRAW, size=14)
    tab = ann.open_tab()
    tab.go(f"/game/{game}")
    tab.wait_for_board()
    tab.move(tab.legal()[0])  # either tab may move: both are Ann
    ann.wait_for_ply(2)
    assert ann.stones() == tab.stones()
    stones = ann.stones()
    server.start_again()
    for visitor in (ann, tab):
        # The pages come back by themselves, and their browser still sits at the board.
        visitor.page.wait_for_function("() => performance.getEntriesByType('navigation')[0].type === 'reload'")
        visitor.wait_for_board()
        visitor.wait_for_status("Your move")
        assert visitor.stones() == stones
    ann.move(ann.legal()[0])
    tab.wait_for_ply(3)
    tab.page.close()
    ann.complaints.clear()  # of the connection that was lost


def test_analysis_review_and_variations(ann: Visitor) -> None:
    ann.begin("othello", STRAW, size=4)
    play_out(ann)
    ann.press("Analyse")
    ann.page.wait_for_selector(".tg-graph")
    ann.wait_for_board()
    ann.press("Start")
    ann.page.wait_for_selector(".tg-candidate")
    expect(ann.page.locator(".tg-kind-exact").first).to_be_visible()
    ann.page.locator(".tg-pv-move").nth(1).hover()
    ann.page.wait_for_function(
        "() => getElement(parseInt(document.querySelector('.tg-board').id.slice(1))).ahead !== null"
    )
    ann.page.mouse.move(5, 5)
    before = ann.page.locator(".tg-variation .tg-move").count()
    taken = ann.page.locator(".tg-move").first.inner_text().strip("?!")
    ann.move(next(move for move in ann.legal() if move[0] != taken))
    ann.page.wait_for_function(
        "count => document.querySelectorAll('.tg-variation .tg-move').length > count", arg=before
    )
    ann.page.get_by_role("tab", name="Comment").click()
    ann.page.get_by_label("What to say of this move").fill(NASTY)
    ann.page.get_by_role("tab", name="Explorer").click()
    expect(ann.page.locator(".tg-comment")).to_have_text(NASTY)
    ann.press("Start")
    ann.page.wait_for_selector(".tg-results")
    ann.page.locator(".tg-pair .tg-move").last.click()
    ann.press("Review the whole game")
    ann.page.wait_for_function(
        "() => document.querySelector('.tg-graph-line').getAttribute('d').split('L').length > 8"
    )
    ann.shot("analysis")
    ann.page.reload()
    expect(ann.page.locator(".tg-comment")).to_have_text(NASTY)
    ann.page.get_by_role("switch", name="Engine", exact=True).click()


def test_library_import_export_delete_and_undo(ann: Visitor, tmp_path: Path) -> None:
    ann.go("/library")
    ann.page.get_by_label("Or paste games").fill(f"(;GM[1]SZ[9]PB[{NASTY}]PW[Cho]RE[B+R];B[ee];W[cc])")
    ann.press("Import what is pasted")
    row = ann.page.locator("tr", has_text="Cho")
    expect(row).to_contain_text(NASTY)  # as text, and nothing was run
    file = tmp_path / "games.sgf"
    file.write_text("(;GM[1]SZ[9]PB[Dee]PW[Emi]RE[W+3.5];B[ee])(;GM[1]SZ[9]PB[broken];B[ee];W[ee])")
    ann.page.locator("input[type=file]").set_input_files(file)
    expect(ann.page.locator("tr", has_text="Emi")).to_be_visible()
    ann.page.get_by_label("Player").fill("cho")
    expect(ann.page.locator("tr", has_text="Emi")).to_be_hidden()
    row.get_by_role("checkbox").click()
    with ann.page.expect_download() as download:
        ann.press("Export as SGF")
    assert "PW[Cho]" in Path(download.value.path()).read_text()
    ann.press("Delete")
    expect(row).to_be_hidden()
    ann.press("Undo")
    expect(row).to_be_visible()
    ann.shot("library")
    row.get_by_text("Cho").click()
    ann.page.wait_for_selector(".tg-graph")
    assert NASTY in ann.page.content().replace("&lt;", "<").replace("&gt;", ">")


def test_players_and_options(ann: Visitor) -> None:
    ann.go("/players")
    ann.page.get_by_label("Name").fill("Zoë")
    ann.press("Add a person")
    ann.page.get_by_role("link", name="Zoë").wait_for()
    ann.press("New engine player")
    ann.page.get_by_label("Seconds").fill("fast")
    ann.press("Save")
    ann.page.get_by_text("seconds should be a number").wait_for()
    ann.page.get_by_label("Seconds").fill("")
    ann.page.get_by_label("Nodes").fill("77")
    ann.page.get_by_label("Name").fill("Quick")
    ann.press("Save")
    ann.page.get_by_role("link", name="Quick").click()
    expect(ann.page.get_by_label("Nodes")).to_have_value("77")
    ann.page.get_by_label("Name").fill("Quicker")
    ann.press("Save")
    ann.page.get_by_role("link", name="Quicker").wait_for()
    ann.go("/options")
    with ann.page.expect_navigation():
        ann.press("Dark")
    expect(ann.page.locator("body.body--dark")).to_be_visible()
    ann.page.get_by_label("Your name").fill("Zoë")
    ann.page.wait_for_timeout(500)
    ann.go("/new")
    expect(ann.page.locator("body.body--dark")).to_be_visible()
    assert "Zoë" in ann.page.get_by_label("Player 1").input_value()
    ann.shot("new-game-dark")


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
    assert phone.page.locator(".tg-move").first.inner_text() == other[0]
    for path in (
        "/",
        "/new",
        "/library",
        "/players",
        "/players/new",
        "/options",
        "/demo",
        "/clobber",
        "/explorer",
        "/puzzles",
    ):
        phone.go(path)
        wide = phone.page.evaluate("() => document.documentElement.scrollWidth - innerWidth")
        assert wide <= 0, f"{path} is {wide} pixels wider than the phone"


def test_demo_explorer_and_the_clobber_page(browser: Browser, ann: Visitor) -> None:
    ann.go("/demo/clobber")
    ann.wait_for_board()
    ann.page.wait_for_selector(".tg-move")
    demo = ann.page.url.rpartition("/")[2]
    ann.press("Pause")  # or its engines would go on for a while, beside what comes next
    ann.go("/clobber")
    ann.page.get_by_label("Board").fill("XXO.OX")
    expect(ann.page.get_by_text("X to move")).to_be_visible()
    expect(ann.page.locator("code", has_text="XXO")).to_be_visible()
    ann.click([5, 0])  # X becomes O, and the second part is gone
    expect(ann.page.locator("code", has_text="OX")).to_be_hidden()
    ann.shot("clobber")
    listed = ann.context.request.get(f"{ann.address}/api/games").json()
    assert demo not in [game["id"] for game in listed]


def test_programs_play_and_analyse_over_the_api(ann: Visitor, browser: Browser, site: str) -> None:
    from websockets.sync.client import connect

    api, stranger = ann.context.request, browser.new_context().request
    made = api.post(
        f"{site}/api/games", data={"game": "clobber", "options": {"size": 8}, "players": ["Prog", STRAW]}
    )
    state, key = made.json()["state"], made.json()["keys"][0]
    path = f"{site}/api/games/{state['id']}"
    with connect(path.replace("http", "ws") + "/events") as socket:
        assert '"event":"state"' in socket.recv(60).replace(" ", "")  # type: ignore[operator, arg-type]
        refused = stranger.post(f"{path}/moves", data={"move": state["legal"][0]})
        assert refused.status == 403
        seen = ""
        while state["result"] is None:
            if state["to_move"] == 0:
                answer = stranger.post(
                    f"{path}/moves", data={"move": state["legal"][0]}, headers={"X-Tengen-Key": key}
                )
                assert answer.ok, answer.text()
            state = stranger.get(path).json()
        while "ended" not in seen:
            seen = str(socket.recv(60))
    assert state["moves"][0] in stranger.get(f"{path}/record.text").text()
    asked = {"game": "othello", "moves": ["f5"], "engine": "alphabeta", "seconds": 0.2, "lines": 2}
    report = stranger.post(f"{site}/api/analyse", data=asked, timeout=PATIENCE).json()
    assert len(report["candidates"]) == 2
    with connect(f"{site.replace('http', 'ws')}/api/analyse") as socket:
        socket.send(json.dumps({**asked, "seconds": 60}))
        assert json.loads(socket.recv(60))["event"] == "thinking"
        socket.send("enough")
        events = [json.loads(message) for message in socket]
        assert events[-1]["event"] == "done"
        assert len(events[-1]["analysis"]["candidates"]) == 2
    with connect(f"{site.replace('http', 'ws')}/api/analyse") as socket:
        socket.send(json.dumps({**asked, "moves": ["a1"]}))
        assert json.loads(socket.recv(60))["event"] == "error"
    assert stranger.post(f"{site}/api/analyse", data={**asked, "moves": ["a1"]}).status == 422
    refused = stranger.post(f"{site}/api/analyse", data={**asked, "seconds": 1e9})
    assert refused.status == 422
    assert refused.json()["detail"].startswith("seconds: ")
    assert stranger.get(f"{site}/api/games/nothing").status == 404
    for action in ("rematch", "pause", "resume", "move-now"):
        assert stranger.post(f"{path}/{action}").status == 403, action
    assert stranger.delete(path).status == 403
    following = stranger.post(f"{path}/rematch", headers={"X-Tengen-Key": key}).json()
    assert sum(one is not None for one in following["keys"]) == 1
    assert stranger.get(path).json()["rematch"] == following["state"]["id"]
    assert stranger.delete(path, headers={"X-Tengen-Key": key}).status == 204
    assert state["id"] not in [one["id"] for one in stranger.get(f"{site}/api/games").json()]
    assert stranger.post(f"{path}/restore", headers={"X-Tengen-Key": key}).status == 204
    assert state["id"] in [one["id"] for one in stranger.get(f"{site}/api/games").json()]
    assert stranger.post(f"{path}/review").status == 202
    assert stranger.post(f"{site}/api/games/{following['state']['id']}/book").status == 403, "it goes on"
    assert stranger.post(f"{path}/book").status == 403
    assert stranger.post(f"{path}/book", headers={"X-Tengen-Key": key}).json()["positions"] > 0
    found = stranger.get(f"{site}/api/explore?game=clobber&options=size=8").json()
    assert [one["text"] for one in found["books"]["Statistics"]] == [state["moves"][0]]
    evil = {"Origin": "http://evil.example"}
    assert stranger.post(f"{site}/api/games", data={}, headers=evil).status == 403
    assert stranger.post(f"{site}/api/records", data={"text": "x" * 9_000_000}).status == 413


def test_a_large_screen(ann: Visitor) -> None:
    ann.page.set_viewport_size({"width": 1920, "height": 1080})
    for path in ("/analysis", "/board/go"):
        ann.go(path)
        # Not evaluated once: a page may still be on its way to another address.
        ann.page.wait_for_function("() => document.documentElement.scrollWidth <= innerWidth")
    ann.page.set_viewport_size({"width": 1280, "height": 800})


def test_a_puzzle_is_answered_counted_and_repeated(ann: Visitor) -> None:
    ann.go("/puzzles")
    ann.page.get_by_role("link", name="Winning at Clobber").click()
    ann.wait_for_board()
    api = ann.context.request
    asked = api.get(f"{ann.address}/api/puzzles/clobber-win/next").json()
    moves = ann.legal()
    assert [move[0] for move in moves] == asked["legal"]
    verdict = ann.page.get_by_role("status")
    # Over the API, as somebody else, to learn the answer.
    stranger = ann.context.browser.new_context().request if ann.context.browser else api
    told = stranger.post(f"{ann.address}/api/puzzles/{asked['id']}/answer", data={"move": "nonsense"}).json()
    assert not told["right"]
    assert told["proof"]["value"]["kind"] == "exact"
    wrong = next(move for move in moves if move[0] not in told["moves"])
    ann.move(wrong)
    expect(verdict).to_contain_text(f"Not {wrong[0]}: lost (exact)")
    ann.move(next(move for move in moves if move[0] in told["moves"]))
    expect(verdict).to_contain_text("Right")
    expect(ann.page.get_by_text("0 of 1")).to_be_visible()  # the first answer counts
    ann.shot("puzzle")
    ann.press("Next puzzle")
    expect(ann.page.get_by_role("button", name="Show the answer")).to_be_visible()
    ann.press("Repeat what was missed (1)")
    ann.page.wait_for_url("**/clobber-win?missed=1")
    ann.wait_for_board()
    ann.move(next(move for move in ann.legal() if move[0] in told["moves"]))
    expect(ann.page.get_by_text("1 of 2")).to_be_visible()
    assert api.get(f"{ann.address}/api/puzzles/clobber-win/next?missed=true").status == 404


def test_music_from_the_folder_and_nothing_else_of_the_disk(ann: Visitor) -> None:
    ann.go("/options")
    ann.page.get_by_role("switch", name="Music while playing").click()
    ann.begin("clobber", STRAW, size=8)
    expect(ann.page.get_by_text("♪ Fugue")).to_be_visible()
    ann.press("Play music")
    ann.page.wait_for_function("() => document.querySelector('audio').currentTime > 0.1")
    ann.press("Next piece")
    expect(ann.page.get_by_text("♪ Prelude")).to_be_visible()
    ann.page.reload()
    expect(ann.page.get_by_text("♪ Prelude")).to_be_visible()  # where it was
    get = ann.context.request.get
    assert get(f"{ann.address}/music/0").body()[:4] == b"RIFF"
    for path in ("2", "-1", "99", "Fugue.wav", "..%2f..%2fetc%2fpasswd", "../static/tengen.css/../../music/5"):
        assert get(f"{ann.address}/music/{path}").status in (404, 422), path


def test_the_arena_shows_a_tournament_as_it_goes_on(ann: Visitor, server: Site) -> None:
    identity = "0123456789abcdef01234567"
    sections = [("Standings", "<table><tr><td>Deep +100</td></tr></table>")]
    one = Status("Cup & Co", "round robin", "clobber", "running", "2 of 6 games", sections)
    shown = [one]
    checkpoint = server.folder / "tournaments" / f"{identity}.jobs"
    checkpoint.parent.mkdir(exist_ok=True)
    teller = Teller(checkpoint, lambda state: replace(shown[0], state=state)).__enter__()
    ann.go("/arena")
    ann.page.get_by_text("Cup & Co").click()
    expect(ann.page.get_by_text("Deep +100")).to_be_visible()
    expect(ann.page.get_by_text("2 of 6 games")).to_be_visible()
    ann.shot("arena")
    game = {"id": "x", "players": [NASTY, "Tree"], "result": "B+", "moves": 7, "reason": "no moves left"}
    later = replace(
        one,
        sections=[("Standings", "Deep +120")],
        caption="6 of 6 games",
        recent=[game],
        time=1e9,
    )
    shown[0] = later
    teller.__exit__(None, None, None)
    expect(ann.page.get_by_text("Deep +120")).to_be_visible()
    expect(ann.page.get_by_text("finished")).to_be_visible()
    expect(ann.page.get_by_text(NASTY)).to_be_visible()
    ann.go("/arena/tournaments/ffffffffffffffffffffffff")
    expect(ann.page.get_by_text("no such tournament")).to_be_visible()
