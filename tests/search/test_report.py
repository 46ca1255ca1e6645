"""Reports: the same after a trip through JSON, and never a guess in the words of a proof."""

from __future__ import annotations

import dataclasses
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tengen.engines.registry import create
from tengen.games import game
from tengen.search.limits import Limits
from tengen.search.report import VERSION, Candidate, Kind, Overlay, Report, Value

numbers = st.floats(allow_nan=False, allow_infinity=False) | st.integers(-(10**6), 10**6)
units = st.sampled_from(["discs", "points", "wins", "win rate"])
moves = st.text(max_size=8)
small = st.integers(0, 30)

values = st.one_of(
    st.builds(Value.exact, numbers, units),
    st.builds(Value.heuristic, numbers, units),
    st.builds(Value.proved, numbers, units, low=st.booleans(), high=st.booleans()),
)
candidates = st.builds(
    Candidate,
    move=moves,
    value=values,
    line=st.lists(moves, max_size=6).map(tuple),
    visits=st.integers(0, 10**9),
    reason=st.text(max_size=30),
)
overlays = st.builds(
    Overlay.from_points,
    st.text(max_size=10),
    st.dictionaries(st.tuples(small, small), numbers | st.text(max_size=4), max_size=8),
)
reports = st.builds(
    Report,
    engine=st.text(max_size=10),
    best=moves,
    value=values,
    candidates=st.lists(candidates, min_size=1, max_size=4).map(tuple),
    nodes=st.integers(0, 10**12),
    seconds=st.floats(0, 1e6),
    depth=st.integers(0, 239),
    overlays=st.lists(overlays, max_size=3).map(tuple),
)


# ---- JSON


@given(reports)
def test_a_report_is_the_same_after_a_trip_through_json(report: Report) -> None:
    there = report.to_json()
    back = Report.from_json(there)
    assert back == report
    assert back.to_json() == there
    assert isinstance(back.value.kind, Kind)
    assert isinstance(back.candidates, tuple)
    assert isinstance(back.line, tuple)
    hash(back)  # frozen all through: no list is left in it


@pytest.mark.parametrize("name", ["alphabeta", "uct", "flat", "random"])
@pytest.mark.parametrize(
    ("rules", "options"), [("clobber", {"size": 6}), ("othello", {"size": 4}), ("go", {"size": "2x3"})]
)
def test_what_engines_report_makes_the_trip(name: str, rules: str, options: dict[str, object]) -> None:
    report = create(name).search(game(rules, **options).start(), Limits(nodes=300))
    assert Report.from_json(report.to_json()) == report
    json.loads(report.to_json(), parse_constant=pytest.fail)  # no NaN, no Infinity: other languages read this


@given(reports, st.integers().filter(lambda version: version != VERSION) | st.text(max_size=5) | st.none())
def test_another_version_is_refused(report: Report, version: object) -> None:
    data = json.loads(report.to_json())
    data["version"] = version
    with pytest.raises(ValueError, match="version"):
        Report.from_json(json.dumps(data))


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


@given(json_values)
def test_json_that_is_no_report_is_a_value_error(data: object) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 (what is wrong differs from text to text)
        Report.from_json(json.dumps(data))


@given(st.text(max_size=40))
def test_text_that_is_no_json_is_a_value_error(text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011
        Report.from_json(text)


def test_text_that_nests_too_deep_is_a_value_error() -> None:
    with pytest.raises(ValueError):  # noqa: PT011
        Report.from_json("[" * 100_000)


REPORT = Report(
    engine="uct",
    best="d3",
    value=Value.exact(1, "wins"),
    candidates=(Candidate("d3", Value.exact(1, "wins"), ("d3", "c5"), visits=7),),
    nodes=7,
    seconds=0.5,
    overlays=(Overlay("visits", ((3, 2, 1.0),)),),
)


@pytest.mark.parametrize(
    "part",
    [
        ["engine"],
        ["best"],
        ["value"],
        ["value", "kind"],
        ["candidates"],
        ["candidates", 0, "line"],
        ["candidates", 0, "value", "amount"],
        ["overlays", 0, "points"],
        ["version"],
    ],
)
def test_a_missing_part_is_a_value_error(part: list[str | int]) -> None:
    data = json.loads(REPORT.to_json())
    inner = data
    for step in part[:-1]:
        inner = inner[step]
    del inner[part[-1]]
    with pytest.raises(ValueError, match=str(part[-1])):
        Report.from_json(json.dumps(data))


@pytest.mark.parametrize(
    ("part", "wrong"),
    [
        ("value", None),
        ("value", {"amount": 1, "kind": "certain", "unit": "wins"}),
        ("candidates", 5),
        ("candidates", [1]),
        ("overlays", [{"name": "visits", "points": [[1, 2]]}]),
        ("colour", "blue"),
    ],
)
def test_a_wrong_part_is_a_value_error(part: str, wrong: object) -> None:
    data = json.loads(REPORT.to_json()) | {part: wrong}
    with pytest.raises(ValueError):  # noqa: PT011
        Report.from_json(json.dumps(data))


def test_a_report_cannot_be_changed() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        REPORT.best = "c4"
    with pytest.raises(dataclasses.FrozenInstanceError):
        REPORT.value.amount = 0


# ---- values and their words


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (Value.exact(4, "discs"), "+4 discs (exact)"),
        (Value.exact(-7.5, "points"), "-7.5 points (exact)"),
        (Value.exact(0, "discs"), "+0 discs (exact)"),
        (Value.exact(1, "wins"), "won (exact)"),
        (Value.exact(-1, "wins"), "lost (exact)"),
        (Value.exact(0, "wins"), "drawn (exact)"),
        (Value.proved(2, "points", low=True, high=False), "at least +2 points (proved)"),
        (Value.proved(2, "points", low=False, high=True), "at most +2 points (proved)"),
        (Value.heuristic(3.14159, "points"), "about +3.14 points"),
        (Value.heuristic(-12, "discs"), "about -12 discs"),
        (Value.heuristic(0.54321, "win rate"), "54.3 % wins"),
    ],
)
def test_values_in_words(value: Value, words: str) -> None:
    assert str(value) == words


@given(numbers, units)
def test_a_guess_is_never_written_as_more(amount: float, unit: str) -> None:
    for value in (Value.heuristic(amount, unit), Value.proved(amount, unit, low=False, high=False)):
        assert value.kind is Kind.HEURISTIC
        assert value.low is None
        assert value.high is None
        assert "exact" not in str(value)
        assert "proved" not in str(value)
        assert not str(value).startswith(("won", "lost", "drawn", "at "))


@given(numbers, units.filter(lambda unit: unit != "win rate"), st.booleans(), st.booleans())
def test_what_is_proved_is_what_is_written(amount: float, unit: str, low: bool, high: bool) -> None:
    value = Value.proved(amount, unit, low=low, high=high)
    assert value.low == (amount if low else None)
    assert value.high == (amount if high else None)
    assert ("exact" in str(value)) == (value.kind is Kind.EXACT) == (low and high)
    assert ("proved" in str(value)) == (value.kind is Kind.BOUND) == (low != high)


def test_kinds_are_words() -> None:
    assert [str(kind) for kind in Kind] == ["exact", "bound", "heuristic"]
    with pytest.raises(ValueError, match="certain"):
        Kind("certain")
