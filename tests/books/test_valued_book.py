"""The valued book: its levels hold after whatever is done to it, by a second, simple implementation too."""

import itertools
import random
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tengen
from tengen.books import BookError, ConsistencyLevel, NodeKind, ValuedBook, add_and_evaluate, check, evaluate_book
from tengen.books.evaluation import evaluate_and_write
from tengen.books.operations import deviate, fill, forget_searches, merge, path_losses, prune
from tengen.books.probe import ProbeTable
from tengen.books.summary import summarise
from tengen.books.symmetry import images_of
from tengen.core.game import Move
from tengen.engines.book_evaluator import BookEvaluator
from tengen.engines.othello.kernels.book_probe import NOT_IN_BOOK, probe_book
from tengen.jobs import Checkpoint
from tests.helpers.book_stub import Stub, brought_from, play_out, turned
from tests.helpers.valued_books import (
    HORIZON,
    SMALL,
    check_book_of,
    contents,
    games,
    levels_by_hand,
    small_book,
)

steps = st.lists(
    st.one_of(
        st.tuples(st.just("add"), games),
        st.tuples(st.just("learn"), games),
        st.tuples(st.just("value"), st.integers(5, HORIZON)),
        st.tuples(st.just("prune"), st.integers(0, 8)),
        st.tuples(st.just("merge"), games),
        st.tuples(st.just("deviate"), st.integers(0, 8)),
        st.tuples(st.just("fill"), st.integers(1, 4)),
    ),
    min_size=1,
    max_size=7,
)


# ---- the second implementation: positions as sets of squares, straight from the definitions


@settings(max_examples=40, deadline=None)
@given(steps)
def test_levels_hold_after_any_sequence(steps):
    book = small_book()
    for what, with_what in steps:
        if what == "add":
            book.add(play_out(SMALL, with_what))
        elif what == "learn":
            evaluate_book(book, Stub())
            add_and_evaluate(book, play_out(SMALL, with_what), Stub())
        elif what == "value":
            evaluate_book(book, Stub(), solve_from=with_what)
        elif what == "prune":
            evaluate_book(book, Stub())
            prune(book, with_what)
        elif what == "merge":
            other = small_book(with_what)
            if sum(with_what) % 2:
                evaluate_book(other, Stub())
            merge(book, other)
        elif what == "deviate":
            evaluate_book(book, Stub())
            deviate(book, with_what)
        else:
            fill(book, with_what)
        found = check(book)
        assert found.level == levels_by_hand(book) >= ConsistencyLevel.CONSISTENT, found
        if what in ("learn", "value", "prune"):
            assert found.level is ConsistencyLevel.NEGAMAXED, found


@settings(max_examples=40, deadline=None)
@given(st.lists(games, max_size=5), games, st.integers(5, HORIZON))
def test_learning_equals_valuing_all(lines, last, solve_from):
    book = small_book(*lines)
    evaluate_book(book, Stub(), solve_from=solve_from)
    whole = book.copy()
    whole.add(play_out(SMALL, last))
    evaluate_book(whole, Stub(), solve_from=solve_from)
    add_and_evaluate(book, play_out(SMALL, last), Stub(), solve_from=solve_from)
    assert contents(book) == contents(whole)


@settings(max_examples=30, deadline=None)
@given(st.lists(games, min_size=1, max_size=4))
def test_images_give_the_same_answer(lines):
    images = images_of(SMALL)
    book, mirrored = small_book(), small_book()
    own = [number for number in range(8) if number in (0, 3, 4, 7)]  # that leave the start as it is
    for count, choices in enumerate(lines):
        line = play_out(SMALL, choices)
        book.add(line)
        mirrored.add(turned(SMALL, line, images, own[count % 4]))
    evaluate_book(book, Stub())
    evaluate_book(mirrored, Stub())
    assert contents(book) == contents(mirrored)
    for choices in lines:
        line = play_out(SMALL, choices)
        for number in own:
            for one, other in zip(line, turned(SMALL, line, images, number), strict=True):
                here, there = book.lookup(one), book.lookup(other)
                assert (here is None) == (there is None)
                if here is not None:
                    assert (here.kind, here.value) == (there.kind, there.value)
                    kinds = [sorted((o.kind, str(o.value)) for o in book.options(p)) for p in (one, other)]
                    assert kinds[0] == kinds[1]


def test_the_start_with_one_first_move_has_all_moves_played():
    game = tengen.game("othello")
    book = ValuedBook(game)
    book.add([game.start(), game.start().play("f5")])
    evaluate_book(book, Stub())
    assert book.lookup(game.start()).all_played
    assert book.lookup(game.start()).value == 4
    assert len(book.options(game.start())) == 4
    assert check(book).level is ConsistencyLevel.NEGAMAXED


