"""Find my level: from the home page through a game to an estimate."""

from __future__ import annotations

from playwright.sync_api import expect

from tengen.players.opponents import DEFAULT_LEVEL, default_opponent, levels
from tests.helpers.web_site import Visitor


def test_a_rated_game_gives_an_estimate(ann: Visitor) -> None:
    name = default_opponent("clobber").name
    ann.go("/")
    ann.page.locator('a[href="/level/clobber"]').click()
    expect(ann.page.get_by_text("Play a few rated games of Clobber")).to_be_visible()
    expect(ann.page.locator(".tg-ladder li")).to_have_count(10)
    expect(ann.page.locator(".tg-ladder-next")).to_contain_text(name)
    ann.shot("find-level")
    ann.press(f"Play {name}")
    ann.page.wait_for_url("**/game/*")
    ann.wait_for_board()
    ann.play_out()
    ann.go("/level/clobber")
    expect(ann.page.get_by_text("Your rating is")).to_be_visible()
    expect(ann.page.get_by_text("At most 7 more games for a good estimate")).to_be_visible()
    ann.go("/")
    expect(ann.page.get_by_text("Your level:")).to_be_visible()


def test_details_name_the_engine_behind_an_opponent(ann: Visitor) -> None:
    ann.go("/new?game=pente")
    engine, about = levels("pente")[DEFAULT_LEVEL - 1].details, ann.page.locator(".tg-opponent-about")
    expect(about.get_by_text(engine)).to_be_hidden()
    about.get_by_text("Details", exact=True).click()
    expect(about.get_by_text(engine)).to_be_visible()
    expect(about.get_by_text("relative to level 1")).to_be_visible()
