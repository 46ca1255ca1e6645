"""Accounts for a server with several users: sign-in, sessions, invitations, roles.

The database is queried in separate threads, so that a sign-in does not wait behind games. Sessions are cached for
`CACHE_TTL_S`: a session revoked in this process ends at once, one revoked by another process (`tengen accounts
revoke`) after that time.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
import time
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import UTC, datetime
from typing import ParamSpec, TypeVar

from tengen.app.event_loop import run_in_executor
from tengen.core.errors import OptionError
from tengen.core.resource_limits import resource_limits
from tengen.core.translation import mark
from tengen.store.accounts import Account, Invitation, check_account_name
from tengen.store.errors import StoreUnavailable
from tengen.store.sessions import Session
from tengen.store.store import Store
from tengen.web.passwords import Passwords, check_password
from tengen.web.visitor import Role, Visitor

CACHE_TTL_S = 10.0
LOOKUP_TIMEOUT_S = 5.0
CACHED_SESSIONS = 5000
TOUCH_INTERVAL_S = 3600.0  # precision of a session's time of last use
_P = ParamSpec("_P")
_R = TypeVar("_R")
_log = logging.getLogger(__name__)


class WrongPassword(OptionError):
    """Wrong name or password; the message does not reveal which."""

    def __init__(self) -> None:
        super().__init__(mark("Wrong name or password."))


class AccountService:
    """Accounts, invitations and sessions. Use it within one event loop."""

    def __init__(
        self, store: Store, passwords: Passwords | None = None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.store = store
        self._passwords = passwords or Passwords()
        self._clock = clock
        self._executor = ThreadPoolExecutor(2, thread_name_prefix="accounts")
        self._cache: OrderedDict[str, tuple[float, Session | None]] = OrderedDict()
        self._pending: dict[str, asyncio.Task[Session | None]] = {}
        self._revocations = 0

    async def run(self, work: Callable[_P, _R], *args: _P.args, **kwargs: _P.kwargs) -> _R:
        """Run a blocking call, usually of the store, in another thread."""
        return await run_in_executor(self._executor, work, *args, **kwargs)

    def close(self) -> None:
        self._executor.shutdown(wait=True, cancel_futures=True)
        self._passwords.close()

    # ---- sessions

    async def find(self, token: str) -> Session | None:
        """The session of a token, at most `CACHE_TTL_S` old."""
        known = self._cache.get(token)
        if known is not None and self._clock() - known[0] < CACHE_TTL_S:
            return known[1]
        if not 20 <= len(token) <= 100:
            return None
        try:
            found = await asyncio.wait_for(asyncio.shield(self._look_up(token)), LOOKUP_TIMEOUT_S)
        except (TimeoutError, StoreUnavailable) as error:
            if known is not None:
                return known[1]  # trust the last known state while the database is down
            raise StoreUnavailable(mark("The database does not answer. Please try again in a moment.")) from error
        if found is not None and (datetime.now(UTC) - found.used).total_seconds() > TOUCH_INTERVAL_S:
            with suppress(StoreUnavailable, TimeoutError):  # the time of last use can be updated later
                await asyncio.wait_for(self.run(self.store.touch_session, found.number), LOOKUP_TIMEOUT_S)
        return found

    def _look_up(self, token: str) -> asyncio.Task[Session | None]:
        """Query the database for a session; concurrent requests with the same token share the result."""
        if token not in self._pending:
            self._pending[token] = asyncio.get_running_loop().create_task(self._find(token))
            self._pending[token].add_done_callback(lambda task: self._forget(token, task))
        return self._pending[token]

    async def _find(self, token: str) -> Session | None:
        revoked = self._revocations
        found = await self.run(self.store.find_session, token)
        if revoked == self._revocations:  # otherwise it may just have been revoked
            self._cache[token] = (self._clock(), found)
            self._cache.move_to_end(token)
            while len(self._cache) > CACHED_SESSIONS:
                self._cache.popitem(last=False)
        return found

    def _forget(self, token: str, task: asyncio.Task[Session | None]) -> None:
        self._pending.pop(token, None)
        if not task.cancelled():
            task.exception()  # marks it as retrieved: it is not an error if nobody waits any more

    def _clear_cache(self) -> None:
        self._revocations += 1
        self._cache.clear()

    async def sign_in(self, name: str, password: str, label: str) -> tuple[Account, str]:
        """Check name and password; returns the account and the token of its new session."""
        account = await self.run(self.store.find_account, name)
        is_right = await self._passwords.verify(None if account is None else account.password, password)
        if account is None or not is_right or account.is_disabled:
            raise WrongPassword
        if self._passwords.needs_rehash(account.password):
            renewed = await self._passwords.hash(check_password(password))
            await self.run(self.store.rehash_password, account.id, account.password, renewed)
        return account, await self.open_session(account, "browser", label)

    async def open_session(self, account: Account, kind: str, label: str) -> str:
        """Create a session and return its token, of which only a digest is stored."""
        token = secrets.token_urlsafe(32)
        limit = resource_limits().sessions_per_account
        await self.run(self.store.create_session, account.id, token, kind, label, limit)
        self._clear_cache()  # an older session may have been dropped for it
        return token

    async def sign_out(self, token: str) -> None:
        found = await self.find(token)
        if found is not None:
            await self.revoke(found.number)

    async def revoke(self, number: int, account_id: str | None = None) -> bool:
        """End a session; with `account_id`, only if it belongs to that account."""
        is_ended = await self.run(self.store.revoke_session, number, account_id)
        self._clear_cache()
        return is_ended

    async def revoke_all(self, account_id: str) -> None:
        await self.run(self.store.revoke_sessions, account_id)
        self._clear_cache()

    # ---- one-time links

    async def invitation(self, token: str) -> Invitation:
        return await self.run(self.store.invitation, token)

    async def accept(self, token: str, name: str, password: str, label: str) -> tuple[Account, str]:
        """Create the account of an invitation; returns it with the token of its first session."""
        await self.invitation(token)  # check the link before the expensive hash
        hashed = await self._passwords.hash(check_password(password, check_account_name(name)))
        account = await self.run(self.store.accept_invitation, token, name, hashed)
        _log.info("account created", extra={"fields": {"account": account.name, "role": account.role}})
        return account, await self.open_session(account, "browser", label)

    async def reset(self, token: str, password: str, label: str) -> tuple[Account, str]:
        """Set a new password by a link; ends all sessions and opens a new one."""
        link = await self.invitation(token)
        name = "" if link.account is None else link.account.name
        hashed = await self._passwords.hash(check_password(password, name))
        account = await self.run(self.store.use_reset_link, token, hashed)
        self._clear_cache()
        if account.is_disabled:
            raise WrongPassword
        return account, await self.open_session(account, "browser", label)

    async def invite(self, visitor: Visitor, role: str) -> str:
        await self.check_owner(visitor)
        return await self.run(self.store.invite, role)

    async def reset_link(self, visitor: Visitor, account_id: str) -> str:
        await self.check_owner(visitor)
        return await self.run(self.store.make_reset_link, account_id)

    # ---- changes

    async def change_password(self, visitor: Visitor, old: str, new: str, session: int | None) -> None:
        """Change the visitor's own password; ends all other sessions."""
        assert visitor.account_id is not None
        account = await self.run(self.store.account, visitor.account_id)
        if not await self._passwords.verify(account.password, old):
            raise OptionError(mark("the current password is wrong"))
        hashed = await self._passwords.hash(check_password(new, account.name))
        await self.run(self.store.set_password, account.id, hashed, session)
        self._clear_cache()

    async def set_role(self, visitor: Visitor, account_id: str, role: str) -> None:
        await self.check_owner(visitor)
        await self.run(self.store.set_role, account_id, role)
        self._clear_cache()

    async def set_disabled(self, visitor: Visitor, account_id: str, is_disabled: bool) -> None:
        await self.check_owner(visitor)
        await self.run(self.store.set_disabled, account_id, is_disabled)
        self._clear_cache()

    async def check_owner(self, visitor: Visitor) -> None:
        """Raise unless the visitor is an owner now: the page may have been opened long ago."""
        if visitor.account_id is not None:
            account = await self.run(self.store.account, visitor.account_id)
            if account.role == Role.OWNER and not account.is_disabled:
                return
        raise OptionError(mark("only an owner of this server can do that"))
