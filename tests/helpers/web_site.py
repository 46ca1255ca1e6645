"""A web app server in its own process, and a real Chromium to use it."""

from __future__ import annotations

import os
import random
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from itertools import cycle
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright
from playwright.sync_api import Error as PlaywrightError

from tengen.players.configure import configure
from tengen.players.player import EnginePlayer
from tengen.search.limits import Limits
from tengen.store.store import Store
from tengen.web.authentication import BROWSER_COOKIE
from tengen.web.visitor_cache import VisitorCache

STRAW = "Straw man"
TIMEOUT_MS = 300_000  # generous: the first time, kernels are compiled on a busy machine
expect.set_options(timeout=60_000)
SHOTS = os.environ.get("TENGEN_SHOTS", "")  # a folder for screenshots, if wanted
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
]
# Without animations, screenshots are reproducible and drawing is cheaper.
DESKTOP: dict[str, Any] = {"viewport": {"width": 1280, "height": 800}, "reduced_motion": "reduce"}
PHONE: dict[str, Any] = {
    **DESKTOP,
    "viewport": {"width": 390, "height": 844},
    "has_touch": True,
    "is_mobile": True,
}
_BOARD = "getElement(parseInt(document.querySelector('.tg-board').id.slice(1)))"
# Where a point is, once the page has stopped moving: two frames in turn find it at the same place.
_PLACE = f"""async ([column, row]) => {{
    const find = () => {{
        const at = {_BOARD}.at([column, row]), svg = document.querySelector('.tg-board > svg');
        const place = new DOMPoint(at.x, at.y).matrixTransform(svg.getScreenCTM());
        return [place.x, place.y];
    }};
    for (let last = find(); ; ) {{
        await new Promise((drawn) => requestAnimationFrame(drawn));
        const now = find();
        if (now[0] === last[0] && now[1] === last[1]) return now;
        last = now;
    }}
}}"""
# Texts of a page are updated before its board, so both have to be asked. A pass is offered beside the board.
_TURN = f"""least => {{
    const status = document.querySelector('.tg-status')?.innerText || '', board = {_BOARD};
    if (/won|lost|wins|Draw|stones are dead/.test(status)) return 'over';
    const offers = board.pic.moves.length || (least && document.querySelector('.tg-off-board button:enabled'));
    return status.startsWith('Your move') && board.pic.ply >= least && !board.pending && offers ? 'move' : '';
}}"""


_IN_HASTE = {"seconds": 1, "lines": 2, "sound": False}


def _browsers() -> list[str]:
    """Cookies for one browser after another, whose options are stored in advance."""
    return [f"{number:032}" for number in range(20)]


_HASTY = cycle(_browsers())


def chromium_path() -> str:
    for name in (os.environ.get("TENGEN_CHROMIUM", ""), "chromium", "chromium-browser", "google-chrome"):
        found = shutil.which(name) if name else None
        if found:
            return found
    raise AssertionError(
        "the tests of the web app need Chromium: apt-get install chromium, or set TENGEN_CHROMIUM"
    )


@contextmanager
def serving(folder: Path, *more: str) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """A server that keeps its games in a folder; yields its address and its process.

    It knows an engine player that moves at random, so that no game waits for an engine to be compiled.
    """
    with Store.open(str(folder / "tengen.db")) as store:
        if not store.players():
            store.save_player(EnginePlayer(STRAW, configure("random", Limits(nodes=1))))
        memory = VisitorCache(store)
        for browser in _browsers():
            memory.set_options(browser, **{**_IN_HASTE, **memory.options(browser)})
        memory.close()
    environment = {**os.environ, "TENGEN_DATA": str(folder), "PYTHONUNBUFFERED": "1"}
    command = [sys.executable, "-m", "tengen", "web", "--no-browser", "--workers", "1", *more]
    if "--port" not in more:
        command += ["--port", "0"]
    log = folder / "server.log"
    with log.open("a") as errors:
        process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=errors, text=True)
        assert process.stdout is not None
        try:
            address = None
            for line in process.stdout:
                found = re.search(r"at (http://[^/\s]+)/", line)
                if found:
                    address = found[1]
                    break
            assert address is not None, log.read_text()
            yield address, process
        finally:
            process.terminate()
            try:
                process.wait(60)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            process.stdout.close()


