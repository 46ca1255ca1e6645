"""The board in a real Chromium: keyboard, themes, turns, zoom by touch, movement, sounds, previews."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, CDPSession, expect

from tengen.web.component_script import join_modules
from tengen.web.preferences import Preferences
from tengen.web.visitor_cache import VisitorCache
from tests.helpers.web_site import DESKTOP, PHONE, STRAW, Visitor

BOARD = "getElement(parseInt(document.querySelector('.tg-board').id.slice(1)))"
# Classes that stones had at any time, although they last only for a moment.
RECORD_CLASSES = """() => {
    window.seen = new Set();
    new MutationObserver(() => document.querySelectorAll('.tg-stone, .tg-leaving').forEach((stone) =>
        stone.classList.forEach((name) => window.seen.add(name))))
        .observe(document.querySelector('.tg-board'), {subtree: true, childList: true, attributes: true});
}"""


@pytest.fixture(scope="module")
def lively(browser: Browser, site: str) -> Iterator[Visitor]:
    """A visitor whose system does not ask for reduced motion."""
    visitor = Visitor.arrive(browser, site, **{**DESKTOP, "reduced_motion": "no-preference"})
    yield visitor
    visitor.leave()
    assert visitor.complaints == []


@pytest.fixture(scope="module")
def phone(browser: Browser, site: str) -> Iterator[Visitor]:
    visitor = Visitor.arrive(browser, site, **PHONE)
    yield visitor
    visitor.leave()
    assert visitor.complaints == []


def _said(visitor: Visitor) -> str:
    return visitor.page.locator(".tg-board .tg-sr").inner_text()


def _tab_to(visitor: Visitor, selector: str) -> None:
    """Press Tab until the focus is on an element, or within one, that Playwright finds by the selector."""
    wanted = visitor.page.locator(selector).first
    for _ in range(80):
        if wanted.evaluate("element => element.contains(document.activeElement)"):
            return
        visitor.page.keyboard.press("Tab")
    raise AssertionError(f"Tab does not reach {selector}")


def _move_cursor(visitor: Visitor, point: list[int]) -> None:
    column, row = visitor.cursor()
    for _ in range(abs(point[0] - column)):
        visitor.page.keyboard.press("ArrowRight" if point[0] > column else "ArrowLeft")
    for _ in range(abs(point[1] - row)):
        visitor.page.keyboard.press("ArrowDown" if point[1] > row else "ArrowUp")


def test_modules_are_joined_without_their_imports_of_each_other() -> None:
    part = 'import {\n  a,\n  b,\n} from "./three.js";\nexport const one = () => two;\n'
    component = 'import { one } from "./board/part.js";\nconst x = 1;\nexport default { x, one };\n'
    joined = join_modules([part], {"board": component})
    assert joined == (
        "export const one = () => two;\n\n"
        "const boardComponent = (() => {\nconst x = 1;\nreturn { x, one };\n})();\n"
        'export const components = { "tengen-board": boardComponent };'
    )


def test_preferences_of_the_board_that_are_not_valid_are_replaced() -> None:
    visitors = VisitorCache()
    visitors.set_options("a" * 32, board_theme="plaid", rotation=7, preview="yes")
    assert Preferences.load(visitors, "a" * 32).board_config() == Preferences().board_config()
    visitors.set_options("a" * 32, board_theme="night", rotation=2, preview=False)
    config = Preferences.load(visitors, "a" * 32).board_config()
    assert (config["theme"], config["rotation"], config["preview"]) == ("night", 2, False)


def test_a_whole_game_by_keyboard_with_everything_said(ann: Visitor) -> None:
    ann.begin("othello", STRAW, size=4)
    board = ann.page.get_by_role("application", name="Othello, 4 by 4: 2 Black, 2 White")
    expect(board).to_have_count(1)
    ply = 0
    while ann.wait_for_turn(ply):
        ply = ann.ply()
        if ann.accepts_moves():
            moves = ann.legal()
            _tab_to(ann, ".tg-board > svg")
            expect(ann.page.locator(".tg-cursor")).to_have_count(1)
            _move_cursor(ann, moves[0][1])
            assert ann.cursor() == moves[0][1]
            assert _said(ann) == f"{moves[0][0]}, empty, can be played"
            ann.page.keyboard.press("Enter")
            ann.wait_for_ply(ply + 1)
            words = "^(Black|White) .*, captures or flips " if ply == 0 else "^(Black|White) "
            ann.until("words => document.querySelector('.tg-board .tg-sr').innerText.match(words)", words)
        else:
            _tab_to(ann, "button:has-text('Pass')")
            ann.page.keyboard.press("Enter")
        ply += 2  # the opponent has answered
    assert "Your move" not in ann.status()


def test_arrows_step_through_the_game_until_there_is_a_cursor(ann: Visitor) -> None:
    ann.begin("othello", STRAW, size=6)
    ann.move(ann.legal()[0])
    ann.wait_for_ply(2)
    ann.wait_for_status("Your move")
    ann.page.keyboard.press("ArrowLeft")
    ann.wait_for_exact_ply(1)
    expect(ann.page.locator(".tg-cursor")).to_have_count(0)
    ann.page.keyboard.press("Enter")
    expect(ann.page.locator(".tg-cursor")).to_have_count(1)
    before = ann.cursor()
    ann.page.keyboard.press("ArrowRight")
    assert ann.cursor() == [min(before[0] + 1, 5), before[1]]
    ann.page.keyboard.press("Escape")
    expect(ann.page.locator(".tg-cursor")).to_have_count(0)
    assert ann.ply() == 1
    ann.page.keyboard.press("ArrowRight")
    ann.wait_for_exact_ply(2)


def test_discs_flip_and_stones_are_captured_in_sight_unless_motion_is_reduced(
    ann: Visitor, lively: Visitor
) -> None:
    moved = "() => window.seen.has('tg-turned') && window.seen.has('tg-placed')"
    for visitor in (ann, lively):
        visitor.begin("othello", STRAW, size=6)
        visitor.page.evaluate(RECORD_CLASSES)
        for ply in range(0, 6, 2):  # on a busy machine, a move and its reply may be drawn as one
            visitor.move(visitor.legal()[0])
            visitor.wait_for_turn(ply + 2)
            if visitor.page.evaluate(moved):
                break
    assert lively.page.evaluate(moved)
    assert not ann.page.evaluate("() => window.seen.has('tg-turned') || window.seen.has('tg-placed')")
    expect(lively.page.locator(".tg-turned")).to_have_count(0)  # once they have settled
    lively.begin("clobber", STRAW, size="3x4")
    lively.page.evaluate(RECORD_CLASSES)
    lively.move(lively.legal()[0])
    lively.until("() => window.seen.has('tg-slid') && window.seen.has('tg-leaving')")
    expect(lively.page.locator(".tg-leaving")).to_have_count(0)


def test_events_have_sounds_of_their_own(ann: Visitor) -> None:
    heard = f"name => {BOARD}.sounded === name"
    ann.begin("othello", "Bea", size=6)  # no quick reply, which could turn the same disc back
    move = ann.legal()[0]
    ann.page.evaluate(f"move => {BOARD}.play(move[0], move[1])", move)
    ann.until(heard, "flip")
    ann.wait_for_ply(1)
    taken = next(index for index, stone in enumerate(ann.stones()) if stone == "X")
    ann.click([taken % 6, taken // 6])
    ann.until(heard, "illegal")
    ann.begin("clobber", STRAW, size="3x4")
    ann.move(ann.legal()[0])
    ann.until(heard, "clobber")
    ann.begin("pente", STRAW, size=7)
    ann.move(ann.legal()[0])
    ann.until(heard, "stone")


def test_the_winning_row_is_marked_and_the_end_is_heard(ann: Visitor) -> None:
    ann.begin("pente", "Bea", size=7)
    for name in ("D4", "A1", "D5", "A2", "D6", "A3", "D7", "B1", "D3"):
        ply = ann.ply()
        ann.move(ann.find(name))
        ann.wait_for_ply(ply + 1)
    expect(ann.page.locator(".tg-winning")).to_have_count(5)
    ann.until(f"() => {BOARD}.sounded === 'win'")
    ann.press("Back")
    expect(ann.page.locator(".tg-winning")).to_have_count(0)


def test_little_time_on_the_own_clock_is_heard_once(ann: Visitor) -> None:
    ann.begin("go", STRAW, size=5)
    heard = ann.page.evaluate(
        """async () => {
            const loaded = performance.getEntriesByType('resource').map((one) => one.name);
            const sounds = await import(loaded.find((name) => name.includes('/components.js')));
            let heard = 0;
            sounds.enableSounds(true);
            sounds.SOUNDS['low time'] = () => heard++;
            const clock = getElement(parseInt(document.querySelector('.tg-clock').id.slice(1)));
            for (const own of [false, true]) {
                clock.show({timed: true, runs: true, seconds: 25, own});
                await new Promise((done) => setTimeout(done, 50));
                for (const seconds of [19, 18]) {
                    clock.show({timed: true, runs: true, seconds, own});
                    await new Promise((done) => setTimeout(done, 150));
                }
            }
            clock.show({timed: false, runs: false, seconds: 0});
            sounds.enableSounds(false);
            return heard;
        }"""
    )
    assert heard == 1


def test_the_own_stone_is_drawn_before_the_server_answers(ann: Visitor) -> None:
    ann.begin("go", STRAW, size=5)
    drawn = ann.page.evaluate(
        f"""async move => {{
            {BOARD}.play(move[0], move[1]);
            for (let turn = 0; turn < 5; turn++) await Promise.resolve();  // no message is handled meanwhile
            return document.querySelectorAll(`.tg-stone[data-point="${{move[0]}}"]`).length;
        }}""",
        ann.legal()[0],
    )
    assert drawn == 1


def test_a_double_click_makes_one_move(ann: Visitor) -> None:
    ann.begin("othello", STRAW, size=6)
    move = ann.legal()[0]
    ann.page.evaluate(
        f"""point => {{
            const emit = window.socket.emit;
            window.sent = [];
            window.socket.emit = function (...args) {{ window.sent.push(args); return emit.apply(this, args); }};
            [1, 2].forEach(() => {BOARD}.tap(point, 'mouse')); // before the server can answer
        }}""",
        move[1],
    )
    ann.wait_for_turn(2)
    expect(ann.page.locator(".tg-move")).to_have_count(2)
    sent = "name => window.sent.filter((one) => JSON.stringify(one).includes(name)).length"
    assert ann.page.evaluate(sent, f'\\"{move[0]}\\"') == 1


def test_pointing_at_a_move_shows_what_it_flips(ann: Visitor) -> None:
    ann.begin("othello", STRAW, size=6)
    ann.page.mouse.move(*ann.place(ann.legal()[0][1]))
    expect(ann.page.locator(".tg-lost")).to_have_count(1)
    expect(ann.page.locator(".tg-aim")).to_have_count(0)  # words are for those who ask
    ann.page.mouse.move(5, 5)
    expect(ann.page.locator(".tg-lost")).to_have_count(0)


def test_a_turned_board_has_its_labels_and_moves_at_the_right_points(ann: Visitor) -> None:
    ann.begin("othello", STRAW, size=6)
    left_top = ann.place([0, 0])
    labels = ann.page.locator(".tg-labels text")
    assert labels.all_text_contents()[:6] == list("abcdef")
    ann.press("Turn the board")
    ann.until("() => document.querySelector('.tg-labels text').textContent === '6'")
    texts = labels.all_text_contents()
    assert texts == [*"654321", *"abcdef"]
    assert ann.place([0, 5]) == pytest.approx(left_top)
    move = ann.legal()[0]
    ann.click(move[1])
    expect(ann.page.locator(".tg-move").first).to_have_text(move[0])


def test_a_theme_is_chosen_with_a_preview_and_used_by_every_board(ann: Visitor) -> None:
    ann.go("/options")
    ann.page.get_by_text("High contrast").click()
    expect(ann.page.locator(".tg-samples .tg-theme-contrast")).to_have_count(2)
    expect(ann.page.locator(".tg-samples [role=img]")).to_have_count(2)
    ann.begin("go", STRAW, size=5)
    expect(ann.page.locator(".tg-board.tg-theme-contrast")).to_have_count(1)
    ann.go("/options")
    ann.page.get_by_text("Wood and felt").click()
    expect(ann.page.locator(".tg-samples .tg-theme-classic")).to_have_count(2)


def _touch(session: CDPSession, kind: str, *points: tuple[float, float]) -> None:
    touches = [{"x": x, "y": y, "id": number} for number, (x, y) in enumerate(points)]
    session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": touches})


def test_a_large_board_is_zoomed_by_two_fingers_and_magnified_while_one_aims(phone: Visitor) -> None:
    phone.begin("go", STRAW, size=19)
    session = phone.context.new_cdp_session(phone.page)
    (x, y), (left, top) = phone.place([9, 9]), phone.place([0, 0])
    _touch(session, "touchStart", (x - 20, y), (x + 20, y))
    _touch(session, "touchMove", (x - 60, y), (x + 60, y))
    phone.until(f"() => {BOARD}.zoom.scale > 2.5")
    _touch(session, "touchEnd")
    assert phone.place([9, 9]) == pytest.approx((x, y), abs=3)  # what was between the fingers
    assert phone.ply() == 0
    expect(phone.page.locator(".tg-ghost")).to_have_count(0)
    phone.press("Show the whole board")
    phone.until(f"() => {BOARD}.zoom.scale === 1")
    _touch(session, "touchStart", (x, y))
    phone.until(f"() => {BOARD}.zoom.scale > 1.5")
    assert phone.place([9, 9]) == pytest.approx((x, y), abs=3)  # still under the finger
    neighbour = phone.place([10, 9])
    assert neighbour[0] - x > 35
    _touch(session, "touchMove", neighbour)
    _touch(session, "touchEnd")
    phone.until(f"() => {BOARD}.zoom.scale === 1")
    assert phone.place([0, 0]) == pytest.approx((left, top))
    phone.press("Play L10")
    phone.wait_for_ply(1)


def test_a_page_with_a_board_needs_few_requests(browser: Browser, site: str, ann: Visitor) -> None:
    game = ann.begin("go", STRAW, size=5)
    fresh = Visitor.arrive(browser, site)
    requests: list[Any] = []
    fresh.page.on("request", lambda request: requests.append(request.url.removeprefix(site)))
    fresh.go(f"/game/{game}")
    fresh.wait_for_board()
    fresh.leave()
    assert len(requests) <= 20, "\n".join(requests)
    assert sum("/static/components.js" in url for url in requests) == 1
