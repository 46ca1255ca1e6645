"""`tengen sums …`: sums of positions from different games."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from tengen.cli.console import console, errors
from tengen.cli.option_groups import Workers, command_group, grouped
from tengen.cli.options import Json
from tengen.core.errors import OptionError

if TYPE_CHECKING:
    from tengen.engines.sums.solver import SumSolver, Terms

Result = TypeVar("Result")

app = command_group("Sums of positions from different games: who wins, values, winning moves, proofs.")

Sum = Annotated[
    str, typer.Argument(metavar="SUM", help='such as "clobber XOXO + domineering ../.. - ^", or [clobber] XOXO …')
]
Seconds = Annotated[float, typer.Option(min=0, help="time limit of each question in seconds; 0 means none")]
Memory = Annotated[int, typer.Option(min=16, help="memory of the search in megabytes")]


def _until_stopped(solver: SumSolver, terms: Terms, work: Callable[[], Result]) -> tuple[Result, bool]:
    """The result of `work`, and whether Ctrl-C stopped it early; the result is then partial."""
    if solver.small_value(terms) is not None:
        return work(), False
    from tengen.core.interrupt import run_until_interrupted
    from tengen.search.limits import StopFlag
    from tengen.terminal.progress import run_with_progress

    run_with_progress(errors, solver.compiled.compile_kernels)
    stop = solver.compiled.stop = StopFlag()
    return run_until_interrupted(work, stop.set)


@app.command("games")
def list_games() -> None:
    """List the games, with their rules and cells.

    Example: tengen sums games
    """
    from tengen.games.rulesets import RULESETS

    for one in RULESETS.values():
        console.print(f"{one.name:18}{' '.join(one.symbols):9}{one.rules}")
    console.print("\nEach has an impartial version: impartial clobber. Values are written as 1/2, ^^* or {1|*}.")


@app.command()
def analyse(
    text: Sum,
    seconds: Seconds = 10.0,
    memory: Memory = 1024,
    svg: Annotated[Path | None, typer.Option(help="write the thermograph of the sum to this file")] = None,
    as_json: Json = False,
) -> None:
    """Show value, outcome, temperature and all winning moves of a sum.

    Example: tengen sums analyse "domineering .../... + clobber XXO"
    """
    from tengen.core.values import Stopped, thermograph
    from tengen.engines.sums import analysis
    from tengen.engines.sums.language import read_sum
    from tengen.engines.sums.solver import SumSolver

    terms = read_sum(text)
    solver = SumSolver(seconds=seconds or math.inf, megabytes=memory)
    result, interrupted = _until_stopped(solver, terms, lambda: analysis.analyse(solver, terms))
    console.print(json.dumps(result.to_json()) if as_json else "\n".join(analysis.lines(result)))
    if interrupted:
        raise KeyboardInterrupt
    if svg is not None:
        from tengen.games.records.atomic_files import save

        try:
            save(svg, thermograph(solver.value(terms)).svg().encode())
        except Stopped:
            raise OptionError("the value was not found within the time limit (--seconds)") from None


@app.command()
def solve(
    text: Sum,
    first: Annotated[str, typer.Option(help="the side to move first: X (Left) or O (Right)")] = "X",
    proof: Annotated[Path | None, typer.Option(help="write a proof to this file")] = None,
    seconds: Seconds = 0.0,
    memory: Memory = 1024,
    as_json: Json = False,
) -> None:
    """Find out who wins, and optionally write a proof that `tengen sums verify` checks.

    Example: tengen sums solve "nogo ..../..../.... + nim 3" --first O
    """
    from tengen.engines.sums.language import read_sum
    from tengen.engines.sums.solver import SumSolver

    first = first.upper()
    if first not in ("X", "O"):
        raise OptionError(f"--first must be X or O, not {first!r}")
    terms = read_sum(text)
    solver = SumSolver(seconds=seconds or math.inf, megabytes=memory)
    started = time.process_time()
    written, interrupted = None, False
    if proof is None:
        wins, interrupted = _until_stopped(solver, terms, lambda: solver.mover_wins(terms, first))
    else:
        written = solver.compiled.prove(terms, first, solver.seconds)
        wins = None if written is None else bool(json.loads(written)["wins"])
    spent = time.process_time() - started
    winner = None if wins is None else first if wins else "XO"[first == "X"]
    if as_json:
        console.print(json.dumps({"first": first, "winner": winner, "nodes": solver.nodes, "seconds": spent}))
    elif winner is not None:
        effort = f"{solver.nodes} nodes, {spent:.2f} s of processor time"
        console.print(f"{first} begins, {winner} wins ({effort})")
    if interrupted and winner is None:
        raise KeyboardInterrupt
    if winner is None:
        raise OptionError("the sum was not solved within the limits (--seconds, --memory)")
    if proof is not None and written is not None:
        from tengen.games.records.atomic_files import save

        save(proof, written.encode())


@app.command()
def verify(
    file: Annotated[Path, typer.Argument(help="a proof written by `tengen sums solve --proof`")],
    seconds: Seconds = 0.0,
) -> None:
    """Verify a proof with a small independent checker that uses no tables.

    Example: tengen sums verify proof.json
    """
    from tengen.engines.clobber.proof_format import ProofError
    from tengen.engines.sums.checker import verify as check
    from tengen.engines.sums.proof_claim import describe_terms

    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ProofError(f"{file} cannot be read: {error}") from None
    proof, count = check(text, seconds or math.inf)
    verdict = "wins" if proof["wins"] else "loses"
    console.print(
        f"{describe_terms(proof)}: {proof['mover']} begins and {verdict}; {count} sums checked, the proof holds"
    )


@app.command()
@grouped
def batch(
    files: Annotated[list[Path], typer.Argument(help="files in the input language, or folders of .test files")],
    workers: Workers,
    csv: Annotated[Path | None, typer.Option("--csv", help="write all results to this file")] = None,
    resume: Annotated[
        Path | None, typer.Option("--resume", help="keep results in this file and continue from it")
    ] = None,
    seconds: Seconds = 10.0,
    memory: Memory = 1024,
) -> None:
    """Solve all sums of files and compare with expected results; the exit code is 1 if one differs.

    Example: tengen sums batch positions.test --csv results.csv --resume run.jobs
    """
    from tengen.engines.sums.experiments import read_files, run_cases, write_csv
    from tengen.games.records.atomic_files import save
    from tengen.jobs import ProgressBar

    cases = read_files(files)
    rows = []
    with workers.open() as executor, ProgressBar("Solving") as bar:
        for found in run_cases(
            cases,
            executor=executor,
            seconds=seconds or math.inf,
            megabytes=memory,
            checkpoint=resume,
            on_progress=bar,
        ):
            rows += found
    wrong = [row for row in rows if row.agrees == "no"]
    for row in wrong:
        console.print(
            f"{row.file}:{row.line}: {row.sum} {row.question}: {row.found or 'not solved'}, "
            f"expected {row.expected}"
        )
    solved = sum(bool(row.found) and not row.found.startswith("error") for row in rows)
    spent, nodes = sum(row.seconds for row in rows), sum(row.nodes for row in rows)
    console.print(
        f"{len(rows)} questions, {solved} solved, {len(wrong)} differ; "
        f"{nodes} nodes, {spent:.2f} s of processor time"
    )
    if csv is not None:
        save(csv, write_csv(rows).encode())
    if wrong:
        raise typer.Exit(1)


@app.command()
def compare(
    first: Annotated[Path, typer.Argument(help="results of `tengen sums batch --csv`")],
    second: Annotated[Path, typer.Argument(help="results of another run of the same files")],
    html: Annotated[Path, typer.Argument(help="the page to write")],
) -> None:
    """Compare the results, times and nodes of two runs on an HTML page.

    Example: tengen sums compare before.csv after.csv comparison.html
    """
    from tengen.engines.sums.experiments import comparison_page, read_csv
    from tengen.games.records.atomic_files import save

    page = comparison_page(read_csv(first), read_csv(second), (first.stem, second.stem))
    save(html, page.encode())
    errors.print(f"written to {html}")
