"""`tengen clobber …`: exact analysis of Clobber with combinatorial game theory."""

from __future__ import annotations

import json
import math
import os
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from tengen.cli.console import console, errors
from tengen.cli.option_groups import Workers, command_group, grouped
from tengen.cli.options import Json
from tengen.core.errors import OptionError, TengenError
from tengen.core.folders import data_folder

if TYPE_CHECKING:
    from tengen.core.values import GameValue
    from tengen.engines.clobber.batch import Line
    from tengen.engines.clobber.parallel import SolverConfig
    from tengen.engines.clobber.patterns import Experiment
    from tengen.engines.clobber.solver import SearchLimits, Solver
    from tengen.engines.clobber.value_report import ValueReport
    from tengen.search.limits import StopFlag

Result = TypeVar("Result")

app = command_group("Exact analysis of Clobber: values, outcomes, proofs, patterns.")

Seconds = Annotated[float, typer.Option(min=0, help="time limit in seconds; 0 means none")]
Processes = Annotated[int, typer.Option(help="number of worker processes; several cannot use a database")]


def _default_database() -> Path:
    return data_folder() / "clobber.values"


@dataclass(frozen=True)
class SolverSettings:
    """Settings of the solver."""

    settings: Annotated[
        list[str] | None, typer.Option("--set", help="a solver setting, such as short=20 or bounds=off")
    ] = None
    memory: Annotated[int, typer.Option(min=16, help="memory of the search in megabytes")] = 1024
    database: Annotated[
        Path | None, typer.Option(help="database of values; default: the installed one, if it exists")
    ] = None

    @property
    def has_database(self) -> bool:
        return self.database is not None or _default_database().exists()

    def create(self) -> Solver:
        """A solver with compiled kernels."""
        from tengen.engines.clobber.database import Database
        from tengen.engines.clobber.solver import Solver
        from tengen.engines.clobber.solver_options import SolverOptions
        from tengen.terminal.progress import run_with_progress

        solver = Solver(SolverOptions.read(self.settings or []), megabytes=self.memory)
        known = Database(self.database or _default_database()) if self.has_database else None
        run_with_progress(errors, solver.compile_kernels)
        if known is not None:
            known.load_into(solver.workspace)
        return solver

    def config(self) -> SolverConfig:
        """The configuration of solvers in other processes."""
        from tengen.engines.clobber.parallel import SolverConfig
        from tengen.engines.clobber.solver_options import SolverOptions

        if self.database is not None:
            raise OptionError("several processes cannot use a database: omit --database or --processes")
        return SolverConfig(SolverOptions.read(self.settings or []), self.memory)


def _check_writable(path: Path | None) -> None:
    """Raise an error now, not after the work, if a file cannot be written."""
    if path is None:
        return
    if path.is_dir():
        raise OptionError(f"{path} is a folder, not a file")
    if not path.parent.is_dir():
        raise OptionError(f"{path} cannot be written: folder not found")
    if not os.access(path.parent, os.W_OK):
        raise OptionError(f"{path} cannot be written: the folder is read-only")


def _limits(seconds: float, stop: StopFlag | None = None) -> SearchLimits:
    from tengen.engines.clobber.solver import SearchLimits

    return SearchLimits(seconds=seconds or math.inf, stop=stop)


def _until_stopped(work: Callable[[StopFlag], Result]) -> tuple[Result, bool]:
    """The result of `work(stop)`, and whether Ctrl-C stopped it early; the result is then partial."""
    from tengen.core.interrupt import run_until_interrupted
    from tengen.search.limits import StopFlag

    stop = StopFlag()
    return run_until_interrupted(lambda: work(stop), stop.set)


@app.command()
@grouped
def analyse(
    board: Annotated[str, typer.Argument(help="a board such as XOXO.XXO, or a game such as {1|*}")],
    options: SolverSettings,
    seconds: Seconds = 10.0,
    svg: Annotated[Path | None, typer.Option(help="write the thermograph of the value to this file")] = None,
    as_json: Json = False,
) -> None:
    """Show outcome, value and best moves of a position, or of a game written by its options.

    Example: tengen clobber analyse "XOXO.XXO"
    """
    from tengen.core.values import thermograph
    from tengen.games.records.atomic_files import save

    _check_writable(svg)
    typed = bool(not set(board.upper()) & set("XO") and set(board) - set(". _-/"))
    value = _analyse_value(board, options, seconds, as_json) if typed else None
    if value is None:
        from tengen.engines.clobber.analysis_report import position_lines
        from tengen.engines.sums.small_clobber import analyse_small

        is_plain = not options.settings and svg is None and not options.has_database
        result = analyse_small(board) if is_plain else None
        interrupted = False
        if result is None:
            from tengen.engines.clobber.analysis import analyse as analyse_board
            from tengen.engines.clobber.batch import read_position

            position = read_position(board)
            solver = options.create()
            found, interrupted = _until_stopped(
                lambda stop: analyse_board(solver, position, _limits(seconds, stop))
            )
            result = found
        console.print(json.dumps(result.to_json()) if as_json else "\n".join(position_lines(result)))
        if interrupted:
            raise KeyboardInterrupt
        if svg is not None and result.value is None:
            raise OptionError("the board is too large to compute its value: there is no thermograph")
        if svg is not None:
            value = solver.value(position)
    if svg is not None and value is not None:
        save(svg, thermograph(value).svg().encode())


