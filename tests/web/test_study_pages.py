"""A real Chromium looks around: analysis, library, players, puzzles, solvers, arena; programs use the API."""

from __future__ import annotations

import json
import re
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from playwright.sync_api import Browser, TimeoutError, expect

from tengen.arena.run_status import RunStatus, StatusWriter
from tengen.core.resource_limits import resource_limits
from tengen.players.opponents import levels
from tengen.store.store import Store
from tests.helpers.web_site import PHONE, STRAW, TIMEOUT_MS, Site, Visitor

NASTY = "<img src=x onerror=alert(1)>"


def test_analysis_review_and_variations(ann: Visitor) -> None:
    ann.begin("othello", STRAW, size=4)
    ann.play_out()
    ann.press("Analyse")
    ann.page.wait_for_url("**/analysis/*")
    ann.page.wait_for_selector(".tg-graph")
    ann.wait_for_board()
    ann.press("Start")
    ann.wait_for_exact_ply(0)
    ann.page.wait_for_selector(".tg-candidate")
    expect(ann.page.locator(".tg-kind-exact").first).to_be_visible()
    ann.page.locator(".tg-pv-move").nth(1).hover()
    ann.until("() => getElement(parseInt(document.querySelector('.tg-board').id.slice(1))).ahead !== null")
    ann.page.mouse.move(5, 5)
    before = ann.page.locator(".tg-variation .tg-move").count()
    taken = ann.page.locator(".tg-move > span").first.inner_text().strip("?!")  # without its value
    ann.move(next(move for move in ann.legal() if move[0] != taken))
    ann.until("count => document.querySelectorAll('.tg-variation .tg-move').length > count", before)
    ann.page.get_by_role("tab", name="Comment").click()
    ann.page.get_by_label("Add a comment").fill(NASTY)
    ann.page.get_by_role("tab", name="Explorer").click()
    expect(ann.page.locator(".tg-comment")).to_have_text(NASTY)
    ann.press("Start")
    ann.page.wait_for_selector(".tg-results")
    ann.page.locator(".tg-pair .tg-move").last.click()
    # An ended game is reviewed when it is opened.
    ann.until("() => document.querySelector('.tg-graph-line').getAttribute('d').split('L').length > 8")
    ann.shot("analysis")
    ann.page.reload()
    expect(ann.page.locator(".tg-comment")).to_have_text(NASTY)
    ann.page.get_by_role("switch", name="Engine", exact=True).click()


def test_library_import_export_delete_and_undo(ann: Visitor, tmp_path: Path) -> None:
    ann.go("/library")
    ann.page.get_by_label("Paste games").fill(f"(;GM[1]SZ[9]PB[{NASTY}]PW[Cho]RE[B+R];B[ee];W[cc])")
    ann.press("Import")
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


def test_on_a_phone_games_are_cards_that_can_be_selected(browser: Browser, site: str) -> None:
    phone = Visitor.arrive(browser, site, **PHONE)
    phone.begin("othello", STRAW, name="Hannelore Grundmann")
    phone.move(phone.legal()[0])
    phone.wait_for_ply(2)
    phone.go("/library")
    card = phone.page.locator(".tg-library tbody tr", has_text="Hannelore Grundmann")
    expect(card).to_be_visible()
    expect(card.locator("td")).to_have_count(7)
    for cell in card.locator("td").all():
        expect(cell).to_be_in_viewport(ratio=1)
    expect(card).to_contain_text("2 moves")
    boxes = [card.get_by_text(text).bounding_box() for text in ("Hannelore Grundmann", STRAW, "unfinished")]
    assert all(box is not None for box in boxes)
    first, second, result = (box for box in boxes if box is not None)
    assert first["y"] < second["y"], "one below the other"
    assert result["x"] > first["x"] + first["width"], "beside the names"
    target = card.get_by_role("checkbox").bounding_box()
    assert target is not None
    assert min(target["width"], target["height"]) >= 40
    assert phone.excess_width() <= 0
    phone.shot("phone-library")
    card.get_by_role("checkbox").tap()
    expect(card).to_have_class(re.compile("selected"))
    phone.press("Delete")
    expect(phone.page.get_by_text("1 game deleted")).to_be_visible()
    phone.press("Undo")
    expect(card).to_be_visible()
    phone.page.get_by_role("checkbox", name="Select all games").tap()
    expect(card).to_have_class(re.compile("selected"))
    card.get_by_text(STRAW).tap()
    phone.page.wait_for_url("**/game/*")
    phone.leave()
    assert phone.complaints == []


