"""An engine with made-up values, and games, for tests of books."""

from dataclasses import dataclass
from itertools import islice

from tengen.books.live_statistics import CountedBatch, count
from tengen.core.game import Move
from tengen.core.position import Position


@dataclass(frozen=True)
class Stub:
    """Values deviations at -4 and solved positions at +2 or -2, by the parity of empty squares."""

    name: str = "stub"
    batch: int = 3

    def solve(self, position, known):
        state = position.state
        empty = int(state.board).bit_count() - (int(state.othello_mover) | int(state.enemy)).bit_count()
        return 2 if empty % 2 == 0 else -2

    def best(self, position, moves, known):
        return min(moves), -4


def play_out(game, choices):
    """The positions of a game; each number chooses one of the legal moves."""
    position = game.start()
    line = [position]
    for choice in choices:
        if position.is_over:
            break
        moves = position.legal_moves
        position = position.play(moves[choice % len(moves)])
        line.append(position)
    return line


def turned(game, line, images, number):
    """The same game on a symmetric image of the board. Its first position must be symmetric."""
    position = line[0]
    found = [position]
    for later in line[1:]:
        position = position.play(Move(int(images.forward[number, later.move])))
        found.append(position)
    return found


def brought_from(game, board: str) -> Position:
    return type(game).create(size=game.size, board=board).start()


def batches_of(game, records, batch=500):
    """A source of a live book that counts records in the book's thread."""

    def parts(done, stopped):
        rest = islice(iter(records()), done, None)
        while not stopped() and (some := list(islice(rest, batch))):
            done += len(some)
            yield CountedBatch(count(game, some), done)

    return parts
