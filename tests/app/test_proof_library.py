"""The proof library: shipped certificates hold and say what the index says; proofs can be added and repeated."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tengen import games
from tengen.app.proof_library import add_proof, check_entry, entry_named, library_entries, run_entry
from tengen.app.proof_library.library import SHIPPED
from tengen.app.proofs.proof_file import InvalidProof
from tengen.cli import run
from tengen.core.errors import OptionError

ENTRIES = library_entries()
QUICK = [entry for entry in ENTRIES if entry.file and entry.seconds < 0.3]


@pytest.fixture(autouse=True)
def own_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TENGEN_DATA", str(tmp_path / "data"))


def test_the_index_is_complete() -> None:
    assert len(ENTRIES) > 40
    assert len({entry.id for entry in ENTRIES}) == len(ENTRIES)
    assert {entry.file for entry in ENTRIES} - {""} == {path.name for path in SHIPPED.glob("*.json")} - {
        "library.json"
    }
    for entry in ENTRIES:
        assert all((entry.position, entry.claim, entry.method))
        assert entry.seconds >= 0
        assert entry.file or entry.command.startswith("tengen ")
        assert entry.file or "FILE" in entry.command or entry.expected
        if entry.board:
            assert games.game(entry.board["game"], **entry.board["options"]).start().diagram()


@pytest.mark.parametrize("entry", QUICK, ids=lambda entry: entry.id)
def test_shipped_certificates_prove_what_the_index_says(entry) -> None:  # type: ignore[no-untyped-def]
    assert check_entry(entry).claim.endswith(entry.claim)
    if entry.board:
        assert json.loads(entry.path.read_text())["terms"] == [f"{entry.game}:{entry.board['options']['board']}"]


def test_a_forged_certificate_is_refused_and_a_good_one_is_added(tmp_path: Path) -> None:
    entry = entry_named("clobber-2x6")
    forged = json.loads(entry.path.read_text())
    forged["wins"] = not forged["wins"]
    (tmp_path / "forged.json").write_text(json.dumps(forged))
    with pytest.raises(InvalidProof):
        add_proof(tmp_path / "forged.json")
    (tmp_path / "My proof.json").write_bytes(entry.path.read_bytes())
    added = add_proof(tmp_path / "My proof.json")
    assert added.id == "my-proof"
    assert check_entry(entry_named("my-proof")).claim.endswith("moves first and loses")
    with pytest.raises(OptionError, match="already"):
        add_proof(tmp_path / "My proof.json")
    with pytest.raises(OptionError, match="letters"):
        add_proof(tmp_path / "My proof.json", "../x")


def test_commands(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["proofs", "list", "--game", "domineering", "--json"]) == 0
    assert {row["game"] for row in json.loads(capsys.readouterr().out)} == {"domineering"}
    assert run(["proofs", "show", "clobber-xo-3"]) == 0
    assert "X moves first and loses" in capsys.readouterr().out
    assert run(["proofs", "verify", "clobber-xo-3", "go-5x5-c3"]) == 0
    assert "add --run" in capsys.readouterr().out
    assert run(["proofs", "show", "nothing"]) == 2


def test_a_command_is_run_again() -> None:
    found = run_entry(entry_named("clobber-xo-4"))
    assert found.claim.endswith("X moves first and wins")
