"""The deck: due when FSRS says so, nothing lost or counted twice, and every sound move is right."""

from __future__ import annotations

import gzip
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random

import pytest

import tengen
from tengen.app.deck import (
    DeckSettings,
    Question,
    answer_question,
    extra_question,
    next_question,
    recall,
    statistics,
    verdict,
)
from tengen.app.mistakes import Mistake, collect_mistakes, judged_moves, mistake_puzzle, mistakes
from tengen.app.review import summarise
from tengen.runtime.host import EngineHost
from tengen.search.report import Candidate, Report, Value
from tengen.store.deck import History
from tengen.store.puzzles import Puzzle
from tengen.store.scheduling import Answer, Schedule, schedule
from tengen.store.store import Store
from tests.helpers.paths import ROOT

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
DAY = timedelta(days=1)


@pytest.fixture
def store() -> Iterator[Store]:
    with Store.in_memory() as made:
        yield made


def puzzle(number: int, kind: str = "mistake") -> Puzzle:
    value = Value.exact(4.0, "discs")
    found = (Candidate("d3", value, ("d3",)), Candidate("c4", Value.exact(-2.0, "discs"), ("c4",)))
    place = f"{number:08}"
    return Puzzle(
        kind, "othello", {"size": 8}, (), "?", ("d3",), Report("test", "d3", value, found, 1, 0.1), place=place
    )


def test_a_year_with_a_known_forgetting_curve_has_the_predicted_retention() -> None:
    """A learner forgets by a power law; the deck is practised each day. Written without the code under test."""
    random, decay = Random(5), 0.1542
    factor = 0.9 ** (-1 / decay) - 1
    answers: list[list[Answer]] = [[] for _ in range(250)]
    states: dict[int, Schedule] = {}
    repeated = remembered = 0
    for day in range(365):
        at = NOW + day * DAY
        begun = 0
        for card, given in enumerate(answers):
            while True:
                if not given:
                    begun += 1
                    if begun > 3:  # new cards a day
                        break
                    is_right = random.random() < 0.6
                else:
                    state = states[card]
                    if state.due > at:
                        break
                    days = (at - given[-1].time).days
                    chance = (1 + factor * days / state.stability) ** -decay
                    is_right = random.random() < chance
                    if days:
                        repeated, remembered = repeated + 1, remembered + is_right
                given.append(Answer(is_right, at))
                states[card] = schedule(given)
                if is_right:
                    break
                at += timedelta(minutes=2)
    share, predicted = recall([History("", "go", tuple(given)) for given in answers if given], NOW)
    assert (share.right, share.total) == (remembered, repeated)
    assert repeated > 1000
    assert predicted is not None
    assert abs(remembered / repeated - predicted) < 0.03
    assert abs(remembered / repeated - 0.9) < 0.03, "what the scheduler aims at"


def test_answers_given_to_earlier_versions_are_scheduled_and_none_is_lost(tmp_path: Path) -> None:
    """The file was written by the program before it had decks: drills, misses and repetitions of two solvers."""
    file = tmp_path / "old.db"
    file.write_bytes(gzip.decompress((ROOT / "tests" / "golden" / "store-revision-6.db.gz").read_bytes()))
    with Store.open(str(file)) as store:
        known = {one.id: one for one in store.practised("drill 0123456789abcdef01234567", "ann").values()}
        assert sorted(tuple(answer.right for answer in one.answers) for one in known.values()) == [
            (False, True, False), (True,), (True, True, True, True),
        ]  # fmt: skip
        assert store.puzzle_score("go-life", "ann").answered == 4
        counts = store.count_cards("ann", datetime(2026, 6, 13, tzinfo=UTC))
        assert (counts.total, counts.new, counts.due) == (6, 0, 5), "the drill answered four times has time"
        assert store.count_cards("bea", datetime(2026, 6, 1, tzinfo=UTC)).total == 1
        due = store.next_card("ann", datetime(2026, 6, 13, tzinfo=UTC))
        assert due is not None
        assert due.puzzle.right
        histories = store.histories("ann")
        assert sum(len(one.answers) for one in histories) == 13
        assert next_question(store, "bea", datetime(2026, 6, 13, tzinfo=UTC)) is not None


