"""`tengen clobber …`: exact answers about Clobber."""

from __future__ import annotations

import json
import math
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from tengen.cli.console import unwrapped as console
from tengen.cli.console import unwrapped_errors as errors
from tengen.core.errors import OptionError, TengenError
from tengen.jobs.arguments import Cluster

if TYPE_CHECKING:
    from tengen.core.values import GameValue
    from tengen.engines.clobber.analysis import ValueReport
    from tengen.engines.clobber.batch import Line
    from tengen.engines.clobber.parallel import SolverConfig
    from tengen.engines.clobber.patterns import Experiment
    from tengen.engines.clobber.solver import SearchLimits, Solver
    from tengen.search.limits import StopFlag

Result = TypeVar("Result")

app = typer.Typer(
    help="Clobber solved: values, outcomes, proofs, patterns.", no_args_is_help=True, rich_markup_mode=None
)

Board = Annotated[str, typer.Argument(help="a board as XOXO.XXO or XOX/OXO; (XO)^12 repeats")]
Seconds = Annotated[float, typer.Option(help="at most so many seconds for each question; 0 for no limit")]
Json = Annotated[bool, typer.Option("--json", help="JSON instead of words")]
Settings = Annotated[list[str] | None, typer.Option("--set", help="a switch, as short=20 or bounds=off")]
Processes = Annotated[int, typer.Option(help="worker processes; more than one take no database")]
Memory = Annotated[int, typer.Option(help="megabytes for the sums of a search")]
Values = Annotated[
    Path | None, typer.Option("--database", help="a database of values; the usual one if it exists")
]


def _print(text: str) -> None:
    console.print(text, highlight=False, markup=False)


def _solver(settings: list[str] | None, memory: int, database: Path | None) -> Solver:
    from tengen.engines.clobber.database import Database, default_path
    from tengen.engines.clobber.solver import Solver
    from tengen.engines.clobber.solver_options import SolverOptions
    from tengen.terminal.wait import patiently

    if memory < 16:
        raise OptionError(f"a search needs at least 16 megabytes, not {memory}")
    solver = Solver(SolverOptions.read(settings or []), megabytes=memory)
    known = Database(database or default_path()) if database is not None or default_path().exists() else None
    patiently(errors, solver.compile_kernels)
    if known is not None:
        known.load_into(solver.workspace)
    return solver


def _check_place(path: Path | None) -> None:
    """Raise an error now, not after the work, if a file cannot be written."""
    if path is None:
        return
    if path.is_dir():
        raise OptionError(f"{path} is a folder, not a file")
    if not path.parent.is_dir():
        raise OptionError(f"{path} cannot be written: there is no such folder")
    if not os.access(path.parent, os.W_OK):
        raise OptionError(f"{path} cannot be written: its folder may not be written to")


def _effort(seconds: float, stop: StopFlag | None = None) -> SearchLimits:
    from tengen.engines.clobber.solver import SearchLimits

    if not seconds >= 0:
        raise OptionError(f"the seconds should be 0 or more, not {seconds:g}")
    return SearchLimits(seconds=seconds or math.inf, stop=stop)


def _until_stopped(work: Callable[[StopFlag], Result]) -> tuple[Result, bool]:
    """The result of `work(stop)`, and whether Ctrl-C stopped it early; the result is then partial."""
    from tengen.core.interrupt import run_until_interrupted
    from tengen.search.limits import StopFlag

    stop = StopFlag()
    return run_until_interrupted(lambda: work(stop), stop.set)


