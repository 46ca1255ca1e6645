"""The tree of a game as the list of moves shows it, and the graph of its values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from tengen.core.game import Game
from tengen.core.position import Position
from tengen.games.records import Node
from tengen.play.game_tree import Place
from tengen.play.judgement import judge
from tengen.play.valuing import for_first, share_of, write_candidate
from tengen.search.report import Kind, Report

Reports = Mapping[tuple[str, ...], Report]

# How much of the way from a lost to a won game a move gave away, and what that is called.
_FAULTS = ((0.5, "blunder", "??"), (0.3, "mistake", "?"), (0.18, "inaccuracy", "?!"))
LEAST_LOSS = 0.5  # points that are worth a word: less is the noise of guesses
MOST_NODES = 5000  # that a list shows: files with whole openings in one tree have more than anybody reads


class Tree:
    """The moves of a record's tree, numbered from 0 in the order shown; the root is -1."""

    def __init__(self, root: Node, game: Game, faults: Mapping[int, str] | None = None) -> None:
        self.rows: list[dict[str, Any]] = []
        self._game = game
        self._ways: list[tuple[int, Node]] = []  # each number's parent and node
        self._numbers: dict[int, int] = {id(root): -1}
        self._faults = faults or {}
        self._root = root
        self._build()

    def number(self, node: Node) -> int:
        return self._numbers.get(id(node), -1)

    def place(self, number: int, root: Place) -> Place:
        """The place with this number, on a way that begins at the root's."""
        way = []
        while 0 <= number < len(self._ways):
            number, node = self._ways[number]
            way.append(node)
        place = root
        for node in reversed(way):
            place = place.enter(node)
        return place

    def _add(self, node: Node, parent: Node) -> dict[str, Any]:
        number = len(self._ways)
        self._ways.append((self._numbers[id(parent)], node))
        self._numbers[id(node)] = number
        assert node.move is not None
        return {"id": number, "text": self._game.write_move(node.move)}

    def _build(self) -> None:
        node, ply = self._root, 0
        if node.comment:
            self._comment(node, 0)
        pair: dict[str, Any] | None = None
        late: list[tuple[Node, Node, int]] = []  # variations that follow the pair
        while True:
            children = [child for child in node.children if child.move is not None]
            is_main = bool(node.children) and node.children[0].move is not None
            if not children or len(self._ways) >= MOST_NODES:
                break
            if not is_main:  # the game ended here: all that follows are variations
                late += [(child, node, ply + 1) for child in children]
                break
            main, ply = children[0], ply + 1
            move = self._add(main, node)
            fault = self._faults.get(ply)
            if fault:
                move |= {"mark": fault, "sign": next(sign for _, name, sign in _FAULTS if name == fault)}
            if pair is None or len(pair["moves"]) == 2 or late:
                self._flush(late)
                pair = {"kind": "pair", "key": f"p{ply}", "number": ply, "moves": []}
                self.rows.append(pair)
            pair["moves"].append(move)
            late += [(child, node, ply) for child in children[1:]]
            if main.comment:
                self._comment(main, 0)
                pair = None
            node = main
        self._flush(late)

    def _flush(self, late: list[tuple[Node, Node, int]]) -> None:
        for child, parent, ply in late:
            self._vary(child, parent, ply, 1)
        late.clear()

    def _vary(self, first: Node, parent: Node, ply: int, depth: int) -> None:
        """A variation in a row, its own variations below it. Without recursion: trees can be deep."""
        waiting = [(first, parent, ply, depth)]
        while waiting and len(self._ways) < MOST_NODES:
            node, parent, ply, depth = waiting.pop()
            row: dict[str, Any] = {"kind": "variation", "depth": depth, "moves": []}
            self.rows.append(row)
            below = []
            while True:
                move = self._add(node, parent)
                if not row["moves"] or ply % 2 == 1:
                    move["number"] = f"{ply}."
                row["moves"].append(move)
                row["key"] = f"v{move['id']}"
                if node.comment:
                    self._comment(node, depth)
                    row = {"kind": "variation", "depth": depth, "moves": [], "key": f"w{move['id']}"}
                    self.rows.append(row)
                children = [child for child in node.children if child.move is not None]
                below += [(child, node, ply + 1, depth + 1) for child in children[1:]]
                if not children or len(self._ways) >= MOST_NODES:
                    break
                parent, node, ply = node, children[0], ply + 1
            if not row["moves"]:
                self.rows.pop()
            waiting += reversed(below)

    def _comment(self, node: Node, depth: int) -> None:
        key = f"c{self._numbers[id(node)]}"
        self.rows.append({"kind": "comment", "key": key, "depth": depth, "text": node.comment})


