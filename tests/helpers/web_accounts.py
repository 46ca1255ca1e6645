"""Accounts of the web app that have signed in."""

from __future__ import annotations

from argon2 import PasswordHasher

from tengen.store.store import Store

PASSWORD = "correct horse battery"


def open_account(store: Store, name: str, role: str) -> str:
    """An account that has signed in; returns the token of its session."""
    token = f"{name:_<43}"
    hashed = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1).hash(PASSWORD)
    account = store.accept_invitation(store.invite(role), name, hashed)
    store.create_session(account.id, token, "browser", "test", 20)
    return token
