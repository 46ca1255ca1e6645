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

from tengen.players.opponents import analysis_player

GAMES, BROWSERS, REAL, SECONDS, CLICKS = 20, 50, 6, 40.0, 120
KINDS: list[tuple[str, dict[str, object]]] = [
    ("othello", {}),
    ("go", {"size": 9}),
    ("clobber", {"size": "6x6"}),
    ("pente", {"size": 13}),
]

# How long it takes from a click, when it came to the browser, until the stone has been drawn: first as the board
# puts it there by itself, then as the server says.
WATCH = """() => {
    window.drawn = [];
    window.confirmed = [];
    const board = getElement(parseInt(document.querySelector('.tg-board').id.slice(1)));
    const svg = document.querySelector('.tg-board > svg');
    let clicked = 0, ply = 0, waits = false;
    const note = (list, at) => requestAnimationFrame(() => setTimeout(() => list.push(performance.now() - at)));
    svg.addEventListener('pointerup', event => {
        clicked = event.timeStamp;
        ply = board.pic.ply;
        waits = true;
    }, true);
    new MutationObserver(() => {
        if (waits && document.querySelector('.tg-sure')) { waits = false; note(window.drawn, clicked); }
        if (clicked && board.pic.ply > ply) { note(window.confirmed, clicked); clicked = 0; }
    }).observe(svg, {childList: true, subtree: true, attributes: true});
}"""


# It is the person's move, or the game is over.
READY = """() => {
    const board = getElement(parseInt(document.querySelector('.tg-board').id.slice(1)));
    return board.pic.moves.length || document.querySelector('.tg-status').innerText.match('won|lost|Draw');
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
        while time.monotonic() - began < SECONDS:
            player.page.wait_for_function(READY)
            legal, before = player.legal(), player.ply()
            if not legal:  # the game is over
                delays += player.page.evaluate("() => window.drawn")
                player.begin("othello", STRAW)
                player.page.evaluate(WATCH)
                continue
            player.move(legal[0])
            player.wait_for_ply(before + 1)
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


def test_a_click_shows_while_engines_use_all_cores(tmp_path: Path) -> None:
    cores = len(os.sched_getaffinity(0))
    with serving(tmp_path, "--workers", str(cores)) as (address, _), chromium() as browser:
        api = httpx.Client(base_url=f"{address}/api", timeout=120)
        for number in range(2 * cores):
            name, options = KINDS[number % len(KINDS)]
            slowest = analysis_player(name).name
            api.post("/games", json={"game": name, "options": options, "players": [slowest, slowest]})
        player = Visitor.arrive(browser, address)
        player.begin("go", "Bea", size=13)  # both sides are here: nobody waits for anybody
        player.page.evaluate(WATCH)
        time.sleep(3)
        busy = Path("/proc/stat").read_text().split("\n")[0].split()[1:]
        for number in range(CLICKS):
            player.click([number % 13, number // 13])
            player.wait_for_ply(number + 1)
            player.page.wait_for_timeout(200)  # nobody is quicker
        now = Path("/proc/stat").read_text().split("\n")[0].split()[1:]
        spent = [int(after) - int(before) for after, before in zip(now, busy, strict=True)]
        player.page.wait_for_function("count => window.drawn.length === count", arg=CLICKS)
        drawn, confirmed = (player.page.evaluate(f"() => window.{name}") for name in ("drawn", "confirmed"))
        worst = sorted(range(CLICKS), key=lambda number: -drawn[number])[:5]
        assert player.complaints == []
        player.leave()
        api.close()
    print(
        f"{CLICKS} clicks while engines use {100 * (1 - spent[3] / sum(spent)):.0f} % of {cores} cores: "
        f"drawn after {statistics.median(drawn):.0f} ms in the median, {max(drawn):.0f} ms at worst, "
        f"above 100 ms {sum(each > 100 for each in drawn)} times "
        f"(the worst: {', '.join(f'{drawn[number]:.0f} ms at click {number + 1}' for number in worst)}); "
        f"by the server after {statistics.median(confirmed):.0f} ms, {max(confirmed):.0f} ms at worst"
    )
