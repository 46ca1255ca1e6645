"""Which book a command of `tengen book …` is about: arguments and options that they share."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tengen.cli.inputs import check_folders, create_game
from tengen.cli.options import GameOption
from tengen.core.errors import OptionError
from tengen.core.key_values import pairs

if TYPE_CHECKING:
    from tengen.books.book import ValuedBook
    from tengen.core.game import Game

GAME_HELP = "the game and its options, such as othello or othello size=6; default: othello"

DEFAULT_GAME = "othello"
BookFile = Annotated[Path | None, typer.Option("--book", "-b", help="book file; default: the user's book")]
GameWords = Annotated[list[str] | None, typer.Argument(metavar="[GAME] [OPTION=VALUE]...", help=GAME_HELP)]


@dataclass(frozen=True)
class BookOptions:
    """Which book."""

    game: GameOption = ""  # empty: not named
    rules: Annotated[list[str] | None, typer.Option(help="an option of the game, such as size=6")] = None
    book: BookFile = None

    def named(self, words: list[str] | None, command: str) -> BookOptions:
        """With the game that the command's arguments name. Raises `OptionError` for other arguments."""
        which, rest = self.split(words)
        if rest:
            raise OptionError(_unexpected(rest[0], command))
        return which

    def split(self, words: list[str] | None) -> tuple[BookOptions, list[str]]:
        """With the game and options at the beginning of the arguments; and the other arguments."""
        from tengen.games import names

        rest = list(words or ())
        which = self
        if rest and rest[0].lower() in names():
            which = replace(which, game=rest.pop(0).lower())
        options = [word for word in rest if "=" in word and not Path(word).exists()]
        which = replace(which, rules=[*(self.rules or ()), *options])
        return which, [word for word in rest if word not in options]

    def create_game(self) -> Game:
        return create_game(self.game or DEFAULT_GAME, self.rules)

    def read(self) -> tuple[ValuedBook, Path]:
        from tengen.app.book_building import find_book
        from tengen.books.book_file import read_book

        game = self.create_game()
        path = find_book(game, self.book)
        book = read_book(path)
        self.check(book.game, path)
        return book, path

    @contextmanager
    def edit(self, *, create: bool = False) -> Iterator[tuple[ValuedBook, Path]]:
        """The book to change; see `book_building.edit_book`."""
        from tengen.app.book_building import edit_book

        check_folders(self.book)
        with edit_book(self.create_game(), self.book, create=create) as (book, path):
            self.check(book.game, path)
            yield book, path

    def check(self, game: Game, path: Path, content: str = "is a book") -> None:
        """Raise an error if the arguments name another game than that of a file, which they may leave out."""
        if self._is_other_than(game):
            named = create_game(self.game or game.name, self.rules)
            raise OptionError(f"{path} {content} of {game.describe()}, not of {named.describe()}")

    def _is_other_than(self, game: Game) -> bool:
        if self.game and create_game(self.game).name != game.name:
            return True
        usual, named, found = (
            one.options() for one in (create_game(game.name), create_game(game.name, self.rules), game)
        )
        given = {option for option in named if named[option] != usual.get(option)} | set(pairs(self.rules))
        return any(named.get(option) != found.get(option) for option in given)


def _unexpected(word: str, command: str) -> str:
    """An error message about an argument that is neither a game nor an option of one."""
    from tengen.games import names

    help_text = f"(see: tengen book {command} --help)"
    if Path(word).suffix or "/" in word:
        return f"{word}: name a book by --book {word} {help_text}"
    return f"there is no game {word!r}; choose {', '.join(names())} {help_text}"
