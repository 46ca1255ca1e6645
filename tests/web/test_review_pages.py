"""The review of a game in a real Chromium: why a move was a mistake, the page to print, the annotated record."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Browser, expect

from tengen.app.proofs.proof_file import read_proof_file, verify_text
from tengen.engines.go.puzzles.life_problems import generate_life_problems
from tengen.engines.go.puzzles.problem import Goal
from tengen.games import records
from tengen.games.records import Record
from tengen.store.store import Store
from tests.helpers.lost_wins import add_game
from tests.helpers.web_site import PHONE, STRAW, TIMEOUT_MS, Site, Visitor

LOSING = "XOXOXOXO.XO"  # a Clobber strip; most first moves give the win away


def test_a_lost_game_of_clobber_from_its_end_to_the_deck(server: Site, browser: Browser) -> None:
    ann = Visitor.arrive(browser, server.address)
    identity = ann.begin("clobber", STRAW, board=LOSING)
    ann.play_out(seed=3)
    ann.go(f"/analysis/{identity}")
    ann.wait_for_board()
    expect(ann.page.get_by_text("Reviewed:")).to_be_visible()
    assert ann.page.locator(".tg-turn").count() > 0, "a seed without a mistake"
    ann.page.locator(".tg-turn").first.click()
    why = ann.page.locator(".tg-explanation")
    expect(why).to_contain_text("gave away a won game (proved)")
    expect(why).to_contain_text("Better:")
    ann.shot("review-why")
    with ann.page.expect_download(timeout=TIMEOUT_MS) as downloading:
        ann.press("Download the proof")
    assert "wins" in verify_text(read_proof_file(Path(downloading.value.path()))).claim
    page = ann.context.request.get(f"{server.address}/review/{identity}").text()
    assert "gave away a won game (proved)" in page
    assert "<svg" in page
    text = ann.context.request.get(f"{server.address}/review/{identity}.text").text()
    assert "gave away a won game" in text
    other = ann.open_tab()
    other.page.goto(f"{server.address}/review/{identity}")
    expect(other.page.get_by_role("heading", name="Mistakes")).to_be_visible()
    other.shot("review-page")
    phone = Visitor.arrive(browser, server.address, **PHONE)
    phone.page.goto(f"{server.address}/review/{identity}")
    assert phone.excess_width() <= 0
    phone.shot("phone-review-page")
    phone.leave()
    ann.go("/deck")  # the own mistakes have been collected meanwhile, or are soon
    ann.until("() => fetch('/api/deck').then((found) => found.json()).then((deck) => deck.waiting > 0)")
    ann.go("/deck/today")
    ann.wait_for_board()
    expect(ann.page.get_by_text("From your games")).to_be_visible()
    ann.leave()
    assert ann.complaints == []
    assert phone.complaints == []


def test_a_problem_is_set_up_asked_and_explored_on_the_board(server: Site, browser: Browser) -> None:
    problem = next(one for one in generate_life_problems(1) if one.goal is Goal.KILL)
    column, row = min(problem.stones)
    name = f"{'ABCDEFGHJ'[column]}{9 - row}"
    ann = Visitor.arrive(browser, server.address)
    record = records.serialise([Record.of(problem.position)], records.format_named("sgf")).data
    made = ann.context.request.post(f"{server.address}/api/drafts", data=record, timeout=TIMEOUT_MS)
    assert made.ok, made.text()
    ann.go(made.json()["page"] + "?tab=Problem")
    ann.wait_for_board()
    ann.page.get_by_role("combobox", name="Choose a string").click()
    ann.page.get_by_role("option", name=f" {name} (").click()
    expect(ann.page.get_by_text("unsettled: whoever moves first decides")).to_be_visible(timeout=TIMEOUT_MS)
    expect(ann.page.get_by_text("Proved: every move in the region")).to_be_visible()
    expect(ann.page.locator(".tg-brief .tg-kind-exact").first).to_be_visible()
    ann.shot("problem")
    with ann.page.expect_download(timeout=TIMEOUT_MS) as downloading:
        ann.press("Download the proof")
    assert name in verify_text(read_proof_file(Path(downloading.value.path()))).claim
    asked = {"options": problem.position.game.options(), "string": name}
    found = ann.context.request.post(f"{server.address}/api/problem", data=asked, timeout=TIMEOUT_MS).json()
    assert (found["verdict"], found["proved"]) == ("unsettled", True)
    assert [one["move"] for one in found["moves"] if one["outcome"] == "works"] == list(problem.right)
    ann.move(ann.find(problem.right[0]))
    expect(ann.page.get_by_text("dead, even if White moves first")).to_be_visible()
    ann.shot("problem-after")
    ann.leave()
    assert ann.complaints == []


def test_the_report_of_a_player_and_reviewing_more_games(server: Site, browser: Browser) -> None:
    phone = Visitor.arrive(browser, server.address, **PHONE)
    with Store.open(str(server.folder / "tengen.db")) as store:
        add_game(store, with_reports=True)
        add_game(store, with_reports=False)
    phone.go("/report?name=Ann&game=clobber")
    expect(phone.page.get_by_role("heading", name="Phases")).to_be_visible()
    expect(phone.page.get_by_role("heading", name="Kinds of mistakes")).to_be_visible()
    phone.press("Review these games in the background")
    expect(phone.page.get_by_text("Reviewed. Show the report again")).to_be_visible()
    assert phone.excess_width() <= 0
    phone.shot("phone-report")
    found = phone.context.request.get(f"{server.address}/api/report?name=Ann&game=clobber").json()
    assert found["total"]["games"] >= 1
    assert found["phases"]["opening"]["mistakes_per_100"] > 0
    phone.press("Show")
    expect(phone.page.get_by_text("is not reviewed yet")).to_be_hidden()
    phone.leave()
    assert phone.complaints == []
