"""Review every move of a game and write it with comments."""

import tempfile
from pathlib import Path

import tengen

moves = ["f5", "d6", "c3", "d3", "c4", "f4", "f6", "f3", "e6", "e7", "d7", "c5", "f7", "b4", "e3", "g8"]
game = tengen.game("othello").start().play_all(moves)
review = tengen.review(game, depth=6)
for move in review.worst(3):
    print(f"move {move.number}, {move.move}: lost {move.loss:.1f} {review.unit}, better was {move.best}")

with tempfile.TemporaryDirectory() as folder:
    path = Path(folder) / "game.sgf"
    tengen.write(game, path)
    (record,) = tengen.read(path)
    print(record.game.name, len(record.moves()), "moves")
