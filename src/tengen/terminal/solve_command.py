"""`tengen solve`: exact results of a position, or of the positions in a file, verified against its values."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from rich.console import Console
from rich.table import Table

from tengen.app.position_solving import SolvedPosition, SolvingMethod, solve_positions
from tengen.core.game import Move
from tengen.core.interrupt import run_until_interrupted
from tengen.core.position import Position
from tengen.games.records import Record, RecordError
from tengen.jobs import Checkpoint, LocalExecutor, ProgressBar
from tengen.play.review import ended_value
from tengen.runtime.turn import create_engine
from tengen.runtime.warmup import prepare
from tengen.search.engine import Engine
from tengen.search.limits import StopFlag
from tengen.search.report import Kind, Report, Value
from tengen.terminal.progress import run_with_progress
from tengen.terminal.record_files import numbered_records

MAX_SKIPPED_SHOWN = 20  # unreadable positions


@dataclass(frozen=True)
class Puzzle:
    """A position to solve. `claims` are expected move values for the side to move, if given by the file."""

    position: Position
    claims: Mapping[Move, float] = field(default_factory=dict)

    @classmethod
    def from_record(cls, record: Record) -> Puzzle:
        """The position and move values of an OBF line; for other records the end of the main line."""
        if record.source != "obf":
            return cls(record.positions()[-1])
        start = record.game.start()
        sign = 1 if start.to_move == 0 else -1
        claims = {}
        for node in record.root.children:
            if node.move is not None and node.value is not None:
                claims[node.move] = sign * node.value
        return cls(start, claims)


@dataclass
class SolvingSummary:
    """Counts over a file: positions; solved ones; those with values in the file, and how many differ; lines."""

    positions: int = 0
    solved: int = 0
    claimed: int = 0
    differing: int = 0
    lines: int = 0
    wrong_lines: int = 0
    nodes: int = 0
    seconds: float = 0.0


@dataclass
class SolveCommand:
    """Solves and prints positions. `wrong` and `interrupted` describe the outcome."""

    console: Console
    errors: Console
    method: SolvingMethod
    wrong: int = 0  # positions whose result differs from the file, or whose line does not hold
    interrupted: bool = False
    _engines: dict[str, Engine] = field(default_factory=dict)

    def solve_one(self, puzzle: Puzzle) -> Report | None:
        """Solve one position and print the details; None if the game is over."""
        position = puzzle.position
        if position.is_over:
            assert position.outcome is not None
            self.console.print(f"The game is over. {position.game.write_outcome(position.outcome)}")
            return None
        solved = self._solve(position, "Solving")
        report = solved.report
        self.console.print(f"value   {report.value}{_for(position)}{'' if _solved(report) else ' — not solved'}")
        reason = report.candidates[0].reason
        self.console.print(f"best    {report.best}{f', {reason}' if reason else ''}")
        unchecked = " (not checked within the time limit)" if self._is_unchecked(solved) else ""
        held = {None: unchecked, True: " (holds)", False: " (WRONG: its end has another value)"}[solved.line_holds]
        self.wrong += solved.line_holds is False
        self.console.print(f"line    {' '.join(report.line)}{held}")
        self.console.print(f"nodes   {_effort(report.nodes, report.seconds)}")
        if self.method.every_move:
            self._print_moves(report)
        return report

    def solve_file(self, path: Path, number: int = 0) -> bool:
        """Solve the positions of a file, one line of output each; returns whether all were readable."""
        bad: dict[int, RecordError] = {}
        summary = SolvingSummary()
        for which, record in numbered_records(self.errors, path, number, bad, "position"):
            puzzle = Puzzle.from_record(record)
            if puzzle.position.is_over:
                self._print_ended(which, puzzle.position)
                continue
            self._print_result(which, puzzle, self._solve(puzzle.position, f"Position {which}"), summary)
            if self.interrupted:
                break
        self._print_summary(summary, bad)
        return not bad

    def solve_file_in_workers(
        self, path: Path, number: int, open_executor: Callable[[], LocalExecutor], checkpoint: Path | None
    ) -> bool:
        """The same in worker processes; with a checkpoint, the same command continues after an interruption."""
        bad: dict[int, RecordError] = {}
        summary = SolvingSummary()
        puzzles = {}
        for which, record in numbered_records(self.errors, path, number, bad, "position"):
            puzzle = Puzzle.from_record(record)
            if puzzle.position.is_over:
                self._print_ended(which, puzzle.position)
            else:
                puzzles[which] = puzzle
        name = self.method.name(puzzle.position.game for puzzle in puzzles.values())
        stored = None if checkpoint is None else Checkpoint(checkpoint, name)
        positions = [(which, puzzle.position) for which, puzzle in puzzles.items()]
        with open_executor() as executor, ProgressBar("Positions solved") as bar:
            results = solve_positions(self.method, positions, executor=executor, checkpoint=stored, bar=bar)
            try:
                for which, _, solved in results:
                    self._print_result(which, puzzles[which], solved, summary)
            except KeyboardInterrupt:
                self.interrupted = True
        self._print_summary(summary, bad)
        if checkpoint is not None and not self.interrupted:
            checkpoint.unlink(missing_ok=True)
        return not bad

    def _print_ended(self, which: int, position: Position) -> None:
        value = ended_value(position)
        self.console.print(f"{which:>3}  the game is over: {value.for_opponent() if position.to_move else value}")

    def _print_result(self, which: int, puzzle: Puzzle, solved: SolvedPosition, summary: SolvingSummary) -> None:
        report = solved.report
        summary.positions += 1
        summary.nodes += report.nodes
        summary.seconds += report.seconds
        summary.solved += _solved(report)
        verdict = ""
        if puzzle.claims and _solved(report):
            summary.claimed += 1
            fault = disagreement(puzzle, report)
            summary.differing += bool(fault)
            verdict = f"  {fault or 'agrees'}"
        if solved.line_holds is not None:
            summary.lines += 1
            summary.wrong_lines += not solved.line_holds
            verdict += "" if solved.line_holds else "  WRONG: the end of the line has another value"
        elif self._is_unchecked(solved):
            verdict += "  line not checked"
        self.wrong += "WRONG" in verdict
        value_text = f"{report.value}{'' if _solved(report) else ' — not solved'}"
        effort = _effort(report.nodes, report.seconds)
        self.console.print(f"{which:>3}  {report.best:<5} {value_text:<22} {effort}{verdict}")
        if self.method.every_move:
            self._print_moves(report)

    def _is_unchecked(self, solved: SolvedPosition) -> bool:
        """Whether the line of a solved position should have been checked, but there was no time left."""
        return self.method.verify and _solved(solved.report) and solved.line_holds is None

    def _print_summary(self, summary: SolvingSummary, bad: Mapping[int, RecordError]) -> None:
        for error in list(bad.values())[:MAX_SKIPPED_SHOWN]:
            self.errors.print(f"skipped: {error}")
        if len(bad) > MAX_SKIPPED_SHOWN:
            self.errors.print(f"skipped: {len(bad) - MAX_SKIPPED_SHOWN:,} more")
        open_ones = summary.positions - summary.solved
        text = f"{summary.solved:,} solved"
        if open_ones:
            text += f", {open_ones:,} not solved"
        text += f": {_effort(summary.nodes, summary.seconds)}"
        if summary.claimed:
            agreeing = summary.claimed - summary.differing
            text += f"; {agreeing:,} of {summary.claimed:,} agree with the file"
        if summary.lines:
            text += f"; {summary.lines - summary.wrong_lines:,} of {summary.lines:,} lines hold"
        self.console.print(text)

    def _solve(self, position: Position, what: str) -> SolvedPosition:
        engine = self._engine(position)
        stop = StopFlag()
        news = [what]

        def note(report: Report) -> None:
            depth = f", depth {report.depth}" if report.depth else ""
            news[0] = f"{what}: {report.best} {report.value}{depth}, {report.nodes:,} nodes"

        def work() -> SolvedPosition:
            return self.method.solve(engine, position, stop, note)

        with self.errors.status(what) as status:
            solved, interrupted = run_until_interrupted(work, stop.set, lambda: status.update(f"{news[0]} …"))
        self.interrupted |= interrupted
        return solved

    def _engine(self, position: Position) -> Engine:
        """The engine for a position, with compiled kernels. It is reused because allocating its tables is slow."""
        config = self.method.config_for(position.game)
        if config.engine not in self._engines:

            def make() -> Engine:
                prepare(create_engine(config, position.game), position)
                return create_engine(config, position.game)

            self._engines[config.engine] = run_with_progress(self.errors, make)
        return self._engines[config.engine]

    def _print_moves(self, report: Report) -> None:
        table = Table("move", "value", "line")
        for candidate in report.candidates:
            table.add_row(candidate.move, str(candidate.value), " ".join(candidate.line))
        self.console.print(table)


def disagreement(puzzle: Puzzle, report: Report) -> str:
    """The first value that differs from the file, as text; empty if none. Of results only the winner counts."""
    game = puzzle.position.game
    only_result = report.value.unit == "wins" != game.unit

    def differs(claim: float, value: Value) -> bool:
        known = (claim > 0) - (claim < 0) if only_result else claim
        return value.kind is Kind.EXACT and value.amount != known

    best = max(puzzle.claims.values())
    if differs(best, report.value):
        return f"WRONG: the file has {best:+g}"
    for candidate in report.candidates:
        claim = puzzle.claims.get(game.read_move(candidate.move, puzzle.position))
        if claim is not None and differs(claim, candidate.value):
            return f"WRONG: the file has {candidate.move}:{claim:+g}"
    return ""


def _solved(report: Report) -> bool:
    return report.value.kind is Kind.EXACT


def _for(position: Position) -> str:
    return f" for {position.game.players[position.to_move]}"


def _effort(nodes: int, seconds: float) -> str:
    rate = f", {nodes / seconds:,.0f}/s" if seconds > 0 else ""
    return f"{nodes:,} nodes, {seconds:.2f} s{rate}"
