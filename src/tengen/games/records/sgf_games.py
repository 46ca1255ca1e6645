"""Conversion between games and SGF root properties: GM, SZ, RU, KM, HA, AB, AW, PL."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache
from typing import Any

from tengen.core.diagram import Stone
from tengen.core.errors import TengenError
from tengen.core.game import Game
from tengen.games import game as create_game
from tengen.games import game_class
from tengen.games.records.coordinates import coordinates
from tengen.games.records.errors import RecordError
from tengen.games.records.replay import start_position, stones_of, with_board
from tengen.games.records.results import number, write_number
from tengen.games.records.sgf_syntax import Values, to_text, to_value

# 4 is Gomoku and Renju, used for the Pente family. Some Pente files have 31, officially another game.
NUMBERS = {"1": "go", "2": "othello", "4": "pente", "31": "pente"}
GAMES = ("go", "othello", "pente")
OWN = ("FF", "GM", "SZ", "CA", "RU", "KM", "HA", "AB", "AW", "AE", "PL")  # root properties generated from the game

# Defaults without RU: as permissive as possible.
_UNKNOWN_RULES: dict[str, Any] = {"scoring": "area", "ko": "simple", "suicide": False, "bonus": "0"}
_GO_RULES = {
    "japanese": "japanese", "jp": "japanese", "korean": "japanese", "territory": "japanese",
    "chinese": "chinese", "cn": "chinese", "area": "chinese", "aga": "aga", "french": "aga", "bga": "aga",
    "nz": "new-zealand", "new zealand": "new-zealand", "new-zealand": "new-zealand",
    "tromp-taylor": "tromp-taylor", "tromp taylor": "tromp-taylor",
}  # fmt: skip
_GO_NAMES = {"japanese": "Japanese", "chinese": "Chinese", "aga": "AGA", "new-zealand": "NZ"}
_GO_NAMES["tromp-taylor"] = "Tromp-Taylor"
_PENTE_VARIANTS = {
    "pente": "standard", "keryo-pente": "keryo", "poof-pente": "poof", "boat-pente": "boat",
    "o-pente": "o-pente",
    "d-pente": "standard opening=d-pente", "swap2-pente": "standard opening=swap2",
    "swap2": "gomoku opening=swap2",
}  # fmt: skip


def first_value(values: Values, name: str) -> str:
    found = values.get(name)
    return to_text(found[0]).strip() if found else ""


def read_game(values: Values, opening: list[int]) -> Game:
    """The game described by root properties; `opening` are the players of the first moves."""
    said = tuple((name, tuple(values[name])) for name in OWN if name in values and name != "CA")
    return _read_game(said, tuple(opening))


@lru_cache(maxsize=256)  # the games of a collection share their rules
def _read_game(said: tuple[tuple[str, tuple[str, ...]], ...], players: tuple[int, ...]) -> Game:
    values = {name: list(found) for name, found in said}
    opening = list(players)
    first_mover = opening[0] if opening else None
    number_of_game = first_value(values, "GM") or "1"
    name = NUMBERS.get(number_of_game.split(":")[0], number_of_game.lower())
    if name not in GAMES:
        raise RecordError(
            f"GM[{number_of_game[:20]}] is no game that is read here: 1 Go, 2 Othello, 4 Pente family"
        )
    try:
        if name == "go":
            return _read_go(values, first_mover, opening)
        if name == "othello":
            return _read_othello(values, first_mover)
        return _read_pente(values, number_of_game, first_mover)
    except TengenError as error:
        raise error if isinstance(error, RecordError) else RecordError(str(error)) from None


def _size(values: Values, usual: int) -> tuple[int, int]:
    text = first_value(values, "SZ") or str(usual)
    match = re.fullmatch(r"(\d{1,3})(?:\s*[:xX*]\s*(\d{1,3}))?", text)
    if match is None:
        raise RecordError(f"expected a size as SZ[19] or SZ[9:13], not {text[:20]!r}")
    return int(match[1]), int(match[2] or match[1])


def _stones(game: Game, values: Values) -> list[list[Stone]]:
    """The board set up by the root properties."""
    table = coordinates(game)
    cells = [[Stone.EMPTY] * table.width for _ in range(table.height)]
    for name, stone in (("AB", Stone.FIRST), ("AW", Stone.SECOND), ("AE", Stone.EMPTY)):
        for column, row in table.all_points(values.get(name, [])):
            cells[row][column] = stone
    return cells


def player_of(values: Values) -> int | None:
    """The player named by PL."""
    return {"b": 0, "w": 1, "1": 0, "2": 1}.get(first_value(values, "PL").lower()[:1])


def _read_go(values: Values, first_mover: int | None, opening: list[int]) -> Game:
    width, height = _size(values, 19)
    options: dict[str, Any] = {"width": width, "height": height, "komi": number(first_value(values, "KM")) or 0.0}
    options |= _go_rules(first_value(values, "RU"))
    if abs(options["komi"]) > 1000 or round(options["komi"], 3) != options["komi"]:
        options["komi"] = 0.0
    handicap = first_value(values, "HA")
    stones = int(handicap) if handicap.isascii() and handicap.isdigit() and len(handicap) < 4 else 0
    if stones >= 2 and not values.get("AB") and not values.get("AW"):
        # Black places the handicap stones as moves.
        placed = opening[:stones]
        if 1 not in placed and (len(placed) == stones or len(opening) < stones):
            return create_game("go", **options, handicap=stones, free_handicap=True)
        stones = 0
    to_move = player_of(values)
    if to_move is None:
        usual = int(stones >= 2)
        to_move = usual if first_mover is None or not (values.get("AB") or values.get("AW")) else first_mover
    cells = _stones(create_game("go", **options), values)
    if stones >= 2 and to_move == 1:
        try:
            fixed = create_game("go", **options, handicap=stones)
        except TengenError:
            fixed = None  # no fixed handicap points on this board
        if fixed is not None and [list(row) for row in start_position(fixed).diagram().stones] == cells:
            return fixed
    game = create_game("go", **options)
    if to_move == 0 and not any(stone for row in cells for stone in row):
        return game
    if stones >= 2:
        options["handicap"] = stones
        options["board"] = "/".join("." * width for _ in range(height))
        game = create_game("go", **options)
    return with_board(game, cells, to_move)


def _go_rules(text: str) -> dict[str, Any]:
    from tengen.games.go import RULE_SETS

    name = _GO_RULES.get(text.lower())
    if name is not None:
        return {option: value for option, value in RULE_SETS[name].items() if option != "komi"}
    pairs = dict(word.partition("=")[::2] for word in text.split() if "=" in word)
    return {option: pairs.get(option, value) for option, value in _UNKNOWN_RULES.items()}


def _read_othello(values: Values, first_mover: int | None) -> Game:
    width, height = _size(values, 8)
    if width != height:
        raise RecordError(f"Othello is played on a square board, not {width}x{height}")
    game = create_game("othello", size=width)
    to_move = player_of(values)
    if values.get("AB") or values.get("AW"):
        cells = _stones(game, values)
        if to_move is None:
            to_move = first_mover or 0
    else:
        cells = [list(row) for row in start_position(game).diagram().stones]
    if not to_move and cells == [list(row) for row in start_position(game).diagram().stones]:
        return game
    return with_board(game, cells, to_move or 0)


def _read_pente(values: Values, number_of_game: str, first_mover: int | None) -> Game:
    text = first_value(values, "RU")
    family = "gomoku" if number_of_game == "4" else "standard"
    width, height = _size(values, 15 if number_of_game == "4" and not text else 19)
    if width != height:
        raise RecordError(f"Pente is played on a square board, not {width}x{height}")
    game = create_game("pente", size=width, **pente_rules(text, family))
    if not (values.get("AB") or values.get("AW")):
        return game
    cells = _stones(game, values)
    if not any(stone for row in cells for stone in row):
        return game
    game = replace(game, opening="none")  # type: ignore[call-arg]  # with set-up stones, the opening is over
    to_move = player_of(values)
    return with_board(game, cells, (first_mover or 0) if to_move is None else to_move)


def pente_rules(text: str, default: str) -> dict[str, Any]:
    """Options for a text such as `keryo opening=swap2` or a common name; the variant `default` if it is unknown.

    Renju has many opening rules, which its files do not follow move by move: the first stone may be anywhere.
    """
    options: dict[str, Any] = {}
    if "renju" in text.lower() and "=" not in text:
        return {"variant": "renju", "first": "anywhere"}
    text = _PENTE_VARIANTS.get(text.lower(), text)
    for word in text.split():
        name, equals, value = word.partition("=")
        if equals:
            options[name] = value
        else:
            options["variant"] = word.lower()
    if not options:
        options["variant"] = default
    try:
        create_game("pente", **options)
    except TengenError:
        if "pente" in text.lower() or "=" in text:
            raise
        return {"variant": default}
    return options


def pente_words(game: Game) -> str:
    """The rules of a Pente game as text for RU, readable by `pente_rules`."""
    variant = getattr(game, "variant", None)
    if variant is None:
        usual = game_class("pente").create().options()
        words = []
    else:
        usual = create_game("pente", variant=variant).options()
        words = [str(variant)]
    options = game.options()
    elsewhere = ("size", "board")
    words += [
        f"{name}={options[name]}" for name in options if name not in elsewhere and options[name] != usual[name]
    ]
    return " ".join(words) or "standard"


# ---- writing


def write_game(game: Game) -> Values:
    """Root properties of a game, as raw values."""
    return {name: list(found) for name, found in _write_game(game).items()}


@lru_cache(maxsize=256)
def _write_game(game: Game) -> Values:
    if game.name not in GAMES:
        raise RecordError(f"SGF is written for Go, Othello and the Pente family, not for {game.title}")
    table = coordinates(game)
    size = str(table.width) if table.width == table.height else f"{table.width}:{table.height}"
    number_of_game = next(number for number, name in NUMBERS.items() if name == game.name)
    values: Values = {"FF": ["4"], "GM": [number_of_game], "CA": ["UTF-8"], "SZ": [size]}
    options = game.options()
    if game.name == "pente":
        values["RU"] = [to_value(pente_words(game))]
    if game.name == "go":
        values |= _go_properties(options)
    if options["board"] or (game.name == "go" and options["handicap"] and not options["free_handicap"]):
        for name, stones in zip(("AB", "AW"), stones_of(game), strict=True):
            if stones:
                values[name] = [table.names[point] for point in stones]
        values["PL"] = ["BW"[start_position(game).to_move]]
    return values


def _go_properties(options: dict[str, Any]) -> Values:
    from tengen.games.go import RULE_SETS

    values: Values = {"KM": [write_number(options["komi"])]}
    rules = {name: options[name] for name in _UNKNOWN_RULES}
    known = [name for name, preset in RULE_SETS.items() if rules.items() <= preset.items()]
    if known:
        values["RU"] = [_GO_NAMES[known[0]]]
    elif rules != _UNKNOWN_RULES:
        values["RU"] = [" ".join(f"{name}={value}" for name, value in rules.items())]
    if options["handicap"]:
        values["HA"] = [str(options["handicap"])]
    return values
