"""Proofs: those that are made are accepted, damaged ones never, and changed ones only if their claim is true."""

from __future__ import annotations

import json
from functools import cache
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

import pytest

import tengen
from tengen.app.proofs import InvalidProof, NotChecked, ProofFile, verify_text
from tengen.app.proofs import certify as making
from tengen.app.proofs.proof_file import Effort
from tengen.core.errors import OptionError, TengenError
from tengen.engines.go.puzzles.life_problems import generate_life_problems
from tengen.engines.go.puzzles.problem import Goal
from tengen.search.report import Candidate, Report, Value
from tests.helpers.go_life import stones_of
from tests.reference.go_life import Forced


@cache
def pente() -> ProofFile:
    position = tengen.game("pente", size=9).start().play_all(["E5", "A1", "F5", "B1", "G5", "A9"])
    return making.pente_win(position)


@cache
def othello() -> ProofFile:
    position = endgame(6)
    value, line = best(position)
    exact = Value.exact(value, "discs")
    report = Report("", line[0], exact, (Candidate(line[0], exact, tuple(line)),), 1, 0.0)
    return making.othello_value(position, report)


@cache
def endgame(empties: int) -> tengen.Position:
    random = Random(3)
    while True:
        position = tengen.game("othello").start()
        while not position.is_over and "".join(position.diagram().text()).count(".") > empties:
            position = position.play(random.choice(position.legal_moves))
        if not position.is_over and len(position.legal_moves) > 1:
            return position


def best(position: tengen.Position) -> tuple[float, list[str]]:
    """Value for the side to move and a best line, by trying everything."""
    if position.is_over:
        return position.final_score / 1000 * (1 if position.to_move == 0 else -1), []
    found = []
    for move in position.legal_moves:
        after = position.play(move)
        value, line = best(after)
        sign = 1 if (after.to_move == position.to_move) else -1
        found.append((sign * value, [position.game.write_move(move), *line]))
    return max(found, key=lambda one: one[0])


@cache
def go_problem() -> Any:
    """A problem in which Black kills with one move, and the index of the wall's colour."""
    return next(one for one in generate_life_problems(1) if one.goal is Goal.KILL)


@cache
def go(goal: str = "kill", first: int = 0) -> ProofFile:
    problem = go_problem()
    return making.go_life(problem.position, problem.stones[0], goal, first)


@cache
def proofs() -> dict[str, ProofFile]:
    return {"pente": pente(), "othello": othello(), "kill": go("kill", 0), "live": go("live", 1)}


def is_true(proof: ProofFile, zone_names: tuple[str, ...] = ()) -> bool:
    """Whether a claim holds, by trying everything."""
    position, claim = proof.position(), proof.claim
    if proof.kind == "pente-win":
        return claim == pente().claim and position == pente().position()
    if proof.kind == "othello-value":
        value, _line = best(position)
        return (claim["low"] or -99) <= value <= (99 if claim["high"] is None else claim["high"])
    diagram = position.diagram()
    names = {f"{diagram.columns[c]}{diagram.rows[r]}": (c, r) for c, r in diagram.contents()}
    stones = {point: 3 - stone for point, stone in stones_of(position).items()}  # the reference kills Black
    zone = {names[name] for name in (zone_names or go().proof["zone"])}
    target, size = names[claim["string"]], (len(diagram.columns), len(diagram.rows))
    if stones[target] != 1:
        return False
    killed = [Forced(size, mode, target, zone).outcome(stones) for mode in range(3)]
    attacker_first = claim["first"] == "Black"
    return (
        all(one[0] if attacker_first else one[1] for one in killed)
        if claim["goal"] == "kill"
        else not any(one[0] if attacker_first else one[1] for one in killed)
    )


def test_proofs_of_each_kind_are_accepted_and_say_what_they_prove() -> None:
    claims = {name: verify_text(one.to_json()).claim for name, one in proofs().items()}
    assert claims["pente"] == "Pente: Black wins in 2 moves, whatever the answers"
    assert claims["othello"].startswith(
        f"Othello: {othello().position().game.players[othello().position().to_move]}"
    )
    assert "is captured" in claims["kill"]
    assert "lives" in claims["live"]
    assert all(map(is_true, proofs().values()))


def test_a_damaged_file_is_never_accepted() -> None:
    random = Random(1)
    for proof in proofs().values():
        text = proof.to_json()
        for _ in range(60):
            at = random.randrange(len(text))
            changed = text[:at] + random.choice('0123456789.XOab"[]{},') + text[at + 1 :]
            if changed == text:
                continue
            with pytest.raises(InvalidProof):
                verify_text(changed)
    for text in ("", "[]", "null", "{}", "[" * 100_000, '{"format": "tengen proof", "format": "tengen proof"}'):
        with pytest.raises(InvalidProof):
            verify_text(text)


