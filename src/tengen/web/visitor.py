"""Who sent a request: every page and every path of the API finds it in `request.state.visitor`."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Role(StrEnum):
    """What somebody may do; docs/guide/hosting.md has the table."""

    OWNER = "owner"  # everything: accounts, books, all games and players
    MEMBER = "member"  # own games and players, analysis, imports
    GUEST = "guest"  # one game, by its invite link


@dataclass(frozen=True)
class Visitor:
    """`id` is the identity that seats and options are stored under; it is a secret, and shown to nobody.

    Without accounts `account_id` is None: the browser on the server's own machine is the owner, browsers that came
    by an invite link are guests, and others that know the server's token are members.
    """

    id: str
    role: Role
    name: str = ""
    account_id: str | None = None

    @property
    def is_owner(self) -> bool:
        return self.role is Role.OWNER

    @property
    def is_guest(self) -> bool:
        return self.role is Role.GUEST


def invite_url(base_url: str, token: str) -> str:
    """The address of a one-time link, for a new account or a new password."""
    return f"{base_url.rstrip('/')}/invite/{token}"