class Site:
    """A server for several tests, which can be restarted at the same address."""

    def __init__(self, folder: Path, *more: str) -> None:
        self.folder, self._more = folder, more
        self._running = ExitStack()
        self.address, _ = self._running.enter_context(serving(folder, *more))

    def start_again(self) -> None:
        self.close()
        port = self.address.rpartition(":")[2]
        self._running.enter_context(serving(self.folder, *self._more, "--port", port))

    def close(self) -> None:
        self._running.close()


@contextmanager
def chromium() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium_path(), args=FLAGS)
        try:
            yield browser
        finally:
            browser.close()


@dataclass
class Visitor:
    """A user in a separate browser context. Errors of the browser's console are in `complaints`."""

    context: BrowserContext
    page: Page
    address: str
    complaints: list[str] = field(default_factory=list)

    @classmethod
    def arrive(cls, browser: Browser, address: str, **look: Any) -> Visitor:
        """Open the app; analyses are short, so that no engine is still searching when the next test starts."""
        context = browser.new_context(**(look or DESKTOP))
        context.set_default_timeout(TIMEOUT_MS)
        context.add_cookies([{"name": BROWSER_COOKIE, "value": next(_HASTY), "url": address}])
        return cls(context, context.new_page(), address).listen()

    def open_tab(self) -> Visitor:
        """Another page in the same browser context."""
        return Visitor(self.context, self.context.new_page(), self.address).listen()

    def listen(self) -> Visitor:
        """Record errors of the console."""
        visitor, page = self, self.page
        page.on(
            "console", lambda message: visitor.complaints.append(message.text) if message.type == "error" else None
        )
        page.on("pageerror", lambda error: visitor.complaints.append(str(error)))
        return visitor

    @contextmanager
    def without_complaints(self) -> Iterator[None]:
        """Check that the console shows no errors within the block."""
        self.complaints.clear()
        yield
        assert self.complaints == []

    def invite(self, game: str) -> str:
        """Create a game against a friend; returns the path of the invite link."""
        self.go(f"/new?game={game}")
        self.press("A friend (invite link)")
        expect(self.page.locator(".tg-summary")).to_contain_text("by invite link")
        self.press("Start")
        self.wait_for_board()
        self.wait_for_status("Waiting for your opponent")
        return str(self.page.get_by_role("link", name="Invite link").get_attribute("href"))

    def go(self, path: str) -> None:
        try:
            self.page.goto(self.address + path)
        except PlaywrightError as error:
            # The previous page was still navigating, which cancelled both navigations; now it has finished.
            if "ERR_ABORTED" not in error.message:
                raise
            self.page.goto(self.address + path)
        self.until("() => window.did_handshake !== undefined || document.querySelector('.tg-header')")

    def until(self, condition: str, arg: object = None) -> Any:
        """Wait until a JavaScript function returns something true, and return it.

        It is asked now and then: each time that a frame is drawn, as is usual, keeps a core busy with waiting.
        """
        return self.page.wait_for_function(condition, arg=arg, polling=50).json_value()

    def begin(self, game: str, opponent: str, name: str = "Ann", *, rated: bool = False, **options: object) -> str:
        """Start a game as its first player and open its page; returns its id."""
        wanted = {"game": game, "options": options, "players": [name, opponent], "rated": rated}
        made = self.context.request.post(f"{self.address}/api/games", data=wanted, timeout=TIMEOUT_MS)
        assert made.ok, made.text()
        identity: str = made.json()["state"]["id"]
        self.go(f"/game/{identity}")
        self.wait_for_board()
        return identity

    def wait_for_board(self) -> None:
        self.page.wait_for_selector(".tg-board > svg")
        self.until(f"() => {{ try {{ return !!{_BOARD}.pic }} catch {{ return false }} }}")

    def status(self) -> str:
        return self.page.locator(".tg-status").first.inner_text()

    def wait_for_status(self, words: str) -> None:
        self.until("words => document.querySelector('.tg-status')?.innerText.match(words)", words)

    def accepts_moves(self) -> bool:
        """Whether the board knows legal moves now."""
        return bool(self.page.evaluate(f"() => {_BOARD}.pic.moves.length > 0"))

    def legal(self) -> list[list[Any]]:
        """The legal moves of the board, each as its text followed by its points. Waits until there are some.

        A board is updated after the texts around it, so a new text does not mean that it has its moves.
        """
        self.until(f"() => {_BOARD}.pic.moves.length > 0 && !{_BOARD}.pending")
        found: list[list[Any]] = self.page.evaluate(f"() => {_BOARD}.pic.moves")
        return found

    def find(self, *texts: str) -> list[Any]:
        """A legal move with one of these texts. Waits until the board has it."""
        found: list[Any] = self.until(  # type: ignore[assignment]
            f"texts => !{_BOARD}.pending && {_BOARD}.pic.moves.find((move) => texts.includes(move[0]))",
            list(texts),
        )
        return found

    def wait_for_turn(self, ply: int = 0) -> bool:
        """Wait until the visitor is to move, after at least `ply` moves; returns False if the game is over."""
        return self.until(_TURN, ply) == "move"

    def ply(self) -> int:
        return int(self.page.evaluate(f"() => {_BOARD}.pic.ply"))

    def wait_for_ply(self, least: int) -> None:
        self.until(f"least => {_BOARD}.pic.ply >= least", least)

    def wait_for_exact_ply(self, ply: int) -> None:
        """Wait for a position that may have fewer moves than the one shown before."""
        self.until(f"ply => {_BOARD}.pic.ply === ply", ply)

    def cursor(self) -> list[int]:
        found: list[int] = self.page.evaluate(f"() => {_BOARD}.cursor")
        return found

    def stones(self) -> str:
        return str(self.page.evaluate(f"() => {_BOARD}.pic.stones"))

    def wait_for_other_stones(self, before: str) -> None:
        """Wait for another position on the board, which is updated after the texts around it."""
        self.until(f"before => {_BOARD}.pic.stones !== before", before)

    def place(self, point: list[int]) -> tuple[float, float]:
        x, y = self.page.evaluate(_PLACE, point)
        return x, y

    def click(self, point: list[int]) -> None:
        self.page.mouse.click(*self.place(point))

    def move(self, move: list[Any]) -> None:
        for point in move[1:]:
            self.click(point)

    def press(self, name: str) -> None:
        self.page.get_by_role("button", name=name, exact=True).first.click()

    def can_press(self, name: str) -> bool:
        """Whether there is such a button and it is enabled."""
        found = self.page.get_by_role("button", name=name, exact=True).first
        return found.is_visible() and found.is_enabled()

    def play_out(self, seed: int = 1) -> None:
        """Click moves until the game is over; pass if there is no other move."""
        rng = random.Random(seed)
        ply = 0
        for _ in range(120):
            if not self.wait_for_turn(ply):
                return
            ply = self.ply()
            if not self.accepts_moves() or (ply >= 8 and self.can_press("Pass")):
                self.press("Pass")
            else:
                self.move(rng.choice(self.legal()))
            ply += 2  # the opponent has answered
        raise AssertionError("the game never ended")

    def choose_layer(self, name: str) -> None:
        self.page.get_by_role("combobox", name="Overlay").click()
        self.page.get_by_role("option", name=name, exact=True).click()

    def excess_width(self) -> int:
        """By how many pixels the page is wider than the window, so that it scrolls sideways.

        `innerWidth` is no measure of the window: on phones it grows with the content.
        """
        return int(
            self.page.evaluate("() => document.documentElement.scrollWidth - document.documentElement.clientWidth")
        )

    def shot(self, name: str) -> None:
        """Take a screenshot if they are wanted; each takes as long as loading a page."""
        if SHOTS:
            Path(SHOTS).mkdir(parents=True, exist_ok=True)
            self.page.screenshot(path=Path(SHOTS) / f"{name}.png")

    def leave(self) -> None:
        self.context.close()
