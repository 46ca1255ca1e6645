"""Time to parse grows with the input: no pattern and no loop of a parser is quadratic. soak/ has large inputs."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.helpers.parser_cases import PARSERS, RUNS, cases, too_fast_growth

SIZE = 4_000  # bytes of the smaller input
# What took seconds for a few kilobytes: a beginning, what is repeated, an end.
KNOWN = [
    ("text", (b'[Game "clobber"]\n[', b" ", b"")),
    ("text", (b"[", b"\n", b"")),
    ("text", (b"", b'[Game "go"]\n\n{', b"")),
    ("text", (b"", b'[Game "go"]\n\nA1 zz\n', b"")),
    ("text", (b'[Game "go"]\n\nA1 {', b"[%eval 1]", b"}")),
    ("text", (b'[Game "go"]\n\nA1 ', b"{a}", b"")),
    ("transcript", (b"f5 1", b" ", b"")),
    ("recognition", (b"1", b" ", b"!")),
    ("recognition", (b"", b"\n", b"x")),
    ("transcript", (b"f5d6\nf5d6\n", b"f5 zz\n", b"")),
    ("encoding", (b"(;CA[ ", b" ", b"")),
    ("encoding", (b"(;CA[punycode]", b"a-", b"")),
    ("sgf", (b"(;GM[1]!", b"[", b"")),
    ("sgf", (b"", b"(;GM[1]!C[", b"")),
    ("sgf", (b"", b"(;!)", b"")),
    ("ggf", (b"", b"(;GM[", b"")),
    ("ggf", (b"", b"(;GM[", b"];)")),
    ("ggf", (b"(;GM[Othello]BO[8 x]", b"XX[x]", b";)")),
    ("clobber position", (b"(X)", b" ", b"!")),
]


@pytest.mark.parametrize(("name", "case"), KNOWN)
def test_what_was_quadratic_is_so_no_longer(name: str, case: tuple[bytes, bytes, bytes]) -> None:
    assert too_fast_growth(PARSERS[name], case, 3 * SIZE) is None


@pytest.mark.parametrize("name", sorted(PARSERS))
def test_time_grows_with_the_input(name: str) -> None:
    parser = PARSERS[name]
    every = list(cases(parser))
    for case in every[:: max(1, len(every) // 40)]:
        assert too_fast_growth(parser, case, SIZE) is None


@pytest.mark.parametrize("name", sorted(PARSERS))
@settings(max_examples=15, derandomize=True, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_any_mixture_of_tokens_takes_linear_time(name: str, data: st.DataObject) -> None:
    parser = PARSERS[name]
    token = st.sampled_from((*parser.tokens, *RUNS))
    unit = b"".join(data.draw(st.lists(token, min_size=1, max_size=4)))
    case = (data.draw(st.sampled_from(parser.beginnings)), unit, data.draw(st.sampled_from(parser.ends)))
    assert too_fast_growth(parser, case, SIZE) is None
