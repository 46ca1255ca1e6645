"""`tengen accounts …`: accounts of a server. A running server picks up changes within seconds."""

from __future__ import annotations

import secrets
from typing import Annotated

import typer

from tengen.cli.console import console
from tengen.cli.inputs import open_store
from tengen.cli.option_groups import command_group
from tengen.core.errors import OptionError
from tengen.web.visitor import invite_url

app = command_group("Manage the accounts of a server with several users.")

_Url = Annotated[str, typer.Option(help="address of the server, used in the link")]
_Name = Annotated[str, typer.Argument(help="account name")]
_DEFAULT_URL = "http://127.0.0.1:8564"


@app.command("list")
def list_accounts() -> None:
    """List all accounts with their roles.

    Example: tengen accounts list
    """
    from rich.table import Table

    with open_store() as store:
        table = Table("name", "role", "state", "sessions", "games", "created", box=None, pad_edge=False)
        for account in store.accounts():
            state = "disabled" if account.is_disabled else "active"
            count, games = len(store.sessions(account.id)), store.count_games_of(account.id)
            table.add_row(account.name, account.role, state, str(count), str(games), f"{account.created:%Y-%m-%d}")
    console.print(table)


@app.command()
def invite(
    role: Annotated[str, typer.Option(help="owner or member")] = "member", url: _Url = _DEFAULT_URL
) -> None:
    """Create a one-time invitation link for a new account, valid for 7 days.

    Example: tengen accounts invite --role member --url https://board.example
    """
    with open_store() as store:
        token = store.invite(role)
    console.print(invite_url(url, token))
    console.print(f"Send this link to the new {role}; it works once, within 7 days.")


@app.command()
def reset(name: _Name, url: _Url = _DEFAULT_URL) -> None:
    """Create a one-time link to set a new password, valid for 7 days.

    Example: tengen accounts reset ann
    """
    with open_store() as store:
        account = store.account_named(name)
        token = store.make_reset_link(account.id)
    console.print(invite_url(url, token))
    console.print(
        f"Send this link to {account.name}; it works once, within 7 days. Using it ends all their sessions."
    )


@app.command()
def role(name: _Name, new_role: Annotated[str, typer.Argument(help="owner or member")]) -> None:
    """Change the role of an account. The user must sign in again.

    Example: tengen accounts role ann owner
    """
    with open_store() as store:
        account = store.account_named(name)
        store.set_role(account.id, new_role)
    console.print(f"{account.name} is now {new_role}.")


@app.command()
def disable(name: _Name) -> None:
    """Disable an account: its sessions end, its games and players stay.

    Example: tengen accounts disable ann
    """
    _set_disabled(name, True)


@app.command()
def enable(name: _Name) -> None:
    """Enable a disabled account.

    Example: tengen accounts enable ann
    """
    _set_disabled(name, False)


def _set_disabled(name: str, is_disabled: bool) -> None:
    with open_store() as store:
        account = store.account_named(name)
        store.set_disabled(account.id, is_disabled)
    console.print(f"{account.name} is {'disabled; all sessions have ended' if is_disabled else 'enabled'}.")


@app.command()
def sessions(name: Annotated[str | None, typer.Argument(help="show only this account")] = None) -> None:
    """List sessions and API tokens.

    Example: tengen accounts sessions ann
    """
    from rich.table import Table

    table = Table("number", "account", "kind", "what", "last used", "expires", box=None, pad_edge=False)
    with open_store() as store:
        account_id = None if name is None else store.account_named(name).id
        for one in store.sessions(account_id):
            days = f"{one.used:%Y-%m-%d %H:%M}", f"{one.expires:%Y-%m-%d}"
            table.add_row(str(one.number), one.name, one.kind, one.label, *days)
    console.print(table)


@app.command()
def revoke(
    number: Annotated[
        int | None, typer.Argument(help="session number, as listed by `tengen accounts sessions`")
    ] = None,
    account: Annotated[str | None, typer.Option("--all", help="all sessions of this account")] = None,
) -> None:
    """End a session, or all sessions of an account. Open pages are disconnected within a minute.

    Example: tengen accounts revoke 17
    """
    if (number is None) == (account is None):
        raise OptionError("give the number of a session, or --all NAME")
    with open_store() as store:
        if account is not None:
            count = store.revoke_sessions(store.account_named(account).id)
            console.print(f"{count} session{'' if count == 1 else 's'} ended.")
            return
        assert number is not None
        if not store.revoke_session(number):
            raise OptionError(f"there is no session {number}; `tengen accounts sessions` lists them")
    console.print("The session has ended.")


@app.command()
def token(
    name: _Name, label: Annotated[str, typer.Option(help="purpose, shown in the list of sessions")] = "program"
) -> None:
    """Create an API token for an account. It is valid for a year and shown only once.

    Example: tengen accounts token ann --label backup-script
    """
    from tengen.core.resource_limits import resource_limits

    value = secrets.token_urlsafe(32)
    with open_store() as store:
        account = store.account_named(name)
        store.create_session(account.id, value, "api", label, resource_limits().sessions_per_account)
    console.print(value)
    console.print("Send it as Authorization: Bearer …; `tengen accounts revoke` ends it.")
