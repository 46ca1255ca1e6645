"""Small SVG drawings: the games, the logo, the icons of the navigation."""

from __future__ import annotations

_BLACK, _WHITE = "#1b1e23", "#f7f5ef"


def _disc(x: float, y: float, radius: float, colour: str) -> str:
    return f'<circle cx="{x}" cy="{y}" r="{radius}" fill="{colour}" stroke="#0005" stroke-width=".6"/>'


def _board(fill: str, ink: str, lines: str, radius: float, stones: list[tuple[int, int, int]]) -> str:
    discs = "".join(_disc(x, y, radius, (_BLACK, _WHITE)[colour]) for x, y, colour in stones)
    return f'<rect width="96" height="96" fill="{fill}"/><path d="{lines}" stroke="{ink}" fill="none"/>{discs}'


_CROSSINGS = "".join(f"M{8 + 16 * i} 4V92M4 {8 + 16 * i}H92" for i in range(6))
_SQUARES = "".join(f"M{24 * i} 0V96M0 {24 * i}H96" for i in range(5))


def _go() -> str:
    stones = [(24, 56, 0), (40, 40, 1), (56, 40, 0), (56, 56, 1), (40, 72, 0), (72, 24, 1), (24, 24, 0)]
    return _board("#e4b869", "#6a4a17", _CROSSINGS, 7.4, stones)


def _othello() -> str:
    stones = [(36, 36, 1), (60, 36, 0), (36, 60, 0), (60, 60, 1), (84, 36, 0), (36, 84, 1)]
    return _board("#2f8a5b", "#1d5c3c", _SQUARES, 9.5, stones)


def _pente() -> str:
    stones = [(8 + 16 * i, 88 - 16 * i, 0) for i in range(5)] + [(56, 56, 1), (40, 72, 1), (72, 56, 1)]
    return _board("#cda76c", "#5c431d", _CROSSINGS, 7.2, stones)


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

_LINES = {  # paths on a grid of 24 units, drawn as lines
    "play": "M7 4.5v15l12-7.5z",
    "learn": "M12 5 2.5 9.5 12 14l9.5-4.5zM6 11.5V16c0 1.2 2.7 3 6 3s6-1.8 6-3v-4.5M21.5 9.5V15",
    "analyse": "M3.5 20.5h17M4 16l5-5.5 4 3.5 7-8.5M16 5.5h4v4",
    "library": "M5 4v16M9.5 4v16M14 4.5l4.5 15.5M3 20h18M3 4h8.5",
    "more": "M4 7h16M4 12h16M4 17h16",
    "settings": "M4 7h9M17 7h3M4 17h3M11 17h9M15 7m-2.2 0a2.2 2.2 0 1 0 4.400 0a2.2 2.2 0 1 0-4.400 0"
    "M9 17m-2.2 0a2.2 2.2 0 1 0 4.400 0a2.2 2.2 0 1 0-4.400 0",
}


def navigation_icon(name: str) -> str:
    """An icon in the colour of the text; a font of icons would be the largest file of the first page."""
    return (
        '<svg viewBox="0 0 24 24" aria-hidden="true" fill="none" stroke="currentColor" stroke-width="1.8" '
        f'stroke-linecap="round" stroke-linejoin="round"><path d="{_LINES[name]}"/></svg>'
    )
