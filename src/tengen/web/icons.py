"""Small SVG drawings of the games, for tiles and the logo."""

from __future__ import annotations

_BLACK, _WHITE = "#1b1e23", "#f7f5ef"


def _disc(x: float, y: float, radius: float, colour: str) -> str:
    return f'<circle cx="{x}" cy="{y}" r="{radius}" fill="{colour}" stroke="#0005" stroke-width=".6"/>'


def _go() -> str:
    lines = "".join(f"M{8 + 16 * i} 4V92M4 {8 + 16 * i}H92" for i in range(6))
    stones = [(24, 56, 0), (40, 40, 1), (56, 40, 0), (56, 56, 1), (40, 72, 0), (72, 24, 1), (24, 24, 0)]
    discs = "".join(_disc(x, y, 7.4, (_BLACK, _WHITE)[colour]) for x, y, colour in stones)
    return f'<rect width="96" height="96" fill="#e4b869"/><path d="{lines}" stroke="#6a4a17" fill="none"/>{discs}'


def _othello() -> str:
    lines = "".join(f"M{24 * i} 0V96M0 {24 * i}H96" for i in range(5))
    stones = [(36, 36, 1), (60, 36, 0), (36, 60, 0), (60, 60, 1), (84, 36, 0), (36, 84, 1)]
    discs = "".join(_disc(x, y, 9.5, (_BLACK, _WHITE)[colour]) for x, y, colour in stones)
    return f'<rect width="96" height="96" fill="#2f8a5b"/><path d="{lines}" stroke="#1d5c3c" fill="none"/>{discs}'


def _pente() -> str:
    lines = "".join(f"M{8 + 16 * i} 4V92M4 {8 + 16 * i}H92" for i in range(6))
    stones = [(8 + 16 * i, 88 - 16 * i, 0) for i in range(5)] + [(56, 56, 1), (40, 72, 1), (72, 56, 1)]
    discs = "".join(_disc(x, y, 7.2, (_BLACK, _WHITE)[colour]) for x, y, colour in stones)
    return f'<rect width="96" height="96" fill="#cda76c"/><path d="{lines}" stroke="#5c431d" fill="none"/>{discs}'


def _clobber() -> str:
    cells = "".join(
        f'<rect x="{24 * c}" y="{24 * r}" width="24" height="24" fill="{("#d9d3c5", "#cbc3b1")[(r + c) % 2]}"/>'
        for r in range(4)
        for c in range(4)
    )
    gone = {(0, 3), (2, 1), (3, 3), (1, 0)}
    discs = "".join(
        _disc(12 + 24 * c, 12 + 24 * r, 8.6, (_BLACK, _WHITE)[(r + c) % 2])
        for r in range(4)
        for c in range(4)
        if (r, c) not in gone
    )
    return cells + discs


_DRAWINGS = {"go": _go, "othello": _othello, "pente": _pente, "clobber": _clobber}


def drawing(game: str) -> str:
    """A board of the game as SVG; unknown games get a plain one."""
    inner = _DRAWINGS[game]() if game in _DRAWINGS else '<rect width="96" height="96" fill="#b9c4d0"/>'
    return f'<svg viewBox="0 0 96 96" aria-hidden="true">{inner}</svg>'


BRAND = (
    '<svg viewBox="0 0 32 32" aria-hidden="true"><rect width="32" height="32" rx="7" fill="#e4b869"/>'
    '<path d="M16 3V29M3 16H29" stroke="#6a4a17" stroke-width="1.6"/>'
    '<circle cx="16" cy="16" r="8.2" fill="#15181c"/>'
    '<circle cx="13.4" cy="13" r="2" fill="#fff" opacity=".35"/></svg>'
)
