"""The analysis in a browser: review of a pasted game, drafts, the position editor, playing on."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, expect

from tests.helpers.web_site import TIMEOUT_MS, Site, Visitor

# Black's third move gives a proved win away.
CLOBBER = '[Game "clobber"]\n\n1. 3-4 8-9 2. 5-6 18-17 3. 13-14 12-11 4. 1-2 20-19 5. 15-16 17-16 *'
BLUNDER = "5-6"
HERE = ".tg-here"


def paste(visitor: Visitor, text: str) -> None:
    visitor.go("/analysis")
    visitor.page.get_by_label("SGF, GGF").fill(text)
    visitor.press("Open")
    visitor.page.wait_for_url("**/analysis/*")
    visitor.wait_for_board()


def at_move(visitor: Visitor, text: str) -> None:
    expect(visitor.page.locator(HERE)).to_contain_text(text)


def test_a_pasted_game_opens_at_its_mistake_with_a_summary(ann: Visitor) -> None:
    paste(ann, CLOBBER)
    at_move(ann, f"{BLUNDER}??")
    page = ann.page
    expect(page.locator(".tg-verdict")).to_contain_text("wins: proved")
    expect(page.locator(".tg-review-table")).to_contain_text("Accuracy")
    expect(page.locator(".tg-review-table tr", has_text="Blunders")).to_contain_text("1")
    expect(page.locator(".tg-turn").first).to_contain_text("3. ")
    expect(page.locator(".tg-turn").first).to_contain_text("better:")
    expect(page.get_by_text("Reviewed: 1 move to look at")).to_be_visible()
    expect(page.locator(".tg-graph-exact-text")).to_contain_text("proved")
    expect(page.locator(".tg-dot-blunder")).to_have_count(1)
    ann.shot("analysis-review")


def test_candidates_say_what_a_move_does(ann: Visitor) -> None:
    empty = "/........." * 4
    ann.go(f"/editor/pente?size=9&board={empty[1:]}/..XXX....{empty}+X")
    ann.wait_for_board()
    ann.press("Analyse")
    ann.page.wait_for_url("**/analysis/*")
    ann.wait_for_board()
    ann.page.get_by_role("tab", name="Candidates").click()
    table = ann.page.locator(".tg-why")
    expect(table).to_contain_text("makes an open four", timeout=TIMEOUT_MS)
    expect(table.locator("th")).to_have_text(["Move", "Value", "What it does"])  # this engine counts no visits
    # The move that is shown at the moment of the click is played, whatever the search finds then.
    played = ann.page.locator(".tg-pv-move").first.evaluate("move => { move.click(); return move.innerText; }")
    expect(ann.page.locator(".tg-move").first).to_have_text(played)
    ann.page.get_by_role("switch", name="Engine", exact=True).click()


def test_keys_step_through_the_game_and_to_the_mistakes(ann: Visitor) -> None:
    paste(ann, CLOBBER)
    at_move(ann, BLUNDER)
    keyboard = ann.page.keyboard
    keyboard.press("ArrowRight")
    at_move(ann, "18-17")
    ann.page.locator(".tg-graph svg").hover()
    expect(ann.page.locator(".tg-graph-tip")).to_contain_text(re.compile(r"\d+\. .*: "))
    ann.page.locator(".tg-move").last.click()
    at_move(ann, "17-16")
    keyboard.press("p")
    at_move(ann, BLUNDER)
    ann.press("Start")
    keyboard.press("n")
    at_move(ann, BLUNDER)
    keyboard.press("n")  # there is no other one
    at_move(ann, BLUNDER)
    ann.page.locator(".tg-move").first.click()
    ann.page.locator(".tg-turn").first.click()
    at_move(ann, BLUNDER)
    keyboard.press("?")
    expect(ann.page.get_by_role("dialog", name="Keyboard shortcuts")).to_contain_text("Next mistake")
    keyboard.press("Escape")


def test_the_move_list_is_tall_and_the_comment_field_wide(ann: Visitor) -> None:
    ann.page.set_viewport_size({"width": 1440, "height": 900})
    paste(ann, CLOBBER)
    box = ann.page.locator(".tg-moves").bounding_box()
    assert box is not None
    assert box["height"] > 600
    ann.page.get_by_role("tab", name="Comment").click()
    field = ann.page.get_by_label("Add a comment").bounding_box()
    assert field is not None
    assert field["width"] > 280
    ann.go("/board/othello")
    ann.wait_for_board()
    expect(ann.page.locator(".tg-graph")).to_be_hidden()
    ann.page.set_viewport_size({"width": 1280, "height": 800})


def test_a_draft_survives_a_restart_and_can_be_deleted(server: Site, browser: Browser) -> None:
    bea = Visitor.arrive(browser, server.address)
    paste(bea, "(;GM[1]SZ[9]PB[Draft Bea]PW[Cho];B[ee];W[cc])")
    url = bea.page.url
    bea.go("/board/othello")
    bea.wait_for_board()
    bea.page.get_by_role("switch", name="Engine", exact=True).click()
    bea.move(bea.find("f5"))
    bea.wait_for_ply(1)
    server.start_again()
    bea.go("/analysis")
    drafts = bea.page.locator(".tg-draft")
    expect(drafts).to_have_count(2)
    expect(drafts.first).to_contain_text("1 move")
    draft = bea.page.locator(".tg-draft", has_text="Draft Bea – Cho")
    expect(draft).to_contain_text("2 moves")
    bea.page.goto(url)
    bea.wait_for_board()
    expect(bea.page.locator(".tg-moves")).to_contain_text("E5")
    bea.go("/library")
    expect(bea.page.get_by_text("Draft Bea")).to_have_count(0)
    stranger = Visitor.arrive(browser, server.address)
    stranger.go("/analysis")
    expect(stranger.page.locator(".tg-draft", has_text="Draft Bea")).to_have_count(0)
    stranger.leave()
    bea.go("/analysis")
    draft.get_by_role("button", name="Delete the draft").click()
    expect(draft).to_have_count(0)
    bea.page.reload()
    expect(bea.page.locator(".tg-draft")).to_have_count(1)
    bea.leave()


def test_a_paste_that_is_too_large_names_the_limit_and_bad_text_its_problem(ann: Visitor) -> None:
    ann.go("/analysis")
    field = ann.page.get_by_label("SGF, GGF")
    ann.press("Open")
    alert = ann.page.locator(".tg-paste").get_by_role("alert")
    expect(alert).to_have_text("Paste a game first.")
    field.evaluate("element => { element.value = '(;GM[1]C[' + 'x'.repeat(7_000_000) + '])' }")
    ann.press("Open")
    expect(alert).to_contain_text("the limit is 6.0 MB")
    # A text of this size does not fit into a message of the page's socket.
    field.evaluate("element => { element.value = '(;GM[1]SZ[9]C[' + 'x'.repeat(3_000_000) + '];B[ee])' }")
    ann.press("Open")
    ann.page.wait_for_url("**/analysis/*")
    ann.wait_for_board()
    ann.complaints.clear()
    ann.go("/analysis")
    ann.page.get_by_label("SGF, GGF").fill("no game at all")
    ann.press("Open")
    expect(alert).to_contain_text("Format not recognised")
    ann.complaints.clear()  # the browser reports the refused request


@pytest.mark.parametrize("game", ["go?size=9", "othello", "pente?size=9", "clobber?size=8", "amazons"])
def test_a_position_is_set_up_and_analysed(ann: Visitor, game: str) -> None:
    ann.go(f"/editor/{game}")
    ann.wait_for_board()
    low = "document.querySelector('.tg-board > svg').getBoundingClientRect().bottom"
    ann.until(f"() => {low} <= innerHeight")  # the whole board is in view
    before = ann.stones()
    ann.page.get_by_role("button", name="White", exact=True).or_(
        ann.page.get_by_role("button", name="O", exact=True)
    ).first.click()
    ann.click([0, 0])
    shown = "getElement(parseInt(document.querySelector('.tg-board').id.slice(1))).pic.stones"
    ann.until(f"before => {shown} !== before", before)
    after = ann.stones()
    ann.press("Analyse")
    ann.page.wait_for_url("**/analysis/*")
    ann.wait_for_board()
    assert ann.stones() == after
    ann.page.get_by_role("switch", name="Engine", exact=True).click()


def test_a_position_is_pasted_as_text_with_captures_and_a_ko(ann: Visitor) -> None:
    text = "......./..XO.../.X.XO../..XO.../......./......./....... O captured=4-1 ko=C5"
    ann.go("/editor/go?size=9")
    ann.wait_for_board()
    ann.page.get_by_text("Position as text").click()
    ann.page.get_by_label("Position", exact=True).fill(text)
    ann.press("Use this text")
    ann.page.wait_for_url("**ko%3DC5*")
    ann.wait_for_board()
    assert len(ann.stones()) == 49
    expect(ann.page.get_by_label("Captured by Black")).to_have_value("4")
    ann.press("Analyse")
    ann.page.wait_for_url("**/analysis/*")
    ann.wait_for_board()
    assert "C5" not in [move[0] for move in ann.legal()]


def test_a_game_is_played_on_from_a_position(ann: Visitor) -> None:
    paste(ann, CLOBBER)
    at_move(ann, BLUNDER)
    ann.wait_for_exact_ply(3)
    stones = ann.stones()
    ann.press("More")
    ann.page.get_by_text("Play on from here").click()
    ann.page.get_by_role("dialog").get_by_role("button", name="Start").click()
    ann.page.wait_for_url("**/game/*")
    ann.wait_for_board()
    ann.wait_for_turn(3)
    assert ann.ply() == 3
    assert ann.stones() == stones
    ann.move(ann.legal()[0])
    ann.wait_for_ply(5)  # the opponent has answered