def shares(line: Sequence[Position], reports: Reports) -> dict[int, tuple[float, bool, str]]:
    """What is known of a line, by ply: a share for the first player from -1 to 1, whether proved, in words."""
    found: dict[int, tuple[float, bool, str]] = {}
    moves: tuple[str, ...] = ()
    for position in line:
        if position.move is not None:
            moves += (position.game.write_move(position.move),)
        outcome = position.outcome
        report = reports.get(moves)
        if outcome is not None:
            score = outcome.score if position.game.unit == "wins" else outcome.score / (abs(outcome.score) + 10)
            found[position.ply] = (max(-1.0, min(1.0, score)), True, position.game.write_outcome(outcome))
        elif report is not None:
            player = position.game.players[position.to_move]
            found[position.ply] = (
                for_first(report, position.to_move),
                report.value.kind is Kind.EXACT,
                f"{player}: {write_candidate(report.candidates[0])}",
            )
    return found


def faults(line: Sequence[Position], reports: Reports) -> dict[int, str]:
    """The moves that gave something away, by ply.

    A move is judged by the search that looked at its alternatives, if that has a value for it: two searches of
    different depth differ by more than moves do. The best move of a search is no fault, whatever came of it.
    """
    known = shares(line, reports)
    found = {}
    moves: tuple[str, ...] = ()
    for before, after in pairwise(line):
        assert after.move is not None
        text, report = after.game.write_move(after.move), reports.get(moves)
        moves += (text,)
        if report is None or report.best == text:
            continue
        played = next((one for one in report.candidates if one.move == text), None)
        if played is not None:
            given = share_of(report.value) - share_of(played.value)
        elif after.ply in known:
            given = (known[before.ply][0] - known[after.ply][0]) * (1 if before.to_move == 0 else -1)
        else:
            continue
        fault = next((name for least, name, _ in _FAULTS if given >= least), None)
        if fault is not None:
            found[after.ply] = fault
    return found


def points_lost(line: Sequence[Position], reports: Reports) -> dict[int, str]:
    """What moves cost of the margin that could be expected, in words, by ply; where an engine guesses at that."""
    by_ply = {
        position.ply: report
        for position in line
        if (report := reports.get(tuple(position.write_moves(position.moves)))) is not None
    }
    return {
        judged.number: f"; lost about {judged.points:.1f} points"
        for judged in judge(line, by_ply).moves
        if judged.points is not None and judged.points >= LEAST_LOSS
    }


def graph(line: Sequence[Position], reports: Reports, at: int) -> dict[str, Any]:
    """The graph of a line's values, with the moves that gave something away."""
    known, bad, lost = shares(line, reports), faults(line, reports), points_lost(line, reports)
    values = []
    for position in line:
        if position.ply in known:
            share, _, text = known[position.ply]
            move = "start" if position.move is None else position.game.write_move(position.move)
            values.append(
                {
                    "ply": position.ply,
                    "share": round(share, 3),
                    "mark": bad.get(position.ply, ""),
                    "text": f"{position.ply}. {move}: {text}{lost.get(position.ply, '')}",
                }
            )
    return {"length": len(line), "values": values, "at": at}
