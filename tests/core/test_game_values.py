"""Values of games: names, order, sums and what is known of them, against a second implementation."""

from __future__ import annotations

import os
import subprocess
import sys
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tengen.core.errors import OptionError
from tengen.core.values import GameValue, PlainValues, Values, atomic_weight, stops, thermograph
from tengen.core.values.arithmetic import Arithmetic

values = Values()


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("{|}", "0"),
        ("{0|}", "1"),
        ("{0|1}", "1/2"),
        ("-5/8", "-5/8"),
        ("{0|0}", "*"),
        ("*2+*3", "*"),
        ("{0,*|0,*}", "*2"),
        ("{0|*}", "^"),
        ("^+^", "^^"),
        ("^2", "^^"),
        ("{0|^*}", "^^"),
        ("^^*", "^^*"),
        ("vv", "vv"),
        ("v2*3", "vv*3"),
        ("^^^", "^3"),
        ("⇑ + ↓*", "^*"),
        ("v3*", "v3*"),
        ("^*2", "^*2"),
        ("{1|-1}", "±1"),
        ("+-{2|1}", "±{2|1}"),
        ("{0||0|-2}", "tiny(2)"),
        ("miny(2)", "miny(2)"),
        ("{2|0||0}", "miny(2)"),
        ("1^*", "1^*"),
        ("{1|*}", "{1|*}"),
        ("{*|*}", "0"),
        ("{0|5}", "1"),
        ("({1|0}) - {1|0}", "0"),
    ],
)
def test_names(text: str, name: str) -> None:
    value = values.read(text)
    assert str(value) == name
    assert values.read(name) == value
    assert values.read(f"-({name})") == -value


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "{1|",
        "{1}",
        "1/0",
        "1/3",
        "x",
        "*999",
        "2000",
        "{1|2",
        "^^2",
        "^v",
        "v1234567890",
        "on",
        "{" * 99,
        "3" * 3000,
    ],
)
def test_what_cannot_be_read_is_named_in_one_line(text: str) -> None:
    with pytest.raises(OptionError) as caught:
        values.read(text)
    assert "\n" not in str(caught.value)


games = st.recursive(
    st.just(((), ())),
    lambda inner: st.tuples(st.lists(inner, max_size=3).map(tuple), st.lists(inner, max_size=3).map(tuple)),
    max_leaves=10,
)


def ours(game: tuple) -> GameValue:
    return values.game([ours(option) for option in game[0]], [ours(option) for option in game[1]])


def theirs(arithmetic: Arithmetic, game: tuple) -> int:
    sides = [{theirs(arithmetic, option) for option in side} for side in game]
    return arithmetic.game(*sides)


@settings(max_examples=150, deadline=None)
@given(games, games)
def test_order_and_sums_agree_with_a_second_implementation(one: tuple, other: tuple) -> None:
    arithmetic = Arithmetic()
    a, b = ours(one), ours(other)
    c, d = theirs(arithmetic, one), theirs(arithmetic, other)
    assert (a <= b) == arithmetic.at_most(c, d)
    assert (a >= b) == arithmetic.at_most(d, c)
    assert (a == b) == (c == d)
    assert a - a == 0
    total = arithmetic.add(c, d)
    assert ((a + b) <= 0) == arithmetic.at_most(total, 0)
    assert len((a + b).left_options) == len(arithmetic.options[total][0])
    assert len((a + b).right_options) == len(arithmetic.options[total][1])
    assert values.read(str(a)) == a
    assert {"L": a > 0, "R": a < 0, "P": a == 0, "N": not a >= 0 and not a <= 0}[a.outcome]


@settings(max_examples=100, deadline=None)
@given(games, games)
def test_plain_values_agree(one: tuple, other: tuple) -> None:
    plain = PlainValues()
    compiled = ours(one) + ours(other)
    mine = plain.read(str(ours(one))) + plain.read(str(ours(other)))
    assert str(mine) == str(compiled)
    assert (mine.bounds, mine.outcome, mine.birthday) == (compiled.bounds, compiled.outcome, compiled.birthday)
    assert str(-mine) == str(-compiled)
    assert thermograph(mine) == thermograph(compiled)


def test_messages_quote_numbers_in_full() -> None:
    for text in ("1234567890123", "*1234567890123", "^1234567890123"):
        with pytest.raises(OptionError, match="1234567890123"):
            values.read(text)
    with pytest.raises(OptionError, match="loopy"):
        values.read("1 + over")


