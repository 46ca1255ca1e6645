"""Every page by axe-core: no serious or critical violation, in light and dark, on a large and a small screen."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser

from tests.helpers.web_site import DESKTOP, PHONE, STRAW, Visitor

PAGES = [
    "/",
    "/new",
    "/learn",
    "/learn/go",
    "/analysis",
    "/puzzles",
    "/library",
    "/players",
    "/players/new",
    "/explorer",
]
PAGES += ["/deck", "/deck/today", "/report"]
PAGES += ["/daily", "/level/go", "/editor/go", "/puzzles/go-capture", "/learn/go?finished=1"]
PAGES += ["/books", "/drills", "/clobber", "/proofs", "/pente", "/arena", "/demo", "/options", "/nothing-here"]
SCREENS: dict[str, dict[str, Any]] = {
    "desktop, light": {**DESKTOP, "color_scheme": "light"},
    "phone, dark": {**PHONE, "color_scheme": "dark"},
}


@pytest.fixture(scope="module", params=SCREENS)
def visitor(request: pytest.FixtureRequest, browser: Browser, site: str) -> Iterator[Visitor]:
    arrived = Visitor.arrive(browser, site, **SCREENS[request.param])
    yield arrived
    arrived.leave()


def violations(visitor: Visitor) -> list[str]:
    """Serious violations on the current page, each with the first element concerned."""
    # While colours change, on a page that has just become dark, they have no contrast yet.
    visitor.until("() => !document.getAnimations().some(one => one instanceof CSSTransition)")
    # The bar of a running request belongs to the framework and is gone in a moment.
    context = {"exclude": [[".q-loading-bar"]]}
    found = Axe().run(visitor.page, context, {"resultTypes": ["violations"]}).response["violations"]
    return [
        f"{one['id']}: {one['help']}: {one['nodes'][0]['html'][:200]} ({len(one['nodes'])})"
        for one in found
        if one["impact"] in ("serious", "critical")
    ]


@pytest.mark.parametrize("path", PAGES)
def test_a_page_has_no_serious_violation(visitor: Visitor, path: str) -> None:
    visitor.go(path)
    visitor.page.locator("h1").first.wait_for()
    assert not (found := violations(visitor)), "\n".join(found)


@pytest.mark.parametrize("game", ["clobber", "go", "othello", "pente"])
def test_a_game_and_its_analysis_have_no_serious_violation(visitor: Visitor, game: str) -> None:
    identity = visitor.begin(game, STRAW, **({"size": 9} if game in ("go", "pente") else {}))
    visitor.wait_for_status("Your move")
    assert not (found := violations(visitor)), "\n".join(found)
    visitor.move(next(move for move in visitor.legal() if len(move) > 1))
    visitor.wait_for_ply(2)
    visitor.press("Resign")
    visitor.page.locator(".q-dialog button").first.click()
    visitor.wait_for_status("lost")
    assert not (found := violations(visitor)), "\n".join(found)
    visitor.go(f"/analysis/{identity}")
    visitor.wait_for_board()
    assert not (found := violations(visitor)), "\n".join(found)
