"""What engines found of the positions of one game: kept with it, and a review that values all of them."""

from __future__ import annotations

from collections.abc import Callable

from tengen.core.position import Position
from tengen.play.analyst import Analyst, Review
from tengen.play.host import EngineHost
from tengen.play.match import Match
from tengen.search.report import Report
from tengen.store.players import Genome
from tengen.store.store import Store

Moves = tuple[str, ...]


def moves_to(position: Position) -> Moves:
    """The moves that lead to a position: by them its reports are found again."""
    return tuple(position.write_moves(position.moves))


class Findings:
    """`reports` has the best known of each position. `tell` is called, in any thread, with what is new; with no
    moves, when a review begins or ends.
    """

    def __init__(self, match: Match, store: Store, host: EngineHost, tell: Callable[[Moves], None]) -> None:
        self.reports: dict[Moves, Report] = {}
        self.review: Review | None = None
        self.reviewer = ""  # who asked for it
        self._match = match
        self._store = store
        self._tell = tell
        self._analyst = Analyst(store, host)
        for kept in store.reports(match.id):
            self.reports.setdefault(kept.moves, kept.report)

    def of(self, position: Position) -> Report | None:
        return self.reports.get(moves_to(position))

    def keep(self, moves: Moves, genome: Genome, report: Report) -> None:
        """Keep what an engine found of a position. Waits for the disk."""
        self.reports[moves] = report
        self._store.keep_report(self._match.id, moves, genome, report)
        self._tell(moves)

    @property
    def is_reviewing(self) -> bool:
        return self.review is not None and not self.review.finished.is_set()

    def begin_review(self, genome: Genome, reviewer: str = "") -> Review:
        """Value every position of the game in the background, unless that is being done."""
        if self.review is None or self.review.finished.is_set():
            self.reviewer = reviewer
            line = list(self._match.live.line())
            self.review = self._analyst.review(self._match.id, line, genome, self._valued)
            self._tell(())
        return self.review

    def stop_review(self) -> None:
        if self.review is not None:
            self.review.stop()
        self._tell(())

    def _valued(self, position: Position, report: Report) -> None:
        moves = moves_to(position)
        self.reports[moves] = report
        self._tell(moves)
