"""The account page: the user's own sessions and password; for owners, all accounts and invitations."""

from __future__ import annotations

import json
from functools import partial
from typing import Any

from nicegui import context, ui

from tengen.core.errors import OptionError, TengenError
from tengen.core.locale_format import day, day_and_time
from tengen.core.translation import gettext as _
from tengen.core.translation import mark
from tengen.store.accounts import ROLES, Account
from tengen.store.sessions import Session
from tengen.web.accounts import AccountService
from tengen.web.game_sessions import GameSessions
from tengen.web.pages.layout import Visit, add_page, page
from tengen.web.pages.widgets import (
    button,
    card,
    confirm,
    copy_text,
    errors_shown,
    note,
    prop_text,
    show_error,
    show_message,
)
from tengen.web.passwords import MIN_PASSWORD_LENGTH
from tengen.web.visitor import invite_url

_ROLES = {"member": mark("Member"), "owner": mark("Owner")}


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
            with card(_("You")):
                with ui.element("div").classes("tg-row tg-spread"):
                    ui.label(
                        _("Signed in as {name} ({role})").format(
                            name=self._visitor.name, role=_(_ROLES[self._visitor.role])
                        )
                    )
                    with ui.element("form").props('method="post" action="/logout"'):
                        ui.button(_("Sign out"), icon="logout").props("type=submit flat no-caps color=primary")
                note(_("You are signed in on"))
                self._sessions = ui.element("div").classes("tg-list")
            with card(_("Change password")):
                self._old = _password(_("Current password"), "current-password")
                self._new = _password(_("New password"), "new-password")
                self._again = _password(_("Repeat the new password"), "new-password")
                note(
                    _("At least {count} characters. Other devices have to sign in again.").format(
                        count=MIN_PASSWORD_LENGTH
                    )
                )
                button(_("Change password"), self._change_password, "lock", main=True)
        await self._show_sessions()
        if self._visitor.is_owner:
            with card(_("Invite a user")):
                note(_("A link works once, within 7 days. The invited person chooses a name and a password."))
                with ui.element("div").classes("tg-row"):
                    self._role = ui.select(_role_names(), label=_("Role"), value="member").props(
                        "outlined dense options-dense"
                    )
                    button(_("Create link"), self._invite, "person_add", main=True)
                self._link = ui.element("div")
            with card(_("Accounts")):
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
                ui.label(_("{label} (this one)").format(label=one.label) if is_here else one.label)
                with ui.element("small"):
                    ui.label(
                        _("last used {used} UTC, until {expires}").format(
                            used=day_and_time(one.used), expires=day(one.expires)
                        )
                    )
            if not is_here:
                button(
                    "",
                    partial(self._revoke, one),
                    "close",
                    aria_label=_("End the session {label}").format(label=prop_text(one.label)),
                ).props("dense")

    async def _revoke(self, session: Session) -> None:
        await self._act(self._service.revoke(session.number, self._visitor.account_id), _("Session ended"))
        await self._show_sessions()

    async def _change_password(self) -> None:
        if self._new.value != self._again.value:
            show_error(_("The two new passwords differ"))
            return
        work = self._service.change_password(
            self._visitor, str(self._old.value or ""), str(self._new.value or ""), self._session
        )
        if await self._act(work, _("Password changed")):
            for field in (self._old, self._new, self._again):
                field.set_value("")
            await self._show_sessions()

    # ---- for owners

    async def _invite(self) -> None:
        with errors_shown():
            token = await self._service.invite(self._visitor, str(self._role.value))
            words = (
                _("For a new owner, shown only now:")
                if self._role.value == "owner"
                else _("For a new member, shown only now:")
            )
            self._show_link(words, token)

    async def _reset(self, account: Account) -> None:
        with errors_shown():
            token = await self._service.reset_link(self._visitor, account.id)
            self._show_link(_("For a new password of {name}, shown only now:").format(name=account.name), token)

    def _show_link(self, words: str, token: str) -> None:
        """Show a link once: only its digest is stored."""
        url = invite_url(self._base_url, token)

        async def copy() -> None:
            await copy_text(json.dumps(url), _("Copied"))

        self._link.clear()
        with self._link:
            ui.label(words)
            with ui.element("div").classes("tg-row"):
                ui.input(_("Link"), value=url).props("outlined dense readonly").style(
                    "flex: 1; min-width: 200px"
                ).mark("link")
                button(_("Copy"), copy, "content_copy")
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
                            ui.label(
                                _("disabled")
                                if account.is_disabled
                                else _("since {date}").format(date=day(account.created))
                            )
                    self._show_actions(account)

    def _show_actions(self, account: Account) -> None:
        is_me = account.id == self._visitor.account_id
        with ui.element("span").classes("tg-row").style("gap: 4px"):
            role = ui.select(
                _role_names(),
                value=account.role,
                on_change=partial(self._set_role, account),
            ).props("outlined dense options-dense")
            role.props["aria-label"] = _("Role of {name}").format(name=account.name)
            if is_me:
                role.disable()
                return
            button(_("New password"), partial(self._reset, account), "key").props("dense")
            button(_("Sign out"), partial(self._sign_out, account), "logout").props("dense")
            name = _("Enable") if account.is_disabled else _("Disable")
            button(name, partial(self._set_disabled, account), "block").props("dense")

    async def _set_role(self, account: Account, event: Any) -> None:
        await self._act(
            self._service.set_role(self._visitor, account.id, event.value),
            f"{account.name}: {_(_ROLES[event.value])}",
        )
        await self._show_accounts()

    async def _set_disabled(self, account: Account) -> None:
        question = _("Disable {name}? They are signed out everywhere. Their games and players stay.").format(
            name=account.name
        )
        if not account.is_disabled and not await confirm(question, _("Disable")):
            return
        await self._act(self._service.set_disabled(self._visitor, account.id, not account.is_disabled), _("Saved"))
        await self._show_accounts()

    async def _sign_out(self, account: Account) -> None:
        async def work() -> None:
            await self._service.check_owner(self._visitor)
            await self._service.revoke_all(account.id)

        await self._act(work(), _("{name} is signed out everywhere").format(name=account.name))

    async def _act(self, work: Any, words: str) -> bool:
        try:
            if await work is False:
                raise OptionError(mark("this session has already ended"))
        except TengenError as error:
            show_error(error)
            return False
        show_message(words)
        return True


def _role_names() -> dict[str, str]:
    return {name: _(_ROLES[name]) for name in ROLES}


def _password(label: str, complete: str) -> ui.input:
    field = ui.input(label, password=True, password_toggle_button=True)
    field.props(f'outlined dense autocomplete="{complete}"')
    return field


def register(sessions: GameSessions, service: AccountService) -> None:
    @add_page(sessions, "/accounts")
    async def accounts(visit: Visit) -> None:
        request = context.client.request
        with page(visit, _("Account"), "/accounts"):
            await AccountsPage(visit, service, request.state.session, str(request.base_url)).build()
