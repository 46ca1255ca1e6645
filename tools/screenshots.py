"""Take the pictures in docs/images from the running web app and terminal app.

    python tools/screenshots.py

Both apps use a temporary data folder. Playwright drives the web app with the system's Chromium, or with
the browser that `TENGEN_CHROMIUM` names. With an empty kernel cache this takes a few minutes.
"""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, sync_playwright

IMAGES = Path(__file__).resolve().parents[1] / "docs" / "images"
LIMIT_BYTES = 200_000
TIMEOUT_MS = 60_000  # kernels may have to be compiled first
WINDOW = {"width": 1250, "height": 750}
PHONE = {"width": 390, "height": 800}
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-dev-shm-usage"]

GO_MOVES = "E5 B4 C5 B5 B6 C6 B7 C7 C8 D5 C4 D4 C3 D3 C2 E6 D2 E2 E3 B8 A8 B9 C9 E4 F3 F2"
PENTE_MOVES = "K10 L9 K12 J9 N9 K11 H10 L11 L10 M10 N11 H11 J11 H12 J11 G9"
PENTE_WIN = "G7 H8 G8 G9 H7 J7 F7 K4 E7 L5 D7"
OTHELLO_MOVES = """f5 d6 c3 d3 c4 f4 f6 f3 e6 e7 c6 c5 b5 b6 e3 a4 d7 b4 b3 c7 g5 f2 e2 g3 g4 f7 g6 d1 f8 h3
e8 h5 h6 d2 c2 a3 b2 g8 h8 h7 g7 b1 c1 e1 a6 a5 h4 a7 a1 a2 a8 b7 b8 c8 f1 g1 h2 g2 h1"""
OTHELLO_GAME = "".join(f";{'BW'[ply % 2]}[{move}]" for ply, move in enumerate(OTHELLO_MOVES.split()))
COLLECTION = f"""(;GM[2]FF[4]PB[Ann]PW[Cem]DT[2026-04-02]RE[B+R]{OTHELLO_GAME})
(;GM[1]FF[4]SZ[9]PB[Ann]PW[Bea]DT[2026-03-01]RE[B+R];B[ee];W[cc];B[gc];W[cg];B[gg];W[dd])
(;GM[1]FF[4]SZ[13]PB[Bea]PW[Cem]DT[2026-03-08]RE[W+2.5];B[dd];W[jj];B[dj];W[jd];B[gg])
(;GM[1]FF[4]SZ[19]PB[Cem]PW[Ann]DT[2026-05-17]RE[W+R];B[pd];W[dp];B[pp];W[dd];B[fq];W[cn];B[jp])
(;GM[2]FF[4]PB[Bea]PW[Ann]DT[2026-06-21]RE[W+8];B[f5];W[d6];B[c3];W[d3];B[c4];W[f4];B[c5])
"""


def main() -> None:
    IMAGES.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        os.environ |= {"TENGEN_DATA": folder}
        os.environ.pop("TENGEN_DATABASE", None)
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=chromium_path(), args=FLAGS)
            with _server() as address:
                _take_web_pictures(browser, address)
            drawing = (
                ThreadPoolExecutor(1).submit(asyncio.run, _draw_terminal()).result()
            )  # Playwright has a loop in this one
            _render(browser, drawing, IMAGES / "terminal.png")
            browser.close()
    for picture in sorted(IMAGES.glob("*.*")):
        size = picture.stat().st_size
        print(f"{picture.name}: {size // 1000} KB")
        if size > LIMIT_BYTES:
            sys.exit(f"{picture.name} has more than {LIMIT_BYTES // 1000} KB")


# ---- the web app


@contextmanager
def _server() -> Iterator[str]:
    """A web server on a free loopback port; yields its address."""
    command = [sys.executable, "-m", "tengen", "web", "--no-browser", "--port", "0", "--workers", "1"]
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            for line in server.stdout:
                if found := re.search(r"http://[^/\s]+:\d+", line):
                    yield found[0]
                    return
            raise RuntimeError("the server did not start")
        finally:
            server.terminate()


