"""The form of a new game: defaults for newcomers, opponents, colour, clock, errors, settings that come back."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, Locator, expect

from tengen.core.errors import OptionError
from tengen.players.opponents import levels
from tengen.store.store import Store
from tengen.web.last_settings import GameSettings, first_settings, last_game, last_settings, remember_settings
from tengen.web.pages.clock_choice import control_from_fields
from tengen.web.pages.option_fields import size_text
from tengen.web.visitor_cache import VisitorCache
from tests.helpers.web_site import PHONE, STRAW, Site, Visitor


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ((10, 0, 0, 30), "10m"),
        ((5, 3, 0, 30), "5m+3s"),
        ((10, 0, 3, 30), "10m+3x30s"),
        ((0, 0, 5, 20), "5x20s"),
        ((0, 45, 0, 30), "45s/move"),
        ((0.5, 0, 0, 0), "30s"),
    ],
)
def test_clock_fields_make_a_time_control(fields: tuple[float, float, int, float], code: str) -> None:
    assert str(control_from_fields(*fields)) == code


@pytest.mark.parametrize(
    ("fields", "problem"),
    [((5, 3, 2, 30), "not both"), ((0, 0, 0, 30), "Give some time"), ((5, 0, 2, 0), "byo-yomi period")],
)
def test_clock_fields_that_contradict_each_other_are_explained(
    fields: tuple[float, float, int, float], problem: str
) -> None:
    with pytest.raises(OptionError, match=problem):
        control_from_fields(*fields)


def test_last_settings_are_remembered_and_damaged_ones_replaced() -> None:
    with Store.in_memory() as store:
        visitors = VisitorCache(store)
        assert last_settings(visitors, "ann", "go") == first_settings("go")
        assert first_settings("go").options == {"size": "9"}
        wanted = GameSettings(
            opponent="friend",
            engine="x",
            friend="Bea",
            colour="random",
            options={"size": "13", "komi": "6.5"},
            clock="5m+3s",
            opening="E5",
            rated=False,
            ponder=True,
        )
        remember_settings(visitors, "ann", "go", wanted)
        assert last_settings(visitors, "ann", "go") == wanted
        assert last_game(visitors, "ann") == "go"
        assert last_settings(visitors, "bea", "go") == first_settings("go")
        visitors.set_options(
            "ann",
            last_game=7,
            last_game_go={
                "opponent": "nobody",
                "engine": 5,
                "colour": None,
                "clock": "banana",
                "options": {"size": 9, "depth": "3", "komi": "1"},
            },
        )
        assert last_settings(visitors, "ann", "go") == GameSettings(options={"size": "9", "komi": "1"})
        assert last_game(visitors, "ann") == "othello"
        visitors.close()


def _group(visitor: Visitor, name: str) -> Locator:
    return visitor.page.get_by_role("group", name=name, exact=True)


def test_newcomers_start_go_with_one_click_on_a_small_board_against_a_suitable_level(ann: Visitor) -> None:
    ann.go("/new?game=go")
    suggested = levels("go")[2]
    expect(_group(ann, "Game").get_by_role("button", name="Go")).to_have_attribute("aria-pressed", "true")
    expect(_group(ann, "Size").get_by_role("button", name="9 × 9")).to_have_attribute("aria-pressed", "true")
    expect(ann.page.locator(".tg-opponent-about")).to_contain_text(suggested.character)
    expect(ann.page.locator(".tg-opponent-about")).to_contain_text("Suggested for you")
    expect(ann.page.get_by_text(suggested.details)).to_be_hidden()  # under Details
    expect(ann.page.locator(".tg-summary")).to_have_text(f"Go 9 × 9 against {suggested.name} · No limit")


def test_errors_are_shown_at_their_fields_and_the_last_settings_come_back(ann: Visitor, server: Site) -> None:
    ann.go("/new?game=go")
    custom = _group(ann, "Time").get_by_role("button", name="Custom")
    custom.click()
    ann.page.get_by_label("Or as a code").fill("banana")
    expect(ann.page.get_by_text("'banana' is not a time control")).to_be_visible()
    ann.press("Start")
    expect(ann.page.get_by_text("Please fix the marked fields")).to_be_visible()
    ann.page.get_by_label("Minutes").fill("7")
    ann.page.get_by_label("Seconds added per move").fill("4")
    expect(ann.page.locator(".tg-summary")).to_contain_text("7m+4s")
    _group(ann, "Size").get_by_role("button", name="Other").click()
    ann.page.get_by_role("textbox", name="Size").fill("77")
    expect(ann.page.locator(".tg-problem-text:visible")).to_contain_text("77")
    ann.page.get_by_role("textbox", name="Size").fill("7")
    _group(ann, "You play").get_by_role("button", name="White").click()
    ann.page.get_by_label("Other engine players").click()
    ann.page.get_by_role("option", name=STRAW).click()
    expect(ann.page.locator(".tg-summary")).to_have_text(f"Go 7 × 7 against {STRAW} · 7m+4s")
    ann.press("Start")
    ann.wait_for_board()
    game_id = ann.page.url.rpartition("/")[2]
    with Store.open(str(server.folder / "tengen.db")) as store:
        entry = store.load(game_id)
        assert entry.record.names[0] == STRAW
        assert entry.record.game.options()["width"] == 7
        assert "7m+4s" in str(entry)
    ann.go("/new")
    expect(ann.page.locator(".tg-summary")).to_have_text(f"Go 7 × 7 against {STRAW} · 7m+4s")
    expect(_group(ann, "You play").get_by_role("button", name="White")).to_have_attribute("aria-pressed", "true")


def test_a_friend_at_the_same_screen(ann: Visitor) -> None:
    ann.go("/new?game=othello")
    ann.press("A friend here")
    ann.page.get_by_label("Your friend's name").fill("Mia")
    expect(ann.page.locator(".tg-summary")).to_contain_text("against Mia")
    ann.press("Start")
    ann.wait_for_board()
    ann.move(ann.legal()[0])
    ann.wait_for_status("Your move, Mia")
    ann.wait_for_ply(1)
    ann.move(ann.legal()[0])
    ann.wait_for_ply(2)


def test_on_a_phone_start_is_always_in_view_and_everything_is_large_enough(browser: Browser, site: str) -> None:
    phone = Visitor.arrive(browser, site, **PHONE)
    for game in ("go", "pente"):
        phone.go(f"/new?game={game}")
        start = phone.page.get_by_role("button", name="Start", exact=True)
        expect(start).to_be_in_viewport(ratio=1)
        bar, navigation = start.bounding_box(), phone.page.locator(".tg-nav").bounding_box()
        assert bar is not None
        assert navigation is not None
        assert bar["y"] + bar["height"] <= navigation["y"]
        small = phone.page.evaluate(
            "() => [...document.querySelectorAll('.tg-one-column button')].filter(b => b.offsetHeight < 40).length"
        )
        assert small == 0
        assert phone.excess_width() <= 0
    phone.leave()
    assert phone.complaints == []


@pytest.mark.parametrize(
    ("game", "size", "shown"),
    [
        ("go", "9", "9 × 9"),
        ("go", "9x13", "9 × 13"),
        ("clobber", "20", "Strip of 20"),
        ("clobber", "5x6", "6 × 5"),
    ],
)
def test_sizes_are_columns_by_rows_in_every_game(game: str, size: str, shown: str) -> None:
    assert size_text(game, size) == shown
