"""Books and drills in a real Chromium: one is learned from a game, grown, asked about; and who may not."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random

import pytest
from playwright.sync_api import Browser, expect

import tengen
from tengen.app.drills import Drill, question
from tengen.books import ValuedBook, evaluate_book
from tengen.books.book_file import write_book
from tengen.books.statistics import StatisticsBook
from tengen.books.statistics_file import write_statistics
from tests.helpers.book_stub import Stub, play_out
from tests.helpers.web_site import PHONE, STRAW, Visitor, chromium, serving

SIX = tengen.game("othello", size=6)
PENTE = tengen.game("pente", size=9)


def six_book() -> ValuedBook:
    """Games of Othello on 6x6, valued by nobody who knows anything."""
    rng, book = Random(2), ValuedBook(SIX, horizon=12)
    for _ in range(30):
        book.add(play_out(SIX, [rng.randrange(20) for _ in range(9)]))
    evaluate_book(book, Stub())
    return book


def few_games() -> StatisticsBook:
    book, rng = StatisticsBook("pente"), Random(1)
    for number in range(60):
        line = play_out(PENTE, [40, 40 + rng.randrange(2), rng.randrange(30, 33), rng.randrange(40, 43)])
        book.add(line, winner=number % 2)
    return book


@dataclass
class Place:
    """A server, the folder of its books, and a browser to look at it."""

    address: str
    books: Path
    browser: Browser
    six: ValuedBook


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    folder = tmp_path_factory.mktemp("books")
    with serving(folder) as (address, _), chromium() as browser:
        yield Place(address, folder / "books", browser, six_book())
    assert "Traceback" not in (folder / "server.log").read_text()


@pytest.fixture(scope="module")
def ann(place: Place) -> Iterator[Visitor]:
    visitor = Visitor.arrive(place.browser, place.address)
    yield visitor
    visitor.leave()
    assert visitor.complaints == []


@pytest.fixture(scope="module")
def game(place: Place, ann: Visitor) -> str:
    """A game that Ann has played and resigned; returns its path in the API."""
    rng = Random(3)
    identity = ann.begin("othello", STRAW, size=4)
    path = f"{place.address}/api/games/{identity}"
    while (state := ann.context.request.get(path).json())["result"] is None:
        if len(state["moves"]) >= 9:
            ann.context.request.post(f"{path}/resign")
        elif state["to_move"] == 0:
            ann.context.request.post(f"{path}/moves", data={"move": rng.choice(state["legal"])})
    return path


def test_a_game_is_learned_and_the_book_grows(place: Place, ann: Visitor, game: str) -> None:
    ann.go("/drills")
    expect(ann.page.get_by_text("There is no book yet")).to_be_visible()
    place.books.mkdir(exist_ok=True)
    write_book(place.six, place.books / "othello_size-6.book")
    write_statistics(few_games(), place.books / "pente.stats")
    ann.go(f"/game/{game.rpartition('/')[2]}")
    ann.press("Improve the opening book with this game")
    expect(ann.page.get_by_text("the book now has")).to_be_visible()
    ann.shot("game-learned")
    ann.go("/books")
    book = ann.page.locator("section.tg-card", has_text="Othello 4×4")
    expect(book.get_by_text("Verified: the value of every position")).to_be_visible()
    before = int(book.locator(".tg-figure").first.inner_text())
    book.get_by_text("Grow", exact=True).first.click()  # first, as it moves while what is above it opens
    book.get_by_text("By moves made").click()
    book.get_by_label("Loss").fill("16")
    book.get_by_label("Depth").fill("99")
    book.get_by_role("button", name="Grow", exact=True).click()
    expect(ann.page.get_by_text("depth should be from 1 to 40")).to_be_visible()
    book.get_by_label("Depth").fill("4")
    book.get_by_role("button", name="Grow", exact=True).click()
    expect(ann.page.get_by_text("Othello 4×4: round 1 of 1")).to_be_visible()
    ann.shot("book-grows")
    expect(ann.page.get_by_text("Othello 4×4 has grown")).to_be_visible()
    ann.until("before => parseInt([...document.querySelectorAll('.tg-figure')][0]?.innerText) > before", before)
    ann.shot("books")


def right_answers(book: ValuedBook, visitor: Visitor) -> set[str]:
    """What the book calls right at the position that is asked."""
    line = visitor.page.locator(".tg-thought").first.inner_text()
    moves = [] if line == "From the start" else line.split()
    asked = question(Drill(SIX, 0, "Book", 0.0), book, SIX.start().play_all(moves))
    assert asked is not None
    return set(asked.right)


def test_the_book_asks_and_misses_are_counted(place: Place, ann: Visitor) -> None:
    ann.go("/drills")
    ann.page.get_by_label("Book").click()
    ann.page.get_by_role("option", name="Othello 6×6").click()
    ann.page.get_by_label("Accepted loss").fill("0")
    ann.shot("drills")
    ann.press("Start")
    ann.wait_for_board()
    right = right_answers(place.six, ann)
    ann.move(next(move for move in ann.legal() if move[0] not in right))
    verdict = ann.page.get_by_role("status")
    expect(verdict).to_contain_text("Better is")
    ann.shot("drill-missed")
    line = ann.page.locator(".tg-thought").first.inner_text()
    ann.press("Continue")
    expect(ann.page.locator(".tg-thought").first).not_to_have_text(line)
    expect(ann.page.get_by_role("button", name="Show the answer")).to_be_visible()
    chosen = ann.find(*right_answers(place.six, ann))
    ann.page.locator(".tg-board > svg").focus()
    ann.page.keyboard.press("ArrowLeft")  # shows the cursor
    (column, row), (to_column, to_row) = ann.cursor(), chosen[1]
    for _ in range(abs(to_column - column)):
        ann.page.keyboard.press("ArrowRight" if to_column > column else "ArrowLeft")
    for _ in range(abs(to_row - row)):
        ann.page.keyboard.press("ArrowDown" if to_row > row else "ArrowUp")
    ann.page.keyboard.press("Enter")
    expect(verdict).to_contain_text(f"Right, {chosen[0]}")
    expect(ann.page.get_by_text("1 of 2")).to_be_visible()
    known = ann.context.request.get(f"{place.address}/api/drills").json()
    assert sorted((one["answered"], one["solved"]) for one in known)[-2:] == [(0, 0), (2, 1)]


def test_statistics_are_drilled_on_a_phone(place: Place) -> None:
    phone = Visitor.arrive(place.browser, place.address, **PHONE, color_scheme="dark")
    phone.go("/drills?game=pente&book=Statistics")
    phone.page.get_by_role("button", name=PENTE.players[1]).click()
    phone.shot("phone-drills")
    phone.press("Start")
    phone.wait_for_board()
    phone.shot("phone-drill")
    corner = next(move for move in phone.legal() if move[0] == "A1")
    phone.page.touchscreen.tap(*phone.place(corner[1]))
    phone.page.get_by_role("button", name="Play A1").click()
    expect(phone.page.get_by_role("status")).to_contain_text("Not A1: nobody played it here")
    phone.shot("phone-drill-missed")
    for path in ("/books", "/drills"):
        phone.go(path)
        expect(phone.page.get_by_text("Othello 6×6" if path == "/books" else "What to practise")).to_be_visible()
        assert phone.excess_width() <= 0, path
        phone.shot(f"phone{path.replace('/', '-')}")
    assert phone.complaints == []
    phone.leave()


def test_strangers_may_practise_but_not_change_books(place: Place, ann: Visitor, game: str) -> None:
    stranger, api = place.browser.new_context().request, f"{place.address}/api"
    growth = {"game": "othello", "options": {"size": 4}, "loss": 2, "depth": 4}
    away = {"X-Forwarded-For": "203.0.113.9"}  # as a proxy on this machine passes requests on
    for path, given in ((f"{api}/books/growth", growth), (f"{api}/books/growth/stop", {}), (f"{game}/learn", {})):
        assert ann.context.request.post(path, data=given, headers=away).status == 403, path
    assert stranger.post(f"{game}/learn").status == 403, "it is Ann's game"
    assert stranger.post(f"{game}/book").status == 403
    wanted = {"game": "othello", "players": ["Ann", "Guest"]}
    made = ann.context.request.post(f"{api}/games", data=wanted).json()
    ann.context.request.post(f"{api}/games/{made['state']['id']}/resign")
    own = stranger.post(f"{api}/games/{made['state']['id']}/book", headers={"X-Tengen-Key": made["keys"][0]})
    assert own.json()["positions"] == 0, "whoever has the key of a seat that was not given away"
    assert ann.context.request.get(f"{game}/learn").json()["state"] == "done"
    listed = stranger.get(f"{api}/books").json()
    assert {(one["kind"], one["game"]) for one in listed} >= {("valued", "othello"), ("statistics", "pente")}
    asked = stranger.get(f"{api}/drills/next?game=othello&options=size=6&side=0").json()
    answered = stranger.post(f"{api}/drills/{asked['id']}/answer", data={"move": asked["legal"][0]}).json()
    assert answered["right"] in (True, False, None)
    assert stranger.get(f"{api}/drills/next?game=go&side=0").status == 422
    assert stranger.post(f"{api}/books/growth", data={**growth, "rounds": 0}).status == 422
