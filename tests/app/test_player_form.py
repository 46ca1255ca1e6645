"""The editor of an engine player: each problem is shown at the field that causes it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tengen.app import player_form
from tengen.core.resource_limits import resource_limits
from tengen.players import configure as configuring
from tengen.players.configure import configure
from tengen.search.limits import Limits


@pytest.mark.parametrize(
    ("limits", "field"),
    [
        ({"seconds": "1000"}, "seconds"),
        ({"nodes": "100000000"}, "nodes"),
        ({"seconds": "soon"}, "seconds"),
        ({"depth": "0"}, "depth"),
        ({"depth": "4"}, "depth"),  # uct has no depth limits
        ({}, "seconds"),
    ],
)
def test_a_problem_with_a_limit_belongs_to_its_field(
    monkeypatch: pytest.MonkeyPatch, limits: dict[str, str], field: str
) -> None:
    machine = replace(resource_limits(), level_seconds=60.0, level_nodes=10_000)
    monkeypatch.setattr(configuring, "resource_limits", lambda: machine)
    old = configure("uct", Limits(seconds=1))
    config, problems = player_form.read_player_form(old, "uct", limits, {})
    assert config is None
    assert list(problems) == [field]
