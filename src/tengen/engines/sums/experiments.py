"""Experiments: solve all sums of files, compare with expected results, and compare two runs.

Files are written in the input language (`language`); MCGS's test files are read as well. Results are rows of a CSV
file. A run continues where it was stopped.
"""

from __future__ import annotations

import csv
import hashlib
import html
import io
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from dataclasses import asdict, dataclass, fields
from functools import cache
from pathlib import Path

from tengen.core.errors import PositionError, TengenError
from tengen.core.values import Stopped
from tengen.engines.sums.language import Case, Question, read_cases
from tengen.engines.sums.solver import SumSolver
from tengen.jobs import Checkpoint, Progress, Task, run

VERSION = 1  # of results; a newer one does not continue an older run
CASES_PER_TASK = 8


@dataclass(frozen=True)
class Row:
    """The answer to one question. `seconds` is processor time; `agrees` is empty without an expected result."""

    file: str
    line: int
    sum: str
    question: str
    expected: str
    found: str
    agrees: str
    seconds: float
    nodes: int

    @property
    def key(self) -> tuple[str, int, str, str]:
        return self.file, self.line, self.sum, self.question


def read_files(paths: list[Path]) -> list[tuple[str, Case]]:
    """All cases of some files; folders stand for their `.test` files. Raises `PositionError`."""
    found = []
    for path in paths:
        for file in sorted(path.rglob("*.test")) if path.is_dir() else [path]:
            try:
                cases = read_cases(file.read_text(encoding="utf-8"))
            except (OSError, UnicodeDecodeError) as error:
                raise PositionError(f"{file} cannot be read: {error}") from None
            except PositionError as error:
                raise PositionError(f"{file}, {error}") from None
            found += [(str(file), case) for case in cases if case.questions]
    return found


@cache
def _worker_solver(seconds: float, megabytes: int) -> SumSolver:
    return SumSolver(seconds=seconds, megabytes=megabytes)


def solve_cases(cases: list[tuple[str, Case]], seconds: float, megabytes: int) -> list[Row]:
    """Task: answer all questions of some cases."""
    solver = _worker_solver(seconds, megabytes)
    if len(cases) == CASES_PER_TASK:  # many questions: loading compiled code now costs less than trying without
        solver.load_compiled()
    return [_answer(solver, file, case, question) for file, case in cases for question in case.questions]


def _answer(solver: SumSolver, file: str, case: Case, question: Question) -> Row:
    started, nodes = time.process_time(), solver.nodes
    try:
        found = _found(solver, case, question)
    except Stopped:
        found = ""
    except TengenError as error:
        found = f"error: {error}"
    expected = question.expected.strip().lower()
    if question.moves and expected:
        expected = " ".join(sorted(set(expected.split())))
    agrees = "" if not expected or not found else "yes" if found == expected else "no"
    name = f"{'winning moves ' if question.moves else ''}{question.player}"
    seconds = round(time.process_time() - started, 4)
    return Row(file, case.line, str(case), name, expected, found, agrees, seconds, solver.nodes - nodes)


def _found(solver: SumSolver, case: Case, question: Question) -> str:
    player = "X" if question.player == "N" else question.player
    if question.moves:
        return " ".join(sorted(set(solver.winning_moves(case.terms, player)))) or "none"
    if question.player == "N":
        return str(solver.nim_value(case.terms))
    wins = solver.mover_wins(case.terms, player)
    return "" if wins is None else "win" if wins else "loss"


def run_cases(
    cases: list[tuple[str, Case]],
    *,
    executor: Executor,
    seconds: float,
    megabytes: int = 1024,
    checkpoint: Path | None = None,
    on_progress: Callable[[Progress], None] | None = None,
) -> Iterator[list[Row]]:
    """Answer all questions on the workers of `executor`; results in `checkpoint` are not computed again."""
    chunks = [cases[at : at + CASES_PER_TASK] for at in range(0, len(cases), CASES_PER_TASK)]
    tasks = []
    for chunk in chunks:
        digest = hashlib.sha256(
            repr([(file, case.line, str(case), case.questions) for file, case in chunk]).encode()
        )
        tasks.append(Task(digest.hexdigest()[:24], solve_cases, (chunk, seconds, megabytes)))
    unique = {task.id: task for task in tasks}
    stored = None if checkpoint is None else Checkpoint(checkpoint, f"sums {VERSION} {seconds} {megabytes}")
    for result in run(list(unique.values()), executor=executor, checkpoint=stored, on_progress=on_progress):
        yield result.value


