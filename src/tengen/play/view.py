"""A cursor in the move tree of a match, for a display: a web page, a terminal screen, a program.

A match has no cursor. Each display holds its own view, so people can look back and try variations while the game
goes on, and several people can look at different moves of one game.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

from tengen.core.errors import TengenError
from tengen.core.game import Move
from tengen.core.position import Position
from tengen.core.translation import mark
from tengen.play.game_tree import GameTree, MatchError, TreeNode, write_path
from tengen.play.match import Match


class _State(NamedTuple):
    """The cursor and the tree that it was computed from. Replaced as a whole: other threads read it."""

    tree: GameTree
    version: int
    line: list[TreeNode]
    cursor: int
    is_following: bool


class View:
    """A cursor on a line of moves. With `follow`, it moves on with the game while it is at the current position.

    If its move is deleted, or becomes illegal under new rules, it goes back to the last move that remains.
    """

    def __init__(self, match: Match, *, follow: bool = False) -> None:
        self.match = match
        self._follow = follow
        self.show(match.tree.current)

    @classmethod
    def restore(cls, match: Match) -> View:
        """A view that follows the game, at the move at which `save` left it; at first, at the current position."""
        view = cls(match, follow=True)
        if match.saved_cursor is not None:
            view.show(match.tree.find(match.saved_cursor))
        return view

    @property
    def node(self) -> TreeNode:
        state = self._read()
        return state.line[state.cursor]

    @property
    def position(self) -> Position:
        return self.node.position

    @property
    def line(self) -> list[Position]:
        """The positions from the start to the end of the line, including those after the cursor."""
        return [node.position for node in self._read().line]

    @property
    def is_at_live(self) -> bool:
        """Whether the cursor is at the current position of the game."""
        return self.node.node is self.match.tree.current.node

    # ---- moving the cursor

    def show(self, node: TreeNode) -> None:
        """Go to a node; its line continues with the first move of each node."""
        tree = self.match.tree
        version, current = tree.version, tree.current
        is_following = self._follow and node.node is current.node
        path = node.path()
        self._state = _State(tree, version, [*path, *_continuation(node, current)], len(path) - 1, is_following)

    def go_to(self, move: int) -> None:
        """Go to the position after `move` moves of the line, which stays as it is."""
        state = self._read()
        if not 0 <= move < len(state.line):
            raise MatchError(
                mark("there is no move {move}: the line has moves 0 to {last}").format(
                    move=move, last=len(state.line) - 1
                )
            )
        is_following = self._follow and state.line[move].node is state.tree.current.node
        self._state = state._replace(cursor=move, is_following=is_following)

    def go_to_live(self) -> None:
        """Go to the current position of the game."""
        self.show(self.match.tree.current)

    def enter(self, variation: int) -> None:
        """Go to the position after one of the moves from here, counted from 0."""
        here = self.node
        moves = here.moves()
        if not 0 <= variation < len(moves):
            raise MatchError(
                mark("there is no variation {variation}: there are {count}, counted from 0").format(
                    variation=variation, count=len(moves)
                )
            )
        self.show(here.enter(moves[variation]))

    def enter_sibling(self, step: int) -> None:
        """Go to another move in place of the last one: the next sibling for 1, the one before for -1."""
        here = self.node
        if here.parent is not None:
            siblings = here.parent.moves()
            index = next(index for index, child in enumerate(siblings) if child is here.node)
            self.show(here.parent.enter(siblings[(index + step) % len(siblings)]))

    # ---- with the match

    def play(self, move: Move | str) -> Position:
        """Play a move at the cursor and go there: in the game if it is at the current position of an unfinished
        game, otherwise as a variation. Raises what `Match.play` and `Match.add_variation` raise.
        """
        here = self.node
        if self.match.result is None and here.node is self.match.tree.current.node:
            position = self.match.play(move, at=here.position)
            self.go_to_live()
            return position
        self.show(self.match.add_variation(here, move))
        return self.position

    def save(self) -> None:
        """Store where the cursor is with the match, for `restore`."""
        self.match.save_cursor(None if self.is_at_live else write_path(self.node))

    # ---- staying in step with the tree

    def _read(self) -> _State:
        """The state, brought up to date if the tree has changed since."""
        state, tree = self._state, self.match.tree
        if state.tree is tree and state.version == tree.version:
            return state
        if state.is_following:
            self.show(tree.current)
            return self._state
        version, current = tree.version, tree.current
        line = [tree.root]
        for before, after in pairwise(state.line):
            if not any(child is after.node for child in list(before.node.children)):
                break
            try:
                line.append(after if state.tree is tree else line[-1].enter(after.node))
            except TengenError:  # illegal under new rules
                break
        index = min(state.cursor, len(line) - 1)
        line += _continuation(line[-1], current)
        self._state = _State(tree, version, line, index, False)
        return self._state


def _continuation(node: TreeNode, current: TreeNode) -> list[TreeNode]:
    """The nodes after `node`. Those of the game itself are not computed again."""
    path = current.path()
    index = node.position.ply - path[0].position.ply
    if index < len(path) and path[index].node is node.node:
        return [*path[index + 1 :], *current.continuation()]
    return list(node.continuation())
