"""The deck in a real Chromium, on a desktop and on a phone, in two windows at once, and over the API."""

from __future__ import annotations

import re
from datetime import UTC, datetime

from playwright.sync_api import Browser, expect

import tengen
from tengen.app.deck import MISTAKE
from tengen.app.puzzle_files import shipped_puzzles
from tengen.search.report import Candidate, Report, Value
from tengen.store.puzzles import Puzzle
from tengen.store.store import Store
from tengen.web.authentication import BROWSER_COOKIE
from tengen.web.pages.deck import NEW_PUZZLES
from tests.helpers.web_site import PHONE, TIMEOUT_MS, Site, Visitor

WRONG, UNKNOWN = "d3", "c4"


def mistake(number: int, *moves: str) -> Puzzle:
    found = (Candidate("f5", Value.exact(6, "discs"), ("f5", "d6")), Candidate(WRONG, Value.exact(-4, "discs")))
    task = "Black to move: find a better move than d3"
    game = tengen.game("othello")
    report = Report("test", "f5", found[0].value, found, 9, 0.1)
    about = (MISTAKE, "othello", game.options(), moves, task, ("f5",), report)
    return Puzzle(*about, place=str(number), unrated_moves=(UNKNOWN, "e6"), origin="no-such-game")


def visitor_id(visitor: Visitor) -> str:
    return next(one["value"] for one in visitor.context.cookies() if one["name"] == BROWSER_COOKIE)


def test_the_deck_from_the_learn_page_to_the_end_of_the_day(server: Site, browser: Browser) -> None:
    ann = Visitor.arrive(browser, server.address)
    ann.go("/deck")
    with Store.open(str(server.folder / "tengen.db")) as store:
        who = visitor_id(ann)
        for number in range(2):
            assert store.add_card(who, mistake(number))
        ann.page.get_by_label("New positions a day").fill("2")
        ann.press("Save")
        expect(ann.page.get_by_text("Saved.")).to_be_visible()
        ann.go("/learn")
        ann.page.locator("a", has_text="My deck").click()
        ann.page.wait_for_url("**/deck")
        expect(ann.page.get_by_text("0 to repeat · 2 new today")).to_be_visible()
        ann.shot("deck-overview-new")
        ann.page.get_by_role("link", name="Start").click()
        ann.wait_for_board()
        expect(ann.page.get_by_text("From your games")).to_be_visible()
        other = ann.open_tab()
        other.go("/deck/today")
        other.wait_for_board()
        verdict = ann.page.locator(".tg-status")
        ann.move(ann.find(UNKNOWN))
        expect(verdict).to_contain_text("Nothing is known of c4")
        ann.move(ann.find(WRONG))
        expect(verdict).to_contain_text("Better is f5: +6 discs (exact)")
        ann.move(ann.find("f5"))
        expect(verdict).to_contain_text("Right, f5")
        expect(verdict).to_have_class(re.compile("tg-good"))
        expect(ann.page.get_by_text("Value of each move:")).to_be_visible()
        ann.shot("deck-answered")
        other.move(other.find("f5"))
        expect(other.page.locator(".tg-status")).to_contain_text("Right, f5")
        ann.press("Next")
        expect(verdict).to_have_text("")
        ann.press("Show the answer")
        expect(verdict).to_contain_text("The answer: f5")
        for _ in range(2):  # both are repeated before the session ends
            ann.press("Next")
            expect(verdict).to_have_text("")
            ann.move(ann.find("f5"))
            expect(verdict).to_contain_text("Right, f5")
        ann.press("Next")
        ann.page.wait_for_url("**/deck")
        expect(ann.page.get_by_text("Everything is done for today.")).to_be_visible()
        ann.shot("deck-done")
        answers = [[answer.right for answer in one.answers] for one in store.histories(who)]
        assert answers == [[False, True], [False, True]], "the second window did not count"
    ann.leave()
    assert ann.complaints == []


def test_on_a_phone_and_over_the_api(server: Site, browser: Browser) -> None:
    phone = Visitor.arrive(browser, server.address, **PHONE)
    phone.go("/deck")
    with Store.open(str(server.folder / "tengen.db")) as store:
        store.add_card(visitor_id(phone), mistake(7))
    phone.page.get_by_role("link", name="Start").click()
    phone.wait_for_board()
    assert phone.excess_width() <= 0
    phone.shot("phone-deck")
    request, address = phone.context.request, f"{server.address}/api/deck"
    asked = request.get(f"{address}/next").json()
    assert (asked["kind"], asked["is_new"], asked["last"]) == (MISTAKE, True, None)
    wrong = request.post(f"{address}/{asked['id']}/answer", data={"move": WRONG, "last": asked["last"]}).json()
    assert not wrong["right"]
    again = request.post(f"{address}/{asked['id']}/answer", data={"move": "f5", "last": asked["last"]}).json()
    assert again["right"]
    assert again["moves"] == ["f5"]
    found = request.get(address).json()
    assert (found["answered_today"], found["right_today"], found["new_today"]) == (1, 0, 9)
    assert request.delete(f"{address}/{asked['id']}").status == 204
    assert request.get(address).json()["cards"] == 0
    assert request.get(f"{address}/next").json()["kind"] != MISTAKE
    phone.leave()
    assert phone.complaints == []


def test_new_puzzles_are_made_of_what_was_missed(server: Site, browser: Browser) -> None:
    ann = Visitor.arrive(browser, server.address, **PHONE)
    ann.go("/deck")
    missed = next(one for one in shipped_puzzles("go-life") if one.themes == ("life", "eye-shape"))
    with Store.open(str(server.folder / "tengen.db")) as store:
        who = visitor_id(ann)
        store.answer_puzzle(store.replace_puzzle(missed).id, who, "")
        before = store.count_cards(who, datetime.now(UTC)).total
        ann.go("/deck")
        ann.shot("phone-deck-themes")
        other = ann.open_tab()
        other.go("/deck")
        ann.press("Make new puzzles about what I miss most")
        expect(ann.page.get_by_text("Composing puzzles")).to_be_visible(timeout=TIMEOUT_MS)
        other.press("Make new puzzles about what I miss most")
        expect(other.page.get_by_text("You already have 1 requests")).to_be_visible(timeout=TIMEOUT_MS)
        expect(ann.page.get_by_text("new puzzles in your deck")).to_be_visible(timeout=TIMEOUT_MS)
        assert store.count_cards(who, datetime.now(UTC)).total == before + NEW_PUZZLES
    ann.leave()
    assert ann.complaints == []
