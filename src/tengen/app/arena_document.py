"""Results of the arena as one HTML file to print or share, and as JSON; and secret links to them."""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from html import escape
from pathlib import Path
from typing import Any

from tengen.app.arena_queue import RunView
from tengen.arena import plots
from tengen.core.folders import data_folder
from tengen.core.translation import gettext as _
from tengen.core.translation import mark, translate
from tengen.games.records.atomic_files import save as save_file

_STYLE = (
    "<style>.figures{display:flex;flex-wrap:wrap;gap:.6rem 2.2rem;margin:1rem 0}.figures b{display:block;"
    "font-size:1.15rem}.figures small,.quiet{opacity:.7}section{break-inside:avoid}"
    "section:last-of-type{break-inside:auto}h1{margin-bottom:.2rem}td,th{font-variant-numeric:tabular-nums}"
    "@media print{body{margin:0;max-width:none}}</style>"
)


@dataclass(frozen=True)
class PlayedPair:
    """The games of a pair, which share an opening. `points` are those of the first contestant, of `len(games)`."""

    contestants: tuple[str, ...]
    number: int
    games: tuple[dict[str, Any], ...]

    @property
    def points(self) -> float:
        return float(sum(game["points"] for game in self.games))

    @property
    def is_complete(self) -> bool:
        return len(self.games) == 2

    @property
    def has_fault(self) -> bool:
        return any(str(game["result"]).endswith(("+F", "+T")) for game in self.games)


def pairs_of(games: Iterable[dict[str, Any]]) -> list[PlayedPair]:
    """The games of a run in pairs, the newest first."""
    found: dict[tuple[tuple[str, ...], int], list[dict[str, Any]]] = {}
    for game in games:
        key = tuple(game["contestants"]), (game["number"] - 1) // 2
        found[key] = [*found.pop(key, ()), game]
    return [
        PlayedPair(contestants, pair + 1, tuple(sorted(both, key=lambda game: game["number"])))
        for (contestants, pair), both in reversed(found.items())
    ]


def to_html(view: RunView, games: Sequence[dict[str, Any]], address: str = "") -> str:
    """A self-contained page. With the address of a server, games are links to its analysis."""
    status = view.status
    state = _(view.state)
    head = [f'<p class="quiet">{escape(status.about)} · {escape(state)} · {escape(status.caption)}</p>']
    if view.note and view.state in ("finished", "failed"):
        head.append(f"<p><b>{escape(translate(view.note))}</b></p>")
    figures = "".join(
        f"<div><b>{escape(value)}</b><small>{escape(_(name))}</small></div>"
        for name, value in (() if view.is_empty else status.figures)
    )
    head.append(f'<div class="figures">{figures}</div>{_STYLE}')
    sections = [(_("Summary"), "".join(head))]
    if not view.is_empty:
        sections += [(_(name), html) for name, html in status.sections]
    if games:
        sections.append((_("Games"), _games_table(games, address)))
    return plots.document(status.name, sections)


def _games_table(games: Sequence[dict[str, Any]], address: str) -> str:
    rows = []
    for pair in reversed(pairs_of(games)):
        cells = [str(pair.number), " – ".join(pair.contestants), f"{pair.points:g}"]
        row = "".join(f"<td{kind}>{escape(cell)}</td>" for kind, cell in zip(("", _NAME, ""), cells, strict=True))
        for game in pair.games:
            text = escape(f"{game['players'][0]} – {game['players'][1]}: {game['result']}")
            row += f"<td{_NAME}>" + (
                f'<a href="{escape(address)}/analysis/{escape(str(game["id"]))}">{text}</a>' if address else text
            )
            row += "</td>"
        rows.append(f"<tr>{row}</tr>")
    heads = (mark("pair"), mark("players"), mark("points"), mark("first game"), mark("second game"))
    head = "".join(f"<th{_NAME}>{escape(_(one))}</th>" for one in heads)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>"


_NAME = ' class="name"'


def to_json(view: RunView, games: Sequence[dict[str, Any]]) -> bytes:
    """The result and all games as data for programs."""
    status = asdict(view.status)
    data = {name: status[name] for name in ("kind", "id", "name", "about", "game", "time", "done", "total")}
    plan = None if view.queued is None else view.queued.plan
    data |= {
        "state": view.state,
        "note": view.note,
        "plan": plan,
        "result": status["result"],
        "games": list(games),
    }
    return json.dumps(data, indent=1).encode()


# ---- links


def share(kind: str, identity: str) -> str:
    """The secret of the link to a run, made once."""
    links = _links()
    for token, place in links.items():
        if place == [kind, identity]:
            return token
    token = secrets.token_urlsafe(18)
    _save({**links, token: [kind, identity]})
    return token


def unshare(kind: str, identity: str) -> None:
    """Make the link to a run invalid."""
    links = _links()
    _save({token: place for token, place in links.items() if place != [kind, identity]})


def shared(token: str) -> tuple[str, str] | None:
    """The kind and id of the run that a link shows; None if it is not valid."""
    for known, (kind, identity) in _links().items():
        if secrets.compare_digest(known.encode(), token.encode("utf-8", "surrogatepass")):
            return kind, identity
    return None


def _file() -> Path:
    return data_folder() / "arena-links.json"


def _links() -> dict[str, list[str]]:
    try:
        found = json.loads(_file().read_bytes())
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _save(links: dict[str, list[str]]) -> None:
    save_file(_file(), json.dumps(links).encode())
