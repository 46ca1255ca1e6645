"""A busy server: nine imports at once while somebody plays; 200 programs that watch a fast game. Prints delays."""

from __future__ import annotations

import json
import random
import statistics
import subprocess
import sys
import threading
import time
from pathlib import Path

import httpx

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.helpers.web_site import STRAW, serving

import tengen
from tengen.web.authentication import BROWSER_COOKIE

IMPORTS, IMPORT_BYTES, WATCHERS, WATCH_S = 9, 1_000_000, 200, 30.0

# Watches a game with many connections, in a process of its own; tells how many messages came when its input ends.
WATCH = """
import asyncio, sys
from websockets.asyncio.client import connect

async def main(address, count):
    told = 0
    async def watch():
        nonlocal told
        async with connect(address, max_queue=None, compression=None) as socket:
            async for _ in socket:
                told += 1
    tasks = [asyncio.create_task(watch()) for _ in range(int(count))]
    while not told >= int(count):
        await asyncio.sleep(0.05)
    print("ready", flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.readline)
    print(told, sum(task.done() for task in tasks), flush=True)
    for task in tasks:
        task.cancel()

asyncio.run(main(*sys.argv[1:]))
"""


def files_of_games() -> list[str]:
    """Different files of about 1 MB each, of games that are not in the others."""
    rng, lines = random.Random(1), []
    for _ in range(50):
        position = tengen.game("othello").start()
        while not position.is_over:
            position = position.play(rng.choice(position.legal_moves))
        moves = position.write_moves(position.moves)
        colours = [step.to_move for step in position.line()]
        lines.append("".join(f";{'BW'[colour]}[{move}]" for colour, move in zip(colours, moves, strict=False)))
    found = []
    for number in range(IMPORTS):
        games, size = [], 0
        while size < IMPORT_BYTES:
            games.append(f"(;GM[2]SZ[8]PB[Black {number} {len(games)}]PW[White]{rng.choice(lines)})")
            size += len(games[-1]) + 1
        found.append("\n".join(games))
    return found


def told(name: str, seconds: list[float]) -> str:
    delays = sorted(1000 * each for each in seconds)
    rank = min(len(delays) - 1, int(0.95 * len(delays)))
    return (
        f"{name}: {len(delays)} times, {statistics.median(delays):.0f} ms in the median, "
        f"{delays[rank]:.0f} ms at p95, {delays[-1]:.0f} ms at worst"
    )


def test_somebody_plays_while_nine_files_are_imported(tmp_path: Path) -> None:
    files = files_of_games()
    with serving(tmp_path) as (address, _), httpx.Client(base_url=f"{address}/api", timeout=600) as api:
        api.post("/records", json={"text": files[0][:2000].rpartition("\n")[0]}).raise_for_status()
        wanted = {"game": "othello", "options": {}, "players": ["Ann", "Bea"], "time": "1h"}
        answers: list[httpx.Response] = []

        def take(number: int) -> None:
            with httpx.Client(timeout=600, cookies={BROWSER_COOKIE: f"{number:032}"}) as visitor:
                answers.append(visitor.post(f"{address}/api/records", json={"text": files[number]}))

        quiet: list[float] = []
        busy: list[float] = []
        charged: list[float] = []
        threads = [threading.Thread(target=take, args=(number,)) for number in range(IMPORTS)]
        for delays in (quiet, busy):
            if delays is busy:
                began = time.monotonic()
                for thread in threads:
                    thread.start()
            while (delays is quiet and len(delays) < 60) or (delays is busy and len(answers) < IMPORTS):
                made = api.post("/games", json=wanted).raise_for_status().json()
                path, keys, state = f"/games/{made['state']['id']}", made["keys"], made["state"]
                while state["result"] is None and (delays is quiet or len(answers) < IMPORTS):
                    before = state["clocks"][state["to_move"]]["seconds"]
                    side, asked = state["to_move"], time.monotonic()
                    answer = api.post(
                        f"{path}/moves",
                        json={"move": state["legal"][0]},
                        headers={"X-Tengen-Key": keys[side]},
                    )
                    delays.append(time.monotonic() - asked)
                    state = answer.raise_for_status().json()
                    if delays is busy:
                        charged.append(before - state["clocks"][side]["seconds"])
                    time.sleep(0.02)
        for thread in threads:
            thread.join()
        lasted = time.monotonic() - began
        added = sum(answer.raise_for_status().json()["added"] for answer in answers)
    print(told("moves on a quiet server", quiet))
    print(told(f"moves while {IMPORTS} imports ({added} games) run for {lasted:.0f} s", busy))
    print(told("charged to the clock for such a move, with the player's own pause of 20 ms", charged))


def test_two_hundred_programs_watch_a_fast_game(tmp_path: Path) -> None:
    with serving(tmp_path) as (address, _), httpx.Client(base_url=f"{address}/api", timeout=600) as api:
        fast = {"game": "go", "options": {"size": 19}, "players": [STRAW, STRAW]}
        game = api.post("/games", json=fast).raise_for_status().json()["state"]["id"]
        other = {"game": "othello", "options": {}, "players": ["Ann", "Bea"]}
        mine = api.post("/games", json=other).raise_for_status().json()["state"]["id"]
        socket = f"{address.replace('http', 'ws')}/api/games/{game}/events"
        watchers = subprocess.Popen(
            [sys.executable, "-c", WATCH, socket, str(WATCHERS)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert watchers.stdout is not None
        assert watchers.stdout.readline() == "ready\n"
        delays: list[float] = []
        began, moves = time.monotonic(), len(api.get(f"/games/{game}").json()["moves"])
        while time.monotonic() - began < WATCH_S:
            asked = time.monotonic()
            api.get(f"/games/{mine}").raise_for_status()
            delays.append(time.monotonic() - asked)
            time.sleep(0.02)
        state = json.loads(api.get(f"/games/{game}").text)
        made = len(state["moves"]) - moves
        out, _ = watchers.communicate("\n", timeout=60)
        messages, dropped = map(int, out.split())
    assert dropped == 0
    print(told(f"requests while {WATCHERS} watch a game of {made} moves in {WATCH_S:.0f} s", delays))
    print(f"{messages} messages, the game has ended: {state['result'] is not None}")