def _take_web_pictures(browser: Browser, address: str) -> None:
    context = browser.new_context(viewport=WINDOW, reduced_motion="reduce", color_scheme="light", locale="en-GB")
    context.set_default_timeout(TIMEOUT_MS)
    page = context.new_page()
    api = _Api(page, address)
    api.post("/records", {"text": COLLECTION})

    go = api.play("go", {"size": 9}, ["Ann", "Bea"], GO_MOVES.split())
    pente = api.play("pente", {}, ["Ann", "Bea"], PENTE_MOVES.split())
    othello = api.find("othello", "B+R")

    won = api.play("pente", {"size": 13}, ["Ann", "Bea"], PENTE_WIN.split())

    _open(page, f"{address}/")
    _take(page, "home")
    _open(page, f"{address}/new?game=go")
    _take(page, "new-game")
    _open(page, f"{address}/learn/go")
    _wait_for_board(page)
    _take(page, "lesson")
    _open(page, f"{address}/game/{won}")
    _wait_for_board(page)
    page.wait_for_timeout(10_000)  # the quick review that finds the turning points
    _take(page, "result")
    _open(page, f"{address}/library")
    page.get_by_text("Cem").first.wait_for()
    _take(page, "library")
    _open(page, f"{address}/analysis/{othello}")
    _wait_for_board(page)
    page.get_by_text("Reviewed:").wait_for()  # the review starts by itself
    page.locator(".tg-pair .tg-move").nth(30).click()  # before a blunder
    page.wait_for_timeout(8000)
    _take(page, "othello-analysis")
    for name, game_id in (("go-game", go), ("pente-game", pente)):
        _open(page, f"{address}/game/{game_id}")
        _wait_for_board(page)
        page.get_by_role("switch", name="Engine analysis").click()
        page.wait_for_timeout(1000)
        if page.locator(".q-dialog button").count():  # yes, although the game is then unrated
            page.locator(".q-dialog button").first.click()
        page.wait_for_timeout(20_000)  # the engine evaluates the position, then the game's other positions
        _take(page, name)
    context.close()
    phone = browser.new_context(
        viewport=PHONE,
        reduced_motion="reduce",
        color_scheme="dark",
        locale="en-GB",
        is_mobile=True,
        has_touch=True,
    )
    page = phone.new_page()
    _open(page, f"{address}/game/{pente}")
    _wait_for_board(page)
    _take(page, "phone")
    phone.close()


class _Api:
    """The server's HTTP API, called with the page's cookies, so that the page owns the games."""

    def __init__(self, page: Page, address: str) -> None:
        self._page, self._address = page, address
        page.goto(address)

    def post(self, path: str, body: dict[str, Any], **headers: str) -> Any:
        url = f"{self._address}/api{path}"
        answer = self._page.context.request.post(url, data=body, headers=headers, timeout=TIMEOUT_MS)
        if not answer.ok:
            raise RuntimeError(f"{path}: {answer.text()}")
        return answer.json()

    def find(self, game: str, result: str) -> str:
        """The id of a stored game."""
        answer = self._page.context.request.get(f"{self._address}/api/games?game={game}")
        return next(entry["id"] for entry in answer.json() if entry["result"] == result)

    def play(self, game: str, options: dict[str, Any], players: list[str], moves: list[str]) -> str:
        """Start a game between two people, play `moves`, and return the game's id."""
        made = self.post("/games", {"game": game, "options": options, "players": players})
        game_id: str = made["state"]["id"]
        for ply, move in enumerate(moves):
            key = made["keys"][ply % 2]
            self.post(f"/games/{game_id}/moves", {"move": move}, **{"X-Tengen-Key": key})
        return game_id


def _open(page: Page, url: str) -> None:
    page.goto(url)
    page.wait_for_load_state("networkidle")


def _wait_for_board(page: Page) -> None:
    page.wait_for_selector(".tg-board > svg")
    page.wait_for_timeout(1000)


def _take(page: Page, name: str) -> None:
    page.wait_for_timeout(500)
    page.screenshot(path=IMAGES / f"{name}.jpg", type="jpeg", quality=82)  # wood would make a PNG large
    print("took", name, flush=True)


def chromium_path() -> str:
    for name in (os.environ.get("TENGEN_CHROMIUM", ""), "chromium", "chromium-browser", "google-chrome"):
        if name and (found := shutil.which(name)):
            return found
    sys.exit("Chromium is needed: apt-get install chromium, or set TENGEN_CHROMIUM.")


# ---- the terminal app


async def _draw_terminal() -> str:
    """An SVG picture of the terminal app that continues the game saved last."""
    from tengen.terminal.app.main import TengenApp

    app = TengenApp()
    try:
        async with app.run_test(size=(100, 30)) as pilot:
            while app.session is None:
                await pilot.pause(0.1)
            await pilot.pause(0.5)
            await pilot.press("c")  # continue
            for _ in range(600):
                await pilot.pause(0.2)
                if "Game" in type(app.screen).__name__:
                    break
            await pilot.pause(1.0)
            return app.export_screenshot(title="tengen terminal")
    finally:
        app.close()


def _render(browser: Browser, svg: str, path: Path) -> None:
    """Draw an SVG as PNG, with fonts of this machine: Textual's drawings name fonts on another host."""
    svg = re.sub(r"@font-face \{.*?\}", "", svg, flags=re.DOTALL).replace("Fira Code", "DejaVu Sans Mono")
    page = browser.new_page(viewport=WINDOW)
    page.set_content(f"<body style='margin:0'>{svg}</body>")
    page.locator("svg").screenshot(path=path)
    page.close()


if __name__ == "__main__":
    main()
