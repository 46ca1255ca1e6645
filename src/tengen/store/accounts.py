"""User accounts of a server, and the one-time links that create them or reset passwords.

Passwords arrive hashed; links are stored as digests only. Copies of the database must still be kept secret: it
contains seat keys and the secret that signs cookies.
"""

from __future__ import annotations

import hashlib
import secrets
import unicodedata
import uuid
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, Row, delete, func, insert, select, update

from tengen.core.errors import OptionError
from tengen.core.translation import mark
from tengen.players.player import Person, is_guest_name
from tengen.store.component import StoreComponent, now
from tengen.store.errors import NotStored, StoreConflict, StoreError
from tengen.store.ownership import claim_person
from tengen.store.rows import from_microseconds, to_microseconds
from tengen.store.schema import accounts, invitations, sessions

ROLES = ("owner", "member")
INVITATION_LIFETIME = timedelta(days=7)
MAX_ACCOUNT_NAME_LENGTH = 40


@dataclass(frozen=True)
class Account:
    """A user who can sign in. `identity` is secret; games and options are stored under it."""

    id: str
    identity: str
    name: str
    role: str
    password: str
    is_disabled: bool
    created: datetime


@dataclass(frozen=True)
class Invitation:
    """A one-time link: creates an account with `role`, or, if `account` is set, resets its password."""

    role: str
    account: Account | None
    expires: datetime


class Accounts(StoreComponent):
    """Accounts, invitations and password resets."""

    def accounts(self) -> list[Account]:
        """All accounts, by name."""
        with self._database.read() as connection:
            found = [_account(row) for row in connection.execute(select(accounts))]
        return sorted(found, key=lambda account: fold_name(account.name))

    def account(self, identity: str) -> Account:
        """The account with this id."""
        with self._database.read() as connection:
            return _load(connection, identity)

    def find_account(self, name: str) -> Account | None:
        """The account with a name, ignoring case; None if there is none."""
        with self._database.read() as connection:
            row = connection.execute(select(accounts).where(accounts.c.folded == fold_name(name))).first()
        return None if row is None else _account(row)

    def account_named(self, name: str) -> Account:
        """The account with a name. Raises `NotStored` if there is none."""
        found = self.find_account(name)
        if found is None:
            known = ", ".join(account.name for account in self.accounts()[:20])
            raise NotStored(f"there is no account {name!r}; there are: {known or 'none yet'}")
        return found

    # ---- one-time links

    def invite(self, role: str) -> str:
        """Create an invitation and return the token of its link."""
        _check_role(role)
        return self._make_link(role, None)

    def invite_owner(self) -> str | None:
        """Token of a link that creates the first account; None if any exists. Revokes earlier such links."""
        with self._database.write() as connection:
            self._database.lock(connection, "accounts")
            if connection.scalar(select(func.count()).select_from(accounts)):
                return None
            connection.execute(delete(invitations))
            return _insert_link(connection, "owner", None)

    def make_reset_link(self, account_id: str) -> str:
        """Create a password reset link and return its token. Revokes earlier ones of this account."""
        return self._make_link(self.account(account_id).role, account_id)

    def invitation(self, token: str) -> Invitation:
        """The invitation behind a link. Raises `NotStored` if it was used or has expired."""
        with self._database.read() as connection:
            return _find_link(connection, token)

    def accept_invitation(self, token: str, name: str, password: str) -> Account:
        """Create the invited account with a hashed password, and the person it plays as."""
        name = check_account_name(name)
        with self._database.write() as connection:
            self._database.lock(connection, "players")
            self._database.lock(connection, "accounts")
            link = _find_link(connection, token)
            if link.account is not None:
                raise StoreError(mark("this link is for a new password, not for a new account"))
            if connection.scalar(select(accounts.c.id).where(accounts.c.folded == fold_name(name))) is not None:
                raise StoreConflict(mark("the name {name!r} is taken: choose another one").format(name=name))
            made = Account(str(uuid.uuid4()), secrets.token_hex(16), name, link.role, password, False, now())
            claim_person(connection, Person(name), made.id, may_take_over=link.role == "owner")
            connection.execute(
                insert(accounts).values(
                    id=made.id,
                    identity=made.identity,
                    name=name,
                    folded=fold_name(name),
                    role=made.role,
                    password=password,
                    disabled=False,
                    imported=0,
                    created=to_microseconds(made.created),
                )
            )
            _end_link(connection, token)
        return made

    def use_reset_link(self, token: str, password: str) -> Account:
        """Set a new password through a reset link; ends all sessions of the account."""
        with self._database.write() as connection:
            self._database.lock(connection, "accounts")
            link = _find_link(connection, token)
            if link.account is None:
                raise StoreError(mark("this link is for a new account, not for a new password"))
            _set_password(connection, link.account.id, password)
            connection.execute(delete(sessions).where(sessions.c.account == link.account.id))
            _end_link(connection, token)
            return link.account

    def _make_link(self, role: str, account_id: str | None) -> str:
        with self._database.write() as connection:
            connection.execute(delete(invitations).where(invitations.c.expires <= to_microseconds(now())))
            if account_id is not None:
                connection.execute(delete(invitations).where(invitations.c.account == account_id))
            return _insert_link(connection, role, account_id)

    # ---- changes

    def set_password(self, account_id: str, password: str, keep_session: int | None = None) -> None:
        """Set a hashed password; ends all sessions of the account except `keep_session`."""
        with self._database.write() as connection:
            _set_password(connection, account_id, password)
            ended = delete(sessions).where(sessions.c.account == account_id)
            if keep_session is not None:
                ended = ended.where(sessions.c.number != keep_session)
            connection.execute(ended)
            connection.execute(delete(invitations).where(invitations.c.account == account_id))

    def rehash_password(self, account_id: str, old: str, new: str) -> None:
        """Store the same password hashed with newer parameters, unless it was changed meanwhile."""
        with self._database.write() as connection:
            connection.execute(
                update(accounts)
                .where(accounts.c.id == account_id, accounts.c.password == old)
                .values(password=new)
            )

    def set_role(self, account_id: str, role: str) -> None:
        """Change the role of an account; ends its sessions so that open pages lose the old role."""
        _check_role(role)
        self._change(account_id, role=role)

    def set_disabled(self, account_id: str, is_disabled: bool) -> None:
        """Disable or re-enable an account; ends its sessions."""
        self._change(account_id, disabled=is_disabled)

    def _change(self, account_id: str, **values: object) -> None:
        with self._database.write() as connection:
            self._database.lock(connection, "accounts")
            _load(connection, account_id)
            connection.execute(update(accounts).where(accounts.c.id == account_id).values(**values))
            owners = select(func.count()).select_from(accounts)
            if not connection.scalar(owners.where(accounts.c.role == "owner", ~accounts.c.disabled)):
                raise StoreError(mark("this is the last owner: make another account an owner first"))
            connection.execute(delete(sessions).where(sessions.c.account == account_id))
            connection.execute(delete(invitations).where(invitations.c.account == account_id))


