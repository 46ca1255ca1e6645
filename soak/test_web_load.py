"""The web app under load: 50 browsers watch 20 games, clicks are measured meanwhile; then it should rest.

Six of the browsers are real. A machine that also runs the engines cannot draw fifty, so the others are what a
server sees of a browser: they fetch the page, open its socket, and read what the page is told to draw.
"""

from __future__ import annotations

import os
import statistics
import sys
import time
from pathlib import Path

import httpx

sys.path.insert(0, str(Path(__file__).parents[1]))

from soak.watchers import Watchers
from tests.helpers.web_site import STRAW, Visitor, chromium, serving

GAMES, BROWSERS, REAL, SECONDS = 20, 50, 6, 40.0
KINDS: list[tuple[str, dict[str, object]]] = [
    ("othello", {}),
    ("go", {"size": 9}),
    ("clobber", {"size": "6x6"}),
    ("pente", {"size": 13}),
]

# How long it takes from a click, when it came to the browser, until the board has drawn the stone.
WATCH = """() => {
    window.drawn = [];
    const board = getElement(parseInt(document.querySelector('.tg-board').id.slice(1)));
    const svg = document.querySelector('.tg-board > svg');
    let clicked = 0, ply = 0, waits = false;
    const note = (at) => requestAnimationFrame(() => setTimeout(() => window.drawn.push(performance.now() - at)));
    svg.addEventListener('pointerup', event => {
        clicked = event.timeStamp;
        ply = board.pic.ply;
        waits = true;
    }, true);
    new MutationObserver(() => {
        if (waits && (board.pending || board.pic.ply > ply)) { waits = false; note(clicked); }
    }).observe(svg, {childList: true, subtree: true, attributes: true});
}"""


def cpu_seconds(process: int) -> float:
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def test_fifty_browsers_watch_twenty_games(tmp_path: Path) -> None:
    with serving(tmp_path) as (address, server), chromium() as browser:
        api = httpx.Client(base_url=f"{address}/api", timeout=120)
        rules = {each["name"]: each["opponents"] for each in api.get("/rules").json()}
        games = []
        for number in range(GAMES):
            name, options = KINDS[number % len(KINDS)]
            wanted = {"game": name, "options": options, "players": [rules[name][1], rules[name][3]]}
            games.append(api.post("/games", json=wanted).json()["state"]["id"])
        watched = [games[number % GAMES] for number in range(BROWSERS - REAL)]
        watchers = Watchers(address, watched)
        watchers.start()
        visitors = []
        for number in range(REAL):
            visitor = Visitor.arrive(browser, address)
            visitor.context.set_default_timeout(120_000)
            visitor.go(f"/game/{games[number]}")
            visitor.wait_for_board()
            visitors.append(visitor)

        player = Visitor.arrive(browser, address)
        player.context.set_default_timeout(120_000)
        player.begin("othello", STRAW)
        player.page.evaluate(WATCH)
        while -1 in watchers.seen:
            time.sleep(0.2)
        began, used, told = time.monotonic(), cpu_seconds(server.pid), watchers.messages
        delays: list[float] = []
        played = 0
        while time.monotonic() - began < SECONDS:
            if not player.wait_for_turn(played):  # the game is over
                delays += player.page.evaluate("() => window.drawn")
                player.begin("othello", STRAW)
                player.page.evaluate(WATCH)
                played = 0
                continue
            played = player.ply() + 1
            if player.accepts_moves():
                player.move(player.legal()[0])
            else:
                player.press("Pass")
        lasted = time.monotonic() - began
        used = (cpu_seconds(server.pid) - used) / lasted
        told = watchers.messages - told
        delays = sorted([*delays, *player.page.evaluate("() => window.drawn")])

        time.sleep(1)  # what was made a moment ago is on its way
        seen = [*watchers.seen, *(visitor.ply() for visitor in visitors)]
        behind = [
            len(api.get(f"/games/{game}").json()["moves"]) - ply
            for game, ply in zip([*watched, *games[:REAL]], seen, strict=True)
        ]
        assert [visitor.complaints for visitor in visitors] == [[]] * REAL
        watchers.done.set()
        watchers.join(30)
        for visitor in visitors:
            visitor.leave()
        player.go("/")
        time.sleep(110)  # nobody watches: sessions close by themselves, and then nothing is left to do
        before_rest, since = cpu_seconds(server.pid), time.monotonic()
        time.sleep(10)
        idle = (cpu_seconds(server.pid) - before_rest) / (time.monotonic() - since)
        player.leave()
        api.close()
    assert "Traceback" not in (tmp_path / "server.log").read_text()
    assert statistics.median(behind) <= 2
    print(
        f"{BROWSERS} browsers at {GAMES} games, {told / lasted:.0f} messages a second, "
        f"the server at {100 * used:.0f} % of a core; {len(delays)} clicks, the stone drawn after "
        f"{statistics.median(delays):.0f} ms in the median, {delays[-1]:.0f} ms at worst; "
        f"watchers are {statistics.mean(behind):.1f} moves behind, {max(behind)} at worst; "
        f"left alone with one page, the server uses {100 * idle:.1f} %"
    )
