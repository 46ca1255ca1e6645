"""`tengen analyse`: the games of a file, move by move, as an engine sees them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

from tengen.app.analysis import Analyst
from tengen.core.errors import OptionError
from tengen.games import records
from tengen.games.records import Record, RecordError
from tengen.play.review import GameReview, ReviewedMove, annotated, review_moves, write_loss
from tengen.players.config import EngineConfig
from tengen.players.configure import config_name, configured, for_game
from tengen.runtime.host import EngineHost
from tengen.search.report import Report
from tengen.terminal.records import header
from tengen.terminal.wait import patiently

MEMORY = 65536  # megabytes: one engine, whose settings somebody chose


@dataclass
class Reading:
    """Games of a file as they are analysed: what became of it is known when they are through."""

    console: Console
    errors: Console
    path: Path
    config: EngineConfig  # without a name, the game's default engine
    number: int = 0  # of the one game that is wanted; 0 means all
    as_json: bool = False
    save: Path | None = None
    bad: dict[int, RecordError] = field(default_factory=dict)
    done: int = 0
    interrupted: bool = False

    def run(self, host: EngineHost) -> None:
        """Analyse, print, and write the games with their values if so wanted. After Ctrl-C, those so far."""
        analysed = self._analysed(Analyst(None, host))
        if self.save is None:
            for _ in analysed:
                pass
        else:
            if self.save.exists():
                raise OptionError(f"{self.save} exists: choose another file")
            dropped = records.write(analysed, self.save)
            if dropped:
                self._complain(f"{self.save}: not kept: {', '.join(dropped)}")
        for error in self.bad.values():
            self._complain(f"left out: {error}")

    def _analysed(self, analyst: Analyst) -> Iterator[Record]:
        games = records.stream(self.path, on_bad=self.bad.__setitem__)
        seen = 0
        while not self.interrupted:
            record = patiently(self.errors, lambda: next(games, None))
            if record is None:
                break
            seen += 1
            number = seen + len(self.bad)
            if self.number not in (0, number):
                continue
            yield self._analyse(analyst, record, number)
            self.done += 1
            if self.number:
                break
        if self.number and not self.done and not self.interrupted:
            if self.number in self.bad:
                raise self.bad[self.number]
            raise OptionError(f"{self.path} has {seen + len(self.bad)} games, not {self.number}")

    def _analyse(self, analyst: Analyst, record: Record, number: int) -> Record:
        line = patiently(self.errors, record.positions)
        game = line[0].game
        config = configured(for_game(self.config, game))
        if self.save is not None:
            records.format_for(self.save, game.name)  # for its error, before the work
        reports: dict[int, Report] = {}
        running = analyst.review(
            f"game {number}", line, config, lambda position, report: reports.__setitem__(position.ply, report)
        )
        try:
            with self.errors.status(f"Game {number} …") as status:
                while not running.finished.wait(0.1):
                    status.update(f"Game {number}: {len(reports)} of {running.total} positions …")
        except KeyboardInterrupt:
            running.stop()
            self.interrupted = True
        if running.error is not None:
            raise running.error
        review = review_moves(line, dict(reports))
        if self.as_json:
            self._print_json(record, number, config, review)
        else:
            self._print(record, number, config, review)
        return annotated(record, line, review)

    # ---- what is shown

    def _print_json(self, record: Record, number: int, config: EngineConfig, review: GameReview) -> None:
        data = {
            "number": number,
            "game": record.game.name,
            "options": record.game.options(),
            "names": record.names,
            "result": record.result,
            "engine": config.to_dict(),
            "finished": not self.interrupted,
            **review.to_dict(record.game.players),
        }
        self._say(json.dumps(data, allow_nan=False))

    def _print(self, record: Record, number: int, config: EngineConfig, review: GameReview) -> None:
        sides, unit = record.game.players, review.unit
        self._say(f"Game {number}: {record.game.describe()}, by {config_name(config)}")
        for words in header(record):
            self._say(words)
        table = Table(
            "move", "", "", "value for the mover", "best", f"loss ({'% wins' if unit == 'win rate' else unit})"
        )
        for reviewed in review.moves:
            loss = (
                ""
                if not reviewed.loss
                else f"{100 * reviewed.loss:.1f}"
                if unit == "win rate"
                else f"{reviewed.loss:.3g}"
            )
            cells = (
                str(reviewed.number),
                sides[reviewed.player],
                reviewed.move,
                str(reviewed.value),
                reviewed.best or "",
                loss,
            )
            table.add_row(*map(Text, cells), style="bold" if reviewed.turned else None)
        self.console.print(table)
        for player, side in enumerate(sides):
            mean = review.mean_loss(player)
            if mean is not None:
                self._say(f"{side}: mean loss {write_loss(mean, unit)} a move")

        def named(moves: list[ReviewedMove]) -> str:
            return ", ".join(f"{reviewed.number} {sides[reviewed.player]} {reviewed.move}" for reviewed in moves)

        if review.worst():
            self._say(f"largest losses: {named(review.worst())}")
        if review.turns():
            self._say(f"the game turned at: {named(review.turns())}")
        if review.exact_from() is not None:
            self._say(f"exact from move {review.exact_from()} on")

    def _say(self, text: str) -> None:
        self.console.print(text, highlight=False, markup=False, soft_wrap=True)

    def _complain(self, text: str) -> None:
        self.errors.print(text, highlight=False, markup=False, soft_wrap=True)
