"""Import and export of game files, with a progress dialog."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from tengen.core.translation import gettext as _
from tengen.core.translation import ngettext, translate
from tengen.games import records
from tengen.games.records import Record
from tengen.store.import_export import ImportResult
from tengen.store.listing import Filter
from tengen.store.store import Store

if TYPE_CHECKING:
    from tengen.terminal.app.main import TengenApp


def import_games(app: TengenApp, store: Store, path: str, then: Callable[[], object]) -> None:
    """Import a file, then call `then`. Games imported before a cancellation stay in the store."""

    def work(say: Callable[[str], None]) -> ImportResult:
        source = records.stream(Path(path).expanduser(), check=False)
        return store.import_records(source, lambda done: say(translate(str(done))))

    def done(result: ImportResult) -> None:
        app.notify(translate(str(result)), title=_("Imported"), markup=False)
        for number, reason in result.bad[:3]:
            app.show_error(_("Game {number}: {reason}").format(number=number, reason=translate(reason)))
        then()

    app.run_with_dialog(_("Importing {path}").format(path=path), work, done)


def export_games(app: TengenApp, store: Store, path: str, which: Filter | Iterable[str]) -> None:
    """Export games to a file, which is written atomically."""

    def chosen() -> Iterator[Record]:
        if isinstance(which, Filter):
            yield from store.export_records(which)
        else:
            for identity in which:
                yield store.load(identity).record

    def work(say: Callable[[str], None]) -> tuple[int, list[str]]:
        count = 0

        def counted() -> Iterator[Record]:
            nonlocal count
            for record in chosen():
                count += 1
                if count % 100 == 1:
                    say(ngettext("{count} game", "{count} games", count).format(count=count))
                yield record

        dropped = records.write(counted(), Path(path).expanduser())
        return count, dropped

    def done(result: tuple[int, list[str]]) -> None:
        count, dropped = result
        text = ngettext("{count} game written to {path}", "{count} games written to {path}", count)
        app.notify(text.format(count=count, path=path), title=_("Exported"), markup=False)
        for loss in dropped[:3]:
            app.notify(
                _("Not saved in this format: {loss}").format(loss=translate(loss)),
                severity="warning",
                markup=False,
            )

    app.run_with_dialog(_("Exporting to {path}").format(path=path), work, done)
