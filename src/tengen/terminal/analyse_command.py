"""`tengen analyse`: evaluate every move of the games in a file."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from rich.console import Console
from rich.table import Table

from tengen.app.analysis import Analyst
from tengen.app.review import summarise
from tengen.app.table_files import Cell
from tengen.app.tables import move_cells
from tengen.core.errors import OptionError
from tengen.games import records
from tengen.games.records import Record, RecordError
from tengen.play.review import GameReview, ReviewedMove, annotated, review_moves, write_loss
from tengen.players.config import EngineConfig
from tengen.players.configure import config_name, configured, for_game
from tengen.players.syntax import write_config
from tengen.runtime.host import EngineHost
from tengen.search.report import Report
from tengen.terminal.progress import run_with_progress
from tengen.terminal.record_files import header, numbered_records, report_dropped

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
    lines: int = 0  # best moves of each position to show
    bad: dict[int, RecordError] = field(default_factory=dict)
    rows: list[tuple[Cell, ...]] = field(default_factory=list)  # of `tables.REVIEW_COLUMNS`, one for each move
    done: int = 0
    interrupted: bool = False

    def run(self, host: EngineHost) -> None:
        """Analyse and print the games, and save them if `save` is set. Ctrl-C stops after the current results."""
        analysed = self._analysed(Analyst(None, host, max(1, self.lines)))
        if self.save is None:
            for _ in analysed:
                pass
        else:
            if self.save.exists():
                raise OptionError(f"{self.save} exists: choose another file")
            report_dropped(self.errors, self.save, records.write(analysed, self.save))
        for error in self.bad.values():
            self.errors.print(f"skipped: {error}")

    def _analysed(self, analyst: Analyst) -> Iterator[Record]:
        for number, record in numbered_records(self.errors, self.path, self.number, self.bad):
            yield self._analyse(analyst, record, number)
            self.done += 1
            if self.interrupted:
                break

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
        self._add_rows(record, number, config, review)
        accuracies = [player.total.accuracy for player in summarise(line, reports).players]
        if self.as_json:
            self._print_json(record, number, config, review, accuracies, reports)
        else:
            self._print(record, number, config, review, accuracies)
            self._print_candidates(reports)
        return annotated(record, line, review)

    def _add_rows(self, record: Record, number: int, config: EngineConfig, review: GameReview) -> None:
        about = (number, record.game.name, *record.names, record.result)
        engine = config_name(config)
        self.rows += [(*about, *cells, engine) for cells in move_cells(review, record.game.players)]

    # ---- output

    def _print_json(
        self,
        record: Record,
        number: int,
        config: EngineConfig,
        review: GameReview,
        accuracies: Sequence[float | None],
        reports: Mapping[int, Report],
    ) -> None:
        data = {
            "number": number,
            "game": record.game.name,
            "options": record.game.options(),
            "names": record.names,
            "result": record.result,
            "opening": record.game.opening_name(record.positions()[-1]),
            "engine": config.to_dict(),
            "finished": not self.interrupted,
            **review.to_dict(record.game.players),
            "accuracy": accuracies,
        }
        if self.lines:
            data["candidates"] = {
                ply: [asdict(one) for one in report.candidates[: self.lines]] for ply, report in reports.items()
            }
        self.console.print(json.dumps(data, allow_nan=False))

    def _print(
        self,
        record: Record,
        number: int,
        config: EngineConfig,
        review: GameReview,
        accuracies: Sequence[float | None],
    ) -> None:
        sides, unit = record.game.players, review.unit
        engine = config_name(config) if config.program is None else write_config(config)
        self.console.print(f"Game {number}: {record.game.describe()}, by {engine}")
        for words in header(record):
            self.console.print(words)
        if name := record.game.opening_name(record.positions()[-1]):
            self.console.print(f"Opening: {name}")
        percent = unit == "win rate"
        loss_title = f"loss ({'% wins' if percent else unit})"
        table = Table("move", "", "", "value for the player", "best", loss_title)
        has_points = any(move.points is not None for move in review.moves)
        if has_points:
            table.add_column("points", justify="right")
        for move in review.moves:
            loss = move.loss or 0.0
            shown_loss = "" if not loss else f"{100 * loss:.1f}" if percent else f"{loss:.3g}"
            table.add_row(
                *(str(move.number), sides[move.player], move.move),
                *(str(move.value), move.best or "", shown_loss),
                *([f"{move.points:.1f}" if move.points else ""] if has_points else []),
                style="bold" if move.turned else None,
            )
        self.console.print(table)
        for player, side in enumerate(sides):
            mean = review.mean_loss(player)
            if mean is not None:
                accuracy = "" if accuracies[player] is None else f", accuracy {accuracies[player]:.0f} %"
                self.console.print(f"{side}: mean loss {write_loss(mean, unit)} per move{accuracy}")

        def named(moves: list[ReviewedMove]) -> str:
            return ", ".join(f"{reviewed.number} {sides[reviewed.player]} {reviewed.move}" for reviewed in moves)

        if review.worst():
            self.console.print(f"largest losses: {named(review.worst())}")
        if review.turns():
            self.console.print(f"turning points: {named(review.turns())}")
        if review.exact_from() is not None:
            self.console.print(f"exact from move {review.exact_from()} on")

    def _print_candidates(self, reports: Mapping[int, Report]) -> None:
        """The best moves of each position, if they are wanted."""
        if not self.lines:
            return
        table = Table("before move", "", "value", "points", "visits", "line")
        for ply, report in sorted(reports.items()):
            for rank, one in enumerate(report.candidates[: self.lines]):
                points = "" if one.points is None else f"{one.points:+.1f}"
                visits = f"{one.visits:,}" if one.visits else ""
                first = str(ply + 1) if rank == 0 else ""
                table.add_row(first, one.move, str(one.value), points, visits, " ".join(one.line[:12]))
            table.add_section()
        self.console.print(table)
