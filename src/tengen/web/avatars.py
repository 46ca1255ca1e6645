"""Pictures of the built-in opponents: our own drawings, each composed of a few shapes on a coloured disc.

They contain no text from users, so they can be inserted into pages as they are. Their discs stand out from light
and from dark pages. The style `tg-avatar` makes the discs round.
"""

from __future__ import annotations

import functools

_INK = "#2b2a33"
_WHITE = "#ffffff"
UNKNOWN = "robot"  # the picture of engines without one of their own


def avatar_svg(key: str) -> str:
    """The picture with this name as SVG of any size; that of a robot if there is none."""
    return _drawing(key if key in _DRAWINGS else UNKNOWN)


def avatar_names() -> tuple[str, ...]:
    return tuple(_DRAWINGS)


@functools.cache
def _drawing(key: str) -> str:
    background, shapes = _DRAWINGS[key]
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 96 96" class="tg-avatar" aria-hidden="true">'
        f'<rect width="96" height="96" fill="{background}"/>{shapes}</svg>'
    )


def _circle(x: float, y: float, r: float, fill: str, more: str = "") -> str:
    return f'<circle cx="{x:g}" cy="{y:g}" r="{r:g}" fill="{fill}"{more}/>'


def _ellipse(x: float, y: float, rx: float, ry: float, fill: str, turn: float = 0) -> str:
    turned = f' transform="rotate({turn:g} {x:g} {y:g})"' if turn else ""
    return f'<ellipse cx="{x:g}" cy="{y:g}" rx="{rx:g}" ry="{ry:g}" fill="{fill}"{turned}/>'


def _path(path: str, fill: str = "none", stroke: str = "", width: float = 3) -> str:
    line = f' stroke="{stroke}" stroke-width="{width:g}" stroke-linecap="round" stroke-linejoin="round"'
    return f'<path d="{path}" fill="{fill}"{line if stroke else ""}/>'


def _eyes(y: float, distance: float, r: float = 5, middle: float = 48) -> str:
    """Two dark eyes with a highlight."""
    return "".join(
        _circle(x, y, r, _INK) + _circle(x + r / 3, y - r / 3, r / 3, _WHITE)
        for x in (middle - distance, middle + distance)
    )


def _smile(y: float, width: float = 8, middle: float = 48) -> str:
    return _path(f"M{middle - width:g} {y:g} q{width:g} {width:g} {2 * width:g} 0", stroke=_INK)


def _snail() -> str:
    return (
        '<g transform="translate(0 6) scale(.9)">'
        + _path("M14 84 q4 -22 22 -22 h34 q4 0 6 -6 l4 -18 q2 -8 8 -4 q6 5 3 16 l-4 20 q-3 14 -16 14 z", "#f2d3a0")
        + _path("M79 36 l-5 -14 M87 37 l4 -14", stroke="#f2d3a0", width=4)
        + _circle(74, 21, 4, _INK)
        + _circle(91, 22, 4, _INK)
        + _circle(41, 50, 26, "#b5651d")
        + _circle(41, 50, 19, "#d98a3d")
        + _path("M41 50 m0 -1 a5 5 0 1 1 -5 6 a10 10 0 1 1 15 -13 a15 15 0 1 1 -22 16", stroke="#8a4610", width=4)
        + _path("M80 62 q-4 4 -9 2", stroke=_INK)
        + "</g>"
    )


def _chick() -> str:
    return (
        _ellipse(48, 84, 30, 26, "#ffd84d")
        + _circle(48, 50, 28, "#ffe27a")
        + _path("M44 24 q-4 -12 6 -14 q-2 6 0 8 q4 -6 9 -3 q-6 3 -7 10 z", "#ffc21a")
        + _path("M38 54 h20 l-10 12 z", "#ff8f1f")
        + _path("M38 54 q10 -8 20 0 z", "#ffa94d")
        + _eyes(45, 13)
        + _circle(28, 56, 5, "#ffb199")
        + _circle(68, 56, 5, "#ffb199")
    )