def test_who_must_pass_is_not_stored_but_answered():
    black = brought_from(SMALL, 15 * "O" + "- X")
    assert black.is_over
    passing = brought_from(SMALL, "OX--" + 12 * "-" + " X")
    assert passing.legal_moves == (Move(64),)
    book = ValuedBook(SMALL, horizon=HORIZON)
    assert book.add([passing]) == []
    book.add([passing, passing.play("pass")])
    assert len(book) == 1
    evaluate_book(book, Stub())
    assert book.lookup(passing).value == -book.lookup(passing.play("pass")).value
    # Where neither can move the score is known without a book.
    assert book.lookup(black).value == -16
    assert book.add([black]) == []


def test_solved_values_stay_and_must_agree():
    book = small_book([0, 1, 2])
    position = SMALL.start().play("b1")
    book.put(position, NodeKind.SOLVED, 6)
    book.put(position, NodeKind.LEAF, -8)
    assert book.lookup(position).value == 6
    with pytest.raises(BookError, match="one is wrong"):
        book.put(position, NodeKind.SOLVED, 4)
    other = small_book()
    other.put(position, NodeKind.SOLVED, 4)
    with pytest.raises(BookError, match="disagree"):
        merge(book, other)


def test_check_names_the_first_offender():
    book = small_book([0, 0, 0, 0, 0])
    found = check(book)
    assert found.level is ConsistencyLevel.CONSISTENT
    assert found.offender == book.nodes.find(SMALL.start()).node
    evaluate_book(book, Stub())
    index = next(i for i in range(len(book)) if book.nodes.array[i]["move"] >= 0)
    book.nodes.array[index]["value"] += 1
    assert check(book).level is ConsistencyLevel.CONSISTENT
    book.nodes.array[index]["value"] -= 1
    leaf = next(one for one in book.nodes.after(index) if one.canonical == book.nodes.array[index]["move"])
    book.make_branch(leaf.node)
    assert check(book).level is ConsistencyLevel.CONSISTENT
    book.set_value(leaf.node, NodeKind.SOLVED, -16 * leaf.sign)
    book.negamax()
    found = check(book)
    assert (found.level, found.reason) == (ConsistencyLevel.VALUED, "its best unplayed move is out of date")


def test_the_root_plays_at_once_what_keeps_its_value():
    book = small_book([0, 0, 0, 0, 0, 0], [0, 1, 0, 0, 0])
    start = SMALL.start()
    assert book.move(start) is None, "not valued yet"
    evaluate_book(book, Stub())
    move, worth = book.move(start)
    assert worth.amount == book.lookup(start).value
    assert book.lookup(start.play(move)).value == -worth.amount
    assert book.move(start, solves=True) is None
    leaf = next(i for i in range(len(book)) if book.nodes.array[i]["kind"] == NodeKind.LEAF)
    assert book.move(book.nodes.position(leaf)) is None


def test_valuing_resumes_and_does_not_depend_on_workers(tmp_path):
    rng = random.Random(1)
    lines = [[rng.randrange(6) for _ in range(14)] for _ in range(12)]
    plain, jobs = small_book(*lines), small_book(*lines)
    searched = evaluate_book(plain, Stub())
    again = small_book(*lines)
    checkpoint = Checkpoint(tmp_path / "book.jobs", "stub")
    seen = []
    with ThreadPoolExecutor(2) as executor:
        assert (
            evaluate_book(jobs, Stub(), executor=executor, checkpoint=checkpoint, on_progress=seen.append)
            == searched
        )
        assert contents(jobs) == contents(plain)
        assert seen[-1].done == seen[-1].total > 3
        seen.clear()
        evaluate_book(again, Stub(), executor=executor, checkpoint=checkpoint, on_progress=seen.append)
    assert contents(again) == contents(plain)
    assert seen[-1].resumed == seen[-1].total


def test_positions_with_nothing_left_to_search_are_no_tasks():
    """Many of them at one stage: all moves were played before anything was valued."""
    lines = [list(choices) for choices in itertools.product(range(4), repeat=5)]
    plain, jobs = small_book(*lines), small_book(*lines)
    evaluate_book(plain, Stub())
    with ThreadPoolExecutor(1) as executor:
        evaluate_book(jobs, Stub(), executor=executor)
    assert contents(jobs) == contents(plain)
    assert check(jobs).level is ConsistencyLevel.NEGAMAXED


def test_growth_and_stats():
    book = small_book([0, 0, 0, 0, 0, 0], [0, 1, 2, 1, 0, 1])
    evaluate_book(book, Stub())
    before = summarise(book)
    assert before.positions == before.solved + before.leaves + before.branches == len(book)
    grown = deviate(book, 8, most=1)
    assert len(grown) == 1
    assert check(book).level is ConsistencyLevel.CONSISTENT
    evaluate_book(book, Stub())
    assert summarise(book).branches + summarise(book).solved > before.branches + before.solved
    fill(book, 3)
    evaluate_book(book, Stub())
    assert not any(row.leaves for row in summarise(book).stages if row.stage < 3)
    size = len(book)
    assert prune(book, 0) == size - len(book) > 0
    assert check(book).level is ConsistencyLevel.NEGAMAXED


