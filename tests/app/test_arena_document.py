"""The result of a run as a page to print or share."""

from __future__ import annotations

import pytest

from tengen.app.arena_document import to_html
from tengen.app.arena_queue import RunView
from tengen.arena.run_status import RunStatus


@pytest.mark.parametrize(("done", "total", "shown"), [(0, 6, False), (1, 6, True), (0, None, True)])
def test_a_run_without_results_has_neither_figures_nor_plots(done: int, total: int | None, shown: bool) -> None:
    figures, sections = [("score", "50.0 %")], [("Result", "<svg></svg>")]
    status = RunStatus(
        "Cup", "match", "clobber", "stopped", "a caption", sections, figures=figures, done=done, total=total
    )
    html = to_html(RunView(status), [])
    assert "a caption" in html
    assert ("50.0 %" in html) == shown
    assert ("<svg" in html) == shown
