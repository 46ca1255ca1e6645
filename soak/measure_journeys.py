"""Times three journeys of a new user through the web app, and weighs the first page.

    python soak/measure_journeys.py [runs]

A journey is done as fast as the program allows: the seconds are those of the app, without the user's thinking.
The figures are in docs/measurements/web.md.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

from playwright.sync_api import Browser
from tests.helpers.web_site import Site, Visitor, chromium

# A game of the Othello engine with 300 nodes, except for random moves 10, 19 and 32.
_OTHELLO = (
    "d3c5e6e3c3d2f3b4d6e7b6f4f5f6c4b3c6b5c1d7a6a5c2c7a3a7f7g6e8d8f8g3g4h3c8e2a4a2h4h5f2b2h6h7a1b8g5b1a8b7"
    "d1g8h8g7h2g1e1g2f1h1"
)


def main(runs: int = 3) -> None:
    with chromium() as browser:
        for _ in range(runs):
            with tempfile.TemporaryDirectory() as folder:
                site = Site(Path(folder))
                try:
                    _weigh(browser, site)
                    _journeys(browser, site)
                    _find_a_mistake(browser, site)
                finally:
                    site.close()


def _weigh(browser: Browser, site: Site) -> None:
    visitor = Visitor.arrive(browser, site.address)
    session = visitor.context.new_cdp_session(visitor.page)
    session.send("Network.enable")
    sizes: list[float] = []
    session.on("Network.loadingFinished", lambda event: sizes.append(event["encodedDataLength"]))
    started = time.monotonic()
    visitor.go("/")
    visitor.until("() => window.socket?.connected")
    interactive = time.monotonic() - started
    visitor.wait_for_board()
    board = time.monotonic() - started
    visitor.page.wait_for_load_state("networkidle")
    print(
        f"first page: {sum(sizes) / 1000:.0f} KB, {len(sizes)} requests, {interactive:.1f} s, board {board:.1f} s"
    )
    visitor.leave()


def _journeys(browser: Browser, site: Site) -> None:
    visitor = Visitor.arrive(browser, site.address)
    started = time.monotonic()
    visitor.go("/")
    visitor.press("Play Go")  # the only click before the board
    visitor.page.wait_for_url("**/game/*")
    visitor.wait_for_board()
    visitor.wait_for_status("Your move")
    board = time.monotonic() - started
    visitor.move(next(move for move in visitor.legal() if move[1] == [4, 4]))
    visitor.wait_for_ply(2)
    print(f"first game of Go: board {board:.1f} s, reply {time.monotonic() - started:.1f} s")
    _lose(visitor)
    visitor.go("/")
    visitor.press("Play Go")
    visitor.page.wait_for_url("**/game/*")
    visitor.wait_for_board()
    visitor.wait_for_status("Your move")
    visitor.move(visitor.legal()[0])
    visitor.wait_for_ply(2)
    visitor.go("/options")
    site.start_again()
    started = time.monotonic()
    visitor.go("/")  # shows the game, without a click
    visitor.page.get_by_role("heading", name="Continue your game").wait_for()
    visitor.wait_for_board()
    board = time.monotonic() - started
    visitor.move(visitor.legal()[0])
    visitor.page.wait_for_url("**/game/*")
    visitor.wait_for_board()
    visitor.wait_for_ply(3)
    print(f"yesterday's game: board {board:.1f} s, own move {time.monotonic() - started:.1f} s")
    visitor.leave()


def _find_a_mistake(browser: Browser, site: Site) -> None:
    """Paste a game; the page goes to its first mistake, then searches the critical positions longer."""
    visitor = Visitor.arrive(browser, site.address)
    started = time.monotonic()
    visitor.go("/")
    visitor.page.get_by_role("link", name="Analyse").first.click()
    field = visitor.page.get_by_label("SGF, GGF")
    field.click()
    field.fill(_OTHELLO)
    visitor.press("Open")
    visitor.page.wait_for_url("**/analysis/*")
    visitor.wait_for_board()
    board = time.monotonic() - started
    visitor.page.locator(".tg-here.tg-was-mistake, .tg-here.tg-was-blunder").first.wait_for()
    mistake = time.monotonic() - started
    visitor.page.get_by_text("Reviewed:").first.wait_for()
    complete = time.monotonic() - started
    print(f"pasted game: board {board:.1f} s, first mistake {mistake:.1f} s, review complete {complete:.1f} s")
    visitor.leave()


def _lose(visitor: Visitor) -> None:
    """Play badly, resign, and see why the game was lost."""
    while visitor.ply() < 24:
        visitor.wait_for_status("Your move")
        ply, moves = visitor.ply(), visitor.legal()
        if moves:
            visitor.move(moves[0])
            visitor.wait_for_ply(ply + 1)
    visitor.wait_for_status("Your move")
    started = time.monotonic()
    visitor.press("Resign")
    visitor.page.locator(".q-dialog").get_by_role("button", name="Resign").click()
    visitor.page.wait_for_selector(".tg-turning a")
    named = time.monotonic() - started
    visitor.page.locator(".tg-turning a").first.click()
    visitor.page.wait_for_url("**/analysis/*")
    visitor.wait_for_board()
    print(f"why I lost: mistake named {named:.1f} s, on the board {time.monotonic() - started:.1f} s")


if __name__ == "__main__":
    main(*(int(runs) for runs in sys.argv[1:2]))
