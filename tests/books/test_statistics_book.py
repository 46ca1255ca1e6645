"""The statistics book: one key for all images and shifts, choices by weight, and growth in the background."""

import random
import threading
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tengen
from tengen.books import BookError, installed
from tengen.books.live_statistics import LiveBook
from tengen.books.shapes import find_shape, turn
from tengen.books.statistics import CountedMove, Counts, StatisticsBook
from tengen.books.statistics_file import dump, load, read_statistics, write_statistics
from tengen.books.weighted_choice import SelectionPolicy, choose_move, move_weight
from tengen.core.game import Move
from tengen.games.records import Record
from tests.helpers.book_stub import batches_of

PENTE = tengen.game("pente")


def key(stones, size=19, game=PENTE):
    return find_shape(stones, size, size, 0, game).key


def strips(numbers):
    """The seed's boards: a number for each row, two bits for each point."""
    return [(i, row, n >> 2 * i & 3) for row, n in enumerate(numbers) for i in range(19) if n >> 2 * i & 3]


def test_the_counter_example_of_the_seed():
    added = strips((0, 0, 0, 0, 0, 2048, 0, 4096, 0, 65536))
    asked = strips((0, 0, 0, 0, 0, 2048, 16384, 0, 262144))
    assert added == [(5, 5, 2), (6, 7, 1), (8, 9, 1)]
    assert key(added) == key(asked)


@settings(max_examples=80, deadline=None)
@given(
    st.dictionaries(st.tuples(st.integers(0, 18), st.integers(0, 18)), st.integers(1, 2), max_size=6),
    st.integers(0, 7),
    st.integers(-9, 9),
    st.integers(-9, 9),
    st.tuples(st.integers(0, 18), st.integers(0, 18)),
)
def test_images_and_shifts_have_one_key(board, image, right, down, point):
    stones = [(*place, what) for place, what in board.items()]
    shape = find_shape(stones, 19, 19, 0, PENTE)
    for placement in shape.placements:
        assert placement.back(placement.forward(point)) == point
    assert point in shape.points(shape.least(point))
    turned = [(*turn((column, row), image, 19, 19), what) for column, row, what in stones]
    assert key(turned) == shape.key

    def free(lines, shift):
        return not lines or not shift or all(5 <= line <= 13 and 5 <= line + shift <= 13 for line in lines)

    if free([one[0] for one in stones], right) and free([one[1] for one in stones], down):
        assert key([(column + right, row + down, what) for column, row, what in stones]) == shape.key


def test_nine_by_nine_never_shifts_and_edges_hold():
    assert key([(3, 3, 1), (4, 4, 2)], 9) != key([(4, 4, 1), (5, 5, 2)], 9)
    assert key([(4, 9, 1)]) != key([(5, 9, 1)])
    assert key([(6, 9, 1)]) == key([(5, 8, 1)])
    assert key([(6, 6, 1)], 13) == key([(9, 9, 1)], 19), "far from the edges the size is no matter"


def line(game, *moves):
    return list(game.start().play_all(moves).line())


def test_counts_are_the_movers_and_come_back_through_the_inverse():
    book = StatisticsBook("pente")
    book.add(line(PENTE, "K10", "L11", "N10"), 0, ratings=(1800.0, 1500.0))
    book.add(line(PENTE, "K10", "J9", "G10"), 1, ratings=(1200.0, 2000.0))  # turned by half
    book.add(line(PENTE, "K10", "L9", "N10"), None)
    start = PENTE.start()
    (first,) = book.options(start)
    assert (first.text, first.games, first.wins, first.losses, first.draws) == ("K10", 3, 1, 1, 1)
    assert (first.best, first.mean) == (1800.0, 1500.0)
    after = start.play("K10")
    (second,) = book.options(after)
    assert second.games == 3
    assert second.wins == second.losses == 1
    for reply, answers in (("L11", {"N10", "K13"}), ("J9", {"G10", "K7"}), ("L9", {"N10", "K7"})):
        found = {one.text for one in book.options(after.play(reply))}
        assert found <= answers | {"K13", "N10", "K7", "G10"}
        assert found, "each image of the position knows its moves"
        assert all(one.move in after.play(reply).legal_moves for one in book.options(after.play(reply)))


def test_relatives_serve_by_rank_and_illegal_moves_are_left_out():
    tournament, five = tengen.game("pente", variant="tournament"), tengen.game("pente", variant="five-in-a-row")
    book = StatisticsBook("pente")
    book.add(line(five, "K10", "L11", "N10"), 0)
    at = line(tournament, "K10", "L11")[-1]
    assert {one.text for one in book.options(at)} <= {"N10", "K13"}
    book.add(line(PENTE, "K10", "L11", "L10"), 0)  # forbidden in a tournament
    assert {one.text for one in book.options(at)} <= {"N10", "K13"}
    assert book.options(at)
    book.add(line(PENTE, "K10", "L11", "K14"), 0)
    known = book.known(at)
    assert {at.game.write_move(one.move) for one in known} <= {"K14", "O10"}, "a nearer relative, the rest unseen"
    assert not any(one.own for one in known)
    keryo = tengen.game("pente", variant="keryo")
    assert book.options(line(keryo, "K10", "L11")[-1])
    # Another size, far from the edges; too near the edge on the smaller board.
    small = tengen.game("pente", size=13)
    assert book.options(line(small, "G7", "H8")[-1])
    wide = StatisticsBook("pente")
    wide.add(line(PENTE, "K10", "L11", "K16"), 0)
    assert not wide.options(line(small, "G7", "H8")[-1])


