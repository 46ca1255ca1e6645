"""Saving the game in progress to the store and optionally to a file."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console

from tengen.core.errors import OptionError, TengenError
from tengen.games import records
from tengen.games.records import Record
from tengen.store.game_entry import GameEntry
from tengen.store.store import Store
from tengen.terminal.record_files import report_dropped


class GameFile:
    """A file that always contains the current state of the game."""

    def __init__(self, errors: Console, path: Path, form: records.Format) -> None:
        self.path = path
        self._errors = errors
        self._format = form
        self._reported: list[str] = []

    @classmethod
    def for_game(cls, errors: Console, path: Path, record: Record, loaded: Path | None, games: int) -> GameFile:
        """The file to save to. Raises `OptionError` if that would overwrite other games."""
        if path.exists() and not (loaded is not None and path.samefile(loaded)):
            raise OptionError(f"{path} exists: continue its game with --load {path}, or save to another file")
        if path.exists() and games > 1:
            raise OptionError(f"{path} contains {games:,} games: save to another file")
        # An existing file keeps its format: the one of its suffix may store less.
        form = records.format_named(record.source) if path.exists() else records.format_for(path, record.game.name)
        if form.write is None:
            raise OptionError(
                f"{path}: {form.title} is only read: save to another file, such as one ending in .sgf"
            )
        return cls(errors, path, form)

    def save(self, record: Record) -> None:
        """Write the game, and report once what the format cannot store."""
        dropped = records.write([record], self.path, self._format.name)
        if dropped != self._reported:
            report_dropped(self._errors, self.path, dropped)
        self._reported = dropped


class AutoSaver:
    """Save callback of a match: writes to the store and the file, even if one of them fails."""

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
