"""A beginner's first two days in a real Chromium, on a desktop and on a phone.

Learn Go, solve ten problems, play a game, see the mistakes, and solve them the next day. The day passes by moving
all times of the deck in the database one day back.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, expect
from tests.helpers.web_site import DESKTOP, PHONE, TIMEOUT_MS, Site, Visitor, chromium

from tengen.app.deck import MISTAKE, next_question
from tengen.app.puzzle_files import shipped_puzzles
from tengen.store.store import Store
from tengen.web.authentication import BROWSER_COOKIE

DAY_US = 24 * 3600 * 1_000_000
OWN_MOVES = 12  # of the game: a line of stones on the edge, which is bad


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as found:
        yield found


def solver_of(visitor: Visitor) -> str:
    return next(one["value"] for one in visitor.context.cookies() if one["name"] == BROWSER_COOKIE)


def play(visitor: Visitor, move: list[Any], *, on_phone: bool) -> None:
    """Make a move as its user does: by click, or by tap and confirmation."""
    for point in move[1:]:
        if on_phone:
            visitor.page.touchscreen.tap(*visitor.place(point))
        else:
            visitor.click(point)
    if on_phone:
        visitor.page.get_by_role("button", name=re.compile("^Play ")).first.click()


def is_wide(visitor: Visitor) -> bool:
    """Whether the page can be scrolled sideways."""
    return bool(visitor.page.evaluate("() => document.documentElement.scrollWidth > innerWidth"))


def learn(visitor: Visitor, *, on_phone: bool) -> None:
    """All steps of the lesson, each as *Show me* says."""
    visitor.go("/learn")
    visitor.shot("beginner-learn")
    visitor.page.locator(".tg-learn-card", has_text="Go").first.click()
    feedback = visitor.page.locator(".tg-feedback")
    for _ in range(40):
        visitor.wait_for_board()
        task = visitor.page.locator(".tg-task").inner_text()
        if "Done." in task:
            last = visitor.page.get_by_role("button", name="Finish").count()
            visitor.press("Finish" if last else "Next")
            if last:
                visitor.page.wait_for_url("**finished=1")
                break
            expect(visitor.page.locator(".tg-task")).not_to_contain_text("Done.")
            continue
        visitor.press("Show me")
        expect(feedback).to_contain_text(re.compile("Try |Press Pass"))
        shown = re.search(r"Try (\S+)\.", feedback.inner_text())
        if shown is None:
            visitor.press("Pass")
        else:
            play(visitor, visitor.find(shown[1]), on_phone=on_phone)
        expect(feedback).not_to_contain_text(re.compile("^(Try |Press Pass)"))
        visitor.until(
            "before => { const now = document.querySelector('.tg-task').innerText; return now !== before }", task
        )
    expect(visitor.page.get_by_text("You know how to play Go.")).to_be_visible()
    visitor.shot("beginner-learned")


def solve_ten(visitor: Visitor, store: Store, *, on_phone: bool) -> None:
    """Ten problems from the link at the end of the lesson; the first is missed at first."""
    visitor.page.get_by_role("link", name="Go captures").click()
    for number in range(10):
        visitor.wait_for_board()
        stock = [one for one in shipped_puzzles("go-capture") if board_of(one) == visitor.stones()]
        (puzzle,) = stock
        wrong = next(one.move for one in puzzle.report.candidates if one.move not in puzzle.right)
        verdict = visitor.page.locator(".tg-status")
        if number == 0:
            play(visitor, visitor.find(wrong), on_phone=on_phone)
            expect(verdict).to_contain_text("Not ")
        play(visitor, visitor.find(*puzzle.right), on_phone=on_phone)
        expect(verdict).to_contain_text("Right")
        if number == 0:
            visitor.shot("beginner-puzzle")
        before = visitor.stones()
        if number < 9:
            visitor.press("Next puzzle")
            visitor.until("() => document.querySelector('.tg-status').innerText === ''")
            assert visitor.stones() != before
    assert store.puzzle_score("go-capture", solver_of(visitor)).answered == 10


def board_of(puzzle: Any) -> str:
    return str(puzzle.options["board"]).split()[0].replace("/", "")


def play_badly(visitor: Visitor, *, on_phone: bool) -> None:
    """A game against the suggested opponent: stones along the edge, then resignation."""
    visitor.go("/learn/go?finished=1")
    visitor.press("Play a game")
    visitor.press("Start")
    visitor.wait_for_board()
    for number in range(OWN_MOVES):
        assert visitor.wait_for_turn(2 * number)
        legal = visitor.legal()
        edge = [one for one in legal if len(one) > 1 and one[1][1] == 8] or legal
        play(visitor, edge[0], on_phone=on_phone)
    visitor.wait_for_turn(2 * OWN_MOVES)
    visitor.shot("beginner-game")
    if not visitor.can_press("Resign"):
        visitor.press("More")
    visitor.page.get_by_role("button", name="Resign").first.click()
    visitor.page.get_by_role("dialog").get_by_role("button", name="Resign").click()
    expect(visitor.page.locator(".tg-result")).to_be_visible()
    visitor.shot("beginner-result")


def see_mistakes(visitor: Visitor) -> None:
    """From the result to the review, and its explanation of the first mistake."""
    visitor.page.locator(".tg-result").get_by_role("button", name="Review").or_(
        visitor.page.locator(".tg-result").get_by_role("link", name="Review")
    ).first.click()
    visitor.wait_for_board()
    expect(visitor.page.get_by_text("Reviewed:")).to_be_visible(timeout=TIMEOUT_MS)
    assert visitor.page.locator(".tg-turn").count() > 0
    visitor.page.locator(".tg-turn").first.click()
    expect(visitor.page.locator(".tg-explanation")).to_contain_text("Better:")
    visitor.shot("beginner-mistake")


def a_day_passes(database: Path) -> None:
    with sqlite3.connect(database, timeout=60) as connection:
        connection.execute("UPDATE attempts SET time = time - ?", (DAY_US,))
        connection.execute("UPDATE cards SET added = added - ?, due = due - ?", (DAY_US, DAY_US))
        connection.execute("UPDATE cards SET first = first - ?, last = last - ? WHERE last > 0", (DAY_US, DAY_US))


def solve_own_mistakes(visitor: Visitor, store: Store, *, on_phone: bool) -> int:
    """Today's questions, until two own mistakes are solved; returns how many were."""
    visitor.go("/deck")
    visitor.shot("beginner-deck")
    visitor.page.get_by_role("link", name="Start").click()
    verdict, solved, last = visitor.page.locator(".tg-status"), 0, ""
    for _number in range(40):
        visitor.wait_for_board()
        expect(verdict).to_have_text("")
        question = next_question(store, solver_of(visitor), datetime.now(UTC), skip=last)
        assert question is not None
        is_mistake = question.puzzle.kind == MISTAKE
        assert visitor.page.get_by_text("From your games").is_visible() == is_mistake
        play(visitor, visitor.find(*question.puzzle.right), on_phone=on_phone)
        expect(verdict).to_contain_text("Right")
        solved += is_mistake
        last = question.puzzle.id
        if is_mistake:
            visitor.shot("beginner-mistake-solved")
        if solved == 2:
            break
        before = visitor.stones()
        visitor.press("Next")
        visitor.until("() => location.pathname === '/deck' || !document.querySelector('.tg-status')?.innerText")
        if visitor.page.url.endswith("/deck"):
            break
        visitor.wait_for_other_stones(before)
    return solved


@pytest.mark.timeout(3600)
@pytest.mark.parametrize("look", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_from_the_first_lesson_to_the_own_mistakes(browser: Browser, tmp_path: Path, look: dict[str, Any]) -> None:
    on_phone = look is PHONE
    site = Site(tmp_path)
    try:
        visitor = Visitor.arrive(browser, site.address, **look)
        with Store.open(str(tmp_path / "tengen.db")) as store:
            learn(visitor, on_phone=on_phone)
            solve_ten(visitor, store, on_phone=on_phone)
            assert not is_wide(visitor)
            play_badly(visitor, on_phone=on_phone)
            see_mistakes(visitor)
            assert not is_wide(visitor)
            visitor.until(
                "() => fetch('/api/deck').then((found) => found.json()).then((deck) => deck.waiting > 0)"
            )
            a_day_passes(tmp_path / "tengen.db")
            assert solve_own_mistakes(visitor, store, on_phone=on_phone), "a mistake is asked the next day"
            assert not is_wide(visitor)
        visitor.leave()
        assert visitor.complaints == []
    finally:
        site.close()
    assert "Traceback" not in (tmp_path / "server.log").read_text()
