"""The input language: sums of positions from different games and of values.

    clobber XOXO/OXOX + domineering ..../.... - ^*          terms joined by plus and minus
    [clobber] XOXO (XO)^12 [domineering] ..|.. [value] 1/2 ^*   sections, as in MCGS's test files

Files hold many sums, each with questions in braces: who wins moving first (`{B win, W}`), the nim value (`{N 3}`),
or all winning moves (`{winning moves B 1-2}`). Comments are `/* … */`, or `#` to the end of a line after a blank.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from tengen.core.errors import PositionError
from tengen.core.values.notation import shortened
from tengen.games.rulesets import RULESETS, Board, Ruleset, ruleset
from tengen.games.rulesets.repeats import expand_repeats

MAX_TERMS = 1000
MAX_REPEATS = 10_000

_COMMENT = re.compile(r"/\*.*?\*/|(?:(?<=\s)|^)#(?=\s)[^\n]*", re.DOTALL | re.MULTILINE)
_TOKEN = re.compile(r"\s*(\[[^\]]*\]|\{|\([^()]*\)(?:\s*\^\s*-?[0-9]+)?|[^\s\[\]{}()]+|.)", re.DOTALL)
_BOARD = re.compile(r"[XO#]|\b[xo]+\b|\.\.")  # occurs in boards, not in values
_COMMAND = re.compile(r"\s*(version|thermograph|winning|[BWXOLRN]\b|\})", re.IGNORECASE)
_VALUE_SECTIONS = ("value", "integer_game", "dyadic_rational", "up_star", "switch_game", "nimber")
_ALIASES = {"clobber_1xn": "clobber", "nogo_1xn": "nogo", "toads": "toads_and_frogs"}
_PLAYERS = {"b": "X", "x": "X", "l": "X", "w": "O", "o": "O", "r": "O", "n": "N"}


@dataclass(frozen=True)
class Term:
    """One term of a sum: a position, or a value as text."""

    ruleset: Ruleset | None = None
    board: Board | None = None
    value: str = ""

    def __str__(self) -> str:
        return self.value if self.ruleset is None else f"{self.ruleset.name} {self.board}"

    def negative(self) -> Term:
        if self.ruleset is None or self.board is None:
            return Term(value=f"-({self.value})")
        return Term(self.ruleset, self.ruleset.negative(self.board))


@dataclass(frozen=True)
class Question:
    """Who wins if `player` (X or O) begins? With N: the nim value. With `moves`: all winning moves."""

    player: str
    expected: str = ""
    moves: bool = False


@dataclass(frozen=True)
class Case:
    """A sum of a file with its questions."""

    terms: tuple[Term, ...]
    questions: tuple[Question, ...]
    line: int = 0

    def __str__(self) -> str:
        return write_sum(self.terms)


@dataclass
class _Section:
    name: str = ""
    is_value: bool = False
    ruleset: Ruleset | None = None
    toads: bool = field(default=False)


def write_sum(terms: tuple[Term, ...]) -> str:
    """A sum in the first form."""
    return " + ".join(map(str, terms)) or "0"


def read_sum(text: str) -> tuple[Term, ...]:
    """Parse one sum, in either form. Raises `PositionError`."""
    text = _COMMENT.sub(" ", text).strip()
    if not text:
        raise PositionError("the sum is empty: write, for example, clobber XOXO + domineering ../..")
    if "[" in text:
        cases = read_cases(text)
        if len(cases) != 1:
            raise PositionError(f"expected one sum, found {len(cases)}")
        return cases[0].terms
    terms = [term for sign, part in _signed_parts(text) for term in _named_term(part, sign)]
    return _checked(terms)


def _signed_parts(text: str) -> Iterator[tuple[str, str]]:
    """The parts between plus and minus signs that stand alone, outside brackets."""
    depth, begin, sign = 0, 0, "+"
    for place, symbol in enumerate(text):
        depth += (symbol in "({") - (symbol in ")}")
        alone = text[place - 1 : place + 2].strip() == symbol and place > 0
        if symbol in "+-" and depth == 0 and alone:
            yield sign, text[begin:place]
            begin, sign = place + 1, symbol
    yield sign, text[begin:]


def _named_term(part: str, sign: str) -> list[Term]:
    words = part.split(maxsplit=1)
    if not words:
        raise PositionError("a term is missing beside a plus or minus sign")
    name = words[0].lower()
    if name == "impartial" and len(words) > 1:
        second = words[1].split(maxsplit=1)
        name, words = f"impartial {second[0].lower()}", ["", *second[1:]]
    section = _find_section(name)
    if section is None:
        section, rest = _Section("value", is_value=True), part.strip()
        if _BOARD.search(rest):
            raise PositionError(
                f"{shortened(rest)} begins with neither a game nor a value: write, for example, clobber (XO)^3"
            )
    elif len(words) < 2:
        raise PositionError(f"{name}: the board is missing")
    else:
        rest = words[1]
    terms = [_value_term(section, rest)] if section.is_value else list(_board_terms(section, rest.strip()))
    return terms if sign == "+" else [term.negative() for term in terms]


def _find_section(name: str) -> _Section | None:
    """What a section's name means; None if it is not the name of a game."""
    words = " ".join(name.lower().split())
    plain = words.removeprefix("impartial ")
    if plain in _VALUE_SECTIONS:
        return _Section(plain, is_value=True)
    if plain == "gen_toads":
        return _Section(words, toads=True)
    known = _ALIASES.get(plain, plain)
    if known not in RULESETS:
        return None
    return _Section(words, ruleset=ruleset(f"impartial {known}" if words != plain else known))


