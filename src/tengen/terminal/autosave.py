"""A game that is being played, kept in the store and, if that is asked for, in a file as well."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console

from tengen.core.errors import OptionError, TengenError
from tengen.games import records
from tengen.games.records import Record
from tengen.store.game_entry import GameEntry
from tengen.store.store import Store


class GameFile:
    """A file that always holds the game as it stands, in one format."""

    def __init__(self, errors: Console, path: Path, form: records.Format) -> None:
        self.path = path
        self._errors = errors
        self._format = form
        self._told: list[str] = []

    @classmethod
    def for_game(cls, errors: Console, path: Path, record: Record, loaded: Path | None, games: int) -> GameFile:
        """The file to save to. Refused if that would overwrite other games."""
        if path.exists() and not (loaded is not None and path.samefile(loaded)):
            raise OptionError(f"{path} exists: go on with it by --load {path}, or save to another file")
        if path.exists() and games > 1:
            raise OptionError(f"{path} holds {games:,} games: save to another file")
        # A file that is gone on with keeps its format: its suffix may be that of another one, which keeps less.
        form = records.format_named(record.source) if path.exists() else records.format_for(path, record.game.name)
        return cls(errors, path, form)

    def save(self, record: Record) -> None:
        """Write the game, and say once what the format does not keep."""
        dropped = records.write([record], self.path, self._format.name)
        if dropped and dropped != self._told:
            self._errors.print(
                f"{self.path}: not kept: {', '.join(dropped)}", highlight=False, markup=False, soft_wrap=True
            )
        self._told = dropped


class AutoSaver:
    """What a match calls after every change: one that fails does not keep the other from being tried."""

    def __init__(self, store: Store, file: GameFile | None = None) -> None:
        self._store = store
        self._file = file

    def __call__(self, entry: GameEntry) -> None:
        failure: TengenError | None = None
        try:
            self._store.save(entry)
        except TengenError as error:
            failure = error
        if self._file is not None:
            self._file.save(entry.record)
        if failure is not None:
            raise failure