@app.command()
def analyse(
    board: Annotated[str, typer.Argument(help="a board as XOXO.XXO, or a game as {1|*}")],
    seconds: Seconds = 10.0,
    svg: Annotated[Path | None, typer.Option(help="write the thermograph of the value to this file")] = None,
    as_json: Json = False,
    settings: Settings = None,
    memory: Memory = 1024,
    database: Values = None,
) -> None:
    """Say everything about a position, or about any game typed by its options.

    Example: tengen clobber analyse "XOXO.XXO"
    """
    from dataclasses import asdict

    from tengen.core.values import Stopped, thermograph
    from tengen.engines.clobber import analysis
    from tengen.engines.clobber.batch import read_position
    from tengen.games.records.atomic_files import save
    from tengen.terminal.wait import patiently

    _check_place(svg)
    _effort(seconds)
    typed = bool(not set(board.upper()) & set("XO") and set(board) - set(". _-/"))
    position = "" if typed else read_position(board)
    solver = _solver(settings, memory, database)
    patiently(errors, analysis.compile_kernels)
    if typed:
        try:
            (value, report), _ = _until_stopped(lambda stop: _typed(solver, board, _effort(seconds, stop)))
        except Stopped:
            raise OptionError(f"{board} was not worked out within the limit (--seconds)") from None
        _print(
            json.dumps(asdict(report))
            if as_json
            else f"{analysis.OUTCOMES[value.outcome]}; {analysis.value_words(report)}"
        )
    else:
        result, interrupted = _until_stopped(
            lambda stop: analysis.analyse(solver, position, _effort(seconds, stop))
        )
        _print(json.dumps(result.to_json()) if as_json else "\n".join(analysis.position_lines(result)))
        if interrupted:
            raise KeyboardInterrupt
        if svg is not None and result.value is None:
            raise OptionError("the board is too large for its value, so there is no thermograph to draw")
        value = solver.value(position) if svg is not None else solver.workspace.values.zero
    if svg is not None:
        save(svg, thermograph(value).svg().encode())


def _typed(solver: Solver, text: str, effort: SearchLimits) -> tuple[GameValue, ValueReport]:
    """A game typed by its options, and what there is to say about it. Raises `Stopped`."""
    from tengen.engines.clobber.analysis import ValueReport

    with solver.limited(effort) as watch:
        value = solver.workspace.values.read(text)
        watch.check()
        return value, ValueReport.of(value)


@app.command()
def lab(
    pattern: Annotated[str, typer.Argument(help="a strip of X and O")],
    repeats: Annotated[int, typer.Option("--repeats", "-n", help="up to how many times")] = 10,
    check: Annotated[bool, typer.Option("--check", help="compare with bounds by induction")] = False,
    as_json: Json = False,
) -> None:
    """Repeat a pattern: values, outcomes, periods, and a formula that fits.

    Example: tengen clobber lab XXO --repeats 20
    """
    from tengen.core.values import Stopped, Values
    from tengen.engines.clobber.patterns import Experiment, run_experiment
    from tengen.engines.clobber.solver import LimitWatcher, SearchLimits
    from tengen.games.clobber.board import read_board
    from tengen.terminal.wait import patiently

    patiently(errors, lambda: run_experiment(pattern, 1))
    values = Values()
    found: list[GameValue] = []

    def show(value: GameValue) -> None:
        found.append(value)
        if not as_json:
            name = str(value)
            _print(f"n = {len(found)}: {value.outcome}  {name if len(name) <= 100 else name[:97] + '...'}")

    def work(stop: StopFlag) -> None:
        try:
            with LimitWatcher(SearchLimits(stop=stop), values.forms.stop).watching():
                run_experiment(pattern, repeats, values=values, on_length=show)
        except Stopped:
            pass

    _, interrupted = _until_stopped(work)
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
        _print(json.dumps(facts))
    if interrupted:
        raise KeyboardInterrupt
    if as_json:
        return
    for what, period in (("values", result.value_period), ("outcomes", result.outcome_period)):
        if period is not None:
            _print(f"{what} have period {period[1]} from n = {period[0] + 1}, as far as seen")
    if result.closed_form is not None:
        _print(f"fits all n up to {repeats}: {result.closed_form}")
    if check:
        for line in _check_law(result)[1]:
            _print(line)