def mutated(data: Any, random: Random) -> Any:
    """A copy of JSON data with one change somewhere."""
    if isinstance(data, dict) and data:
        name = random.choice(list(data))
        if random.random() < 0.1:
            return {key: value for key, value in data.items() if key != name}
        return {**data, name: mutated(data[name], random)}
    if isinstance(data, list) and data:
        at = random.randrange(len(data))
        if random.random() < 0.1:
            return data[:at] + data[at + 1 :]
        return [*data[:at], mutated(data[at], random), *data[at + 1 :]]
    if isinstance(data, bool) or data is None:
        return random.choice([True, False, None, 0])
    if isinstance(data, int):
        return random.choice([data + 2, data - 2, -data, True, 0, None, 10**30])
    words = ["pass", "A1", "B1", "C2", "e5", "kill", "live", "Black", "White", "", "f5", "X.O"]
    if isinstance(data, str) and len(data) > 2 and random.random() < 0.5:
        at = random.randrange(len(data))
        return data[:at] + random.choice("XO.ABCDE123") + data[at + 1 :]
    return random.choice(words)


def test_a_changed_proof_with_a_new_digest_is_accepted_only_if_its_claim_is_true() -> None:
    random, accepted, refused = Random(2), 0, 0
    for name, proof in proofs().items():
        parts = ("claim", "proof") if name in ("pente", "kill", "live") else ("claim", "proof", "options", "moves")
        for _ in range(80):
            part = random.choice(parts)
            value = getattr(proof, part)
            content = mutated(list(value) if isinstance(value, tuple) else value, random)
            fields = {**proof.__dict__, part: tuple(content) if isinstance(value, tuple) else content}
            try:
                changed = ProofFile(**fields)
                text = changed.to_json()
            except (TypeError, ValueError):
                continue
            try:
                verify_text(text, Effort(seconds=20))
            except InvalidProof:
                refused += 1
                continue
            accepted += 1
            assert is_true(changed), text
    assert refused > 150
    assert accepted < refused


def test_what_is_not_proved_has_no_certificate() -> None:
    problem = go_problem()
    with pytest.raises(OptionError, match="not proved"):
        making.go_life(problem.position, problem.stones[0], "live", 0)
    with pytest.raises(OptionError, match="not proved"):
        making.go_life(problem.position, problem.stones[0], "kill", 1)
    with pytest.raises(OptionError, match="not shut in"):
        making.go_life(tengen.game("go", size=9).start().play("E5"), (4, 4), "kill", 1)
    with pytest.raises(OptionError, match="no forced win"):
        making.pente_win(tengen.game("pente", size=9).start().play("E5"))
    start = tengen.game("othello").start()
    guess = Value.heuristic(1.0, "discs")
    with pytest.raises(OptionError, match="proved"):
        making.certify(start, Report("", "f5", guess, (Candidate("f5", guess),), 1, 0.0))
    with pytest.raises(NotChecked, match="60 squares"):
        verify_text(ProofFile.of("othello-value", start, {"low": -64, "high": None}, {}).to_json())
    with pytest.raises(InvalidProof, match="no proofs of the kind"):
        verify_text(ProofFile.of("chess-mate", start, {}, {}).to_json())


def test_every_problem_has_a_strategy_for_its_goal_and_for_the_opposite_one_if_the_other_side_begins() -> None:
    compared = 0
    for problem in islice(generate_life_problems(1), 12):
        goals = ("kill", "live") if problem.goal is Goal.KILL else ("live", "kill")
        for first, goal in enumerate(goals):
            proof = making.go_life(problem.position, problem.stones[0], goal, first)
            zone = tuple(proof.proof["zone"])
            if problem.goal is Goal.KILL and len(zone) <= 9:  # or it would take long
                assert is_true(proof, zone)
                compared += 1
    assert compared > 0


def test_making_a_proof_ends_at_the_time_limit() -> None:
    effort = Effort(0.001)
    for make in (making.clobber_win, making.pente_win):
        position = tengen.game(make.__name__.partition("_")[0]).start()
        with pytest.raises(OptionError, match=r"within 0\.001 s"):
            make(position, effort)
    problem = next(generate_life_problems(1))
    with pytest.raises(OptionError, match=r"within 0\.001 s"):
        making.go_answer(problem.position, problem.stones[0], effort)


def test_an_othello_result_without_its_discs_has_no_proof() -> None:
    start = tengen.game("othello").start()
    for unit, expected in (("discs", True), ("wins", False)):
        value = Value.exact(1.0, unit)
        assert making.has_proof(start, Report("", "f5", value, (Candidate("f5", value),), 1, 0.0)) is expected


def test_certificates_of_clobber_are_recognised(tmp_path: Path) -> None:
    from tengen.engines.clobber.proof import prove_position
    from tengen.engines.clobber.solver import Solver

    text = prove_position(Solver(), "XOXOXO", "X")
    assert text is not None
    assert verify_text(text).claim.startswith("Clobber XOXOXO: X moves first and")
    data = json.loads(text)
    with pytest.raises(TengenError):
        verify_text(json.dumps({**data, "wins": not data["wins"]}))
