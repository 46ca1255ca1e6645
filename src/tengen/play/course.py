"""The course of a match: moves, take-backs, the clock, and all the ways in which a game ends."""

from __future__ import annotations

import time
from collections.abc import Iterable

from tengen.core.game import Move
from tengen.core.position import Position
from tengen.play import events
from tengen.play.clock import Clock, TimeIsUp
from tengen.play.game_tree import MatchError, extend, remove_end_mark, set_end_mark
from tengen.play.match_result import End
from tengen.play.standing import Standing, acts


class Course(Standing):
    """A match that is played. `Match` is what others use."""

    @acts
    def start(self) -> None:
        """Set the clock going: at the start of a game, or after it was adjourned."""
        self._check_unfinished()
        if self.is_running or self.live.is_over:
            return
        now = time.monotonic()
        standing = self._clock.player is None
        self._clock = self._clock.begin(self.live.to_move, now) if standing else self._clock.resume(now)
        self._changed(events.Started(self._clock))

    @acts
    def adjourn(self) -> None:
        """Stop the clock until `start`. A flag that has fallen by now stays fallen."""
        if not self.check_time() and self.is_running:
            self._clock = self._clock.pause(time.monotonic())
            self._changed(events.Adjourned(self._clock))

    @acts
    def play(self, move: Move | str) -> Position:
        """Make a move at the position looked at: in the game if that is where it stands, else in a variation.

        Returns the position after it. Raises a `MoveError`, a `MatchError`, or `TimeIsUp`, which ends the match.
        """
        if self._end is None and self.is_at_live:
            return self.play_live(move)
        before = self.looked_at
        if self._view.vary(move).node is self._live.node:
            set_end_mark(self._live.node)
        self._changed(self._look_from(before))
        return self.looked_at

    @acts
    def play_live(self, move: Move | str, *, at: Position | None = None, arrived: float | None = None) -> Position:
        """Make a move in the game, whatever people look at: for engines, which do not look.

        `at` is the position for which it was found; the move is refused if the game has left it meanwhile.
        `arrived` is the moment (`time.monotonic()`) at which a server received the move: its player's time ends
        then, and the next player's begins now, so nobody pays for a busy server.
        """
        self._check_unfinished()
        if at is not None and at != self.live:
            raise MatchError("the game has gone on, or back, since this move was looked for")
        if not self.is_running and not self.live.is_over:
            raise MatchError("the clock stands: start the game, or go on with it, before you move")
        before = self.live
        after = before.play(move)
        now = time.monotonic()
        moved = now if arrived is None else max(min(arrived, now), self._clock.since or now)
        try:
            self._clock = self._clock.move(moved, then=None if after.is_over else after.to_move, starts=now)
        except TimeIsUp as error:
            self._fall(error.clock)
            raise
        followed = self.is_at_live
        self._live = extend(self._live, after)
        self._live.node.seconds = self._clock.moves[-1].seconds
        self._view.show(self._live if followed else self._view.place)
        self._end = self._end_on_board()
        assert after.move is not None
        changes = before.diagram().changes(after.diagram())
        told: list[events.Event] = [events.Moved(after, after.move, before.to_move, changes, self._clock)]
        if after.is_over:
            told.append(events.Counting(after) if self._end is None else events.Ended(self._end))
        self._changed(*told)
        return after

    @acts
    def take_back(self, count: int = 1) -> None:
        """Take back the last moves of the game, whoever made them. They stay in the tree as a variation.

        The mover has the time again that was on the clock when that move began. The game is not rated any more.
        """
        self._check_in_time()
        if not 1 <= count <= self.live.ply:
            there_are = f"{self.live.ply} moves" if self.live.ply != 1 else "one move"
            raise MatchError(f"{count} moves cannot be taken back: the game has {there_are}")
        now = time.monotonic()
        before = self.live
        remove_end_mark(self._live.node)
        for _ in range(count):
            assert self._live.parent is not None
            self._live = self._live.parent
        set_end_mark(self._live.node)
        self._clock = self._clock.take_back(now, count)
        if before.is_over:  # the clock had stopped for the count
            self._clock = self._clock.resume(now)
        self._entry.rated = False
        self._view.show(self._live)
        changes = before.diagram().changes(self.live.diagram())
        moves = before.moves[self.live.ply :][::-1]
        self._changed(events.TakenBack(self.live, moves, changes, self._clock))

    @acts
    def take_back_for(self, player: int) -> None:
        """Take back until it is this player's move again: his last one, and the answer to it if there was one."""
        self._check_in_time()
        position = self.live.parent
        while position is not None and position.to_move != player:
            position = position.parent
        if position is None:
            raise MatchError(f"{self.game.players[player]} has made no move that could be taken back")
        self.take_back(self.live.ply - position.ply)

    @acts
    def resign(self, player: int | None = None) -> None:
        """A player gives up: the one to move, unless told otherwise."""
        self._check_in_time()
        self._finish(End.resigned(self.game, self.live.to_move if player is None else player))

    @acts
    def draw(self) -> None:
        """Both players agree on a draw, where the game can end in one."""
        self._check_in_time()
        if not self.game.can_draw:
            raise MatchError(f"{self.game.describe()} always has a winner: there is no draw to agree on")
        self._finish(End.agreed_draw())

    @acts
    def forfeit(self, player: int, reason: str) -> None:
        """A player loses by something outside the rules, such as a program's illegal move."""
        self._check_in_time()
        self._finish(End.forfeited(player, reason))

    @acts
    def count(self, dead: Iterable[str | Move] = ()) -> End:
        """End a game whose moves are made: the players agree that these stones, one of each string, are dead."""
        if not self.is_counting:
            raise MatchError("there is nothing to count: moves are still to be made, or the game has ended")
        end = End.by_rules(self.game, self.game.count(self.live, dead), counted=True)
        self._finish(end)
        return end

    def expect_move(self, arrived: float) -> None:
        """A move of the player on the move has arrived, and will be made or refused soon.

        If it arrived in time, the flag does not fall before that. Every call is followed by `stop_expecting`.
        """
        with self._expected_lock:
            self._expected.append(arrived)

    def stop_expecting(self, arrived: float) -> None:
        """The move that arrived then has been made or refused."""
        with self._expected_lock:
            self._expected.remove(arrived)
        self.check_time()

    @acts
    def check_time(self) -> bool:
        """End the match if the flag of the player on the move has fallen; returns whether it has."""
        clock = self._clock.check(time.monotonic())
        if self._end is not None or clock.fallen is None:
            return False
        with self._expected_lock:
            if any(clock.fell_at is not None and arrived < clock.fell_at for arrived in self._expected):
                return False
        self._fall(clock)
        return True

    # ---- within

    def _check_unfinished(self) -> None:
        if self._end is not None:
            raise MatchError(f"the game is over: {self._end.reason}")

    def _check_in_time(self) -> None:
        self.check_time()
        self._check_unfinished()

    def _fall(self, clock: Clock) -> None:
        self._clock = clock
        assert clock.player is not None
        self._finish(End.on_time(self.game, clock.player))

    def _finish(self, end: End) -> None:
        self._clock = self._clock.pause(time.monotonic())
        self._end = end
        self._changed(events.Ended(end))
