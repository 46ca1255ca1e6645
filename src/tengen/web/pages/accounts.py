"""The account page: the user's own sessions and password; for owners, all accounts and invitations."""

from __future__ import annotations

from functools import partial
from typing import Any

from fastapi import Request
from nicegui import ui

from tengen.core.errors import OptionError, TengenError
from tengen.store.accounts import ROLES, Account
from tengen.store.sessions import Session
from tengen.web.accounts import AccountService
from tengen.web.game_sessions import GameSessions
from tengen.web.pages.layout import (
    PAGE_TIMEOUT_S,
    Visit,
    button,
    card,
    confirm,
    page,
    prop_text,
    show_error,
    show_message,
)
from tengen.web.passwords import MIN_PASSWORD_LENGTH
from tengen.web.visitor import invite_url

_ROLES = {"member": "Member", "owner": "Owner"}


class AccountsPage:
    """The page. The service checks every action again, because the page may have been opened long ago."""

    def __init__(self, visit: Visit, service: AccountService, session: int | None, base_url: str) -> None:
        self._visit = visit
        self._visitor = visit.visitor
        self._service = service
        self._session = session
        self._base_url = base_url

    async def build(self) -> None:
        assert self._visitor.account_id is not None
        with ui.element("div").classes("tg-columns"):
            with card("You"):
                with ui.element("div").classes("tg-row tg-spread"):
                    ui.label(f"Signed in as {self._visitor.name} ({self._visitor.role})")
                    with ui.element("form").props('method="post" action="/logout"'):
                        ui.button("Sign out", icon="logout").props("type=submit flat no-caps color=primary")
                ui.label("You are signed in on").classes("tg-quiet")
                self._sessions = ui.element("div").classes("tg-list")
            with card("Change password"):
                self._old = _password("Current password", "current-password")
                self._new = _password("New password", "new-password")
                self._again = _password("Repeat the new password", "new-password")
                ui.label(
                    f"At least {MIN_PASSWORD_LENGTH} characters. Other devices have to sign in again."
                ).classes("tg-quiet")
                button("Change password", self._change_password, "lock", main=True)
        await self._show_sessions()
        if self._visitor.is_owner:
            with card("Invite a user"):
                ui.label(
                    "A link works once, within 7 days. The invited person chooses a name and a password."
                ).classes("tg-quiet")
                with ui.element("div").classes("tg-row"):
                    self._role = ui.select(_ROLES, label="Role", value="member").props(
                        "outlined dense options-dense"
                    )
                    button("Create link", self._invite, "person_add", main=True)
                self._link = ui.element("div")
            with card("Accounts"):
                self._accounts = ui.element("div").classes("tg-list")
            await self._show_accounts()

    # ---- own account

    async def _show_sessions(self) -> None:
        assert self._visitor.account_id is not None
        found = await self._service.run(self._service.store.sessions, self._visitor.account_id)
        self._sessions.clear()
        with self._sessions:
            for one in found:
                self._show_session(one)

    def _show_session(self, one: Session) -> None:
        is_here = one.number == self._session
        with ui.element("div").classes("tg-item").style("cursor: default"):
            ui.icon("smart_toy" if one.kind == "api" else "devices", size="20px", color="primary")
            with ui.element("span").classes("tg-grow"):
                ui.label(f"{one.label} (this one)" if is_here else one.label)
                with ui.element("small"):
                    ui.label(f"last used {one.used:%Y-%m-%d %H:%M} UTC, until {one.expires:%Y-%m-%d}")
            if not is_here:
                button(
                    "", partial(self._revoke, one), "close", aria_label=f"End the session {prop_text(one.label)}"
                ).props("dense")

    async def _revoke(self, session: Session) -> None:
        await self._act(self._service.revoke(session.number, self._visitor.account_id), "Session ended")
        await self._show_sessions()

    async def _change_password(self) -> None:
        if self._new.value != self._again.value:
            show_error("The two new passwords differ")
            return
        work = self._service.change_password(
            self._visitor, str(self._old.value or ""), str(self._new.value or ""), self._session
        )
        if await self._act(work, "Password changed"):
            for field in (self._old, self._new, self._again):
                field.set_value("")
            await self._show_sessions()

    # ---- for owners

    async def _invite(self) -> None:
        try:
            token = await self._service.invite(self._visitor, str(self._role.value))
        except TengenError as error:
            show_error(error)
            return
        self._show_link(f"For a new {self._role.value}", token)

    async def _reset(self, account: Account) -> None:
        try:
            token = await self._service.reset_link(self._visitor, account.id)
        except TengenError as error:
            show_error(error)
            return
        self._show_link(f"For a new password of {account.name}", token)

    def _show_link(self, words: str, token: str) -> None:
        """Show a link once: only its digest is stored."""
        url = invite_url(self._base_url, token)

        def copy() -> None:
            ui.clipboard.write(url)
            show_message("Copied")

        self._link.clear()
        with self._link:
            ui.label(f"{words}, shown only now:")
            with ui.element("div").classes("tg-row"):
                ui.input("Link", value=url).props("outlined dense readonly").style(
                    "flex: 1; min-width: 200px"
                ).mark("link")
                button("Copy", copy, "content_copy")
        ui.run_javascript(f"getHtmlElement({self._link.id}).scrollIntoView({{block: 'center'}})")

    async def _show_accounts(self) -> None:
        store = self._service.store
        found = await self._service.run(store.accounts)
        self._accounts.clear()
        with self._accounts:
            for account in found:
                with ui.element("div").classes("tg-item").style("cursor: default; flex-wrap: wrap"):
                    ui.icon("person_off" if account.is_disabled else "person", size="20px", color="primary")
                    with ui.element("span").classes("tg-grow").style("min-width: 120px"):
                        ui.label(account.name)
                        with ui.element("small"):
                            ui.label("disabled" if account.is_disabled else f"since {account.created:%Y-%m-%d}")
                    self._show_actions(account)

    def _show_actions(self, account: Account) -> None:
        is_me = account.id == self._visitor.account_id
        with ui.element("span").classes("tg-row").style("gap: 4px"):
            role = ui.select(
                {name: _ROLES[name] for name in ROLES},
                value=account.role,
                on_change=partial(self._set_role, account),
            ).props(f'outlined dense options-dense aria-label="Role of {prop_text(account.name)}"')
            if is_me:
                role.disable()
                return
            button("New password", partial(self._reset, account), "key").props("dense")
            button("Sign out", partial(self._sign_out, account), "logout").props("dense")
            name = "Enable" if account.is_disabled else "Disable"
            button(name, partial(self._set_disabled, account), "block").props("dense")

    async def _set_role(self, account: Account, event: Any) -> None:
        await self._act(
            self._service.set_role(self._visitor, account.id, event.value), f"{account.name}: {event.value}"
        )
        await self._show_accounts()

    async def _set_disabled(self, account: Account) -> None:
        question = f"Disable {account.name}? They are signed out everywhere. Their games and players stay."
        if not account.is_disabled and not await confirm(question, "Disable"):
            return
        await self._act(self._service.set_disabled(self._visitor, account.id, not account.is_disabled), "Saved")
        await self._show_accounts()

    async def _sign_out(self, account: Account) -> None:
        async def work() -> None:
            await self._service.check_owner(self._visitor)
            await self._service.revoke_all(account.id)

        await self._act(work(), f"{account.name} is signed out everywhere")

    async def _act(self, work: Any, words: str) -> bool:
        try:
            if await work is False:
                raise OptionError("this session has already ended")
        except TengenError as error:
            show_error(error)
            return False
        show_message(words)
        return True


def _password(label: str, complete: str) -> ui.input:
    field = ui.input(label, password=True, password_toggle_button=True)
    field.props(f'outlined dense autocomplete="{complete}"')
    return field


def register(sessions: GameSessions, service: AccountService) -> None:
    @ui.page("/accounts", response_timeout=PAGE_TIMEOUT_S)
    async def accounts(request: Request) -> None:
        visit = Visit.from_request(sessions, request)
        with page(visit, "Account", "/accounts"):
            await AccountsPage(visit, service, request.state.session, str(request.base_url)).build()