def test_what_is_due_comes_first_then_own_mistakes_then_puzzles_and_the_day_ends(store: Store) -> None:
    settings = DeckSettings(new_per_day=4)
    for number in range(2):
        assert store.add_card("ann", puzzle(number))
    assert not store.add_card("ann", puzzle(1)), "the same mistake again"
    assert not store.add_card("ann", puzzle(9), limit=2)
    asked = []
    while (question := next_question(store, "ann", NOW, settings)) is not None:
        asked.append((question.puzzle.kind, question.puzzle.place))
        assert answer_question(store, question, "ann", question.puzzle.right[0], NOW).right
    assert asked[:2] == [("mistake", "00000001"), ("mistake", "00000000")]
    assert len(asked) == 4
    assert len({kind for kind, _ in asked}) == 3, "puzzles of two kinds"
    assert extra_question(store, "ann", NOW, settings) is not None
    found = statistics(store, "ann", NOW, settings)
    assert (found.counts.total, found.counts.due, found.today.right, found.new_today) == (4, 0, 4, 0)
    assert found.days_in_a_row == 1
    assert sum(found.forecast) == 4
    tomorrow = next_question(store, "ann", NOW + 3 * DAY, settings)
    assert tomorrow is not None
    assert not tomorrow.is_new
    assert answer_question(store, tomorrow, "ann", "", NOW + 3 * DAY).right is False
    other = next_question(store, "ann", NOW + 3 * DAY, settings, skip=tomorrow.puzzle.id)
    assert other is not None
    assert other.puzzle.id != tomorrow.puzzle.id
    soon = next_question(store, "ann", NOW + 3 * DAY + timedelta(minutes=2), settings)
    assert soon is not None
    assert soon.puzzle.id == tomorrow.puzzle.id, "a miss comes back the same day, first"
    while (question := next_question(store, "ann", NOW + 3 * DAY, DeckSettings(new_per_day=0))) is not None:
        last = question
        answer_question(store, question, "ann", question.puzzle.right[0], NOW + 3 * DAY)
    assert last.puzzle.id == tomorrow.puzzle.id, "before the session ends, misses are repeated"
    store.remove_card("ann", soon.puzzle.id)
    assert store.count_cards("ann", NOW).total == 3


def test_the_same_answer_from_two_windows_counts_once(store: Store) -> None:
    store.add_card("ann", puzzle(1))
    first, second = (next_question(store, "ann", NOW) for _ in range(2))
    assert first is not None
    assert second is not None
    assert answer_question(store, first, "ann", "d3", NOW).right
    assert not answer_question(store, second, "ann", "c4", NOW + timedelta(seconds=9)).right, "it is told"
    (history,) = store.histories("ann")
    assert [one.right for one in history.answers] == [True]


def test_games_can_be_chosen(store: Store) -> None:
    store.add_card("ann", puzzle(1))
    question = next_question(store, "ann", NOW, DeckSettings(games=("clobber",)))
    assert question is not None
    assert question.puzzle.game == "clobber"
    assert DeckSettings.from_option(DeckSettings(3, ("go",), False).to_option()) == DeckSettings(3, ("go",), False)
    assert DeckSettings.from_option({"new": "many"}) == DeckSettings()


def report(*candidates: Candidate) -> Report:
    return Report("test", candidates[0].move, candidates[0].value, candidates, 10_000, 0.1)