def _mouse() -> str:
    return (
        _circle(22, 34, 18, "#9aa3b5")
        + _circle(74, 34, 18, "#9aa3b5")
        + _circle(22, 34, 11, "#f4b6c2")
        + _circle(74, 34, 11, "#f4b6c2")
        + _path("M48 30 q30 0 30 26 q0 14 -30 30 q-30 -16 -30 -30 q0 -26 30 -26 z", "#b4bccb")
        + _eyes(54, 14)
        + _circle(48, 76, 6, "#e8788f")
        + _path("M34 72 l-16 -3 M34 76 l-15 5 M62 72 l16 -3 M62 76 l15 5", stroke="#6c7487", width=2)
    )


def _rabbit() -> str:
    return (
        _ellipse(33, 26, 10, 26, "#f4efe8", -8)
        + _ellipse(63, 26, 10, 26, "#f4efe8", 8)
        + _ellipse(33, 28, 5, 18, "#f3a9b5", -8)
        + _ellipse(63, 28, 5, 18, "#f3a9b5", 8)
        + _circle(48, 62, 29, "#fffaf3")
        + _eyes(57, 13)
        + _path("M43 66 h10 l-5 6 z", "#e8788f")
        + _path("M48 72 v5 M48 77 q-5 5 -9 1 M48 77 q5 5 9 1", stroke=_INK, width=2.5)
        + _circle(28, 68, 5, "#fbc9cf")
        + _circle(68, 68, 5, "#fbc9cf")
    )


def _frog() -> str:
    return (
        _circle(29, 32, 15, "#58b65a")
        + _circle(67, 32, 15, "#58b65a")
        + _ellipse(48, 60, 37, 30, "#6ac96c")
        + _ellipse(48, 78, 24, 14, "#c9efb5")
        + _circle(29, 30, 9, _WHITE)
        + _circle(67, 30, 9, _WHITE)
        + _circle(30, 31, 5, _INK)
        + _circle(66, 31, 5, _INK)
        + _path("M22 58 q26 22 52 0", stroke="#23622a", width=3.5)
        + _circle(42, 50, 1.8, "#23622a")
        + _circle(54, 50, 1.8, "#23622a")
    )


def _cat() -> str:
    return (
        _path("M18 14 l24 18 l-24 22 z M78 14 l-24 18 l24 22 z", "#f0a24a")
        + _path("M22 22 l12 10 l-12 12 z M74 22 l-12 10 l12 12 z", "#f7c6b8")
        + _ellipse(48, 56, 33, 29, "#f6b45f")
        + _path("M48 27 v12 M39 28 l2 10 M57 28 l-2 10", stroke="#c9752a", width=4)
        + _ellipse(48, 71, 17, 12, "#fff1dd")
        + _ellipse(34, 54, 6, 7, "#3f7d4e")
        + _ellipse(62, 54, 6, 7, "#3f7d4e")
        + _ellipse(34, 54, 2.2, 6, _INK)
        + _ellipse(62, 54, 2.2, 6, _INK)
        + _path("M44 65 h8 l-4 5 z", "#d9566b")
        + _path("M48 70 q-5 7 -10 3 M48 70 q5 7 10 3", stroke=_INK, width=2.5)
        + _path("M24 66 l-14 -3 M24 71 l-14 3 M72 66 l14 -3 M72 71 l14 3", stroke="#8a4f1b", width=2)
    )


def _fox() -> str:
    return (
        _path("M14 12 l26 20 l-22 24 z M82 12 l-26 20 l22 24 z", "#d9541e")
        + _path("M20 22 l12 10 l-10 12 z M76 22 l-12 10 l10 12 z", _INK)
        + _path("M48 26 q24 0 36 30 q-16 8 -36 34 q-20 -26 -36 -34 q12 -30 36 -30 z", "#f06c2e")
        + _path("M12 56 q20 -4 29 10 q4 8 7 24 q-20 -26 -36 -34 z", "#fff4ea")
        + _path("M84 56 q-20 -4 -29 10 q-4 8 -7 24 q20 -26 36 -34 z", "#fff4ea")
        + _eyes(54, 15, 4.5)
        + _circle(48, 85, 6, _INK)
    )


