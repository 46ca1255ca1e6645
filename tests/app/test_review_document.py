"""Reviews as documents: the planted mistake is named with its reason, nothing unproved is called proved."""

from __future__ import annotations

from pathlib import Path

import pytest

import tengen
from tengen.app import explanations
from tengen.app.explanations import describe, explain, register_reasons
from tengen.app.go_groups import find_group_reasons
from tengen.app.move_reasons import Reason
from tengen.app.review import summarise
from tengen.app.review_document import ReviewDocument
from tengen.engines.go.puzzles.life_problems import generate_life_problems
from tengen.games import records
from tengen.games.records import Record
from tengen.search.report import Candidate, Kind, Report, Value
from tests.helpers.lost_wins import thrown_away


def test_the_planted_mistake_is_named_and_explained_in_every_form(tmp_path: Path) -> None:
    line, reports, planted = thrown_away()
    record = Record.of(line[-1])
    record.names = ("Ann <b>", "Bob")
    document = ReviewDocument(record, line, reports)
    assert [one.number for one in document.summary.turning_points()] == [planted]
    assert set(document.explanations) == {planted}
    found = document.explanations[planted]
    assert found.is_proved
    assert found.better == reports[0].best
    sentences = describe(found, line[0])
    assert "gave away a won game (proved)" in sentences[0]
    assert sentences[1].startswith(f"Better: {found.better}")
    text = document.text()
    assert "Accuracy" in text
    assert "From move 1 on, all values are proved." in text
    page = document.html("http://127.0.0.1/game/1")
    assert "Ann &lt;b&gt;" in page
    assert "<b>" not in page
    assert page.count("<svg") == 2, "the graph and one position"
    file = tmp_path / "reviewed.txt"
    records.write([document.annotated()], file)
    (again,) = records.stream(file)
    first = again.root.children[0]
    assert "gave away a won game" in first.comment
    assert [child.comment for child in again.root.children[1:]] == ["Better"]


def test_estimates_are_never_called_proved_and_engines_add_reasons(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(explanations, "_more_reasons", {})
    register_reasons("othello", lambda position, move: [Reason(f"knows {move}", is_fact=False)])
    position = tengen.game("othello").start()
    line = list(position.play("f5").play("f6").line())
    guesses = {0: ("f5", 0.0), 1: ("d6", 9.0), 2: ("e6", 3.0)}
    reports = {}
    for ply, (move, amount) in guesses.items():
        value = Value.heuristic(amount, "discs")
        reports[ply] = Report("guess", move, value, (Candidate(move, value, (move,)),), 1, 0.0)
    found = explain(line, summarise(line, reports), reports)
    assert set(found) == {2}
    sentences = describe(found[2], line[1])
    assert sentences[0] == "2. White f6?? lost about 12.0 discs (estimate)."
    assert "knows d6 (rule of thumb)" in sentences[1]
    assert sentences[2].startswith("The answer is e6. e6")
    assert not any("proved" in one for one in sentences)
    assert all(report.value.kind is Kind.HEURISTIC for report in reports.values())


def test_what_speaks_against_a_move_is_said_of_the_move_played_only() -> None:
    # After b2, White can take a1; the better move gives White more moves than before, which is no reason for it.
    rows = ["........", "........", "..O.....", "...X....", "...OX...", ".....O..", "........", "........"]
    start = tengen.game("othello", board="".join(rows).replace(".", "-") + " X").start()
    line = list(start.play("b2").line())
    reports = {}
    for ply, move, amount in ((0, "d6", 0.0), (1, "a1", 12.0)):
        value = Value.heuristic(amount, "discs")
        reports[ply] = Report("guess", move, value, (Candidate(move, value, (move,)),), 1, 0.0)
    found = explain(line, summarise(line, reports), reports)[1]
    assert [one.text for one in found.against if "corner" in one.text] == ["lets White take the corner a1"]
    assert not any(one.is_against for one in (*found.for_better, *found.for_reply))
    cost, better, _answer = describe(found, start)
    assert "b2 lets White take the corner a1" in cost
    assert "more than" not in better


def test_reasons_for_moves_of_go_name_the_groups_that_live_or_die(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(explanations, "_more_reasons", {})
    register_reasons("go", find_group_reasons)
    problem = next(generate_life_problems(1))  # Black is to live
    right = explanations.reasons_for(problem.position, problem.right[0])
    wrong = explanations.reasons_for(problem.position, problem.wrong[0])
    assert any(one.text.startswith("saves a group of") for one in right)
    assert any(one.text.startswith("lets White kill a group of") for one in wrong)