def test_jelly_beans():
    policy = SelectionPolicy()
    assert move_weight(CountedMove(Move(1), Counts(wins=4, losses=2, best=1500.0), True), policy) == pytest.approx(
        3.0
    )
    assert move_weight(
        CountedMove(Move(1), Counts(wins=4, losses=2, best=1500.0), False), policy
    ) == pytest.approx(0.03)
    assert move_weight(CountedMove(Move(1), Counts(wins=3), True), policy) == pytest.approx(15.0)
    assert move_weight(CountedMove(Move(1), Counts(losses=3), True), policy) == 0
    assert move_weight(CountedMove(Move(1), Counts(wins=3, losses=5), True), policy) == 0
    book = StatisticsBook("pente")
    book.add(line(PENTE, "K10", "L11", "N10"), 0)
    book.add(line(PENTE, "K10", "L11", "K14"), 1)
    at = line(PENTE, "K10", "L11")[-1]
    rng = random.Random(1)
    drawn = Counter(choose_move(book, at, rng).move for _ in range(2000))
    assert set(drawn) == {None, next(one.move for one in book.options(at) if one.wins)}
    assert 20 < drawn[None] < 80, "a weight of 0.1 beside one of 5 * 0.5"
    bean = choose_move(book, at, rng, SelectionPolicy(fall_through=1e9, exclude=True))
    assert bean.move is None
    assert bean.excluded == {one.move for one in book.options(at)}
    assert choose_move(book, at, rng, SelectionPolicy(fall_through=1e9)).excluded == frozenset()


def random_lines(game, count, seed=1):
    rng = random.Random(seed)
    for _ in range(count):
        position = game.start()
        for _ in range(8):
            moves = position.legal_moves
            position = position.play(moves[int(rng.gauss(len(moves) / 2, 3 + position.ply)) % len(moves)])
        yield position


def test_files_and_damage(tmp_path):
    book = StatisticsBook("pente")
    for position in random_lines(PENTE, 20):
        book.add(position.line(), position.ply % 2)
    path = tmp_path / "pente.stats"
    write_statistics(book, path)
    data = path.read_bytes()
    again = read_statistics(path)
    assert again.sections == book.sections
    assert dump(again) == data
    for length in range(0, len(data), 7):
        with pytest.raises(BookError, match=r"byte|not a book"):
            load(data[:length], "cut")
        wrong = bytearray(data)
        wrong[length] ^= 1
        with pytest.raises(BookError, match=r"byte|not a book|version"):
            load(bytes(wrong), "damaged")


def test_a_book_grows_while_it_is_read(tmp_path):
    records = [Record.of(position, result="B+R") for position in random_lines(PENTE, 60)]
    whole = StatisticsBook("pente")
    for record in records:
        whole.add_record(record)
    path = tmp_path / "pente.stats"
    gate, there = threading.Event(), threading.Event()

    def slowly():
        for number, record in enumerate(records[:40]):
            if number == 20:
                there.set()
                gate.wait(30)
            yield record

    live = LiveBook("pente", path)
    live.feed("games", batches_of("pente", slowly, batch=7))
    live.add(records[40])
    assert there.wait(30)
    assert installed.file_stamp(path) is not None, "what was counted can be read while the rest is being counted"
    live._closing = True  # stopped in the middle of its source
    gate.set()
    live.close()
    assert read_statistics(path).progress["games"] == 21
    # Two programs go on at once: nothing is lost, nothing counted twice.
    both = [LiveBook("pente", path), LiveBook("pente", path)]
    for live in both:
        live.feed("games", batches_of("pente", lambda: records[:40], batch=3))
    for number, record in enumerate(records[41:]):
        both[number % 2].add(record)
    for live in both:
        assert live.wait()
        live.close()
    assert read_statistics(path).progress["games"] == 40
    assert read_statistics(path).sections == whole.sections


def test_a_damaged_book_is_put_aside(tmp_path):
    path = tmp_path / "pente.stats"
    path.write_bytes(b"TENGENST and nothing else")
    (position,) = random_lines(PENTE, 1)
    live = LiveBook("pente", path)
    live.add(Record.of(position, result="B+R"))
    assert live.wait()
    live.close()
    assert read_statistics(path).options(PENTE.start())
    assert (tmp_path / "pente.stats.damaged").read_bytes() == b"TENGENST and nothing else"


def test_a_move_from_one_point_to_another_is_kept_as_it_is():
    start = tengen.game("clobber", size=8).start()
    book = StatisticsBook("clobber")
    for move in ("1-2", "3-2", "3-2"):
        book.add_record(Record.of(start.play(move)))
    assert {option.text: option.games for option in book.options(start)} == {"1-2": 1, "3-2": 2}
