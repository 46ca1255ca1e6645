"""How long a user waits on a machine that has never run Tengen: the kernel cache is empty in every run.

    python soak/measure_first_use.py [--runs 5] [--only web] [--results first-use.jsonl]

Measures, for each game, with the default opponent and after 0 and 10 seconds on the start page or at the prompt:

- web: from the click on *Start* in a Chromium to the board, and to the reply to a move that is played at once
- play: from the start of `tengen play` to the prompt below the board; from the start, or from the move after the
  pause, to the next prompt
- terminal: from *Start* in `tengen terminal` to the board, and to the reply to a move that is played at once
- gtp: from `genmove` to its answer

Each measurement is a line of the results file, so an interrupted run continues where it stopped. Prints medians.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

MOVES = {"othello": "f5", "go": "E5", "pente": "k10", "clobber": "b1-a1"}
OPTIONS = {"go": ["size=9"]}
PAUSES_S = (0, 10)
_PROMPT = re.compile(r"^\w+> $", re.MULTILINE)  # the side to move
Times = dict[str, float]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--only", default="", help="web, play, terminal or gtp")
    parser.add_argument("--results", type=Path, default=Path("first-use.jsonl"))
    parser.add_argument("--terminal", nargs=2, metavar=("GAME", "PAUSE"), help="one measurement, in this process")
    given = parser.parse_args()
    if given.terminal:
        print(json.dumps(asyncio.run(_use_terminal(given.terminal[0], int(given.terminal[1])))))
        return
    found = [json.loads(line) for line in given.results.read_text().splitlines()] if given.results.exists() else []
    measures: dict[str, Callable[[str, int], Times]] = {"web": web, "play": play, "terminal": terminal, "gtp": gtp}
    for run in range(given.runs):
        for name, measure in measures.items():
            for game in MOVES if given.only in ("", name) else ():
                for pause_s in PAUSES_S:
                    key = {"how": name, "game": game, "pause_s": pause_s, "run": run}
                    if not any(key.items() <= one.items() for one in found):
                        found.append({**key, **measure(game, pause_s)})
                        with given.results.open("a") as file:
                            file.write(json.dumps(found[-1]) + "\n")
    print("| how | game | seconds before | board | first reply |\n|---|---|---|---|---|")
    for how in measures:
        for game in MOVES:
            for pause_s in PAUSES_S:
                rows = [one for one in found if (one["how"], one["game"], one["pause_s"]) == (how, game, pause_s)]
                if rows:
                    board, reply = (_median(rows, name) for name in ("board", "reply"))
                    print(f"| {how} | {game} | {pause_s} | {board} | {reply} |")


def _median(rows: list[dict[str, float]], name: str) -> str:
    times = [row[name] for row in rows if name in row]
    return f"{statistics.median(times):.2f} s" if times else ""


@contextmanager
def _new_machine() -> Iterator[Path]:
    """A data folder and a kernel cache without anything in them, for child processes."""
    before = os.environ.copy()
    with tempfile.TemporaryDirectory() as folder:
        os.environ["TENGEN_CACHE"] = str(Path(folder) / "cache")
        os.environ["TENGEN_DATA"] = str(Path(folder) / "data")
        try:
            yield Path(folder)
        finally:
            os.environ.clear()
            os.environ.update(before)


def web(game: str, pause_s: int) -> Times:
    from tests.helpers.web_site import Visitor, chromium, serving

    with _new_machine() as folder, chromium() as browser, serving(folder, "--workers", "2") as (address, _):
        visitor = Visitor.arrive(browser, address)
        visitor.go(f"/new?game={game}")
        start = visitor.page.get_by_role("button", name="Start", exact=True).first
        start.wait_for()
        time.sleep(pause_s)
        clicked = time.monotonic()
        start.click()
        visitor.wait_for_board()
        board = time.monotonic() - clicked
        visitor.wait_for_status("Your move")
        move = next(move for move in visitor.legal() if len(move) > 1)
        visitor.move(move)
        visitor.wait_for_ply(2)
        return {"board": board, "reply": time.monotonic() - clicked}


def play(game: str, pause_s: int) -> Times:
    with _new_machine():
        started = time.monotonic()
        with _program("play", game, *OPTIONS.get(game, ())) as process:
            prompt = _PROMPT.search(_read_until(process, _PROMPT))
            board = time.monotonic() - started
            time.sleep(pause_s)
            asked = started if not pause_s else time.monotonic()
            _send(process, MOVES[game])
            text = _read_until(process, re.compile(re.escape(prompt[0]) if prompt else "> "))
            if "illegal" in text:
                raise AssertionError(text)
            return {"board": board, "reply": time.monotonic() - asked}


def terminal(game: str, pause_s: int) -> Times:
    with _new_machine():
        command = [sys.executable, __file__, "--terminal", game, str(pause_s)]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
        times: Times = json.loads(done.stdout)
        return times


async def _use_terminal(game: str, pause_s: int) -> Times:
    from textual.widgets import Select

    from tengen.terminal.app.game_screen import GameScreen
    from tengen.terminal.app.main import TengenApp

    async def until(condition: Callable[[], object]) -> float:
        while not condition():
            await pilot.pause(0.02)
        return time.monotonic()

    app = TengenApp()
    try:
        async with app.run_test(size=(100, 40)) as pilot:
            await until(lambda: app.session is not None)
            await pilot.press("n")
            await until(lambda: len(app.screen.query("#seats Select")) == 2)
            app.screen.query_one("#game", Select).value = game
            await pilot.pause()
            await until(lambda: len(app.screen.query("#seats Select")) == 2)
            await asyncio.sleep(pause_s)
            started = time.monotonic()
            await pilot.press("ctrl+s")
            board = await until(lambda: isinstance(app.screen, GameScreen) and app.screen.is_mounted) - started
            match = app.screen.match  # type: ignore[attr-defined]
            await until(lambda: match.is_running)
            match.play(match.live.legal_moves[0])
            reply = await until(lambda: match.live.ply >= 2) - started
    finally:
        app.close()
    return {"board": board, "reply": reply}


def gtp(game: str, pause_s: int) -> Times:
    with _new_machine(), _program("gtp", game, *OPTIONS.get(game, ())) as process:
        asked = time.monotonic()
        if pause_s:
            time.sleep(pause_s)
            asked = time.monotonic()
        _send(process, "genmove b")
        _read_until(process, re.compile(r"^= .*\n", re.MULTILINE))
        return {"reply": time.monotonic() - asked}


@contextmanager
def _program(*arguments: str) -> Iterator[subprocess.Popen[bytes]]:
    command = [sys.executable, "-m", "tengen", *arguments]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        try:
            yield process
        finally:
            process.kill()


def _send(process: subprocess.Popen[bytes], line: str) -> None:
    assert process.stdin is not None
    process.stdin.write(f"{line}\n".encode())
    process.stdin.flush()


def _read_until(process: subprocess.Popen[bytes], wanted: re.Pattern[str]) -> str:
    """Read the output, which need not end with a whole line, until it contains a text; returns it."""
    assert process.stdout is not None
    text = ""
    while wanted.search(text) is None:
        part = os.read(process.stdout.fileno(), 4096)
        if not part:
            raise AssertionError(text)
        text += part.decode()
    return text


if __name__ == "__main__":
    main()
