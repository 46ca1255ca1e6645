"""The game page in a browser: the end of a game of Go, fixed buttons, looking back, link games, rated games."""

from __future__ import annotations

from playwright.sync_api import Browser, expect

from tests.helpers.web_site import STRAW, Visitor

# Black lives on the left, White on the right, and the white stone on A5 is dead.
SETTLED = "O.XO./XXXO./..XOO/XXXO./..XO. X"


def _pass_twice(visitor: Visitor) -> None:
    for ply in (1, 2):
        visitor.press("Pass")
        visitor.wait_for_exact_ply(ply)


def test_dead_stones_of_two_people_at_one_board_under_area_rules(ann: Visitor) -> None:
    ann.begin("go", "Bea", board=SETTLED, rules="chinese", komi=0.5)
    _pass_twice(ann)
    counting = ann.page.locator(".tg-counting")
    expect(ann.page.locator(".tg-dead")).to_have_count(1)
    expect(counting).to_contain_text("Black wins by 4.5 points")
    expect(counting.locator(".tg-total")).to_contain_text("15")
    ann.click([0, 0])  # alive after all?
    expect(ann.page.locator(".tg-dead")).to_have_count(0)
    ann.press("Reset marks")
    expect(ann.page.locator(".tg-dead")).to_have_count(1)
    ann.shot("go-counting")
    ann.press("Play on")
    ann.wait_for_exact_ply(0)
    _pass_twice(ann)
    expect(ann.page.locator(".tg-dead")).to_have_count(1)
    ann.press("Agree")
    ann.wait_for_status("Ann won by 4.5 points")
    result = ann.page.locator(".tg-result")
    expect(result).to_contain_text("Ann won by 4.5 points")
    expect(result.locator(".tg-score")).to_contain_text("Territory")
    expect(ann.page.locator(".tg-heat path")).to_have_count(10)  # the territory of both, which stays visible
    ann.shot("go-result")
    ann.page.reload()  # the stored game shows the same
    ann.wait_for_board()
    expect(ann.page.locator(".tg-dead")).to_have_count(1)
    result.get_by_role("button", name="Close").click()
    expect(result).to_be_hidden()


def test_buttons_stay_where_they_are(ann: Visitor) -> None:
    ann.begin("othello", STRAW, size=6)
    ann.wait_for_turn()
    ann.page.evaluate("() => document.fonts.ready")  # icons have their width only then
    tools = ann.page.locator(".tg-tools button")
    before = [tools.nth(number).bounding_box() for number in range(tools.count())]
    assert len(before) == 9
    expect(ann.page.get_by_role("button", name="Take back")).to_be_disabled()
    ann.move(ann.legal()[0])
    ann.wait_for_turn(2)
    expect(ann.page.get_by_role("button", name="Take back")).to_be_enabled()
    assert [tools.nth(number).bounding_box() for number in range(tools.count())] == before
    ann.press("Back")
    expect(ann.page.locator(".tg-status").first).to_have_text("Viewing move 1 of 2")
    expect(ann.page.locator(".tg-looking-back")).to_be_visible()
    ann.press("Back to the game")
    ann.wait_for_status("Your move")
    expect(ann.page.locator(".tg-looking-back")).to_have_count(0)
    ann.wait_for_turn(2)
    discs = ann.page.locator(".tg-tally")
    expect(discs.nth(0)).to_have_attribute("aria-label", f"Discs: {ann.stones().count('O')}")
    expect(discs.nth(1)).to_have_attribute("aria-label", f"Discs: {ann.stones().count('X')}")


def test_a_game_is_aborted_without_a_result(ann: Visitor) -> None:
    game = ann.begin("othello", STRAW, size=6)
    ann.press("Abort")
    ann.page.locator(".q-dialog").get_by_role("button", name="Abort").click()
    ann.wait_for_status("The game was aborted")
    listed = ann.context.request.get(f"{ann.address}/api/games").json()
    assert game not in [one["id"] for one in listed], "games without a move are not kept"


def test_a_hint_unrates_a_game_and_asks_once(ann: Visitor) -> None:
    ann.begin("othello", STRAW, rated=True, size=6)
    badge = ann.page.locator(".tg-rated-badge")
    expect(badge).to_have_text("Rated")
    ann.press("Hint")
    dialog = ann.page.locator(".q-dialog")
    asks = "(one) => one.props?.['aria-label']?.includes('unrated')"
    dialogs = f"() => Object.values(mounted_app.elements).filter({asks}).length"
    assert ann.until(dialogs) == 1
    dialog.get_by_role("button", name="Cancel").click()
    expect(dialog).to_be_hidden()
    ann.until(f"() => ({dialogs})() === 0")
    expect(badge).to_have_text("Rated")
    ann.press("Hint")
    dialog.get_by_role("button", name="Continue").click()
    ann.page.wait_for_selector("text=Hint:")
    ann.move(ann.legal()[0])
    ann.wait_for_turn(2)
    expect(badge).to_have_text("Unrated")
    ann.press("Take back")  # not asked again
    ann.until("() => !document.querySelector('.tg-move')")


def test_a_guest_has_a_name_and_sees_that_an_offer_was_declined(browser: Browser, site: str, ann: Visitor) -> None:
    bea = Visitor.arrive(browser, site)
    bea.go(ann.invite("othello"))
    bea.page.get_by_label("Your name").fill("Beatrix")
    bea.press("Join game")
    bea.wait_for_board()
    expect(ann.page.get_by_text("Beatrix").first).to_be_visible()
    ann.wait_for_status("Your move")
    ann.move(ann.legal()[0])
    bea.wait_for_status("Your move, Beatrix")
    ann.press("Take back")
    expect(ann.page.get_by_text("You asked to take back a move. Waiting for an answer.")).to_be_visible()
    bea.press("Decline")
    expect(ann.page.get_by_text("Your opponent does not want to take back the move")).to_be_visible()
    listed = ann.context.request.get(f"{ann.address}/api/games").json()
    assert any("Beatrix" in game["players"] for game in listed)
    bea.leave()
    assert bea.complaints == []
