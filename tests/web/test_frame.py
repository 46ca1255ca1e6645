"""The frame of every page: navigation, titles and headings, shortcuts, the skip link, 404, installation."""

from __future__ import annotations

import json

import pytest
from playwright.sync_api import Browser, expect

from tests.helpers.web_site import DESKTOP, PHONE, Visitor

PAGES = {
    "/": "Play",
    "/new": "Play",
    "/learn": "Learn",
    "/learn/go": "Learn",
    "/daily": "Learn",
    "/puzzles": "Learn",
    "/drills": "Learn",
    "/analysis": "Analyse",
    "/library": "Library",
    "/players": "More",
    "/explorer": "More",
    "/books": "More",
    "/clobber": "More",
    "/proofs": "More",
    "/pente": "More",
    "/arena": "More",
    "/demo": "More",
    "/options": "More",
    "/board/othello": "Analyse",
}
CONTRAST = """element => {
    const channels = colour => colour.match(/[\\d.]+/g).slice(0, 3).map(Number);
    const light = colour => channels(colour).map(c => c / 255)
        .map(c => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
        .reduce((sum, c, index) => sum + c * [0.2126, 0.7152, 0.0722][index], 0);
    const style = getComputedStyle(element);
    const [low, high] = [light(style.color), light(style.backgroundColor)].sort((a, b) => a - b);
    return (high + 0.05) / (low + 0.05);
}"""


def test_every_page_has_a_title_one_heading_a_language_and_its_place_in_the_navigation(ann: Visitor) -> None:
    titles = set()
    for path, section in PAGES.items():
        ann.go(path)
        expect(ann.page.locator("h1"), path).to_have_count(1)
        titles.add(ann.page.title())
        assert str(ann.page.locator("html").get_attribute("lang")).startswith("en"), path
        current = ann.page.locator(".tg-nav-item.tg-current")
        if path != "/":
            assert current.inner_text() == section, path
    assert len(titles) == len(PAGES)


def test_a_page_that_does_not_exist_says_so_within_the_frame(ann: Visitor) -> None:
    for path, heading in (
        ("/nothing/here", "This page does not exist"),
        ("/game/unknown", "Not found"),
        ("/learn/go?step=two", "This page does not exist"),
        ("/editor/go?name=x", "Not found"),
        ("/demo/chess", "Not found"),
    ):
        answer = ann.page.goto(ann.address + path)
        assert answer is not None
        assert answer.status == 404, path
        expect(ann.page.get_by_role("heading", name=heading)).to_be_visible()
        expect(ann.page.get_by_role("link", name="Back to the home page")).to_be_visible()
        expect(ann.page.get_by_role("link", name="Library").first).to_be_visible()
    get = ann.context.request.get
    assert get(f"{ann.address}/nothing.png", headers={"accept": "image/*"}).text() == "Not found"
    assert get(f"{ann.address}/api/nothing").headers["content-type"] == "application/json"
    ann.complaints.clear()  # of the browser about the status


def test_shortcuts_the_menu_and_the_skip_link_work_by_keyboard(ann: Visitor) -> None:
    ann.go("/library")
    dialog = ann.page.get_by_role("dialog", name="Keyboard shortcuts")
    ann.page.get_by_label("Paste games").fill("?")
    expect(dialog).to_be_hidden()
    ann.page.locator("h1").click()
    ann.page.keyboard.press("?")
    expect(dialog).to_be_visible()
    expect(dialog.get_by_text("Show keyboard shortcuts")).to_be_visible()
    ann.page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    ann.page.locator(".tg-more summary").focus()
    ann.page.keyboard.press("Enter")
    expect(ann.page.get_by_role("link", name="Arena")).to_be_visible()
    ann.page.keyboard.press("Escape")
    expect(ann.page.get_by_role("link", name="Arena")).to_be_hidden()
    ann.page.reload()
    ann.page.wait_for_selector(".tg-skip")
    ann.page.keyboard.press("Tab")
    expect(ann.page.get_by_role("link", name="Skip to the content")).to_be_focused()
    ann.page.keyboard.press("Enter")
    assert ann.page.evaluate("() => document.activeElement.id") == "tg-content"