def read_cases(text: str) -> list[Case]:
    """Parse a file. Raises `PositionError` with the number of the line."""
    kept = _COMMENT.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)
    cases: list[Case] = []
    terms: list[Term] = []
    section: _Section | None = None
    place = 0
    while place < len(kept.rstrip()):
        match = _TOKEN.match(kept, place)
        assert match is not None
        token, line = match[1], kept.count("\n", 0, match.start(1)) + 1
        try:
            if token[0] == "[":
                section = _find_section(token[1:-1])
                if section is None:
                    raise PositionError(f"there is no game {token[1:-1].strip()!r}; there are: {_known()}")
            elif token == "{":
                end = _closing(kept, match.start(1))
                inner = kept[match.start(1) + 1 : end]
                if section is not None and section.is_value and "|" in inner and not _COMMAND.match(inner):
                    terms.append(_value_term(section, kept[match.start(1) : end + 1]))
                else:
                    questions = tuple(_questions(inner))
                    if questions or not inner.lower().strip().startswith("version"):
                        cases.append(Case(_checked(terms), questions, line))
                        terms = []
                place = end + 1
                continue
            elif section is None:
                raise PositionError(f"{shortened(token)} stands before the name of a game, such as [clobber]")
            elif section.is_value:
                terms.append(_value_term(section, token))
            else:
                terms += _board_terms(section, token)
        except PositionError as error:
            raise PositionError(f"line {line}: {error}") from None
        place = match.end()
    if terms:
        cases.append(Case(_checked(terms), ()))
    return cases


def _known() -> str:
    return ", ".join([*RULESETS, "value"])


def _checked(terms: list[Term]) -> tuple[Term, ...]:
    if len(terms) > MAX_TERMS:
        raise PositionError(f"a sum has at most {MAX_TERMS} terms, not {len(terms)}")
    return tuple(terms)


def _closing(text: str, begin: int) -> int:
    depth = 0
    for place in range(begin, len(text)):
        depth += (text[place] == "{") - (text[place] == "}")
        if depth == 0:
            return place
    raise PositionError("a brace is not closed")


def _questions(text: str) -> Iterator[Question]:
    for command in text.split(","):
        words = command.split()
        if not words or words[0].lower() in ("version", "thermograph"):
            continue
        moves = [word.lower() for word in words[:2]] == ["winning", "moves"]
        words = words[2:] if moves else words
        if not words or words[0].lower() not in _PLAYERS:
            raise PositionError(
                f"{shortened(command)} is not a command: write B win, W loss, N 3 or winning moves B"
            )
        yield Question(_PLAYERS[words[0].lower()], " ".join(words[1:]), moves)


def _value_term(section: _Section, text: str) -> Term:
    """A value; MCGS's typed sections are translated into our notation."""
    text = text.strip()
    if section.name == "value":
        return Term(value=text)
    inner = text[1:-1].strip() if text.startswith("(") else text
    if section.name == "nimber":
        return Term(value=f"*{inner}")
    if section.name == "switch_game":
        left, _, right = re.sub(r"\s*/\s*", "/", inner).replace(",", " ").strip().partition(" ")
        return Term(value=f"{{{left}|{right.strip()}}}")
    if section.name == "up_star":
        ups = int("".join(re.findall(r"-?[0-9]+", inner)) or "0")
        arrows = f"{'^' if ups > 0 else 'v'}{abs(ups)}" if ups else ""
        return Term(value=(arrows + ("*" if "*" in inner else "")) or "0")
    return Term(value=re.sub(r"\s+", "", inner))


def _board_terms(section: _Section, token: str) -> Iterator[Term]:
    """The positions that a word describes: a board, `(XO)^3`, or a number of counters."""
    token = _opened(token)
    game = section.ruleset
    if section.toads:
        game, token = _generalized_toads(section.name, token)
    assert game is not None
    if game.symbols == ".#" and token.isdigit():
        if not int(token):
            return
        if int(token) > game.max_cells:
            raise PositionError(f"{game.name}: a row has at most {game.max_cells} counters, not {token}")
        token = "#" * int(token)
    yield Term(game, game.read(token))


def _opened(token: str) -> str:
    """A board without repetitions: `(XO)^3` is XOXOXO, `(XO)` is XO."""
    match = re.fullmatch(r"\(([^()]*)\)", token)
    return match[1].strip() if match is not None else expand_repeats(token, MAX_REPEATS)


def _generalized_toads(name: str, token: str) -> tuple[Ruleset, str]:
    parameters, _, board = token.partition(":")
    known = {"1,1,1,0": "toads_and_frogs", "1,1,0,0": "elephants"}
    found = known.get(re.sub(r"\s", "", parameters))
    if found is None:
        raise PositionError(f"gen_toads {parameters} is not supported; {' and '.join(known)} are")
    return ruleset(f"impartial {found}" if name.startswith("impartial") else found), board