def _analyse_value(text: str, options: SolverSettings, seconds: float, as_json: bool) -> GameValue:
    """Print what is known of a game written by its options; returns its value."""
    from dataclasses import asdict

    from tengen.core.values import Stopped
    from tengen.engines.clobber.value_report import OUTCOMES, ValueReport, value_words
    from tengen.engines.sums.language import Term
    from tengen.engines.sums.solver import SumSolver

    small = SumSolver().small_value([Term(value=text)])
    if small is not None:
        value, report = small, ValueReport.of(small)
    else:
        solver = options.create()
        try:
            (value, report), _ = _until_stopped(lambda stop: _typed(solver, text, _limits(seconds, stop)))
        except Stopped:
            raise OptionError(f"{text} was not evaluated within the time limit (--seconds)") from None
    console.print(json.dumps(asdict(report)) if as_json else f"{OUTCOMES[value.outcome]}; {value_words(report)}")
    return value


def _small_winner(board: str, first: str, plus: str) -> bool | None:
    """Whether `first` wins a small position, which takes no compiled code; None for others."""
    from tengen.engines.sums.language import Term, read_sum
    from tengen.engines.sums.solver import SumSolver

    terms = [*read_sum(f"clobber {board}"), *([Term(value=plus)] if plus else [])]
    value = SumSolver().small_value(terms)
    return None if value is None else value.outcome in ("N", "L" if first == "X" else "R")


def _typed(solver: Solver, text: str, limits: SearchLimits) -> tuple[GameValue, ValueReport]:
    """Parse a game written by its options and describe its value. Raises `Stopped`."""
    from tengen.engines.clobber.value_report import ValueReport

    with solver.limited(limits) as watch:
        value = solver.workspace.values.read(text)
        watch.check()
        return value, ValueReport.of(value)


@app.command()
def lab(
    pattern: Annotated[str, typer.Argument(help="a strip of X and O")],
    repeats: Annotated[int, typer.Option("--repeats", "-n", help="maximum number of repeats")] = 10,
    check: Annotated[bool, typer.Option("--check", help="verify with bounds found by induction")] = False,
    as_json: Json = False,
) -> None:
    """Repeat a pattern and show values, outcomes, periods and a closed form.

    Example: tengen clobber lab XXO --repeats 20
    """
    from tengen.core.interrupt import run_until_interrupted
    from tengen.core.values import Stopped, Values
    from tengen.engines.clobber.patterns import Experiment, run_experiment
    from tengen.games.clobber.board import read_board
    from tengen.terminal.progress import run_with_progress

    run_with_progress(errors, lambda: run_experiment(pattern, 1))
    values = Values()
    found: list[GameValue] = []

    def show(value: GameValue) -> None:
        found.append(value)
        if not as_json:
            name = str(value)
            console.print(f"n = {len(found)}: {value.outcome}  {name if len(name) <= 100 else name[:97] + '...'}")

    def work() -> None:
        with suppress(Stopped):
            run_experiment(pattern, repeats, values=values, on_length=show)

    _, interrupted = run_until_interrupted(work, lambda: values.forms.stop.fill(1))
    result = Experiment(read_board(pattern), tuple(found))
    if as_json:
        facts = {
            "pattern": result.pattern,
            "values": [str(value) for value in result.values],
            "outcomes": result.outcomes,
            "value_period": result.value_period,
            "outcome_period": result.outcome_period,
            "closed_form": result.closed_form,
            **({"check": _check_law(result)[0]} if check and not interrupted else {}),
        }
        console.print(json.dumps(facts))
    if interrupted:
        raise KeyboardInterrupt
    if as_json:
        return
    for what, period in (("values", result.value_period), ("outcomes", result.outcome_period)):
        if period is not None:
            console.print(f"{what} have period {period[1]} from n = {period[0] + 1} (observed, not proved)")
    if result.closed_form is not None:
        console.print(f"fits all n up to {repeats}: {result.closed_form}")
    if check:
        for line in _check_law(result)[1]:
            console.print(line)