# ---- files of results


def write_csv(rows: list[Row]) -> str:
    """Rows as CSV, in the order of files and lines."""
    out = io.StringIO()
    writer = csv.DictWriter(out, [field.name for field in fields(Row)], lineterminator="\n")
    writer.writeheader()
    for row in sorted(rows, key=lambda row: row.key):
        writer.writerow(asdict(row))
    return out.getvalue()


def read_csv(path: Path) -> list[Row]:
    """The rows of a file. Raises `PositionError`."""
    try:
        with path.open(encoding="utf-8", newline="") as file:
            return [_row(cells) for cells in csv.DictReader(file)]
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise PositionError(f"{path} is not a file of results: {error}") from None


def _row(cells: dict[str, str]) -> Row:
    return Row(
        cells["file"],
        int(cells["line"]),
        cells["sum"],
        cells["question"],
        cells["expected"],
        cells["found"],
        cells["agrees"],
        float(cells["seconds"]),
        int(cells["nodes"]),
    )


def comparison_page(first: list[Row], second: list[Row], names: tuple[str, str]) -> str:
    """An HTML page that compares two runs: results, times and nodes of each question."""
    before, after = ({row.key: row for row in rows} for rows in (first, second))
    keys = [key for key in before if key in after]
    differ = [key for key in keys if before[key].found != after[key].found]
    wrong = [sum(row.agrees == "no" for row in rows) for rows in (first, second)]
    totals = [sum(run[key].seconds for key in keys) for run in (before, after)]
    nodes = [sum(run[key].nodes for key in keys) for run in (before, after)]
    ratio = f"{totals[1] / totals[0]:.2f}" if totals[0] else "–"
    body = []
    for key in sorted(keys, key=lambda key: before[key].seconds + after[key].seconds, reverse=True):
        one, other = before[key], after[key]
        faster = other.seconds / one.seconds if one.seconds else 1.0
        mark = ' class="differs"' if one.found != other.found or "no" in (one.agrees, other.agrees) else ""
        cells = [f"{Path(key[0]).name}:{key[1]}", key[2], key[3], one.expected, one.found or "not solved",
                 other.found or "not solved", f"{one.seconds:.3f}", f"{other.seconds:.3f}", f"{faster:.2f}",
                 f"{one.nodes:,}", f"{other.nodes:,}"]  # fmt: skip
        body.append(f"<tr{mark}>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in cells) + "</tr>")
    heads = ("line", "sum", "question", "expected", *names, *(f"s, {name}" for name in names), "ratio",
             *(f"nodes, {name}" for name in names))  # fmt: skip
    head = "".join(f"<th>{html.escape(text)}</th>" for text in heads)
    return f"""<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Two runs</title><style>
body {{ font: 15px system-ui, sans-serif; margin: 2rem; color: #1b1e23; background: #fff }}
table {{ border-collapse: collapse }} td, th {{ padding: .25rem .6rem; border-bottom: 1px solid #ddd;
text-align: left; max-width: 28rem; overflow-wrap: anywhere }} .differs {{ background: #fdd }}
</style></head><body><h1>{html.escape(names[0])} and {html.escape(names[1])}</h1>
<p>{len(keys)} questions in both; {len(differ)} results differ; {wrong[0]} and {wrong[1]} disagree with what was
expected; {len(before) - len(keys)} and {len(after) - len(keys)} are only in one run.</p>
<p>Processor time {totals[0]:.2f} s and {totals[1]:.2f} s (ratio {ratio}); {nodes[0]:,} and {nodes[1]:,} nodes.
Slowest first.</p>
<table><thead><tr>{head}</tr></thead><tbody>
{"".join(body)}
</tbody></table></body></html>
"""
