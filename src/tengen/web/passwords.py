"""Password hashing with Argon2id, in a few threads of its own.

A hash takes tens of milliseconds and 64 MB by design. The event loop never waits for one, and many attempts at
once fill only the queue here.
"""

from __future__ import annotations

import asyncio
import unicodedata
from concurrent.futures import ThreadPoolExecutor

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from tengen.core.errors import OptionError
from tengen.core.resource_limits import LimitExceeded
from tengen.core.translation import mark

MIN_PASSWORD_LENGTH = 10
MAX_PASSWORD_LENGTH = 1000
HASHES_AT_ONCE = 2
HASHES_QUEUED = 32


def check_password(password: str, name: str = "") -> str:
    """Return the normalised password. Raises `OptionError` if it is too short or easy to guess."""
    password = normalised(password)
    if len(password) < MIN_PASSWORD_LENGTH:
        raise OptionError(mark("a password needs at least {count} characters").format(count=MIN_PASSWORD_LENGTH))
    if len(password) > MAX_PASSWORD_LENGTH:
        raise OptionError(
            mark("a password may have at most {count:,} characters").format(count=MAX_PASSWORD_LENGTH)
        )
    if len(set(password)) < 4 or (name and password.casefold() == name.casefold()):
        raise OptionError(mark("this password is too easy to guess: choose another one"))
    return password


def normalised(password: str) -> str:
    """The password in Unicode form NFKC, independent of how a keyboard composes letters."""
    return unicodedata.normalize("NFKC", password.encode("utf-8", "replace").decode())


class Passwords:
    """Hashes and verifies passwords."""

    def __init__(self, hasher: PasswordHasher | None = None) -> None:
        self._hasher = hasher or PasswordHasher()
        self._executor = ThreadPoolExecutor(HASHES_AT_ONCE, thread_name_prefix="passwords")
        self._waiting = 0
        self._decoy = self._hasher.hash("nobody has this password")

    async def hash(self, password: str) -> str:
        """Hash a password that `check_password` has accepted."""
        return str(await self._run(self._hasher.hash, password))

    async def verify(self, hashed: str | None, password: str) -> bool:
        """Whether a password is right. For a missing account (`hashed` is None) the check takes as long."""
        is_right = bool(await self._run(self._verify, hashed or self._decoy, normalised(password)))
        return is_right and hashed is not None

    def needs_rehash(self, hashed: str) -> bool:
        """Whether a hash was made with outdated parameters."""
        return self._hasher.check_needs_rehash(hashed)

    def close(self) -> None:
        self._executor.shutdown(wait=False, cancel_futures=True)

    def _verify(self, hashed: str, password: str) -> bool:
        try:
            return self._hasher.verify(hashed, password[:MAX_PASSWORD_LENGTH])
        except (VerificationError, InvalidHashError):
            return False

    async def _run(self, work: object, *args: str) -> object:
        assert callable(work)
        if self._waiting >= HASHES_QUEUED:
            raise LimitExceeded(mark("too many sign-ins at the moment: try again in a few seconds"))
        self._waiting += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self._executor, work, *args)
        finally:
            self._waiting -= 1