def _check_law(found: Experiment) -> tuple[dict[str, object], list[str]]:
    """What a second method, which values nothing, says about an experiment: as facts, and in words."""
    from tengen.engines.clobber.pattern_bounds import find_pattern_bounds

    count = len(found.values)
    law = find_pattern_bounds(found.pattern, count)
    wrong = [n for n, value in enumerate(found.values, 1) if not law.agrees(n, value)]
    if wrong:
        raise TengenError(
            f"bounds by induction contradict the value for n = {wrong[0]}: this is an error of Tengen"
        )
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
def solve(
    board: Board,
    first: Annotated[str, typer.Option(help="who begins: X or O")] = "X",
    plus: Annotated[str, typer.Option(help="a game to add to the board, as ^ or {0|*}")] = "",
    proof: Annotated[Path | None, typer.Option(help="write a proof to this file")] = None,
    seconds: Seconds = 0.0,
    processes: Processes = 1,
    as_json: Json = False,
    settings: Settings = None,
    memory: Memory = 1024,
    database: Values = None,
) -> None:
    """Say who wins, and prove it if asked.

    Example: tengen clobber solve "(XO)^24" --proof proof.json
    """
    from tengen.engines.clobber.batch import read_position
    from tengen.engines.clobber.proof import prove_position
    from tengen.games.clobber.board import colour_swapped
    from tengen.games.records.atomic_files import save

    first = first.upper()
    if first not in ("X", "O"):
        raise OptionError(f"X or O begins, not {first!r}")
    if plus and proof is not None:
        raise OptionError("a proof is about a board alone: leave out --plus")
    _check_place(proof)
    position = read_position(board)
    if processes != 1:
        if plus or proof is not None:
            raise OptionError("--plus and --proof are for one process: leave out --processes")
        _split(position, first, seconds, processes, as_json, _means(settings, memory, database))
        return
    solver = _solver(settings, memory, database)
    started = time.process_time()
    added = [solver.workspace.values.read(plus)] if plus else []
    if first == "O":
        added = [-value for value in added]
    parts = solver.workspace.subgames_of(position if first == "X" else colour_swapped(position))
    _effort(seconds)
    wins, interrupted = _until_stopped(lambda stop: solver.left_wins(parts, _effort(seconds, stop), plus=added))
    spent = time.process_time() - started
    if wins is None:
        limit = f"the memory for sums (--memory {memory})" if solver.memory_ran_out else "the time (--seconds)"
        win, loss = solver.numbers(parts, added)
        if as_json:
            unsolved = {"first": first, "winner": None, "nodes": solver.nodes, "seconds": spent}
            _print(json.dumps({**unsolved, "to_prove": win, "to_disprove": loss}))
        else:
            _print(
                f"{first} begins: not solved after {solver.nodes} nodes and {spent:.1f} s of processor time; "
                f"to prove that {first} wins takes at least {win} more sums, that {first} loses at least {loss}"
            )
        if interrupted:
            raise KeyboardInterrupt
        raise OptionError(f"the position was not solved: {limit} was the limit")
    winner = first if wins else "O" if first == "X" else "X"
    if as_json:
        _print(json.dumps({"first": first, "winner": winner, "nodes": solver.nodes, "seconds": spent}))
    else:
        _print(f"{first} begins, {winner} wins ({solver.nodes} nodes, {spent:.2f} s of processor time)")
    if proof is not None:
        text = prove_position(solver, position, first)
        if text is None:
            raise OptionError("the proof needs more memory than allowed (--memory)")
        save(proof, text.encode())


def _split(position: str, first: str, seconds: float, processes: int, as_json: bool, config: SolverConfig) -> None:
    """Solve a position on several processes."""
    from tengen.engines.clobber.parallel import split
    from tengen.jobs import LocalExecutor

    effort = _effort(seconds)
    started = time.perf_counter()
    with LocalExecutor(processes) as executor:

        def work(stop: StopFlag) -> tuple[bool | None, int]:
            return split(executor, processes, position, first, config, seconds=effort.seconds, stop=stop)

        (wins, nodes), interrupted = _until_stopped(work)
        spent = time.perf_counter() - started
        if wins is None:
            executor.terminate()
            if as_json:
                _print(json.dumps({"first": first, "winner": None, "nodes": nodes, "seconds": spent}))
            else:
                _print(f"{first} begins: not solved after {nodes} nodes and {spent:.1f} s")
            if interrupted:
                raise KeyboardInterrupt
            raise OptionError("the position was not solved within the limits (--seconds, --memory)")
        executor.terminate()  # what the others still search is not needed
    winner = first if wins else "O" if first == "X" else "X"
    if as_json:
        _print(json.dumps({"first": first, "winner": winner, "nodes": nodes, "seconds": spent}))
    else:
        _print(f"{first} begins, {winner} wins ({nodes} nodes, {spent:.2f} s on {processes} processes)")