def test_notifications_do_not_cover_the_navigation_and_chosen_buttons_can_be_read(ann: Visitor) -> None:
    ann.go("/library")
    ann.press("Delete")
    ann.page.wait_for_selector(".q-notification")
    ann.until(  # once it has moved to its place
        """() => document.querySelector('.q-notification').getBoundingClientRect().top
            >= document.querySelector('.tg-header').getBoundingClientRect().bottom"""
    )
    ann.go("/options")
    for theme in ("Light", "Dark", "System"):
        with ann.page.expect_navigation():  # the page is loaded again with the new theme
            ann.press(theme)
        chosen = ann.page.locator(".q-btn.bg-primary", has_text=theme)
        chosen.wait_for()
        ann.until("() => !document.getAnimations().length")
        assert chosen.evaluate(CONTRAST) >= 4.5, theme


RECORD_BODY = """() => {
    window.bodies = new Set();
    const look = () => document.body && window.bodies.add(document.body.className);
    new MutationObserver(look).observe(document, { subtree: true, childList: true, attributes: true });
}"""


@pytest.mark.parametrize("theme", ["System", "Dark"])
def test_a_dark_page_is_dark_from_the_start(browser: Browser, site: str, theme: str) -> None:
    look = {**DESKTOP, "color_scheme": "dark" if theme == "System" else "light"}
    visitor = Visitor.arrive(browser, site, **look)
    if theme == "Dark":
        visitor.go("/options")
        with visitor.page.expect_navigation():
            visitor.press(theme)
    visitor.page.add_init_script(f"({RECORD_BODY})()")
    visitor.go("/library")
    visitor.page.locator("h1").wait_for()
    bodies = visitor.page.evaluate("() => [...window.bodies]")
    assert any("body--dark" in name for name in bodies)
    assert not [name for name in bodies if "body--light" in name]
    root = "() => { document.body.className = ''; return getComputedStyle(document.documentElement).background; }"
    assert visitor.page.evaluate(root).startswith("rgb(22, 24, 28)")  # before any script has run
    visitor.leave()


def test_a_phone_has_the_navigation_at_the_bottom(browser: Browser, site: str) -> None:
    phone = Visitor.arrive(browser, site, **PHONE)
    phone.go("/library")
    bar = phone.page.locator(".tg-nav").bounding_box()
    assert bar is not None
    assert bar["y"] + bar["height"] == pytest.approx(844)
    for name in ("Play", "Learn", "Analyse", "Library"):
        expect(phone.page.get_by_role("link", name=name, exact=True)).to_be_in_viewport()
    phone.page.locator(".tg-more summary").tap()
    for name in ("Arena", "Demo", "Settings", "Players", "Books"):
        expect(phone.page.locator(".tg-more-list").get_by_role("link", name=name)).to_be_in_viewport()
    phone.page.locator(".tg-more-list").get_by_role("link", name="Demo").tap()
    expect(phone.page.get_by_role("heading", name="Demo")).to_be_visible()
    phone.leave()
    assert phone.complaints == []


def test_scripts_and_styles_are_sent_compressed_and_kept(ann: Visitor) -> None:
    ann.go("/")
    names = ann.page.evaluate("() => performance.getEntriesByType('resource').map(one => one.name)")
    own = [name for name in names if name.startswith(f"{ann.address}/static/") and not name.endswith(".png")]
    assert len(own) == 3, own
    for name in own:
        headers = ann.context.request.get(name).headers
        assert (headers["content-encoding"], "max-age" in headers["cache-control"]) == ("gzip", True), name


def test_the_app_can_be_installed(ann: Visitor) -> None:
    ann.go("/")
    get = ann.context.request.get
    answer = get(ann.address + str(ann.page.locator("link[rel=manifest]").get_attribute("href")))
    assert answer.headers["content-type"] == "application/manifest+json"
    manifest = json.loads(answer.text())
    assert manifest["display"] == "standalone"
    for icon in manifest["icons"]:
        found = get(ann.address + icon["src"])
        assert found.ok
        assert found.headers["content-type"] == icon["type"]
        if icon["type"] == "image/png":  # its width and height are in the first chunk
            width, height = (int.from_bytes(found.body()[at : at + 4]) for at in (16, 20))
            assert icon["sizes"] == f"{width}x{height}"
    problems = ann.context.new_cdp_session(ann.page).send("Page.getInstallabilityErrors")
    # The browser of the tests has no profile, which is like a private window.
    assert [problem["errorId"] for problem in problems["installabilityErrors"]] in ([], ["in-incognito"])
    assert ann.page.evaluate("() => navigator.serviceWorker.getRegistrations().then(all => all.length)") == 0
