"""Teaching mode in a real Chromium: a warning, taking the move back, hints in steps."""

from __future__ import annotations

from playwright.sync_api import Browser, expect

import tengen
from tests.helpers.lost_wins import wins
from tests.helpers.web_site import STRAW, Site, Visitor

BOARD = "XOXOXOXO.XO"


def test_a_losing_move_is_warned_of_and_hints_come_in_steps(server: Site, browser: Browser) -> None:
    ann = Visitor.arrive(browser, server.address)
    start = tengen.game("clobber", board=BOARD).start()
    losing = {start.game.write_move(move) for move in start.legal_moves if wins(start.play(move))}
    ann.begin("clobber", STRAW, board=BOARD, rated=True)
    ann.page.get_by_role("switch", name="Teaching").click()
    ann.press("Continue")
    expect(ann.page.get_by_text("Unrated")).to_be_visible()
    ann.press("Small hint")
    teacher = ann.page.locator(".tg-helper .tg-status").first
    expect(teacher).to_contain_text("Look at: the ")
    ann.press("Clearer hint")
    expect(teacher).to_contain_text("What it does: ")
    ann.press("Clearer hint")
    expect(teacher).to_contain_text("Hint: ")
    ann.move(next(move for move in ann.legal() if move[0] in losing))
    expect(ann.page.get_by_text("Are you sure about")).to_be_visible()
    expect(ann.page.get_by_text("gave away a won game (proved)")).to_be_visible()
    ann.shot("teaching")
    ann.press("Take it back")
    assert ann.ply() == 0
    ann.move(next(move for move in ann.legal() if move[0] in losing))
    ann.press("Play it anyway")
    ann.wait_for_ply(1)
    ann.leave()
    assert ann.complaints == []
