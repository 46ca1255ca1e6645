"""The tree of a game as the list of moves shows it, and the graph of its values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from tengen.app.game_reports import ReportIndex
from tengen.app.value_display import for_first, share_of, write_candidate
from tengen.core.game import Game
from tengen.core.position import Position
from tengen.games.records import Node
from tengen.play.game_tree import TreeNode
from tengen.play.match import Match
from tengen.play.match_result import MatchResult
from tengen.play.review import WIN_RATE, judge
from tengen.search.report import Kind, Report

Shares = dict[int, tuple[float, bool, str]]  # by ply: for the first player from -1 to 1, whether proved, in words

# How much of the way from a lost to a won game a move gave away, and what that is called.
_FAULTS = ((0.5, "blunder", "??"), (0.3, "mistake", "?"), (0.18, "inaccuracy", "?!"))
ENOUGH_VISITS = 0.1  # of the best move's, for the value of another: what was hardly looked at looks lost
LEAST_LOSS = 0.5  # points that are worth a word: less is the noise of guesses
LEAST_SHARE = 0.03  # of a win, likewise
MOST_NODES = 5000  # that a list shows: files with whole openings in one tree have more than anybody reads


class Loss(NamedTuple):
    """What a move gave away, in a few characters and in words."""

    short: str
    words: str


class Tree:
    """The moves of a record's tree, numbered from 0 in the order shown; the root is -1."""

    def __init__(
        self,
        root: Node,
        game: Game,
        faults: Mapping[int, str] | None = None,
        losses: Mapping[int, Loss] | None = None,
    ) -> None:
        self.rows: list[dict[str, Any]] = []
        self._game = game
        self._ways: list[tuple[int, Node]] = []  # each number's parent and node
        self._numbers: dict[int, int] = {id(root): -1}
        self._faults = faults or {}
        self._losses = losses or {}
        self._root = root
        self._build()

    def number(self, node: Node) -> int:
        return self._numbers.get(id(node), -1)

    def find(self, number: int, root: TreeNode) -> TreeNode:
        """The tree node with this number; `root` is that of the tree."""
        way = []
        while 0 <= number < len(self._ways):
            number, node = self._ways[number]
            way.append(node)
        found = root
        for node in reversed(way):
            found = found.enter(node)
        return found

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
            if ply in self._losses:
                move["value"] = self._losses[ply].short
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


def ended(position: Position, match: Match) -> tuple[float, bool, str]:
    """How an ended position is counted: a share for the first player from -1 to 1, whether that is sure, in words.

    Where players agree on dead stones, their result counts; before they have, there is only a guess.
    """
    outcome, game = position.outcome, position.game
    assert outcome is not None
    score, words, sure = outcome.score, game.write_outcome(outcome), True
    if game.counts_dead_stones:
        result = match.result
        if result is not None and position.line_key == match.live.line_key:
            score, words = _score(result), f"{result.describe(game)} ({result.code})"
        else:
            sure = False
            words = f"Not counted yet; with every stone alive, {words[0].lower() + words[1:]}"
    share = score if game.unit == "wins" else score / (abs(score) + 10)
    return max(-1.0, min(1.0, share)), sure, words


def end_bar(position: Position, match: Match) -> int:
    """The bar of an ended position: all of it is the winner's, once that is sure."""
    share, sure, _ = ended(position, match)
    return (share > 0) - (share < 0) if sure else 0


def _score(result: MatchResult) -> float:
    """The first player's margin, as far as a result tells: a win of which nothing more is told is a large one."""
    if result.winner is None:
        return 0.0
    sign = 1 if result.winner == 0 else -1
    try:
        return sign * float(result.code.partition("+")[2])
    except ValueError:
        return sign * 1000.0


def shares(line: Sequence[Position], reports: ReportIndex, match: Match) -> Shares:
    """What is known of the positions of a line."""
    return _shares(line, reports.for_line(line), match)