def _bear() -> str:
    return (
        _circle(22, 28, 14, "#7a4a2a")
        + _circle(74, 28, 14, "#7a4a2a")
        + _circle(22, 28, 7, "#c58d62")
        + _circle(74, 28, 7, "#c58d62")
        + _ellipse(48, 56, 35, 33, "#8d5a36")
        + _ellipse(48, 68, 18, 15, "#e2b88d")
        + _eyes(50, 15)
        + _ellipse(48, 62, 7, 5, _INK)
        + _path("M48 66 v6 M48 72 q-6 6 -11 1 M48 72 q6 6 11 1", stroke=_INK, width=2.5)
    )


def _owl() -> str:
    return (
        _path("M16 18 q12 4 20 10 h24 q8 -6 20 -10 q0 14 -4 24 v26 c0 35 -56 35 -56 0 v-26 q-4 -10 -4 -24",
              "#6d5a8c")
        + _ellipse(48, 76, 19, 22, "#b9a7d6")
        + _path("M38 70 l4 5 l4 -5 M50 70 l4 5 l4 -5 M44 80 l4 5 l4 -5", stroke="#6d5a8c", width=2.5)
        + _circle(33, 46, 16, "#f4ecd8")
        + _circle(63, 46, 16, "#f4ecd8")
        + _circle(33, 46, 9.5, "#f2b134")
        + _circle(63, 46, 9.5, "#f2b134")
        + _circle(34, 46, 5, _INK)
        + _circle(62, 46, 5, _INK)
        + _path("M42 54 h12 l-6 12 z", "#e3892b")
    )  # fmt: skip


def _dragon() -> str:
    return (
        _path("M24 30 q-14 -8 -12 -24 q12 4 22 18 z M72 30 q14 -8 12 -24 q-12 4 -22 18 z", "#f2d38a")
        + _path("M40 22 l8 -16 l8 16 z", "#1d6f6a")
        + _path("M18 44 l-12 4 l10 10 z M78 44 l12 4 l-10 10 z", "#1d6f6a")
        + _path("M48 18 q32 0 32 30 q0 12 -10 18 q4 22 -22 22 q-26 0 -22 -22 q-10 -6 -10 -18 q0 -30 32 -30 z",
                "#2f9c8f")
        + _ellipse(48, 72, 19, 13, "#8fd8c8")
        + _circle(41, 68, 2.6, "#1d5f59")
        + _circle(55, 68, 2.6, "#1d5f59")
        + _path("M36 77 q12 8 24 0", stroke="#1d5f59")
        + _path("M39 78 l3 6 l3 -5 M51 79 l3 5 l3 -6", _WHITE)
        + _ellipse(33, 47, 8, 9, "#fff3c4")
        + _ellipse(63, 47, 8, 9, "#fff3c4")
        + _ellipse(34, 48, 2.6, 8, _INK)
        + _ellipse(62, 48, 2.6, 8, _INK)
        + _path("M22 36 l18 5 M74 36 l-18 5", stroke="#1d5f59", width=4)
    )  # fmt: skip


def _robot() -> str:
    return (
        _path("M48 10 v14", stroke="#5b6472", width=4)
        + _circle(48, 10, 6, "#f2b134")
        + '<rect x="20" y="24" width="56" height="46" rx="12" fill="#c9d2de"/>'
        + '<rect x="28" y="34" width="40" height="20" rx="10" fill="#2b2a33"/>'
        + _circle(38, 44, 5, "#7fd6ff")
        + _circle(58, 44, 5, "#7fd6ff")
        + _path("M38 62 h20", stroke="#5b6472", width=4)
        + '<rect x="30" y="74" width="36" height="26" rx="8" fill="#aab5c4"/>'
    )


_DRAWINGS: dict[str, tuple[str, str]] = {
    "snail": ("#a9d8b8", _snail()),
    "chick": ("#8ecae6", _chick()),
    "mouse": ("#f3d9a4", _mouse()),
    "rabbit": ("#b7a3d9", _rabbit()),
    "frog": ("#f7c8a0", _frog()),
    "cat": ("#7fb7be", _cat()),
    "fox": ("#9fc5e8", _fox()),
    "bear": ("#c3d898", _bear()),
    "owl": ("#f1b6a4", _owl()),
    "dragon": ("#f0cf65", _dragon()),
    "robot": ("#8fa3bf", _robot()),
}
