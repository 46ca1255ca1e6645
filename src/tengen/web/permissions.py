"""Who may play as whom, change which player, delete which game, and how much a member may keep.

docs/guide/hosting.md states these rules in a table. Functions whose name begins with `check` raise `NotAllowed`
or `LimitExceeded`; those that ask the store are called in another thread than the server's.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from tengen.core.errors import TengenError
from tengen.core.resource_limits import LimitExceeded, resource_limits
from tengen.players.player import Person, Player
from tengen.store.accounts import RESERVED_NAMES
from tengen.store.store import Store
from tengen.web.visitor import Role, Visitor


class NotAllowed(TengenError):
    """Somebody wants to do what their role does not allow. Servers answer 403."""


class SeatHolders(Protocol):
    """What is asked of the seats of a game."""

    owner: str

    def sides(self, who: str) -> frozenset[int]: ...


def may_play_as(visitor: Visitor, player: Player, owner: str | None, *, is_stored: bool = True) -> bool:
    """Whether a visitor may take this player's side, which belongs to the account `owner`.

    Engines may be played by all. Without accounts a person is a name that everybody at the machine may use. With
    accounts a person has a rating of its own, so only its account plays as it; those that belong to no account are
    the server owner's.
    """
    if not isinstance(player, Person) or not is_stored:
        return True
    if visitor.account_id is None:
        return owner is None
    return owner == visitor.account_id or (owner is None and visitor.is_owner)


def check_players(store: Store, visitor: Visitor, players: Iterable[Player], guest: Player | None = None) -> None:
    """Check that a visitor may begin a game between these players; new people then belong to the visitor.

    The `guest` is a player whose side is given away by link, and is nobody's identity.
    """
    check_quota(store, visitor)
    owners = store.player_owners()
    for player in players:
        if player is guest:
            continue
        if not may_play_as(visitor, player, owners.get(player.id), is_stored=player.id in owners):
            raise NotAllowed(f"{player.name} belongs to somebody else: choose yourself, or give another name")
        if isinstance(player, Person) and player.id not in owners and visitor.account_id is not None:
            _check_not_reserved(player)
            store.add_player(player, visitor.account_id, _player_limit(visitor))


def may_claim(store: Store, visitor: Visitor, players: Iterable[Player | None]) -> bool:
    """Whether a visitor may continue a game without seats, of the terminal or a file."""
    owners = store.player_owners()
    if visitor.account_id is None or visitor.is_owner:
        return not visitor.is_guest
    people = [player for player in players if isinstance(player, Person)]
    return bool(people) and all(may_play_as(visitor, one, owners.get(one.id)) for one in people)


def may_delete(visitor: Visitor, seats: SeatHolders | None) -> bool:
    """Whether a visitor may delete or restore a game: who made or plays it, and the owner of a server."""
    if visitor.is_owner and visitor.account_id is not None:
        return True
    if seats is None:
        return visitor.account_id is None and not visitor.is_guest
    return seats.owner == visitor.id or (bool(seats.sides(visitor.id)) and not visitor.is_guest)


# ---- players


def may_edit_player(visitor: Visitor, owner: str | None) -> bool:
    """Whether a visitor may rename, change or remove a player that belongs to the account `owner`."""
    if visitor.is_owner:
        return True
    return visitor.account_id is not None and owner == visitor.account_id


def may_add_players(visitor: Visitor) -> bool:
    return visitor.is_owner or (visitor.role is Role.MEMBER and visitor.account_id is not None)


def check_edit(store: Store, visitor: Visitor, player_id: str) -> None:
    if not may_edit_player(visitor, store.player_owner(player_id)):
        raise NotAllowed("only its owner can change a player")


def save_player(store: Store, visitor: Visitor, player: Player) -> None:
    """Add a player, which then belongs to the visitor's account, or change one that is theirs."""
    if store.player_owners().keys() >= {player.id}:
        check_edit(store, visitor, player.id)
        store.save_player(player)
        return
    if not may_add_players(visitor):
        raise NotAllowed("only the owner of this server can add players")
    if visitor.account_id is not None:
        _check_not_reserved(player)
    store.add_player(player, visitor.account_id, _player_limit(visitor))


def add_person(store: Store, visitor: Visitor, person: Person) -> None:
    """Add a person to play as. Visitors who share a server's token may do that, too: it gives them a name."""
    if visitor.is_guest:
        raise NotAllowed("guests play the game that they were invited to")
    if visitor.account_id is not None:
        _check_not_reserved(person)
    store.add_player(person, visitor.account_id, _player_limit(visitor))


def _check_not_reserved(player: Player) -> None:
    """The name of invited visitors belongs to no account: all their games would count as its own."""
    if player.name.casefold() in RESERVED_NAMES:
        raise NotAllowed(f"{player.name} is the name of visitors without an account: choose another one")


def _player_limit(visitor: Visitor) -> int | None:
    return None if visitor.is_owner else resource_limits().players_per_member


# ---- quotas


def check_quota(store: Store, visitor: Visitor, more: int = 1) -> None:
    """Raise `LimitExceeded` if a member may not keep `more` games, and `NotAllowed` for a guest."""
    if visitor.is_guest and visitor.account_id is None:
        return  # a guest's games belong to who invited them; the gate lets them begin none
    if visitor.account_id is None or visitor.is_owner:
        return
    limit = resource_limits().games_per_member
    if store.count_games_of(visitor.account_id) + more > limit:
        raise LimitExceeded(f"a member may keep {limit:,} games: delete some of yours, or ask the owner for more")


def add_imported_games(store: Store, visitor: Visitor, count: int) -> None:
    """Count imported games towards a member's quota."""
    if visitor.account_id is not None and count:
        store.add_imported_games(visitor.account_id, count)
