"""The sender of a request, available to pages and the API as `request.state.visitor`."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Role(StrEnum):
    """Permissions of a visitor; the table is in docs/guide/hosting.md."""

    OWNER = "owner"  # everything: accounts, books, all games and players
    MEMBER = "member"  # own games and players, analysis, imports
    GUEST = "guest"  # one game, by invite link


@dataclass(frozen=True)
class Visitor:
    """`id` is the secret key under which seats and preferences are stored; it is never shown.

    Without accounts, `account_id` is None: browsers on the server's machine are owners, browsers that came by an
    invite link are guests, and all others are members.
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
    """The URL of a one-time link, for a new account or a new password."""
    return f"{base_url.rstrip('/')}/invite/{token}"
