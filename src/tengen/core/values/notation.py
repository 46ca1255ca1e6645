"""Notation of values: formatting and parsing.

0  -3  5/8        numbers
*  *2             nimbers
^  vv  ^3  v3*    ups and downs, with a star or nimber: ^*, ^^*3; two may also be written ^2
1^  -2*           a number and an infinitesimal
+-1  ±{2|1}       a switch: {1|-1}; of a game, {G|-G}
tiny(2)  miny(2)  {0||0|-2} and its negative
{1|*}  {0,*|^}    options, none where a side is empty; {a||b|c} is {a|{b|c}}
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from fractions import Fraction

from tengen.core.errors import OptionError
from tengen.core.values.game_value import GameValue, ValueStore

MAX_TEXT_LENGTH = 2000  # of input
MAX_NESTING = 60
MAX_NAME_LENGTH = 1_000_000  # with braces; larger games are described by their size
MOST_HEAP = 100

MAX_DIGITS = 9  # of a number; larger ones are out of range anyway

_TOKEN = re.compile(r"\s*(\|+|[{},()*]|\^+|v+|[⇑⇓↑↓]|\+-|±|tiny|miny|\+|-|[0-9]+(?:/[0-9]+)?)")
_ARROWS = str.maketrans({"↑": "^", "↓": "v", "⇑": "^^", "⇓": "vv"})
_LOOPY = re.compile(r"\s*(on|off|over|under|dud|tis|tisn|upon|hi|lo)\b")


# ---- writing


def number_of(value: GameValue) -> Fraction | None:
    """The number equal to a value, or None."""
    known: dict[int, Fraction | None] = {}
    for form in value.positions():
        game = value.values.from_form(form)
        lefts, rights = game.left_options, game.right_options
        if len(lefts) > 1 or len(rights) > 1:
            known[form] = None
            continue
        left = known[lefts[0].form] if lefts else None
        right = known[rights[0].form] if rights else None
        if (lefts and left is None) or (rights and right is None):
            known[form] = None
        elif left is None and right is None:
            known[form] = Fraction(0)
        elif left is None or right is None:
            known[form] = left + 1 if left is not None else right - 1 if right is not None else None
        else:
            known[form] = (left + right) / 2 if left < right else None
    return known[value.form]


def name(value: GameValue) -> str:
    """The shortest known name, or the options in braces."""
    names = value.values.names
    if value.form not in names:
        names[value.form] = _fresh_name(value)
    return names[value.form]


def _fresh_name(value: GameValue) -> str:
    for attempt in (_simple, _switch, _tiny, _shifted):
        found = attempt(value)
        if found is not None:
            return found
    sides = [sorted(name(option) for option in side) for side in (value.left_options, value.right_options)]
    if sum(map(len, itertools.chain(*sides))) > MAX_NAME_LENGTH:  # nested names may double with each level
        return f"(a game of {len(value.positions())} positions)"
    return "{" + "|".join(",".join(side) for side in sides) + "}"


def _simple(value: GameValue) -> str | None:
    number = number_of(value)
    return str(number) if number is not None else _infinitesimal(value)


def _infinitesimal(value: GameValue) -> str | None:
    low, high, low_star, high_star = value.bounds
    if low is not None and low == high:
        return _ups(low)
    if low_star is not None and low_star == high_star:
        return _ups(low_star) + "*"
    heap = len(value.left_options)
    if 2 <= heap <= MOST_HEAP and set(value.left_options) == set(value.right_options):
        if value == value.values.nimber(heap):
            return f"*{heap}"
    if len(value.left_options) <= 8 and value.is_all_small:
        # The bounds of k up + *m differ from k by one: find a nimber that leaves a multiple of up.
        for heap in range(2, 9):
            rest = value + value.values.nimber(heap)
            low, high, _, _ = rest.bounds
            if low is not None and low == high:
                return f"{_ups(low)}*{heap}"
            if len(rest.left_options) > 12:
                break
    return None


def _ups(multiple: int) -> str:
    if multiple == 0:
        return ""
    arrow = "^" if multiple > 0 else "v"
    return arrow * abs(multiple) if abs(multiple) <= 2 else f"{arrow}{abs(multiple)}"


def _switch(value: GameValue) -> str | None:
    if len(value.left_options) == 1 and -value == value:
        option = name(value.left_options[0])
        return f"±{option}"
    return None


def _tiny(value: GameValue) -> str | None:
    for sign, game in (("tiny", value), ("miny", -value)):
        lefts, rights = game.left_options, game.right_options
        if len(lefts) == len(rights) == 1 and lefts[0] == 0:
            inner = rights[0]
            if len(inner.left_options) == len(inner.right_options) == 1 and inner.left_options[0] == 0:
                cost = -inner.right_options[0]
                if cost > 0:
                    return f"{sign}({name(cost)})"
    return None


def _shifted(value: GameValue) -> str | None:
    """A number plus a named infinitesimal."""
    from tengen.core.values.thermograph import stops

    left, right = stops(value)
    if left != right or left == 0:
        return None
    rest = _infinitesimal(value - left)
    return None if rest is None else f"{left}{rest}"


# ---- reading


def read(values: ValueStore, text: str) -> GameValue:
    """Parse a value."""
    if len(text) > MAX_TEXT_LENGTH:
        raise OptionError(f"a game should have at most {MAX_TEXT_LENGTH} characters, not {len(text)}")
    tokens = []
    place = 0
    stripped = text.rstrip()
    while place < len(stripped):
        match = _TOKEN.match(stripped, place)
        if match is None:
            loopy = _LOOPY.match(stripped, place)
            if loopy is not None:
                raise OptionError(
                    f"{loopy[1]!r} is a loopy game: only games in which play always ends are supported"
                )
            raise OptionError(f"{shortened(text[place:])} cannot be read; a game is {EXAMPLES}")
        if any(len(digits) > MAX_DIGITS for digits in match[1].split("/") if digits.isdigit()):
            raise OptionError(f"the number {match[1]} is too large: numbers are up to 1000")
        tokens.append(match[1].translate(_ARROWS))
        place = match.end()
    reader = _Reader(values, tokens, text.strip())
    value = reader.total(0)
    if reader.tokens:
        raise reader.trouble()
    return value


EXAMPLES = "written as 3/4, ^^* or {1|*}"


def shortened(text: str, limit: int = 40) -> str:
    """Text to quote in a message, with an ellipsis if it is cut."""
    text = text.strip()
    return repr(text if len(text) <= limit else f"{text[:limit]}…")


class _Reader:
    """Recursive-descent parser."""

    def __init__(self, values: ValueStore, tokens: list[str], text: str) -> None:
        self.values = values
        self.tokens = tokens[::-1]
        self.text = text

    def trouble(self) -> OptionError:
        where = f"at {self.tokens[-1]!r}" if self.tokens else "at its end"
        return OptionError(f"{shortened(self.text)} cannot be read {where}; a game is {EXAMPLES}")

    def peek(self) -> str:
        return self.tokens[-1] if self.tokens else ""

    def take(self, *expected: str) -> str:
        if not self.tokens or (expected and self.tokens[-1] not in expected):
            raise self.trouble()
        return self.tokens.pop()

    def total(self, depth: int) -> GameValue:
        """Terms separated by plus and minus."""
        value = self.term(depth)
        while self.peek() in ("+", "-"):
            sign = self.take()
            term = self.term(depth)
            value = value + term if sign == "+" else value - term
        return value

    def term(self, depth: int) -> GameValue:
        if depth > MAX_NESTING:
            raise OptionError(f"{shortened(self.text)} is nested more than {MAX_NESTING} deep")
        token = self.peek()
        if token == "-":
            self.take()
            return -self.term(depth + 1)
        if token in ("±", "+-"):
            self.take()
            option = self.term(depth + 1)
            return self.values.game([option], [-option])
        if token in ("tiny", "miny"):
            self.take()
            self.take("(")
            cost = self.total(depth + 1)
            self.take(")")
            zero = self.values.zero
            value = self.values.game([zero], [self.values.game([zero], [-cost])])
            return value if token == "tiny" else -value
        if token == "(":
            self.take()
            value = self.total(depth + 1)
            self.take(")")
            return value
        if token == "{":
            return self.braces(depth + 1)
        return self.compact()

    def compact(self) -> GameValue:
        """A number, ups and a nimber without separators."""
        value = self.values.zero
        found = False
        if self.peek()[:1].isdigit():
            numerator, _, denominator = self.take().partition("/")
            if denominator and int(denominator) == 0:
                raise self.trouble()
            value = self.values.number(Fraction(int(numerator), int(denominator or 1)))
            found = True
        if self.peek()[:1] in ("^", "v"):
            arrows = self.take()
            count = len(arrows) if len(arrows) > 1 else self.count(1)
            value = value + self.values.up(count if arrows[0] == "^" else -count)
            found = True
        if self.peek() == "*":
            self.take()
            value = value + self.values.nimber(self.count(1))
            found = True
        if not found:
            raise self.trouble()
        return value

    def count(self, default: int) -> int:
        if self.peek().isdigit():
            return int(self.take())
        return default

    def braces(self, depth: int) -> GameValue:
        self.take("{")
        value = self.slashes(depth)
        self.take("}")
        return value

    def slashes(self, depth: int) -> GameValue:
        """Options separated by the longest run of bars, which binds weakest: {a||b|c} is {a|{b|c}}."""
        widest = max(self.bars(), key=len, default="")
        if not widest:
            raise self.trouble()
        return self.halves(widest, depth)

    def bars(self) -> Iterator[str]:
        """The bars up to the end of the innermost braces, without those in further braces."""
        level = 0
        for token in reversed(self.tokens):
            if token == "{":
                level += 1
            elif token == "}":
                if level == 0:
                    return
                level -= 1
            elif level == 0 and token[0] == "|":
                yield token

    def halves(self, bar: str, depth: int) -> GameValue:
        if depth > MAX_NESTING:
            raise OptionError(f"{shortened(self.text)} is nested more than {MAX_NESTING} deep")
        left = self.side(bar, depth)
        self.take(bar)
        right = self.side(bar, depth)
        return self.values.game(left, right)

    def side(self, bar: str, depth: int) -> list[GameValue]:
        """The options on one side of a bar; if it contains a shorter bar, it is a single game."""
        inner = max(itertools.takewhile(lambda token: len(token) < len(bar), self.bars()), key=len, default="")
        if inner:
            return [self.halves(inner, depth + 1)]
        if self.peek() in ("}", bar, ""):
            return []
        options = [self.total(depth)]
        while self.peek() == ",":
            self.take()
            options.append(self.total(depth))
        return options
