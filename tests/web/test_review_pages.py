"""The review of a game in a real Chromium: why a move was a mistake, the page to print, the annotated record."""

from __future__ import annotations

from playwright.sync_api import Browser, expect

from tests.helpers.web_site import PHONE, STRAW, Site, Visitor

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
    assert phone.page.evaluate("() => document.documentElement.scrollWidth - innerWidth") <= 0
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