def test_right_are_all_moves_that_keep_what_is_proved_and_unproved_ones_are_not_judged() -> None:
    won, lost, guess = Value.exact(1, "wins"), Value.exact(-1, "wins"), Value.heuristic(0.2, "wins")
    at_least = Value.proved(1, "wins", low=True, high=False)
    found = [("a", won), ("b", at_least), ("c", lost), ("d", guess)]
    assert judged_moves(report(*(Candidate(*one) for one in found))) == (("a", "b"), ("c",))
    discs = [Candidate("a", Value.exact(4, "discs")), Candidate("b", Value.exact(2, "discs"))]
    assert judged_moves(report(*discs)) == (("a",), ("b",))


def test_estimates_within_the_noise_are_right_or_not_judged() -> None:
    def guess(move: str, rate: float, visits: int) -> Candidate:
        return Candidate(move, Value.heuristic(rate, "win rate"), (), visits)

    found = report(guess("a", 0.60, 5000), guess("b", 0.58, 3000), guess("c", 0.2, 1000), guess("d", 0.1, 20))
    assert judged_moves(found) == (("a", "b"), ("c",)), "d was hardly searched"
    discs = [
        Candidate(move, Value.heuristic(amount, "discs")) for move, amount in (("a", 3.0), ("b", 2.4), ("c", -3.0))
    ]
    assert judged_moves(report(*discs)) == (("a", "b"), ("c",))


def test_a_game_thrown_away_becomes_a_puzzle_with_all_winning_moves(store: Store) -> None:
    game = tengen.game("clobber", board="XOXOXOXO.XO.XO")
    start = game.start()
    with EngineHost(1) as host:

        def solve(position: tengen.Position) -> Report:
            from tengen.app.mistakes import search_alternatives

            return search_alternatives(host, position)

        first = solve(start)
        losing = [one.move for one in first.candidates if one.value.amount < 0]
        line = list(start.play(losing[0]).line())
        summary = summarise(line, {0: first, 1: solve(line[1])})
        found = mistakes(line, summary, [0])
        assert [one.move.move for one in found] == losing[:1]
        assert not mistakes(line, summary, [1])
        assert collect_mistakes(store, host, found, "ann", "a-game") == 1
        assert collect_mistakes(store, host, found, "ann", "a-game") == 0

    def wins(position: tengen.Position) -> bool:
        return any(not wins(position.play(move)) for move in position.legal_moves)

    question = next_question(store, "ann", NOW + 9000 * DAY)
    assert question is not None
    assert question.puzzle.origin == "a-game"
    right = {game.write_move(move) for move in start.legal_moves if not wins(start.play(move))}
    assert set(question.puzzle.right) == right
    assert not question.puzzle.unrated_moves
    assert "won (exact)" in verdict(question.puzzle, sorted(right)[0])
    assert "Better is" in verdict(question.puzzle, losing[0])
    assert question.position().ply == 0


def test_a_mistake_that_the_search_does_not_confirm_is_no_puzzle() -> None:
    position = tengen.game("othello").start()
    summary = summarise([position, position.play("f5")], {})
    assert not mistakes([position], summary, [0])
    from tengen.app.review import JudgedMove, Judgement, Phase

    judged = JudgedMove(1, 0, "d3", "f5", 9.0, Judgement.BLUNDER, 10.0, False, Phase.OPENING, False)
    values = [("f5", 0.4), ("d3", 0.0), ("c4", -6.0)]
    found = report(*(Candidate(move, Value.heuristic(amount, "discs")) for move, amount in values))
    assert mistake_puzzle(Mistake(position, judged), found, "", "") is None
    worse = report(Candidate("f5", Value.heuristic(9.0, "discs")))
    made = mistake_puzzle(Mistake(position, judged), worse, "p", "g")
    assert made is not None
    assert made.right == ("f5",)
    assert set(made.unrated_moves) == {"c4", "e6"}
    assert isinstance(Question(made).source, str)


def test_the_kinds_of_shipped_puzzles_have_titles() -> None:
    """Also in programs that compose no puzzles."""
    code = "from tengen.app.deck import source_name; print(source_name('go-race'), source_name('pente-win'))"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "Go capturing races Pente in two"
