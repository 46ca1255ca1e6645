"""The home page: a board that starts a game, one-click play, unfinished games, empty states, its weight."""

from __future__ import annotations

import gzip

from playwright.sync_api import Browser, Response, expect

from tengen.app.daily_puzzle import daily_puzzle, today
from tests.helpers.web_site import STRAW, Site, Visitor

MAX_BYTES, MAX_REQUESTS = 500_000, 20


def test_the_first_page_is_light_and_its_board_starts_a_game(browser: Browser, site: str) -> None:
    visitor = Visitor.arrive(browser, site)
    answers: list[Response] = []
    visitor.page.on("response", lambda answer: answers.append(answer))
    visitor.go("/")
    visitor.wait_for_board()
    expect(visitor.page.get_by_role("heading", name="Daily puzzle")).to_be_visible()
    visitor.page.wait_for_load_state("networkidle")
    assert len(answers) <= MAX_REQUESTS, [answer.url for answer in answers]
    # NiceGUI does not compress while tests run.
    size = sum(len(gzip.compress(answer.body())) for answer in answers)
    assert size <= MAX_BYTES, f"{size:,} bytes"
    expect(visitor.page.get_by_text("No unfinished games")).to_be_visible()
    expect(visitor.page.get_by_text("New to you")).to_have_count(4)
    answer = daily_puzzle(today()).puzzle.right[0]
    visitor.move(visitor.find(answer))
    expect(visitor.page.get_by_text("Right: ")).to_be_visible()
    visitor.go("/")  # without the puzzle of this day
    expect(visitor.page.get_by_role("heading", name="Play now")).to_be_visible()
    visitor.wait_for_board()
    visitor.move(visitor.legal()[0])
    visitor.page.wait_for_url("**/game/*")
    visitor.wait_for_board()
    visitor.wait_for_ply(1)
    visitor.leave()
    assert visitor.complaints == []


def test_an_unfinished_game_goes_on_with_one_click_on_the_board_of_the_home_page(ann: Visitor) -> None:
    game = ann.begin("othello", STRAW)
    ann.move(ann.legal()[0])
    ann.wait_for_ply(2)
    stones = ann.stones()
    ann.go("/")
    ann.wait_for_board()
    expect(ann.page.get_by_role("heading", name="Continue your game")).to_be_visible()
    assert ann.stones() == stones
    expect(ann.page.get_by_text("Your move", exact=True)).to_be_visible()
    ann.move(ann.legal()[0])
    ann.page.wait_for_url(f"**/game/{game}")
    ann.wait_for_board()
    ann.wait_for_ply(3)


def test_play_starts_the_last_opponent_and_settings(ann: Visitor, server: Site) -> None:
    ann.go("/new?game=pente")
    ann.page.get_by_role("group", name="Size").get_by_role("button", name="Other").click()
    ann.page.get_by_role("textbox", name="Size").fill("7")
    ann.page.get_by_label("Other engine players").click()
    ann.page.get_by_role("option", name=STRAW).click()
    expect(ann.page.locator(".tg-summary")).to_have_text(f"Pente 7 × 7 against {STRAW} · No limit")
    ann.press("Start")
    ann.wait_for_board()
    ann.go("/")
    expect(ann.page.get_by_role("link", name=f"{STRAW} · 7 × 7 · No limit")).to_be_visible()
    ann.press("Play Pente")
    ann.page.wait_for_url("**/game/*")
    ann.wait_for_board()
    expect(ann.page.get_by_text("Pente 7×7").first).to_be_visible()
    for game in ("clobber", "go", "othello", "pente"):
        ann.go("/")
        ann.page.locator(f'a[href="/learn/{game}"]').first.click()
        expect(ann.page.locator("h1")).to_have_count(1)
        ann.page.wait_for_url(f"**/learn/{game}*")