@settings(max_examples=100, deadline=None)
@given(games)
def test_bounds_are_where_the_ups_are(game: tuple) -> None:
    value = ours(game)
    low, high, low_star, high_star = value.bounds
    for k in range(-4, 5):
        up, star = values.up(k), values.up(k, star=True)
        if low is not None:
            assert (up <= value) == (k <= low)
        if high is not None:
            assert (value <= up) == (k >= high)
        if low_star is not None:
            assert (star <= value) == (k <= low_star)
        if high_star is not None:
            assert (value <= star) == (k >= high_star)


@pytest.mark.parametrize(
    ("text", "temperature", "mean", "left", "right"),
    [
        ("3", -1, 3, 3, 3),
        ("3/4", Fraction(-1, 4), Fraction(3, 4), Fraction(3, 4), Fraction(3, 4)),
        ("^", 0, 0, 0, 0),
        ("{5|1}", 2, 3, 5, 1),
        ("{1|*}", Fraction(1, 2), Fraction(1, 2), 1, 0),
        ("{2||1|-1}", 1, 1, 2, 1),
    ],
)
def test_thermographs(text: str, temperature: object, mean: object, left: object, right: object) -> None:
    graph = thermograph(values.read(text))
    assert (graph.temperature, graph.mean) == (temperature, mean)
    assert stops(values.read(text)) == (left, right)
    assert graph.svg().startswith("<svg")


numbers = st.integers(-8, 8).map(lambda n: values.read(f"{n}/4"))
hot_games = st.recursive(
    numbers,
    lambda inner: st.tuples(st.lists(inner, min_size=1, max_size=2), st.lists(inner, min_size=1, max_size=2)).map(
        lambda sides: values.game(*sides)
    ),
    max_leaves=8,
)


@settings(max_examples=200, deadline=None)
@given(hot_games)
def test_heat_agrees_with_the_thermograph(value: GameValue) -> None:
    graph = thermograph(value)
    left, right, low, high, temperature = values.forms.heat[value.form]
    assert (left, right) == stops(value)
    assert low <= graph.mean <= high
    if graph.temperature < 0:
        assert low == high == graph.mean
        assert temperature == -1
    else:
        assert temperature >= graph.temperature


def test_heat_of_common_games_is_exact() -> None:
    for text in ("{5|1}", "{1|*}", "{2||1|-1}", "^", "*3", "{7|3||-2}"):
        graph = thermograph(values.read(text))
        _, _, low, high, temperature = values.forms.heat[values.read(text).form]
        assert low == high == graph.mean, text
        assert temperature == graph.temperature, text


@pytest.mark.parametrize(
    ("text", "weight"),
    [("0", "0"), ("*", "0"), ("*2", "0"), ("^", "1"), ("^3*", "3"), ("v*2", "-1"), ("{^3|v3}", "±1")],
)
def test_atomic_weights(text: str, weight: str) -> None:
    found = atomic_weight(values.read(text))
    assert str(found) == weight


def test_weights_of_games_that_are_not_all_small() -> None:
    assert atomic_weight(values.read("1")) is None


def test_forms_go_from_one_store_to_another() -> None:
    texts = ["^3*", "{1|*}", "tiny(2)", "{^|v}", "0"]
    rows, places = values.export_forms([values.read(text).form for text in texts])
    other = Values()
    ids = other.import_forms(rows)
    assert [str(other.from_form(int(ids[place]))) for place in places] == [
        str(values.read(text)) for text in texts
    ]
    with pytest.raises(OptionError, match="two stores"):
        values.add(values.zero, other.zero)


def test_stores_grow() -> None:
    from tengen.core.values import arrays

    small = Values(arrays.make_forms(forms=8, options=8, memory=16, scratch=1 << 13))
    assert str(small.up(40) + small.nimber(3)) == "^40*3"
    assert small.up(40).birthday == 41
    assert np.count_nonzero(small.forms.slots) == small.forms.counts[arrays.FORMS] - 1


def test_the_same_without_compiler() -> None:
    program = (
        "from tengen.core.values import Values\n"
        "from tengen.engines.clobber.solver import Solver\n"
        "from tengen.engines.clobber.solver_options import SolverOptions\n"
        "from tengen.engines.clobber.patterns import run_experiment\n"
        "print(Values().read('{0|^*} + *2'), Solver().value('XOXOX'))\n"
        "print(Solver(SolverOptions(short=3)).outcome('XOXXO.OX'),"
        " Solver(SolverOptions(method='deepening', width=4)).outcome('XOXXO.OX'),"
        " run_experiment('XXO', 3).values[2])\n"
    )
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    run = subprocess.run(
        [sys.executable, "-W", "error", "-c", program], env=environment, capture_output=True, text=True
    )
    assert run.returncode == 0, run.stderr
    from tengen.engines.clobber.solver import Solver

    outcome = Solver().outcome("XOXXO.OX")
    assert run.stdout.split() == ["^^*2", str(Solver().value("XOXOX")), outcome, outcome, "^^"]
