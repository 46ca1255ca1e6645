"""Time from a click to the move saved and drawn, in a 400-move Go game with 2,000 variation nodes.

    python soak/measure_move_display.py

Prints the medians for a move of the game (play page) and a move of a variation (analysis page): playing it, saving
it to SQLite, computing the rows of the move list, and the bytes sent to the browser.
"""

from __future__ import annotations

import json
import random
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import tengen
from tengen.core.game import Move
from tengen.core.position import Position
from tengen.play.match import Match
from tengen.play.view import View
from tengen.players.player import Person
from tengen.store.game_entry import GameEntry
from tengen.store.store import Store
from tengen.web.elements import _changed_range
from tengen.web.move_list import MoveListRows, Row

MOVES, VARIATIONS, VARIATION_LENGTH, REPEATS = 400, 200, 10, 30


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, Store.open(f"sqlite:///{Path(folder) / 'games.db'}") as store:
        saved_s: list[float] = []

        def save(entry: GameEntry) -> None:
            started = time.perf_counter()
            store.save(entry)
            saved_s.append(time.perf_counter() - started)

        match = Match.open(_grown().to_entry(), save=save)
        match.start()
        rng = random.Random(2)
        view = View(match)
        view.go_to(200)

        def move_in_game() -> None:
            match.play(_choose(rng, match.live))

        def move_in_variation() -> None:
            view.show(match.add_variation(view.node, _choose(rng, view.position)))

        _measure("move of the game", match, saved_s, move_in_game, only_pairs=True)
        _measure("move of a variation", match, saved_s, move_in_variation, only_pairs=False)


def _choose(rng: random.Random, position: Position) -> Move:
    """A random move that is no pass."""
    return rng.choice([move for move in position.legal_moves if position.game.points(move)])


def _grown() -> Match:
    """A game with variations, not saved."""
    rng = random.Random(1)
    match = Match.new(tengen.game("go", size=19, komi=7.5), (Person("Ann"), Person("Bea")))
    match.start()
    for _ in range(MOVES):
        match.play(_choose(rng, match.live))
    view = View(match)
    for _ in range(VARIATIONS):
        view.go_to_live()
        view.go_to(rng.randrange(MOVES - 1))
        for _ in range(VARIATION_LENGTH):
            view.show(match.add_variation(view.node, _choose(rng, view.position)))
    match.adjourn()
    return match


def _measure(name: str, match: Match, saved_s: list[float], move: Callable[[], None], *, only_pairs: bool) -> None:
    moves = MoveListRows(match.tree, match.game)
    shown: list[Row] = []
    played, saved, drawn, sizes = [], [], [], []
    for repeat in range(REPEATS + 1):
        saved_s.clear()
        started = time.perf_counter()
        move()
        moved = time.perf_counter()
        moves.update(match.tree)
        rows = [row for row in moves.rows if row["kind"] == "pair"] if only_pairs else moves.rows
        first, end = _changed_range(shown, rows)
        text = json.dumps(rows[first : len(rows) - end])
        shown = list(rows)
        if repeat:  # the first one draws everything
            played.append(moved - started - sum(saved_s))
            saved.append(sum(saved_s))
            drawn.append(time.perf_counter() - moved)
            sizes.append(len(text))
    total = statistics.median(map(sum, zip(played, saved, drawn, strict=True)))
    parts = [
        f"{1000 * statistics.median(part):.2f} ms {word}"
        for part, word in ((played, "played"), (saved, "saved"), (drawn, "drawn"))
    ]
    print(f"{name}: {1000 * total:.2f} ms ({', '.join(parts)}), {statistics.median(sizes):.0f} bytes sent")


if __name__ == "__main__":
    main()