def test_the_machines_owner_deletes_games_of_any_browser_and_others_are_told_why_not(
    browser: Browser, site: str, ann: Visitor
) -> None:
    ann.begin("othello", STRAW, name="Ute")
    ann.move(ann.legal()[0])
    ann.wait_for_ply(2)
    away = Visitor.arrive(browser, site, extra_http_headers={"X-Forwarded-For": "203.0.113.9"})
    here = Visitor.arrive(browser, site)
    for visitor in (away, here):
        visitor.go("/library")
        row = visitor.page.locator("tr", has_text="Ute")
        expect(row).to_be_visible()
        visitor.press("Delete")
        expect(visitor.page.get_by_text("Select games first")).to_be_visible()
        row.get_by_role("checkbox").click()
        visitor.press("Delete")
        if visitor is away:
            expect(visitor.page.get_by_text("1 selected game belongs to somebody else")).to_be_visible()
            expect(row).to_be_visible()
        else:
            expect(visitor.page.get_by_text("1 game deleted")).to_be_visible()
            expect(row).to_be_hidden()
        visitor.leave()
        assert visitor.complaints == []


def test_a_paste_that_is_too_large_is_refused_with_a_reason(ann: Visitor) -> None:
    ann.go("/library")
    field = ann.page.get_by_label("Paste games")
    field.evaluate("(element, size) => { element.value = 'x'.repeat(size); }", resource_limits().upload_bytes + 1)
    ann.press("Import")
    expect(ann.page.get_by_text("MB; the limit is")).to_be_visible()


def test_players_and_options(server: Site, ann: Visitor) -> None:
    ann.go("/players")
    for game in ("go", "othello"):
        strongest = levels(game)[-1]
        expect(ann.page.get_by_role("link", name=strongest.name)).to_contain_text(strongest.character)
    expect(ann.page.locator("a.tg-item .tg-face svg").first).to_be_visible()
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
    with Store.open(str(server.folder / "tengen.db")) as store:
        for _ in range(1200):  # a field waits for more letters before it tells
            if "Zoë" in str(store.all_options()):
                break
            ann.page.wait_for_timeout(50)
    ann.go("/new")
    expect(ann.page.locator("body.body--dark")).to_be_visible()
    ann.page.locator(".tg-details .q-item").click()
    expect(ann.page.get_by_label("You play as")).to_have_value("Zoë")
    ann.shot("new-game-dark")


def test_demo_explorer_and_the_clobber_page(browser: Browser, ann: Visitor) -> None:
    ann.go("/demo/clobber")
    ann.wait_for_board()
    ann.page.wait_for_selector(".tg-move")
    demo = ann.page.url.rpartition("/")[2]
    # Or its engines would go on for a while, beside what comes next; so short a game may also be over by now.
    with suppress(TimeoutError):
        ann.page.get_by_role("button", name="Pause", exact=True).click(timeout=3_000)
    ann.go("/clobber")
    ann.page.get_by_label("Board", exact=True).fill("XXO.OX")
    expect(ann.page.get_by_text("Black to move")).to_be_visible()
    part = ann.page.locator("code")
    expect(part.filter(has_text=re.compile("^XXO$"))).to_be_visible()
    ann.click([5, 0])  # X becomes O, and the second part is gone
    expect(part.filter(has_text=re.compile("^OX$"))).to_be_hidden()
    ann.shot("clobber")
    listed = ann.context.request.get(f"{ann.address}/api/games").json()
    assert demo not in [game["id"] for game in listed]


def test_a_large_screen(ann: Visitor) -> None:
    ann.page.set_viewport_size({"width": 1920, "height": 1080})
    for path in ("/analysis", "/board/go"):
        ann.go(path)
        assert ann.excess_width() <= 0, path
    ann.page.set_viewport_size({"width": 1280, "height": 800})


def test_the_arena_shows_a_tournament_as_it_goes_on(ann: Visitor, server: Site) -> None:
    identity = "0123456789abcdef01234567"
    sections = [("Standings", "<table><tr><td>Deep +100</td></tr></table>")]
    one = RunStatus("Cup & Co", "round robin", "clobber", "running", "2 of 6 games", sections, done=2, total=6)
    shown = [one]
    checkpoint = server.folder / "tournaments" / f"{identity}.jobs"
    checkpoint.parent.mkdir(exist_ok=True)
    with StatusWriter(checkpoint, lambda state: replace(shown[0], state=state)) as writer:
        ann.go("/arena")
        ann.page.get_by_text("Cup & Co").click()
        expect(ann.page.get_by_text("Deep +100")).to_be_visible()
        expect(ann.page.get_by_text("2 of 6 games")).to_be_visible()
        ann.shot("arena")
        names = [NASTY, "Tree"]
        game = {"id": "x", "number": 1, "contestants": names, "players": names, "points": 1.0, "result": "B+"}
        game |= {"moves": 7, "reason": "no moves left"}
        writer.add_game(game)
        sections = [("Standings", "Deep +120")]
        shown[0] = replace(one, sections=sections, caption="6 of 6 games", done=6, time=1e9)
    expect(ann.page.get_by_text("Deep +120")).to_be_visible()
    expect(ann.page.get_by_text("finished")).to_be_visible()
    expect(ann.page.get_by_text(NASTY)).to_be_visible()
    ann.go("/arena/tournaments/ffffffffffffffffffffffff")
    expect(ann.page.get_by_text("there is no such run")).to_be_visible()
    assert ann.complaints.pop().endswith("404 (Not Found)")


