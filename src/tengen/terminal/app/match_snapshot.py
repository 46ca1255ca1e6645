"""Immutable snapshot of a match for drawing, while other threads continue to change the match."""

from __future__ import annotations

from dataclasses import dataclass

from tengen.core.position import Position
from tengen.core.translation import gettext as _
from tengen.core.translation import translate
from tengen.games.records import Node
from tengen.play.clock import Clock
from tengen.play.match_result import MatchResult
from tengen.play.view import View
from tengen.players.player import EnginePlayer, Person, Player


@dataclass(frozen=True, eq=False)
class MatchSnapshot:
    """State of a match. `position` is the one shown, `line` contains it, `live` is the current one of the game."""

    position: Position
    node: Node
    line: tuple[Position, ...]
    live: Position
    is_at_live: bool
    is_running: bool
    is_counting: bool
    to_move: int | None
    result: MatchResult | None
    result_text: str
    players: tuple[Player | None, Player | None]
    names: tuple[str, str]
    clock: Clock
    variations: tuple[str, ...]  # moves recorded from here, main line first

    @classmethod
    def from_view(cls, view: View) -> MatchSnapshot:
        """Read a match at the cursor, again if another thread changed it meanwhile."""
        while True:
            here, line = view.node, tuple(view.line)
            if view.node is here and len(line) > here.position.ply - line[0].ply:
                break
        match = view.match
        position, node = here.position, here.node
        game, result = match.game, match.result
        names = [
            player.name if player is not None else name or _(colour)
            for player, name, colour in zip(match.players, match.record.names, game.players, strict=True)
        ]
        moves = [game.write_move(child.move) for child in node.children if child.move is not None]
        return cls(
            position,
            node,
            line,
            match.live,
            node is match.tree.current.node,
            match.is_running,
            match.is_counting,
            match.to_move,
            result,
            "" if result is None else f"{translate(result.describe(game))} ({result.code})",
            match.players,
            (names[0], names[1]),
            match.clock,
            tuple(moves),
        )

    def is_person(self, player: int) -> bool:
        return isinstance(self.players[player], Person)

    def is_engine(self, player: int) -> bool:
        return isinstance(self.players[player], EnginePlayer)

    @property
    def person(self) -> int | None:
        """The side of the user: the side to move if it is a person, else the other; None if both are engines."""
        to_move = self.to_move if self.to_move is not None else self.live.to_move
        return next((player for player in (to_move, 1 - to_move) if self.is_person(player)), None)

    @property
    def can_play(self) -> bool:
        """Whether the user can play here now, in the game or as a variation."""
        if self.position.is_over:
            return False
        return not (self.is_at_live and self.to_move is not None and self.is_engine(self.to_move))

    @property
    def turn(self) -> str:
        """Short description of the state: whose turn it is, or the result."""
        colours = self.position.game.players
        if self.result is not None:
            return self.result_text
        if self.is_counting:
            return _("Mark the dead stones, then agree")
        assert self.to_move is not None
        name = f"{self.names[self.to_move]} ({_(colours[self.to_move])})"
        if not self.is_running:
            return _("Paused; {name} is to move").format(name=name)
        if self.is_engine(self.to_move):
            return _("{name} is thinking").format(name=name)
        alone = not self.is_person(1 - self.to_move)
        return _("Your move, {name}").format(name=self.names[self.to_move] if alone else name)
