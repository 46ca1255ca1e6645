"""Small valued books, and their level computed from its definition."""

import itertools

import numpy as np
from hypothesis import strategies as st

import tengen
from tengen.books import ConsistencyLevel, NodeKind, ValuedBook, add_and_evaluate, check, evaluate_book
from tengen.books.operations import prune
from tengen.books.symmetry import images_of
from tengen.core.game import Move
from tests.helpers.book_stub import play_out, turned

SMALL = tengen.game("othello", size=4)
HORIZON = 8
games = st.lists(st.integers(0, 5), min_size=1, max_size=14)


def small_book(*lines):
    book = ValuedBook(SMALL, horizon=HORIZON)
    for choices in lines:
        book.add(play_out(SMALL, choices))
    return book


def contents(book):
    """All nodes of a book, sorted."""
    names = ["high", "low", "value", "move", "stage", "kind"]
    nodes = book.nodes.array[: len(book)][names]
    return sorted(map(tuple, nodes.tolist()))


def discs(position):
    state = position.state
    mover, enemy = int(state.othello_mover), int(state.enemy)
    return tuple(frozenset((s // 8, s % 8) for s in range(64) if bits >> s & 1) for bits in (mover, enemy))


def least(position):
    def image(squares, rows, columns, swap):
        found = ((3 - r if rows else r, 3 - c if columns else c) for r, c in squares)
        return tuple(sorted((c, r) if swap else (r, c) for r, c in found))

    ways = itertools.product((0, 1), repeat=3)
    return min(tuple(image(one, *way) for one in discs(position)) for way in ways)


def settled(position):
    return position.play("pass") if not position.is_over and position.legal_moves == (Move(64),) else position


def levels_by_hand(book):
    """The level of a book, computed from its definition."""
    places = {index: book.nodes.position(index) for index in range(len(book))}
    by_key = {least(position): index for index, position in places.items()}
    assert len(by_key) == len(book), "two nodes are images of each other"
    level = ConsistencyLevel.NEGAMAXED
    for index, position in places.items():
        node = book.nodes.array[index]
        assert position.legal_moves[0] != Move(64), "the side to move has to pass"
        assert node["stage"] <= HORIZON
        if node["kind"] != NodeKind.BRANCH:
            assert abs(node["value"]) <= 16
            continue
        successors = []
        for move in position.legal_moves:
            after = settled(position.play(move))
            sign = 1 if after.to_move == position.to_move else -1
            successors.append((move, sign, after, by_key.get(least(after))))
        if node["move"] == -1 or node["stage"] == HORIZON:
            level = min(level, ConsistencyLevel.CONSISTENT)
            continue
        worth = []
        for _, sign, after, found in successors:
            if after.is_over:
                score = after.final_score // 1000
                worth.append(score if position.to_move == 0 else -score)
            elif found is not None and book.nodes.array[found]["value"] > -100:
                worth.append(sign * int(book.nodes.array[found]["value"]))
        if max(worth, default=None) != node["value"]:
            level = min(level, ConsistencyLevel.CONSISTENT)
        leaves = [
            one for one in successors if one[3] is not None and book.nodes.array[one[3]]["kind"] == NodeKind.LEAF
        ]
        if node["move"] == -2:
            assert all(found is not None or after.is_over for _, _, after, found in successors)
            if leaves:
                level = min(level, ConsistencyLevel.VALUED)
        else:
            entry = book.lookup(position)
            (chosen,) = (one for one in successors if one[0] == entry.move)
            assert chosen[3] is not None
            if book.nodes.array[chosen[3]]["kind"] != NodeKind.LEAF:
                level = min(level, ConsistencyLevel.VALUED)
    return level


def check_book_of(game):
    images = images_of(game)
    book = ValuedBook(game, horizon=4, proved=False)
    rng = np.random.default_rng(1)
    lines = [play_out(game, rng.integers(0, 80, 5).tolist()) for _ in range(6)]

    class Flat:
        name, batch = "flat", 5

        def solve(self, position, known):
            return 10

        def best(self, position, moves, known):
            return moves[0], -10

    for line in lines:
        book.add(line)
    evaluate_book(book, Flat())
    assert check(book).level is ConsistencyLevel.NEGAMAXED
    add_and_evaluate(book, play_out(game, [40, 7, 30, 12, 4]), Flat())
    assert check(book).level is ConsistencyLevel.NEGAMAXED
    for number in range(8):
        for one, other in zip(lines[0], turned(game, lines[0], images, number), strict=True):
            assert (book.lookup(one) is None) == (book.lookup(other) is None)
    prune(book, 0)
    assert check(book).level is ConsistencyLevel.NEGAMAXED
