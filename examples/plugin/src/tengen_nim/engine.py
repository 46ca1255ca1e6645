"""An engine that plays one-heap Nim perfectly: leave a multiple of `most + 1` stones."""

from typing import ClassVar

from tengen.search.engine import Engine
from tengen.search.limits import root_moves
from tengen.search.report import Candidate, Report, Value


class Nimber(Engine):
    """Plays Nim by arithmetic; its values are exact."""

    name: ClassVar[str] = "nimber"
    summary: ClassVar[str] = "perfect play of one-heap Nim"
    games: ClassVar[tuple[str, ...]] = ("nim",)

    def search(self, position, limits, *, stop=None, on_progress=None):
        root_moves(position, limits)  # raises if the game is over
        heap, most = int(position.state.heap), position.game.most
        excess = heap % (most + 1)
        best = str(excess or 1)
        value = Value.exact(1.0 if excess else -1.0, "wins")
        return Report(self.name, best, value, (Candidate(best, value, (best,)),), 1, 0.0)
