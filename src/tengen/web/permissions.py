"""Who may play as whom, edit which player, delete which game, and how many games a member may store.

The hosting guide has these rules as a table. Functions named `check_...` raise `NotAllowed` or `LimitExceeded`.
Those with a `store` argument query the database: call them outside the event loop.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from tengen.core.errors import TengenError
from tengen.core.resource_limits import LimitExceeded, resource_limits
from tengen.core.translation import mark
from tengen.players.player import Person, Player, is_guest_name
from tengen.store.store import Store
from tengen.web.visitor import Role, Visitor


class NotAllowed(TengenError):
    """The visitor may not do this. Answered with status 403."""


class SeatHolders(Protocol):
    """The part of a game's seats that is needed here."""

    owner: str

    def sides(self, who: str) -> frozenset[int]: ...


def may_play_as(visitor: Visitor, player: Player, owner: str | None, *, is_stored: bool = True) -> bool:
    """Whether a visitor may play as this player, who belongs to the account `owner`.

    Everybody may use engines. Without accounts, a person is a name that everybody at the machine may use. With
    accounts, only a person's own account may play as that person, because games change the rating; people without
    an account belong to the server's owner.
    """
    if not isinstance(player, Person) or not is_stored:
        return True
    if visitor.account_id is None:
        return owner is None
    return owner == visitor.account_id or (owner is None and visitor.is_owner)


def check_players(store: Store, visitor: Visitor, players: Iterable[Player], guest: Player | None = None) -> None:
    """Check that a visitor may start a game between these players; new people are added to the visitor's account.

    `guest` is the player whose side is offered by invite link; it needs no permission.
    """
    check_quota(store, visitor)
    owners = store.player_owners()
    for player in players:
        if player is guest:
            continue
        if not may_play_as(visitor, player, owners.get(player.id), is_stored=player.id in owners):
            raise NotAllowed(
                mark("{name} belongs to another account: choose yourself or another name").format(name=player.name)
            )
        if isinstance(player, Person) and player.id not in owners and visitor.account_id is not None:
            _check_not_reserved(player)
            store.add_player(player, visitor.account_id, _player_limit(visitor))


def may_claim(store: Store, visitor: Visitor, players: Iterable[Player | None]) -> bool:
    """Whether a visitor may continue a game without seats, from the terminal or a file."""
    owners = store.player_owners()
    if visitor.account_id is None or visitor.is_owner:
        return not visitor.is_guest
    people = [player for player in players if isinstance(player, Person)]
    return bool(people) and all(may_play_as(visitor, one, owners.get(one.id)) for one in people)


def may_delete(visitor: Visitor, seats: SeatHolders | None) -> bool:
    """Whether a visitor may delete or restore a game: its creator, its players, and the server's owner.

    Without accounts, the owner is anybody who uses the server's own machine, in any browser.
    """
    if visitor.is_owner:
        return True
    if seats is None:
        return visitor.account_id is None and not visitor.is_guest
    return seats.owner == visitor.id or (bool(seats.sides(visitor.id)) and not visitor.is_guest)


# ---- players


def may_edit_player(visitor: Visitor, owner: str | None) -> bool:
    """Whether a visitor may rename, edit or remove a player of the account `owner`."""
    if visitor.is_owner:
        return True
    return visitor.account_id is not None and owner == visitor.account_id


def may_add_players(visitor: Visitor) -> bool:
    return visitor.is_owner or (visitor.role is Role.MEMBER and visitor.account_id is not None)


def check_edit(store: Store, visitor: Visitor, player_id: str) -> None:
    if not may_edit_player(visitor, store.player_owner(player_id)):
        raise NotAllowed(mark("only the owner of a player can change it"))


def save_player(store: Store, visitor: Visitor, player: Player) -> None:
    """Add a player to the visitor's account, or change one of theirs."""
    if store.player_owners().keys() >= {player.id}:
        check_edit(store, visitor, player.id)
        store.save_player(player)
        return
    if not may_add_players(visitor):
        raise NotAllowed(mark("only the owner of this server can add players"))
    if visitor.account_id is not None:
        _check_not_reserved(player)
    store.add_player(player, visitor.account_id, _player_limit(visitor))


def add_person(store: Store, visitor: Visitor, person: Person) -> None:
    """Add a person to play as. Visitors who share a token may do so, too, to have a name."""
    if visitor.is_guest:
        raise NotAllowed(mark("guests can only play the game they were invited to"))
    if visitor.account_id is not None:
        _check_not_reserved(person)
    store.add_player(person, visitor.account_id, _player_limit(visitor))


def _check_not_reserved(player: Player) -> None:
    """Refuse the name of guests: all games of guests would count for the account."""
    if is_guest_name(player.name):
        raise NotAllowed(
            mark("the name {name} is reserved for guests: choose another one").format(name=player.name)
        )


def _player_limit(visitor: Visitor) -> int | None:
    return None if visitor.is_owner else resource_limits().players_per_member


# ---- the arena


def check_arena(visitor: Visitor) -> None:
    """Raise `NotAllowed` unless the visitor may start and stop runs of the arena."""
    if not visitor.is_owner:
        raise NotAllowed(mark("only the owner of this server can start and stop runs"))


def check_programs_allowed(visitor: Visitor, is_enabled: bool) -> None:
    """Raise `NotAllowed` unless the visitor may enter commands of external programs."""
    if not visitor.is_owner:
        raise NotAllowed(mark("only the owner of this server can add players"))
    if not is_enabled:
        raise NotAllowed(
            mark("external engines are added with tengen engines add, or here if the server has --allow-programs")
        )


# ---- quotas


def check_quota(store: Store, visitor: Visitor, more: int = 1) -> None:
    """Raise `LimitExceeded` if a member may not store `more` games."""
    if visitor.is_guest and visitor.account_id is None:
        return  # a guest's games count for the host
    if visitor.account_id is None or visitor.is_owner:
        return
    limit = resource_limits().games_per_member
    if store.count_games_of(visitor.account_id) + more > limit:
        raise LimitExceeded(
            mark("members may store {limit:,} games: delete some, or ask the owner to raise the limit").format(
                limit=limit
            )
        )


def add_imported_games(store: Store, visitor: Visitor, count: int) -> None:
    """Count imported games towards a member's quota."""
    if visitor.account_id is not None and count:
        store.add_imported_games(visitor.account_id, count)
