"""`tengen analyse`: evaluate every move of the games in a file."""

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
from tengen.terminal.progress import run_with_progress
from tengen.terminal.record_files import header

ENGINE_MEMORY_MB = 65536  # no real limit: there is one engine, and the user chose its settings


@dataclass
class AnalyseCommand:
    """Analysis of the games of a file. `bad`, `done` and `interrupted` describe the outcome of `run`."""

    console: Console
    errors: Console
    path: Path
    config: EngineConfig  # without a name, the game's default engine
    number: int = 0  # of the game to analyse, from 1; 0 means all
    as_json: bool = False
    save: Path | None = None
    bad: dict[int, RecordError] = field(default_factory=dict)
    done: int = 0
    interrupted: bool = False

    def run(self, host: EngineHost) -> None:
        """Analyse and print the games, and save them if `save` is set. Ctrl-C stops after the current results."""
        analysed = self._analysed(Analyst(None, host))
        if self.save is None:
            for _ in analysed:
                pass
        else:
            if self.save.exists():
                raise OptionError(f"{self.save} exists: choose another file")
            dropped = records.write(analysed, self.save)
            if dropped:
                self._print_error(f"{self.save}: not saved in this format: {', '.join(dropped)}")
        for error in self.bad.values():
            self._print_error(f"skipped: {error}")

    def _analysed(self, analyst: Analyst) -> Iterator[Record]:
        games = records.stream(self.path, on_bad=self.bad.__setitem__)
        seen = 0
        while not self.interrupted:
            record = run_with_progress(self.errors, lambda: next(games, None))
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
            raise OptionError(f"{self.path} has {seen + len(self.bad)} games: there is no game {self.number}")

    def _analyse(self, analyst: Analyst, record: Record, number: int) -> Record:
        line = run_with_progress(self.errors, record.positions)
        game = line[0].game
        config = configured(for_game(self.config, game))
        if self.save is not None:
            records.format_for(self.save, game.name)  # raises before the search if the format is unsuitable
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

    # ---- output

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
        self._print_line(json.dumps(data, allow_nan=False))

    def _print(self, record: Record, number: int, config: EngineConfig, review: GameReview) -> None:
        sides, unit = record.game.players, review.unit
        self._print_line(f"Game {number}: {record.game.describe()}, by {config_name(config)}")
        for words in header(record):
            self._print_line(words)
        table = Table(
            "move",
            "",
            "",
            "value for the side to move",
            "best",
            f"loss ({'% wins' if unit == 'win rate' else unit})",
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
                self._print_line(f"{side}: mean loss {write_loss(mean, unit)} per move")

        def named(moves: list[ReviewedMove]) -> str:
            return ", ".join(f"{reviewed.number} {sides[reviewed.player]} {reviewed.move}" for reviewed in moves)

        if review.worst():
            self._print_line(f"largest losses: {named(review.worst())}")
        if review.turns():
            self._print_line(f"turning points: {named(review.turns())}")
        if review.exact_from() is not None:
            self._print_line(f"exact from move {review.exact_from()} on")

    def _print_line(self, text: str) -> None:
        self.console.print(text, highlight=False, markup=False, soft_wrap=True)

    def _print_error(self, text: str) -> None:
        self.errors.print(text, highlight=False, markup=False, soft_wrap=True)