def _check_law(found: Experiment) -> tuple[dict[str, object], list[str]]:
    """Verify an experiment with bounds found by induction; returns the result as data and as text."""
    from tengen.engines.clobber.pattern_bounds import find_pattern_bounds

    count = len(found.values)
    law = find_pattern_bounds(found.pattern, count)
    wrong = [n for n, value in enumerate(found.values, 1) if not law.agrees(n, value)]
    if wrong:
        raise TengenError(f"bounds by induction contradict the value for n = {wrong[0]}: this is a bug in Tengen")
    decided = sum(law.decides(n) for n in range(1, count + 1))
    facts: dict[str, object] = {"decided": decided, "since": law.since, "period": law.period, "gain": law.gain}
    lines = [f"bounds by induction agree with all {count} values, and alone decide {decided} of them"]
    if law.period:
        times = law.period // len(found.pattern)
        lines.append(
            f"for every n: from {law.since} cells on, the bounds of n + {times} are those of n and {law.gain} up"
        )
    return facts, lines


@app.command()
@grouped
def solve(
    board: Annotated[str, typer.Argument(help="a board such as XOXO.XXO or XOX/OXO; (XO)^12 repeats XO")],
    options: SolverSettings,
    first: Annotated[str, typer.Option(help="the side to move first: X or O")] = "X",
    plus: Annotated[str, typer.Option(help="a game to add to the board, such as ^ or {0|*}")] = "",
    proof: Annotated[Path | None, typer.Option(help="write a proof to this file")] = None,
    seconds: Seconds = 0.0,
    processes: Processes = 1,
    as_json: Json = False,
) -> None:
    """Find out who wins, and optionally write a proof.

    Example: tengen clobber solve "(XO)^24" --proof proof.json
    """
    first = first.upper()
    if first not in ("X", "O"):
        raise OptionError(f"--first must be X or O, not {first!r}")
    if plus and proof is not None:
        raise OptionError("a proof covers only a board: omit --plus")
    _check_writable(proof)
    if proof is None and processes == 1 and not options.settings and options.database is None and len(board) < 99:
        small = _small_winner(board, first, plus)
        if small is not None:
            _print_winner(
                first, small, {"nodes": 0, "seconds": time.process_time()}, " of processor time", as_json
            )
            return
    from tengen.engines.clobber.batch import read_position
    from tengen.engines.clobber.proof import prove_position
    from tengen.games.clobber.board import colour_swapped
    from tengen.games.records.atomic_files import save

    position = read_position(board)
    if processes != 1:
        if plus or proof is not None:
            raise OptionError("--plus and --proof need a single process: omit --processes")
        _solve_in_parallel(position, first, seconds, processes, options.config(), as_json)
        return
    solver = options.create()
    started = time.process_time()
    added = [solver.workspace.values.read(plus)] if plus else []
    if first == "O":
        added = [-value for value in added]
    parts = solver.workspace.subgames_of(position if first == "X" else colour_swapped(position))
    wins, interrupted = _until_stopped(lambda stop: solver.left_wins(parts, _limits(seconds, stop), plus=added))
    facts: dict[str, Any] = {"nodes": solver.nodes, "seconds": time.process_time() - started}
    note = ""
    if wins is None:
        win, loss = solver.proof_numbers(parts, added)
        facts |= {"to_prove": win, "to_disprove": loss}
        note = f"; to prove that {first} wins takes at least {win} more sums, that {first} loses at least {loss}"
    _print_winner(first, wins, facts, f" of processor time{note}", as_json)
    if interrupted:
        raise KeyboardInterrupt
    if wins is None:
        limit = f"memory for sums (--memory {options.memory})" if solver.memory_ran_out else "time (--seconds)"
        raise OptionError(f"the position was not solved: the {limit} ran out")
    if proof is not None:
        text = prove_position(solver, position, first)
        if text is None:
            raise OptionError("the proof needs more memory than allowed (--memory)")
        save(proof, text.encode())


def _solve_in_parallel(
    position: str, first: str, seconds: float, processes: int, config: SolverConfig, as_json: bool
) -> None:
    from tengen.engines.clobber.parallel import split
    from tengen.jobs import LocalExecutor

    started = time.perf_counter()
    with LocalExecutor(processes) as executor:

        def work(stop: StopFlag) -> tuple[bool | None, int]:
            return split(executor, processes, position, first, config, seconds=seconds or math.inf, stop=stop)

        (wins, nodes), interrupted = _until_stopped(work)
        executor.terminate()  # the other searches are no longer needed
    facts = {"nodes": nodes, "seconds": time.perf_counter() - started}
    _print_winner(first, wins, facts, f" on {processes} processes", as_json)
    if interrupted:
        raise KeyboardInterrupt
    if wins is None:
        raise OptionError("the position was not solved within the limits (--seconds, --memory)")


