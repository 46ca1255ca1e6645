"""Lessons: that the accepted moves are exactly the right ones, by other means than the lessons' own goals."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

import tengen
from tengen.app.lessons import lesson, lessons
from tengen.app.lessons.lesson import Step, Task
from tengen.app.lessons.progress import LessonProgress
from tengen.app.lessons.step_run import StepRun
from tengen.core.errors import OptionError
from tengen.core.game import Move
from tengen.engines.go.kernels.board import BLACK, WHITE
from tengen.engines.go.reading.life import LifeReader
from tengen.engines.go.reading.tactics import Result
from tengen.engines.pente.threats.brute_force import winning_moves
from tests.helpers.go_life import life_of

PARTS = [(one.game, step.id) for one in lessons() for step in one.parts]


def find_step(game: str, name: str) -> Step:
    return next(step for step in lesson(game).parts if step.id == name)


def runs(game: str, step: Step) -> Iterator[StepRun]:
    """The step before each of its tasks, whichever accepted moves the learner chooses."""
    waiting: list[tuple[str, ...]] = [()]
    while waiting:
        moves = waiting.pop()
        run = StepRun(lesson(game), step)
        for move in moves:
            assert run.try_move(move).is_right
        if not run.is_done:
            yield run
            waiting += [(*moves, move) for move in run.accepted_moves()]


# ---- the right moves, by other means


def texts(position: tengen.Position, right: Callable[[tengen.Position], bool]) -> set[str]:
    """The moves after which something is true, in notation."""
    return set(position.write_moves(move for move in position.legal_moves if right(position.play(move))))


def every_legal(position: tengen.Position) -> set[str]:
    return texts(position, lambda after: True)


def named(*moves: str) -> Callable[[tengen.Position], set[str]]:
    return lambda position: set(moves)


def solved(position: tengen.Position) -> set[str]:
    """The moves that an engine proves to win."""
    report = tengen.solve(position, wld=True, every_move=True)
    assert len(report.candidates) == len(position.legal_moves)
    return {one.move for one in report.candidates if one.value.amount > 0}


def stones(position: tengen.Position, colour: int) -> int:
    return sum(stone == colour for _, _, stone in position.game.on_board(position))


def captured(least: int) -> Callable[[tengen.Position], set[str]]:
    return lambda before: texts(before, lambda after: stones(before, 2) - stones(after, 2) >= least)


def white_captures_nothing(before: tengen.Position) -> set[str]:
    return texts(
        before, lambda after: all(stones(after.play(move), 1) >= stones(after, 1) for move in after.legal_moves)
    )


def captures_in_two(before: tengen.Position) -> set[str]:
    def escapes(reply: tengen.Position) -> bool:
        return not captured(1)(reply)

    return texts(before, lambda after: not any(escapes(after.play(move)) for move in after.legal_moves))


def corner_stone(life: LifeReader) -> int:
    """A2 on 7x7, where the stones of the corner are."""
    return life.tactics.geometry.stride * 6 + 1


def black_lives(before: tengen.Position) -> set[str]:
    """The moves after which the corner is unconditionally alive."""
    life = life_of(7, 7)

    def is_alive(after: tengen.Position) -> bool:
        life.tactics.load(after)
        return life.safe_points().get(corner_stone(life)) == BLACK

    return texts(before, is_alive)


def white_dies(before: tengen.Position) -> set[str]:
    """The moves after which White, to move, cannot save the corner."""
    life = life_of(7, 7)

    def is_dead(after: tengen.Position) -> bool:
        life.tactics.load(after)
        point = corner_stone(life)
        assert life.tactics.colour(point) == WHITE
        return life.defend(point).result is Result.FAILS

    return texts(before, is_dead)


def corners(position: tengen.Position) -> set[str]:
    return every_legal(position) & {"a1", "a6", "f1", "f6"}


def three_directions(before: tengen.Position) -> set[str]:
    """Walks from each move in eight directions over white discs to a black one."""
    discs = {(column, row): stone for column, row, stone in before.game.on_board(before)}

    def is_trapping(move: Move, right: int, down: int) -> bool:
        column, row = before.game.points(move)[0]
        length = 1
        while discs.get((column + length * right, row + length * down)) == 2:
            length += 1
        return length > 1 and discs.get((column + length * right, row + length * down)) == 1

    ways = [(right, down) for right in (-1, 0, 1) for down in (-1, 0, 1) if right or down]
    return set(
        before.write_moves(
            move for move in before.legal_moves if sum(is_trapping(move, *way) for way in ways) >= 3
        )
    )


def white_must_pass(before: tengen.Position) -> set[str]:
    return texts(before, lambda after: after.write_moves(after.legal_moves) == ["pass"])


def five(stones: int) -> Callable[[tengen.Position], set[str]]:
    """The moves that win with at most so many stones, by brute force."""
    return lambda position: set(position.write_moves(winning_moves(position, stones)))


def white_cannot_win_next(before: tengen.Position) -> set[str]:
    return texts(before, lambda after: not winning_moves(after, 1))


RIGHT: dict[tuple[str, str], tuple[Callable[[tengen.Position], set[str]], ...]] = {
    ("clobber", "move"): (every_legal,),
    ("clobber", "last-move"): (lambda before: texts(before, lambda after: after.is_over),),
    ("clobber", "parts"): (every_legal,),
    ("clobber", "parity"): (solved, solved),
    ("clobber", "small-win"): (solved,),
    ("clobber", "puzzle-1"): (solved,),
    ("clobber", "puzzle-2"): (solved,),
    ("clobber", "puzzle-3"): (solved,),
    ("go", "liberties"): (named("C4", "C2", "B3", "D3"),),
    ("go", "capture"): (captured(1), captured(1)),
    ("go", "forbidden"): (captured(1), white_captures_nothing),
    ("go", "two-eyes"): (black_lives,),
    ("go", "count"): (named("pass"),),
    ("go", "puzzle-1"): (captures_in_two,),
    ("go", "puzzle-2"): (captures_in_two,),
    ("go", "puzzle-3"): (white_dies,),
    ("othello", "trap"): (named("d3", "c4", "f5", "e6"),),
    ("othello", "directions"): (three_directions,),
    ("othello", "pass"): (named("pass"), every_legal),
    ("othello", "corner"): (corners,),
    ("othello", "count"): (solved,),
    ("othello", "puzzle-1"): (solved,),
    ("othello", "puzzle-2"): (white_must_pass,),
    ("othello", "puzzle-3"): (solved,),
    ("pente", "five"): (five(1),),
    ("pente", "capture"): (captured(2),),
    ("pente", "safe"): (named("E5"),),
    ("pente", "open-four"): (five(2),),
    ("pente", "five-captures"): (five(1),),
    ("pente", "puzzle-1"): (five(2),),
    ("pente", "puzzle-2"): (white_cannot_win_next,),
    ("pente", "puzzle-3"): (captured(4),),
}
PUZZLES_WITH_ONE_ANSWER = [part for part in PARTS if part[1].startswith("puzzle")]


@pytest.mark.parametrize(("game", "name"), PARTS)
def test_the_accepted_moves_are_exactly_the_right_ones(game: str, name: str) -> None:
    step = find_step(game, name)
    tasks: list[Task] = []
    for run in runs(game, step):
        tasks.append(run.task)
        right = RIGHT[game, name][step.tasks.index(run.task)](run.position)
        assert set(run.accepted_moves()) == right
        assert right
    assert set(map(id, tasks)) == set(map(id, step.tasks))  # each was reached


@pytest.mark.parametrize(("game", "name"), PARTS)
def test_wrong_moves_get_a_hint_and_change_nothing(game: str, name: str) -> None:
    run = StepRun(lesson(game), find_step(game, name))
    before, right = run.position, run.accepted_moves()
    hints = {run.task.hint, *(hint.text for hint in run.task.hints)}
    given = set()
    for move in before.write_moves(before.legal_moves):
        if move not in right:
            answer = run.try_move(move)
            assert not answer.is_right
            assert not answer.positions
            given.add(answer.text)
    assert given <= hints
    assert all(hint.text in given for hint in run.task.hints)  # no hint is for nothing
    assert run.position == before
    assert not run.is_done


@pytest.mark.parametrize(("game", "name"), PUZZLES_WITH_ONE_ANSWER)
def test_a_tiny_puzzle_has_one_answer_among_several_moves(game: str, name: str) -> None:
    run = StepRun(lesson(game), find_step(game, name))
    assert len(run.accepted_moves()) == 1
    assert len(run.position.legal_moves) >= 3


def test_every_game_has_five_steps_and_three_puzzles() -> None:
    assert [one.game for one in lessons()] == ["clobber", "go", "othello", "pente"]
    for one in lessons():
        assert (len(one.steps), len(one.puzzles)) == (5, 3)
        assert len({step.id for step in one.parts}) == 8
    with pytest.raises(OptionError, match="no lesson about 'chess'"):
        lesson("chess")


def test_an_illegal_move_is_explained() -> None:
    run = StepRun(lesson("go"), find_step("go", "forbidden"))
    assert "suicide" in run.try_move("G1").text
    assert not run.try_move("nonsense").is_right
    assert run.try_move("D5").is_right
    assert [position.ply for position in run.position.line()] == [0, 1, 2]  # White has answered


def test_the_end_of_a_go_game_is_counted_as_the_text_says() -> None:
    run = StepRun(lesson("go"), find_step("go", "count"))
    answer = run.try_move("pass")
    assert run.is_done
    assert run.position.outcome is not None
    assert run.position.outcome.score == 3.0
    assert "Black wins by 3" in answer.text


def test_a_game_is_played_to_its_end() -> None:
    run = StepRun(lesson("othello"), find_step("othello", "count"))
    while not run.is_done:
        text = run.try_move(run.accepted_moves()[0]).text
    assert run.position.outcome is not None
    assert run.position.outcome.winner == 0
    assert text == run.step.ending
    assert not run.try_move("a1").is_right


def test_progress_is_kept_and_damaged_progress_is_ignored() -> None:
    go = lesson("go")
    progress = LessonProgress().with_step("go", "capture").with_step("go", "capture").with_step("pente", "five")
    again = LessonProgress.from_option(progress.to_option())
    assert again == progress
    assert (again.count(go), again.next_part(go)) == (1, 0)
    for step in go.parts:
        again = again.with_step("go", step.id)
    assert again.is_complete(go)
    assert LessonProgress.from_option("nonsense") == LessonProgress.from_option(None) == LessonProgress()
    assert LessonProgress.from_option({"go": ["capture", 5], "pente": 3}).done == {"go": ("capture",)}
