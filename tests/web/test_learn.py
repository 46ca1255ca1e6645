"""Learning in a real Chromium: lessons by mouse, keyboard and touch, progress, the daily puzzle, Go puzzles."""

from __future__ import annotations

from playwright.sync_api import Browser, expect

from tengen.app.daily_puzzle import daily_puzzle, today
from tengen.app.puzzle_files import shipped_puzzles
from tests.helpers.web_site import PHONE, STRAW, Visitor

FEEDBACK, TASK = ".tg-feedback", ".tg-task"


def test_a_lesson_step_hints_at_wrong_moves_and_remembers_right_ones(ann: Visitor) -> None:
    ann.go("/learn")
    expect(ann.page.locator(".tg-learn-card", has_text="Othello")).to_contain_text("Learn in two minutes")
    ann.page.locator(".tg-learn-card", has_text="Othello").click()
    ann.wait_for_board()
    expect(ann.page.get_by_role("heading", name="Trap a disc")).to_be_visible()
    ann.click([0, 0])  # traps nothing
    expect(ann.page.locator(FEEDBACK)).to_contain_text("That traps nothing")
    ann.move(ann.find("d3"))
    expect(ann.page.locator(FEEDBACK)).to_contain_text("flipped")
    ann.press("Next")
    expect(ann.page.get_by_role("heading", name="In all directions")).to_be_visible()
    move = ann.find("a1")  # legal, but not in three directions
    stones = ann.stones()
    ann.move(move)
    expect(ann.page.locator(FEEDBACK)).to_contain_text("fewer than three")
    assert ann.stones() == stones
    ann.press("Show me")
    expect(ann.page.locator(FEEDBACK)).to_contain_text("Try b3")
    ann.move(ann.find("b3"))
    expect(ann.page.locator(FEEDBACK)).to_contain_text("three directions")
    ann.go("/learn")
    expect(ann.page.locator(".tg-learn-card", has_text="Othello")).to_contain_text("2 of 8 done")
    ann.go("/learn/othello")  # continues where the learner was
    expect(ann.page.get_by_role("heading", name="Move or pass")).to_be_visible()
    ann.wait_for_board()
    ann.press("Pass")
    ann.wait_for_ply(2)  # White answers
    expect(ann.page.locator(TASK)).to_contain_text("Now make a move")
    ann.go("/learn/othello?finished=1")
    expect(ann.page.get_by_text("2 of 8 done")).to_be_visible()
    expect(ann.page.get_by_role("link", name="Othello endings")).to_be_visible()
    ann.press("Continue the lesson")
    expect(ann.page.get_by_role("heading", name="Move or pass")).to_be_visible()


def test_a_lesson_by_keyboard_only_speaks(ann: Visitor) -> None:
    ann.go("/learn/go?step=2")
    ann.wait_for_board()
    ann.page.locator(".tg-board > svg").focus()
    ann.page.keyboard.press("ArrowRight")  # shows the cursor, or moves it from the middle
    for _ in range(12):
        column, row = ann.cursor()
        if [column, row] == [3, 2]:
            break
        ann.page.keyboard.press("ArrowLeft" if column > 3 else "ArrowRight" if column < 3 else "ArrowUp")
    assert ann.cursor() == [3, 2]  # D5, the last liberty
    ann.page.keyboard.press("Enter")
    status = ann.page.get_by_role("status").filter(has_text="Captured!")
    expect(status).to_be_visible()
    ann.wait_for_ply(2)
    expect(ann.page.locator(TASK)).to_contain_text("the other white stones")


def test_a_lesson_on_a_phone_shows_the_answer_without_scrolling(browser: Browser, site: str) -> None:
    phone = Visitor.arrive(browser, site, **PHONE)
    phone.go("/learn/clobber?step=2")
    phone.wait_for_board()
    assert phone.excess_width() <= 0
    for point in phone.find("b1-c1")[1:]:
        phone.page.touchscreen.tap(*phone.place(point))
    phone.page.get_by_role("button", name="Play b1-c1").click()
    expect(phone.page.locator(FEEDBACK)).to_contain_text("Keep away")
    expect(phone.page.locator(FEEDBACK)).to_be_in_viewport()
    expect(phone.page.get_by_role("button", name="Next", exact=True)).to_be_in_viewport()
    phone.leave()


def test_new_game_and_game_lead_to_the_lesson(ann: Visitor) -> None:
    ann.go("/new?game=pente")
    expect(ann.page.get_by_role("link", name="How to play")).to_have_attribute("href", "/learn/pente")
    ann.begin("clobber", STRAW, size=8)
    expect(ann.page.get_by_role("link", name="How to play")).to_have_attribute("href", "/learn/clobber")


def test_the_daily_puzzle_is_solved_in_place_and_starts_a_streak(ann: Visitor) -> None:
    puzzle = daily_puzzle(today())
    ann.go("/daily")
    ann.wait_for_board()
    expect(ann.page.get_by_text(puzzle.task)).to_be_visible()
    wrong = next(move for move in ann.legal() if move[0] not in puzzle.puzzle.right)
    ann.move(wrong)
    expect(ann.page.locator(FEEDBACK)).to_contain_text(f"{wrong[0]} is not it")
    ann.move(ann.find(puzzle.puzzle.right[0]))
    expect(ann.page.locator(FEEDBACK)).to_contain_text("Right")
    expect(ann.page.get_by_text("1 day in a row")).to_be_visible()
    ann.page.reload()
    expect(ann.page.locator(FEEDBACK)).to_contain_text("Come back tomorrow")
    ann.go("/learn")
    expect(ann.page.locator(".tg-learn-daily")).to_contain_text("Solved today")


def test_a_go_puzzle_shows_the_result_of_every_move_after_its_answer(ann: Visitor) -> None:
    ann.go("/puzzles/go-life")
    ann.wait_for_board()
    board = ann.stones()
    puzzle = next(
        one for one in shipped_puzzles("go-life") if str(one.options["board"]).split()[0].replace("/", "") == board
    )
    expect(ann.page.locator(".tg-mark")).to_have_count(len(puzzle.marked))
    ann.move(ann.find(puzzle.right[0]))
    expect(ann.page.locator(".tg-status")).to_contain_text("Right")
    expect(ann.page.locator(".tg-candidate").first).to_contain_text(puzzle.right[0])
    expect(ann.page.locator(".tg-candidate")).to_have_count(15)
