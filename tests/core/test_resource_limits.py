"""Limits of what one visitor, file or game may use."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import pytest

from tengen.core.errors import OptionError
from tengen.core.resource_limits import ResourceLimits, machine_memory_mb, resource_limits
from tests.helpers.paths import ROOT


def test_every_limit_has_a_unit_and_an_explanation() -> None:
    for one in fields(ResourceLimits):
        assert one.metadata["unit"]
        assert one.metadata["help"]
        assert one.default >= one.metadata["least"]


def test_a_file_changes_what_it_names_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "limits.toml"
    path.write_text("record_moves = 2_000\nlevel_seconds = 30\n")
    found = ResourceLimits.from_file(path)
    assert (found.record_moves, found.level_seconds) == (2000, 30.0)
    assert isinstance(found.level_seconds, float)
    assert found.record_nodes == ResourceLimits().record_nodes


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("record_movs = 5", "there is no limit 'record_movs'; there are: analyses_per_visitor"),
        ("record_moves = 'many'", "record_moves should be a whole number, not 'many'"),
        ("record_moves = 3", "record_moves should be at least 100 moves, not 3"),
        ("record_moves = true", "record_moves should be a whole number, not True"),
        ("level_seconds = inf", "level_seconds should be at least 1 seconds, not inf"),
        ("level_seconds = nan", "level_seconds should be at least 1 seconds, not nan"),
        ("record_moves", "cannot be read: "),
    ],
)
def test_a_file_with_a_mistake_is_refused_with_the_reason(tmp_path: Path, text: str, complaint: str) -> None:
    path = tmp_path / "limits.toml"
    path.write_text(text)
    with pytest.raises(OptionError, match=r"limits\.toml") as caught:
        ResourceLimits.from_file(path)
    assert complaint in str(caught.value)


def test_the_process_reads_the_file_in_its_data_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TENGEN_DATA", str(tmp_path))
    monkeypatch.delenv("TENGEN_LIMITS", raising=False)
    (tmp_path / "limits.toml").write_text("open_boards = 7")
    resource_limits.cache_clear()
    try:
        assert resource_limits().open_boards == 7
        other = tmp_path / "other.toml"
        other.write_text("open_boards = 9")
        monkeypatch.setenv("TENGEN_LIMITS", str(other))
        resource_limits.cache_clear()
        assert resource_limits().open_boards == 9
    finally:
        resource_limits.cache_clear()


def test_engines_get_half_of_the_machine_unless_told_otherwise() -> None:
    assert machine_memory_mb() > 256
    assert ResourceLimits().engine_memory() == max(512, machine_memory_mb() // 2)
    assert ResourceLimits(engine_memory_mb=1000).engine_memory() == 1000


def test_the_docs_list_every_limit_with_its_default() -> None:
    page = (ROOT / "docs" / "guide" / "limits.md").read_text("utf-8")
    for one in fields(ResourceLimits):
        row = f"| `{one.name}` | {one.default:,.0f} {one.metadata['unit']} | {one.metadata['help']} |"
        assert row in page, f"docs/guide/limits.md should have the row: {row}"
