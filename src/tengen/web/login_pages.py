"""Pages shown before authentication: self-contained HTML, because no other file is served yet.

All text from outside is escaped here.
"""

from __future__ import annotations

from html import escape

from tengen.core.translation import gettext as _
from tengen.core.translation import language
from tengen.web.icons import BRAND

_PAGE = """<!doctype html>
<html lang="{language}"><head><meta charset="utf-8"><title>{title} · Tengen</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><link rel="icon" href="data:,">
<style>
:root {{ --page: #f3f2ee; --card: #fff; --ink: #23262b; --soft: #5c6169; --edge: #dedbd3; --line: #8b8f96;
  --accent: #2a6fbb; --on-accent: #fff; --wrong: #b3480a; color-scheme: light dark; }}
@media (prefers-color-scheme: dark) {{ :root {{ --page: #16181c; --card: #20242a; --ink: #e6e4df; --soft: #a6adb7;
  --edge: #343a43; --line: #7d8590; --accent: #6aa9ea; --on-accent: #10151b; --wrong: #f0a04b; }} }}
* {{ box-sizing: border-box; }}
body {{ margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 16px; background: var(--page);
  color: var(--ink); font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }}
main {{ width: 100%; max-width: 380px; background: var(--card); border: 1px solid var(--edge); border-radius: 12px;
  padding: 28px 24px; }}
.brand {{ display: flex; align-items: center; gap: 8px; font-weight: 700; margin-bottom: 18px; }}
.brand svg {{ width: 28px; height: 28px; }}
h1 {{ font-size: 1.35rem; line-height: 1.25; margin: 0 0 6px; }}
p {{ margin: 0 0 12px; color: var(--soft); }}
form {{ display: grid; gap: 14px; margin-top: 16px; }}
label {{ display: grid; gap: 4px; font-weight: 600; }}
input {{ font: inherit; font-weight: 400; width: 100%; padding: 10px 12px; border-radius: 8px;
  border: 1px solid var(--line);
  background: var(--page); color: var(--ink); min-height: 46px; }}
small {{ color: var(--soft); font-weight: 400; }}
button {{ font: inherit; font-weight: 600; min-height: 46px; padding: 10px; border-radius: 8px; border: 0;
  background: var(--accent); color: var(--on-accent); cursor: pointer; }}
:focus-visible {{ outline: 3px solid var(--accent); outline-offset: 2px; }}
.wrong {{ color: var(--wrong); font-weight: 600; margin: 12px 0 0; }}
a {{ color: var(--accent); }}
</style></head><body><main>
<div class="brand">{brand}<span>Tengen</span></div>
<h1>{title}</h1>{content}
</main></body></html>"""


def token_page(target: str, problem: str = "") -> str:
    """Ask for the token that all visitors share."""
    fields = _field(
        _("Token"), "token", "password", "current-password", hint=_("The server printed it when it started.")
    )
    return _form(_("Sign in"), "", "/login", fields, _("Sign in"), problem, target)


def login_page(target: str, problem: str = "", name: str = "") -> str:
    """Ask for name and password."""
    fields = _field(_("Name"), "name", "text", "username", name, focus=not name)
    fields += _field(_("Password"), "password", "password", "current-password", focus=bool(name))
    about = _("No account? Ask the owner of this server for an invitation.")
    return _form(_("Sign in"), about, "/login", fields, _("Sign in"), problem, target)


def invitation_page(path: str, role: str, min_length: int, problem: str = "", name: str = "") -> str:
    """Ask an invited user for a name and a password."""
    about = (
        _("You will be the owner of this server: you invite others and manage accounts.")
        if role == "owner"
        else _("Choose a player name and a password.")
    )
    fields = _field(_("Name"), "name", "text", "username", name, focus=True)
    fields += _new_password(min_length)
    return _form(_("Create your account"), about, path, fields, _("Create account"), problem)


def new_password_page(path: str, name: str, min_length: int, problem: str = "") -> str:
    """Ask the user of an account for a new password."""
    hidden = f'<input type="hidden" name="name" autocomplete="username" value="{escape(name)}">'
    about = _("For the account “{name}”. All devices will have to sign in again.").format(name=name)
    return _form(
        _("Set a new password"), about, path, hidden + _new_password(min_length), _("Save password"), problem
    )


def message_page(title: str, text: str, link: tuple[str, str] | None = None) -> str:
    """A message with a link, by default to the home page."""
    link = link or ("/", _("Back to the home page"))
    content = f"<p>{escape(text)}</p>" + f'<a href="{escape(link[0])}">{escape(link[1])}</a>'
    return _PAGE.format(language=language(), title=escape(title), brand=BRAND, content=content)


def _new_password(min_length: int) -> str:
    hint = _("At least {count} characters. A few unrelated words work well.").format(count=min_length)
    first = _field(_("Password"), "password", "password", "new-password", hint=hint, min_length=min_length)
    return first + _field(_("Repeat the password"), "again", "password", "new-password", min_length=min_length)


def _field(
    label: str,
    name: str,
    kind: str,
    complete: str,
    value: str = "",
    *,
    hint: str = "",
    focus: bool = False,
    min_length: int = 0,
) -> str:
    more = " autofocus" if focus else ""
    more += f' minlength="{min_length}"' if min_length else ""
    more += ' autocapitalize="none" spellcheck="false"' if kind == "text" else ""
    note = f"<small>{escape(hint)}</small>" if hint else ""
    return (
        f'<label>{escape(label)}<input name="{name}" type="{kind}" autocomplete="{complete}" '
        f'value="{escape(value)}" maxlength="1000" required{more}>{note}</label>'
    )


def _form(title: str, about: str, action: str, fields: str, button: str, problem: str, target: str = "") -> str:
    content = f"<p>{escape(about)}</p>" if about else ""
    if problem:
        content += f'<p class="wrong" role="alert">{escape(problem)}</p>'
    hidden = f'<input type="hidden" name="to" value="{escape(target)}">' if target else ""
    content += (
        f'<form method="post" action="{escape(action)}">{fields}{hidden}<button>{escape(button)}</button></form>'
    )
    return _PAGE.format(language=language(), title=escape(title), brand=BRAND, content=content)
