"""A visitor sees the app in the language of their browser or of their settings, whatever others see."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from tests.helpers.web_site import DESKTOP, STRAW, Visitor

# Texts of the home page, the settings and a game against an engine.
TEXTS = {
    "de-AT": ("de", "Neue Partie", "Einstellungen", "Du bist am Zug"),
    "fr-FR": ("fr", "Nouvelle partie", "Réglages", "À vous de jouer"),
    "ja-JP": ("ja", "新しい対局", "設定", "あなたの番です"),
}


def _look(locale: str) -> dict[str, Any]:
    return {**DESKTOP, "locale": locale}


@pytest.mark.parametrize("locale", TEXTS)
def test_pages_are_in_the_language_of_the_browser(browser: Browser, site: str, locale: str) -> None:
    name, new_game, settings, your_move = TEXTS[locale]
    visitor = Visitor.arrive(browser, site, **_look(locale))
    with visitor.without_complaints():
        visitor.go("/new")
        expect(visitor.page.get_by_role("heading", name=new_game)).to_be_visible()
        assert visitor.page.evaluate("document.documentElement.lang") == name
        visitor.go("/options")
        expect(visitor.page.get_by_role("heading", name=settings, exact=True)).to_be_visible()
        visitor.begin("clobber", STRAW, size=8)
        visitor.wait_for_status(your_move)
        wrong = {"game": "go", "options": {"size": "x"}, "players": ["Ann", STRAW]}
        refused = visitor.context.request.post(f"{site}/api/games", data=wrong)
        assert "size should be" in refused.text()  # the API answers in English
    visitor.leave()


def test_the_settings_choose_another_language(browser: Browser, site: str) -> None:
    visitor = Visitor.arrive(browser, site, **_look("de-DE"))
    visitor.go("/options")
    visitor.page.get_by_role("combobox", name="Sprache").click()
    visitor.page.get_by_role("option", name="Français").click()
    expect(visitor.page.get_by_role("heading", name="Réglages", exact=True)).to_be_visible()
    visitor.page.get_by_role("combobox", name="Langue").click()
    visitor.page.get_by_role("option", name="Langue du navigateur").click()
    expect(visitor.page.get_by_role("heading", name="Einstellungen", exact=True)).to_be_visible()
    visitor.leave()


def test_two_visitors_of_one_game_read_different_languages(browser: Browser, site: str) -> None:
    player = Visitor.arrive(browser, site, **_look("fr-FR"))
    watcher = Visitor.arrive(browser, site, **_look("ja-JP"))
    game = player.begin("othello", STRAW, size=4)
    watcher.go(f"/game/{game}")
    watcher.wait_for_board()
    player.wait_for_status("À vous de jouer")
    player.move(player.legal()[0])
    watcher.wait_for_ply(2)
    player.press("Abandonner")
    player.page.get_by_role("dialog").get_by_role("button", name="Abandonner").click()
    player.wait_for_status("Vous avez perdu")
    watcher.wait_for_status("の勝ち")
    for visitor in (player, watcher):
        visitor.leave()


def test_why_a_pasted_text_is_refused_is_said_in_the_language_of_the_page(browser: Browser, site: str) -> None:
    visitor = Visitor.arrive(browser, site, **_look("de-DE"))
    visitor.go("/analysis")
    visitor.page.locator(".tg-paste-text").fill("no game at all")
    visitor.press("Öffnen")
    expect(visitor.page.locator(".tg-paste").get_by_role("alert")).to_contain_text("Format nicht erkannt")
    visitor.leave()