def test_searching_again_gives_the_same_book():
    book = small_book([0, 0, 0, 0, 0, 0], [0, 1, 2, 1, 0, 1])
    evaluate_book(book, Stub())
    twin = book.copy()
    assert forget_searches(twin) == summarise(book).leaves > 0
    assert check(twin).level is ConsistencyLevel.CONSISTENT
    evaluate_book(twin, Stub())
    assert contents(twin) == contents(book)


def test_growth_prefers_short_and_cheap_lines():
    book = small_book([0, 0, 0, 0, 0, 0], [0, 1, 2, 1, 0, 1])
    evaluate_book(book, Stub())
    costs, free = path_losses(book, 8), path_losses(book, 8, free_plies=99)
    assert set(costs) <= set(free)
    assert not any(free.values())
    leaves = [index for index in costs if book.nodes.array[index]["kind"] == NodeKind.LEAF]
    stages = book.nodes.array["stage"]
    chosen = deviate(book.copy(), 8, most=2)
    ranks = {index: costs[index] + int(stages[index]) for index in leaves}  # 8 units count as much as 8 plies
    assert sorted(ranks.values())[:2] == [ranks[index] for index in chosen]


def test_path_losses_are_those_of_a_plain_search():
    book = small_book([0, 0, 0, 0, 0, 0], [0, 1, 2, 1, 0, 1], [0, 0, 1, 1, 2, 0])
    evaluate_book(book, Stub())
    nodes = book.nodes.array

    def plain(loss, depth, free_plies):
        costs = {book.nodes.find(book.nodes.start).node: 0}
        waiting = list(costs)
        while waiting:
            index = waiting.pop()
            stage = int(nodes[index]["stage"])
            for one in book.nodes.after(index) if depth is None or stage < depth else ():
                if one.node >= 0:
                    lost = max(0, int(nodes[index]["value"]) - one.sign * int(nodes[one.node]["value"]))
                    cost = costs[index] + (lost if stage >= free_plies else 0)
                    if cost <= loss and cost < costs.get(one.node, loss + 1):
                        costs[one.node] = cost
                        waiting.append(one.node)
        return costs

    for loss, depth, free_plies in ((8, None, 0), (2, None, 0), (8, 3, 0), (6, None, 2), (0, None, 0)):
        assert path_losses(book, loss, depth, free_plies) == plain(loss, depth, free_plies)


def test_a_real_engine_finds_the_known_value():
    """4x4 is lost by 10 discs for who begins, and no move is left out of account."""
    book = ValuedBook(SMALL, horizon=7)
    book.add(play_out(SMALL, [0, 2, 1, 0, 1, 1, 0]))
    evaluate_book(book, BookEvaluator.for_game(SMALL, book.value_unit))
    assert check(book).level is ConsistencyLevel.NEGAMAXED
    assert book.lookup(SMALL.start()).value == -10


def test_compiled_code_asks_the_book():
    """Every node by its own orientation and others, as a search comes upon it."""
    game = tengen.game("othello")
    book = ValuedBook(game)
    rng = random.Random(2)
    lines = [play_out(game, [rng.randrange(20) for _ in range(60)]) for _ in range(3)]
    for line in lines:
        book.add(line)
    evaluate_book(book, Stub())
    table = ProbeTable.from_book(book)
    for position in (position for line in lines for position in line[:45]):
        if position.is_over or position.legal_moves == (Move(64),):
            continue
        state, entry = position.state, book.lookup(position)
        for only_solved in (False, True):
            found = probe_book(state.othello_mover, state.enemy, only_solved, table.nodes, table.slots)
            wanted = entry is not None and (not only_solved or entry.kind is NodeKind.SOLVED)
            assert found == (100 * entry.value if wanted else NOT_IN_BOOK)
    few = ProbeTable.from_book(book, 3, 5)
    assert 0 < len(few.nodes) < len(table.nodes)
    assert set(few.nodes["stage"]) == {3, 4, 5}


def test_after_the_horizon_a_solver_answers():
    book = small_book([0] * 12)
    late = play_out(SMALL, [0] * (HORIZON + 1))[-1]
    assert book.lookup(late) is None
    book.solver = lambda position: 12
    assert book.lookup(late).value == 12


def test_other_games_have_books_too():
    """Of the games that are known by the way to a position; soak/test_books_go.py has Go."""
    check_book_of(tengen.game("pente", size=9))


def test_a_book_is_of_the_usual_start_but_of_clobber_of_its_board() -> None:
    strip = tengen.game("clobber", size=6)
    book = ValuedBook(strip)
    assert book.game == strip
    assert not book.lookup(strip.start())
    assert ValuedBook(tengen.game("othello", size=4, board="-----XO--OX----- X")).game.options()["board"] == ""


def test_a_book_is_not_written_to_the_file_of_its_checkpoint(tmp_path):
    with pytest.raises(BookError, match="cannot end in"):
        evaluate_and_write(tmp_path / "my.jobs", ValuedBook(tengen.game("othello", size=4)), Stub())
    assert not list(tmp_path.iterdir())