@app.command()
def verify(file: Annotated[Path, typer.Argument(help="a proof")], seconds: Seconds = 0.0) -> None:
    """Check a proof with a small independent program that trusts no table and no database.

    Example: tengen clobber verify proof.json
    """
    from rich.progress import Progress

    from tengen.engines.clobber.checker import verify as check
    from tengen.engines.clobber.proof_format import ProofError

    limit = _effort(seconds).seconds
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ProofError(f"{file} cannot be read: {error}") from None
    with Progress(console=errors, transient=True, disable=not errors.is_terminal) as bar:
        task = bar.add_task("Checking sums", total=None)
        proof, count = check(text, limit, lambda done, total: bar.update(task, completed=done, total=total))
    verdict = "wins" if proof["wins"] else "loses"
    _print(f"{proof['board']}: {proof['mover']} begins and {verdict}; {count} sums checked, the proof holds")


@app.command("database")
def make(
    file: Annotated[Path | None, typer.Argument(help="where to write it; the usual place if left out")] = None,
    longest: Annotated[int, typer.Option(help="all strips of up to so many cells")] = 16,
    alternating: Annotated[int, typer.Option(help="alternating strips of up to so many")] = 36,
    width: Annotated[int, typer.Option(help="the simplest equal sums of this width")] = 13,
    processes: Annotated[int | None, typer.Option(help="worker processes; one for each core if left out")] = None,
    cluster: Cluster = "",
) -> None:
    """Make the database of values, or go on making it.

    Example: tengen clobber database --longest 14
    """
    from tengen.engines.clobber.database import Database, default_path, make_database
    from tengen.jobs import ProgressBar, open_executor

    path = file or default_path()
    with open_executor(processes, cluster) as executor, ProgressBar("Valuing strips") as bar:
        make_database(
            path, longest=longest, alternating=alternating, width=width, executor=executor, on_progress=bar
        )
    Database(path)
    _print(f"{path}: {path.stat().st_size / 2**20:.1f} MB")


@app.command()
def batch(
    file: Annotated[Path, typer.Argument(help="positions, one on a line, each with L, R, N, P or ? behind it")],
    seconds: Seconds = 0.0,
    processes: Processes = 1,
    settings: Settings = None,
    memory: Memory = 1024,
    database: Values = None,
) -> None:
    """Solve many positions and compare with what is expected; the exit code is 1 if one differs.

    Example: tengen clobber batch positions.txt
    """
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise OptionError(f"{file} cannot be read: {error}") from None
    started = time.perf_counter()
    wrong = solved = nodes = 0
    for lines, so_far in _batch_lines(text, seconds, processes, settings, memory, database):
        nodes = so_far
        for line in lines:
            solved += line.found is not None
            wrong += not line.agrees
            note = "" if line.agrees else f"  expected {line.expected}"
            _print(f"{line.board}  {line.found or 'not solved'}{note}")
    spent = time.perf_counter() - started
    _print(f"{solved} solved, {wrong} differ; {nodes} nodes, {spent:.2f} s")
    if wrong:
        raise typer.Exit(1)


def _batch_lines(
    text: str, seconds: float, processes: int, settings: list[str] | None, memory: int, database: Path | None
) -> Iterator[tuple[list[Line], int]]:
    """Some lines at a time, and the nodes so far."""
    from tengen.engines.clobber.batch import run_batch, run_batch_on

    effort = _effort(seconds)
    if processes == 1:
        solver = _solver(settings, memory, database)
        for line in run_batch(solver, text, effort):
            yield [line], solver.nodes
        return
    from tengen.jobs import LocalExecutor

    total = 0
    with LocalExecutor(processes) as executor:
        config = _means(settings, memory, database)
        for lines, nodes in run_batch_on(executor, text, config, seconds=effort.seconds):
            total += nodes
            yield lines, total


def _means(settings: list[str] | None, memory: int, database: Path | None) -> SolverConfig:
    from tengen.engines.clobber.parallel import SolverConfig
    from tengen.engines.clobber.solver_options import SolverOptions

    if database is not None:
        raise OptionError("several processes take no database: leave out --database, or --processes")
    return SolverConfig(SolverOptions.read(settings or []), memory)
