"""Who sits at which side of a game, and what that allows.

Seats are stored with the game. In all methods, `who` is a visitor's id or the key of a seat.
"""

from __future__ import annotations

import threading

from tengen.core.translation import mark
from tengen.play.game_tree import MatchError
from tengen.play.match import Match
from tengen.players.player import MAX_NAME_LENGTH, EnginePlayer, Person, is_guest_name
from tengen.store.store import Store
from tengen.web.permissions import NotAllowed
from tengen.web.visitor_cache import Seats, VisitorCache


def player_name(match: Match, side: int) -> str:
    """The name of a player, as far as it is known, else of the colour. Guests may have given a name."""
    player = match.players[side]
    if player is not None and not is_guest_name(player.name):
        return player.name
    return match.record.names[side] or match.game.players[side]


class Seating:
    """The seats of one match. Methods that change them wait for the disk: call these outside the event loop."""

    def __init__(self, match: Match, store: Store, visitors: VisitorCache) -> None:
        self._match = match
        self._store = store
        self._visitors = visitors
        self._seats = store.seats(match.id)
        self._lock = threading.RLock()

    @property
    def seats(self) -> Seats | None:
        """Who may act in this game; None for a game from the terminal or a file. To change it, `set` a copy."""
        return self._seats

    def set(self, seats: Seats) -> None:
        """Store new seats. If storing fails, the old seats stay valid."""
        self._visitors.add_guests(seats.guests())
        self._store.set_seats(self._match.id, seats)
        self._seats = seats

    def claim(self, who: str) -> None:
        """Take all sides played by people in a game without seats."""
        with self._lock:
            if self._seats is None and self._match.result is None:
                self._seats = self._store.seats(self._match.id)  # another server process may have set them
                if self._seats is not None:
                    return
                seats = Seats(who)
                for side in (0, 1):
                    seats.assign(side, who)
                self.set(seats)

    def take_people(self, who: str) -> None:
        """Give `who` the sides that people play."""
        if self._seats is not None:
            seats = self._seats.copy()
            for side in (0, 1):
                if self.is_person(side):
                    seats.assign(side, who)
            self.set(seats)

    def join(self, key: str, who: str, name: str = "") -> int:
        """Take the seat with this key, under a name; returns its side."""
        name = " ".join(name.split())
        if len(name) > MAX_NAME_LENGTH or not name.isprintable():
            raise MatchError(mark("a name has at most {count} printable letters").format(count=MAX_NAME_LENGTH))
        with self._lock:
            seats = self._store.seats(self._match.id)
            side = None if seats is None else seats.side_of(key)
            if seats is None or side is None:
                raise NotAllowed(mark("this invite link is not valid: ask for a new one"))
            player = self._match.players[side]
            is_guest = player is not None and is_guest_name(player.name)
            if is_guest and name.casefold() == player_name(self._match, 1 - side).casefold():
                raise MatchError(mark("your opponent has this name: choose another"))
            seats.assign(side, who)
            self.set(seats)
        if name and is_guest:
            self._match.set_name(side, name)
        return side

    # ---- what follows from the seats

    def is_engine(self, side: int) -> bool:
        return isinstance(self._match.players[side], EnginePlayer)

    def is_person(self, side: int) -> bool:
        return isinstance(self._match.players[side], Person)

    @property
    def two_people(self) -> bool:
        return all(self.is_person(side) for side in (0, 1))

    @property
    def unclaimed_side(self) -> int | None:
        """The side offered by invite link that nobody has taken yet."""
        seats = self._seats
        return None if seats is None else next((side for side in (0, 1) if seats.open[side]), None)

    def is_owner(self, who: str) -> bool:
        """Whether `who` created the game."""
        return self._seats is not None and self._seats.owner == who

    def sides(self, who: str) -> frozenset[int]:
        """The sides that `who` plays."""
        seats = self._seats
        if seats is None:
            return frozenset()
        by_key = seats.side_of(who)
        people = frozenset(side for side in (0, 1) if self.is_person(side))
        return (seats.sides(who) | (frozenset() if by_key is None else {by_key})) & people

    def players(self) -> dict[str, list[int]]:
        """The sides that each visitor plays."""
        seats = self._seats
        everybody = [] if seats is None else dict.fromkeys((*seats.holders[0], *seats.holders[1]))
        return {who: sorted(sides) for who in everybody if (sides := self.sides(who))}

    def acting_side(self, who: str) -> int:
        """The side that `who` acts for: the side to move if both are theirs. Raises `NotAllowed`."""
        mine = self.sides(who)
        if not mine:
            raise NotAllowed(mark("only its players can change a game"))
        to_move = self._match.live.to_move
        return to_move if to_move in mine else min(mine)

    def may_change(self, who: str) -> bool:
        """Whether `who` may add variations and comments: players and creator, or anybody if there are no seats."""
        return self._seats is None or self.is_owner(who) or bool(self.sides(who))

    def plays_alone(self, who: str) -> bool:
        """Whether `who` plays and needs nobody's consent: every other side is an engine or also theirs."""
        mine = self.sides(who)
        return bool(mine) and all(self.is_engine(side) or side in mine for side in (0, 1))

    def is_turn_of(self, who: str) -> bool:
        """Whether it is the move of a side that `who` plays, and nobody is awaited."""
        return self._match.to_move in self.sides(who) and self.unclaimed_side is None

    def may_use_engine(self, who: str) -> bool:
        """Whether engine help is fair: the game has ended, or no other person plays in it."""
        nobody = not any(self.is_person(side) for side in (0, 1))
        return self._match.result is not None or nobody or self.plays_alone(who)