def _print_winner(first: str, wins: bool | None, facts: dict[str, Any], note: str, as_json: bool) -> None:
    winner = None if wins is None else first if wins else "XO"[first == "X"]
    effort = f"{facts['nodes']} nodes, {facts['seconds']:.2f} s{note}"
    if as_json:
        console.print(json.dumps({"first": first, "winner": winner, **facts}))
    elif wins is None:
        console.print(f"{first} begins: not solved after {effort}")
    else:
        console.print(f"{first} begins, {winner} wins ({effort})")


@app.command()
def verify(
    file: Annotated[Path, typer.Argument(help="a proof written by `tengen clobber solve --proof`")],
    seconds: Seconds = 0.0,
) -> None:
    """Verify a proof with a small independent checker that uses no tables or databases.

    Example: tengen clobber verify proof.json
    """
    from rich.progress import Progress

    from tengen.engines.clobber.checker import verify as check
    from tengen.engines.clobber.proof_format import ProofError

    text = _read(file, ProofError)
    with Progress(console=errors, transient=True, disable=not errors.is_terminal) as bar:
        task = bar.add_task("Checking sums", total=None)
        proof, count = check(
            text, seconds or math.inf, lambda done, total: bar.update(task, completed=done, total=total)
        )
    verdict = "wins" if proof["wins"] else "loses"
    console.print(
        f"{proof['board']}: {proof['mover']} begins and {verdict}; {count} sums checked, the proof holds"
    )


@app.command("database")
@grouped
def make(
    workers: Workers,
    file: Annotated[Path | None, typer.Argument(help="file to write; default: the installed database")] = None,
    longest: Annotated[int, typer.Option(help="all strips up to this length")] = 16,
    alternating: Annotated[int, typer.Option(help="alternating strips up to this length")] = 36,
    width: Annotated[
        int, typer.Option(help="width up to which positions are replaced by simpler equal sums")
    ] = 13,
) -> None:
    """Build the database of values. Run it again to continue after an interruption.

    Example: tengen clobber database --longest 14
    """
    from tengen.engines.clobber.database import Database, make_database
    from tengen.jobs import ProgressBar

    path = file or _default_database()
    with workers.open() as executor, ProgressBar("Evaluating strips") as bar:
        make_database(
            path, longest=longest, alternating=alternating, width=width, executor=executor, on_progress=bar
        )
    Database(path)
    console.print(f"{path}: {path.stat().st_size / 2**20:.1f} MB")


@app.command()
@grouped
def batch(
    file: Annotated[
        Path, typer.Argument(help="one position per line, each followed by L, R, N, P or ?; or an MCGS .test file")
    ],
    options: SolverSettings,
    seconds: Seconds = 0.0,
    processes: Processes = 1,
    csv: Annotated[
        Path | None, typer.Option(help="also write the results to this file as comma-separated values")
    ] = None,
) -> None:
    """Solve many positions and compare with the expected outcomes; the exit code is 1 if one differs.

    Example: tengen clobber batch positions.txt

    Example: tengen clobber batch clobber_1xn.test --csv results.csv
    """
    text = _read(file, OptionError)
    _check_writable(csv)
    rows: list[tuple[int | str | None, ...]] = []
    started = time.perf_counter()
    wrong = solved = nodes = 0
    for lines, searched in _solve_lines(text, options, seconds, processes):
        nodes += searched
        for line in lines:
            solved += line.found is not None
            wrong += not line.agrees
            rows.append((line.number, line.board, line.expected, line.found, int(line.agrees)))
            note = "" if line.agrees else f"  expected {line.expected}"
            console.print(f"{line.board}  {line.found or 'not solved'}{note}")
    spent = time.perf_counter() - started
    if csv is not None:
        from tengen.app.table_files import write_table

        write_table(csv, ("line", "board", "expected", "found", "agrees"), rows)
    console.print(f"{solved} solved, {wrong} differ; {nodes} nodes, {spent:.2f} s")
    if wrong:
        raise typer.Exit(1)


def _solve_lines(
    text: str, options: SolverSettings, seconds: float, processes: int
) -> Iterator[tuple[list[Line], int]]:
    """Solved lines in groups, each with the number of nodes searched."""
    from tengen.engines.clobber.batch import run_batch, run_batch_on
    from tengen.jobs import LocalExecutor

    limits = _limits(seconds)
    if processes != 1:
        with LocalExecutor(processes) as executor:
            yield from run_batch_on(executor, text, options.config(), seconds=limits.seconds)
        return
    solver, before = options.create(), 0
    for line in run_batch(solver, text, limits):
        yield [line], solver.nodes - before
        before = solver.nodes


def _read(path: Path, error_class: type[TengenError]) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise error_class(f"{path} cannot be read: {error}") from None
