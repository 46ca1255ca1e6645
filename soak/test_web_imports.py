"""Nine imports of 1 MB at once while somebody plays on a clock; and a game of 20,000 moves."""

from __future__ import annotations

import sys
import threading
import time
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))

from soak.helpers import (
    Answer,
    GameClient,
    Latencies,
    long_go_game,
    report,
    request,
    running_server,
    sgf_collection,
    sgf_of,
)

IMPORTS = 9
TARGET_MOVE_S = 0.150
MEASURE_S = 200.0
LONG_GAME_MOVES = 20_000
LONG_GAME_S = 5.0
LONG_GAME_MB = 200.0


def valid(number: int) -> str:
    return sgf_collection(1.0, number)


def adversarial(number: int) -> str:
    """Text of 1 MB that is slow to read or to refuse, another kind for each number."""
    size = 1_000_000
    kinds = [
        "(;GM[1]SZ[9]" + ";" * size + ")",
        "(;GM[1]SZ[9]" + "(;B[aa]" * (size // 7),
        "(;GM[1]SZ[9]C[" + "\\]" * (size // 2),
        "(;GM[1]SZ[9]AB" + "[aa]" * (size // 4) + ")",
        '[Game "clobber"]\n[board "XOXO"]\n\n' + "[" + " " * 2_000 + "\n" * (size - 2_000),
        "f5 " + "1 - " * (size // 4),
        "\n".join(f"(;GM[1]SZ[9]PB[{n}];B[zz])" for n in range(size // 30)),
        sgf_of(long_go_game(2_000, seed=number), 13) * 60,
        "(;GM[1]SZ[19]" + ";B[];W[]" * (size // 8) + ")",
    ]
    return kinds[number % len(kinds)]


@pytest.mark.parametrize("texts", [valid, adversarial])
def test_a_player_moves_while_nine_files_are_imported(tmp_path: Path, texts) -> None:  # type: ignore[no-untyped-def]
    contents = [texts(number) for number in range(IMPORTS)]
    answers: list[Answer] = []
    with running_server(tmp_path) as server, server.client() as player:
        player.post("/records", json={"text": sgf_of(long_go_game(20), 13)})
        for warm in ("go", "othello"):
            GameClient.create(player, warm, ["Ann", "Bob"]).play()
        game = GameClient.create(player, "othello", ["Ann", "Bob"], time="10m")

        def import_one(text: str) -> None:
            with server.client(timeout_s=240) as client:
                answers.append(request(client, "POST", "/records", json={"text": text}))

        threads = [threading.Thread(target=import_one, args=(text,)) for text in contents]
        began = time.monotonic()
        for thread in threads:
            thread.start()
        time.sleep(0.5)
        latencies = Latencies("a move meanwhile")
        thought_s = 0.0  # between an answer and the next request: what the clock should be charged with
        answered, charged_before = time.monotonic(), _seconds_used(game)
        while any(thread.is_alive() for thread in threads) and len(latencies.seconds) < 2_000:
            if time.monotonic() - began > MEASURE_S:
                break
            if not game.state["legal"]:
                game = GameClient.create(player, "othello", ["Ann", "Bob"], time="10m")
                answered, thought_s, charged_before = time.monotonic(), 0.0, 0.0
            time.sleep(0.1)
            thought_s += time.monotonic() - answered
            latencies.add(game.play())
            answered = time.monotonic()
        charged = _seconds_used(game) - charged_before
        moves = len(game.state["moves"])
        for thread in threads:
            thread.join()
        lasted = time.monotonic() - began
        peak = server.peak_memory_mb()
    statuses = sorted(answer.status for answer in answers)
    report(
        f"nine imports of 1 MB at once ({texts.__name__}): {statuses} in {lasted:.0f} s, the server's peak "
        f"{peak:.0f} MB; {latencies}",
        f"  in the last game the players thought for {thought_s:.1f} s about {moves} moves; their clocks were "
        f"charged {charged:.1f} s",
    )
    assert all(status in (200, 413, 422, 429) for status in statuses)
    assert not latencies.failures
    assert latencies.seconds, "the imports were over before a move was made"
    assert latencies.quantile(0.95) < TARGET_MOVE_S
    assert charged <= thought_s + 1.0 + 0.05 * moves


def _seconds_used(game: GameClient) -> float:
    return 1200.0 - sum(clock["seconds"] for clock in game.state["clocks"])


def test_a_game_of_20000_moves_opens_soon_or_is_refused(tmp_path: Path) -> None:
    """Imported, then opened by the API and on the page of analysis; or refused with a reason."""
    sgf = sgf_of(long_go_game(LONG_GAME_MOVES), 13)
    with (
        running_server(tmp_path) as server,
        server.client(timeout_s=500) as client,
        server.client(timeout_s=500, api=False) as pages,
        server.client(timeout_s=60) as other,
    ):
        client.post("/records", json={"text": sgf_of(long_go_game(20), 13)})
        known = client.get("/games").json()[0]["id"]
        pages.get(f"/analysis/{known}")  # all that a page needs is loaded
        other.get("/rules")
        before = server.memory_mb()
        worst = 0.0
        done = threading.Event()

        def ping() -> None:
            nonlocal worst
            while not done.wait(0.1):
                worst = max(worst, request(other, "GET", "/rules").seconds)

        thread = threading.Thread(target=ping)
        thread.start()
        imported = request(client, "POST", "/records", json={"text": sgf})
        stored = [one for one in client.get("/games").json() if one["moves"] >= LONG_GAME_MOVES]
        opened = state = None
        if stored:
            state = request(client, "GET", f"/games/{stored[0]['id']}")
            opened = request(pages, "GET", f"/analysis/{stored[0]['id']}")
        done.set()
        thread.join()
        grown = server.peak_memory_mb() - before
    report(
        f"a game of {LONG_GAME_MOVES:,} moves ({len(sgf):,} bytes): import {imported} ({imported.text[:150]}), "
        f"GET /games/{{id}} {state}, /analysis {opened}, {grown:.0f} MB more, "
        f"worst request meanwhile {worst:.2f} s"
    )
    if stored:
        assert state is not None
        assert opened is not None
        assert state.seconds + opened.seconds < LONG_GAME_S
    else:
        assert imported.status in (200, 413, 422)
        assert "moves" in imported.text
        assert imported.seconds < LONG_GAME_S
    assert grown < LONG_GAME_MB
    assert worst < 1.0