def test_strings_of_go_are_coloured_and_their_lines_played_out(ann: Visitor) -> None:
    ann.go("/analysis")
    ann.page.get_by_label("SGF, GGF").fill("(;GM[1]SZ[7]PL[W]AB[cb][db][bc][cd][dd]AW[cc][dc])")
    ann.press("Open")
    ann.wait_for_board()
    ann.page.get_by_role("switch", name="Engine", exact=True).click()
    ann.page.get_by_role("tab", name="Strings").click()
    ann.page.get_by_role("switch", name="Read the strings").click()
    expect(ann.page.locator(".tg-string-urgent")).to_have_count(2, timeout=TIMEOUT_MS)
    expect(ann.page.get_by_text("! urgent, † dead")).to_be_visible()
    ann.page.mouse.move(*ann.place([2, 2]))
    expect(ann.page.locator(".tg-aim")).to_contain_text("White saves it: E5")
    expect(ann.page.locator('[data-point="E5"]')).to_have_count(1)
    ann.page.mouse.move(5, 5)
    expect(ann.page.locator('[data-point="E5"]')).to_have_count(0)
    ann.page.locator(".tg-board > svg").focus()
    ann.page.keyboard.press("ArrowUp")  # from the middle
    expect(ann.page.locator('[data-point="E5"]')).to_have_count(1)
    expect(ann.page.get_by_text("urgent: saves 2 stones at C5")).to_be_visible(timeout=TIMEOUT_MS)
    ann.shot("strings")
    ann.choose_layer("Territory")
    ann.page.wait_for_selector(".tg-heat path")
    expect(ann.page.get_by_text("■ Black, ◆ White")).to_be_visible()
    ann.shot("territory")


def test_the_live_evaluator_threats_and_a_player_of_pente(ann: Visitor) -> None:
    ann.go("/pente")
    ann.page.get_by_label("Name").fill("Robin")
    ann.page.get_by_label("Vision").click()
    ann.page.get_by_role("option", name="85 %").click()
    ann.press("Save the player")
    ann.page.get_by_role("link", name="Edit as a Pente player").click()
    expect(ann.page.get_by_label("Vision")).to_have_value("85 %")
    ann.page.get_by_label("Size").fill("9")
    ann.page.get_by_label("Positions").fill("2")
    ann.page.get_by_label("Depth").fill("2")
    ann.press("Search and draw")
    expect(ann.page.locator(".tg-plot svg")).to_have_count(4, timeout=TIMEOUT_MS)
    ann.shot("pente")
    ann.go("/board/pente?tab=Counts&size=9")
    ann.wait_for_board()
    ann.page.get_by_role("switch", name="Engine", exact=True).click()
    for number, text in enumerate(("E5", "F6", "G5", "E6", "F5"), 1):
        ann.move(ann.find(text))
        ann.wait_for_ply(number)
    expect(ann.page.locator("tr", has_text="open threes").locator("td").nth(1)).to_have_text("3")
    ann.choose_layer("Threats")
    expect(ann.page.locator('.tg-on-first[data-label="D5"]')).to_have_text("44")
    ann.shot("pente-threats")


# What leaves an engine at work, a review or puzzles made ahead, comes last: then nobody waits for it.


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
    report = stranger.post(f"{site}/api/analyse", data=asked, timeout=TIMEOUT_MS).json()
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
    away = {"X-Forwarded-For": "203.0.113.9"}  # not on the owner's machine
    assert stranger.delete(path, headers=away).status == 403
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
    ann.move(ann.find(*told["moves"]))
    expect(verdict).to_contain_text("Right")
    expect(ann.page.get_by_text("0 of 1")).to_be_visible()  # the first answer counts
    ann.shot("puzzle")
    ann.press("Next puzzle")
    expect(ann.page.get_by_role("button", name="Show the answer")).to_be_visible()
    ann.press("Repeat missed puzzles (1)")
    ann.page.wait_for_url("**/clobber-win?missed=1")
    ann.wait_for_board()
    ann.move(ann.find(*told["moves"]))
    expect(ann.page.get_by_text("1 of 2")).to_be_visible()
    assert api.get(f"{ann.address}/api/puzzles/clobber-win/next?missed=true").status == 404


def test_a_timed_run_counts_and_a_wrong_move_costs_time(ann: Visitor) -> None:
    ann.go("/puzzles")
    ann.page.get_by_role("link", name="Timed run").click()
    ann.wait_for_board()
    ann.move(ann.legal()[0])
    expect(ann.page.locator(".tg-status")).to_contain_text(re.compile("Right|Not "))
    expect(ann.page.locator(".tg-figures")).to_contain_text("time left")