def digest_of(token: str) -> str:
    """Digest under which a random token is stored."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def fold_name(name: str) -> str:
    """Normal form for comparing names: ignores case, width and Unicode composition."""
    return unicodedata.normalize("NFKC", name).strip().casefold()[:80]


def check_account_name(name: str) -> str:
    """Return the name in the form to store. Raises `OptionError` if it is not allowed."""
    name = Person(unicodedata.normalize("NFC", name).strip()).name
    if len(name) > MAX_ACCOUNT_NAME_LENGTH:
        raise OptionError(
            mark("a name should have at most {max_account_name_length} characters, not {count}").format(
                max_account_name_length=MAX_ACCOUNT_NAME_LENGTH, count=len(name)
            )
        )
    if is_guest_name(name):
        raise OptionError(
            mark("{name} is the name of visitors without an account: choose another one").format(name=name)
        )
    return name


def _check_role(role: str) -> None:
    if role not in ROLES:
        raise OptionError(f"there is no role {role!r}; there are: {', '.join(ROLES)}")


def _insert_link(connection: Connection, role: str, account_id: str | None) -> str:
    token, created = secrets.token_urlsafe(32), now()
    connection.execute(
        insert(invitations).values(
            digest=digest_of(token),
            role=role,
            account=account_id,
            created=to_microseconds(created),
            expires=to_microseconds(created + INVITATION_LIFETIME),
        )
    )
    return token


def _find_link(connection: Connection, token: str) -> Invitation:
    row = connection.execute(select(invitations).where(invitations.c.digest == digest_of(token))).first()
    if row is None or row.expires <= to_microseconds(now()):
        raise NotStored(mark("this link was used already or has expired: ask for a new one"))
    account = None if row.account is None else _load(connection, row.account)
    return Invitation(row.role, account, from_microseconds(row.expires))


def _end_link(connection: Connection, token: str) -> None:
    connection.execute(delete(invitations).where(invitations.c.digest == digest_of(token)))


def _set_password(connection: Connection, account_id: str, password: str) -> None:
    connection.execute(update(accounts).where(accounts.c.id == account_id).values(password=password))


def _load(connection: Connection, account_id: str) -> Account:
    row = connection.execute(select(accounts).where(accounts.c.id == account_id)).first()
    if row is None:
        raise NotStored(mark("there is no account with the id {account_id}").format(account_id=account_id))
    return _account(row)


def _account(row: Row[Any]) -> Account:
    created = from_microseconds(row.created)
    return Account(row.id, row.identity, row.name, row.role, row.password, row.disabled, created)