def _shares(line: Sequence[Position], by_ply: Mapping[int, Report], match: Match) -> Shares:
    found: Shares = {}
    for position in line:
        report = by_ply.get(position.ply)
        if position.is_over:
            found[position.ply] = ended(position, match)
        elif report is not None:
            player = position.game.players[position.to_move]
            found[position.ply] = (
                for_first(report, position.to_move),
                report.value.kind is Kind.EXACT,
                f"{player}: {write_candidate(report.candidates[0])}",
            )
    return found


def faults(line: Sequence[Position], reports: ReportIndex, match: Match) -> dict[int, str]:
    """The moves that gave something away, by ply.

    A move is judged by the search that looked at its alternatives, if that looked at it well enough: two searches
    of different depth differ by more than moves do. The best move of a search is no fault, whatever came of it.
    """
    by_ply = reports.for_line(line)
    return _faults(line, by_ply, _shares(line, by_ply, match)) if by_ply else {}


def _faults(line: Sequence[Position], by_ply: Mapping[int, Report], known: Shares) -> dict[int, str]:
    found = {}
    for index, before in enumerate(line[:-1]):
        report = by_ply.get(before.ply)
        if report is None:
            continue
        after = line[index + 1]
        assert after.move is not None
        text = after.game.write_move(after.move)
        if report.best == text:
            continue
        played = next((one for one in report.candidates if one.move == text), None)
        if played is not None and played.visits >= ENOUGH_VISITS * report.candidates[0].visits:
            given = share_of(report.value) - share_of(played.value)
        elif after.ply in known:
            given = (known[before.ply][0] - known[after.ply][0]) * (1 if before.to_move == 0 else -1)
        else:
            continue
        fault = next((name for least, name, _ in _FAULTS if given >= least), None)
        if fault is not None:
            found[after.ply] = fault
    return found


def losses(line: Sequence[Position], reports: ReportIndex) -> dict[int, Loss]:
    """What moves cost by ply, where it is worth a word: points, where an engine guesses at them or counts them.

    Else shares of a win. All of it is as far as the engine can tell, unless both values are exact.
    """
    return _losses(line, reports.for_line(line))


def _losses(line: Sequence[Position], by_ply: Mapping[int, Report]) -> dict[int, Loss]:
    if not by_ply:
        return {}
    judgement = judge(line, by_ply)
    found = {}
    for judged in judgement.moves:
        if judged.points is not None:
            amount, unit = judged.points, "points"
        elif judged.loss is not None:
            amount, unit = judged.loss, judgement.unit
        else:
            continue
        exact = judged.is_exact and judged.best_value is not None and judged.best_value.kind is Kind.EXACT
        about = "" if exact and judged.points is None else "about "
        if unit == WIN_RATE and amount >= LEAST_SHARE:
            found[judged.number] = Loss(f"−{100 * amount:.0f} %", f"lost {about}{100 * amount:.0f} % wins")
        elif unit != WIN_RATE and amount >= LEAST_LOSS:
            found[judged.number] = Loss(f"−{amount:.1f}", f"lost {about}{amount:.1f} {unit}")
    return found


def graph(line: Sequence[Position], reports: ReportIndex, match: Match, at: int) -> dict[str, Any]:
    """The graph of a line's values, with the moves that gave something away."""
    by_ply = reports.for_line(line)
    known = _shares(line, by_ply, match)
    bad, lost = _faults(line, by_ply, known), _losses(line, by_ply)
    values = []
    for position in line:
        if position.ply in known:
            share, _, text = known[position.ply]
            move = "start" if position.move is None else position.game.write_move(position.move)
            more = f"; {lost[position.ply].words}" if position.ply in lost else ""
            values.append(
                {
                    "ply": position.ply,
                    "share": round(share, 3),
                    "mark": bad.get(position.ply, ""),
                    "text": f"{position.ply}. {move}: {text}{more}",
                }
            )
    return {"length": len(line), "values": values, "at": at}
