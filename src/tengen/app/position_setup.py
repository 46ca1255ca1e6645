"""Positions as text, for links and the editor: rows of stones, and what a game has besides them.

rows_of(position)                                # ["...X…", …], as `Game.with_setup` reads them
write_position(position, "sgf")                  # or "obf" (Othello), or "text": ours, the option `board`
read_position(tengen.game("go", size=9), text)   # any of these, of the same kind of game
"""

from __future__ import annotations

from tengen.core.diagram import Stone
from tengen.core.errors import OptionError, TengenError
from tengen.core.game import Game
from tengen.core.position import Position
from tengen.core.translation import mark
from tengen.games import game as create_game
from tengen.games.records import Record, format_named, parse, serialise

SYMBOLS = {Stone.EMPTY: ".", Stone.FIRST: "X", Stone.SECOND: "O", Stone.NEUTRAL: "#"}
TEXT, SGF, OBF = "text", "sgf", "obf"


def rows_of(position: Position) -> list[str]:
    """The stones of a position as text rows."""
    return ["".join(SYMBOLS[stone] for stone in row) for row in position.diagram().stones]


def set_up_again(position: Position) -> Game:
    """The game that begins with a position, its captures and ko included. Raises `TengenError`."""
    game = position.game
    return game.with_setup(rows_of(position), position.to_move, game.describe_setup(position))


def position_formats(game: Game) -> list[str]:
    """The formats in which positions of a game can be written."""
    return [TEXT, *(form for form in (SGF, OBF) if _can_write(game, form))]


def _can_write(game: Game, form: str) -> bool:
    try:
        serialise([Record(game)], format_named(form))
    except TengenError:
        return False
    return True


def write_position(position: Position, form: str = TEXT) -> str:
    """A position as text. SGF and OBF have no captures and no ko."""
    if form == TEXT:
        rows = "/".join(rows_of(position))
        details = position.game.describe_setup(position)
        return f"{rows} {'XO'[position.to_move]} {details}".strip()
    return serialise([Record(set_up_again(position))], format_named(form)).data.decode().strip()


def read_position(game: Game, text: str) -> Game:
    """The game that begins with the position in a text; of a record, with its last position.

    A record decides about size and rules. Raises `TengenError`.
    """
    words = text.split()
    is_rows = bool(words) and not set(words[0].upper()) - set("XO.#-/")
    if is_rows and ("/" in words[0] or not _can_write(game, OBF)):  # else it is OBF
        rows = words[0].upper().replace("-", ".").split("/")
        side = words[1].upper() if len(words) > 1 and "=" not in words[1] else "X"
        if side not in ("X", "O"):
            raise OptionError(mark("the side to move is X or O, not {side!r}").format(side=side))
        details = " ".join(word for word in words[1:] if "=" in word)
        return _sized(game, rows).with_setup(rows, "XO".index(side), details)
    record = next((one for one in parse(text.encode()) if isinstance(one, Record)), None)
    if record is None or record.game.name != game.name:
        raise OptionError(mark("this is no position of {game}").format(game=game.title))
    return set_up_again(record.positions()[-1])


def _sized(game: Game, rows: list[str]) -> Game:
    """The same game on a board as large as these rows. Games without the option `size` take any rows."""
    diagram = game.start().diagram()
    has_size = any(option.name == "size" for option in game.user_options())
    if not has_size or (len(diagram.rows), len(diagram.columns)) == (len(rows), len(rows[0])):
        return game.without_setup()
    width, height = len(rows[0]), len(rows)
    size = (
        f"{height}x{width}" if game.size_is_rows_first else str(width) if width == height else f"{width}x{height}"
    )
    options = {
        name: value for name, value in game.options().items() if name not in ("board", "width", "height", "size")
    }
    return create_game(game.name, size=size, **options)
