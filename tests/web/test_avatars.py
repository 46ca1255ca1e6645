"""Pictures of opponents: each level has its own, they are well-formed and small."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from tengen import games
from tengen.players.opponents import levels
from tengen.web.avatars import UNKNOWN, avatar_names, avatar_svg


@pytest.mark.parametrize("game", games.names())
def test_every_level_has_its_own_picture(game: str) -> None:
    keys = [opponent.avatar for opponent in levels(game)]
    assert len(set(keys)) == len(keys)
    assert set(keys) <= set(avatar_names())


def test_pictures_are_different_small_and_well_formed() -> None:
    drawings = {avatar_svg(name) for name in avatar_names()}
    assert len(drawings) == len(avatar_names())
    for drawing in drawings:
        assert ElementTree.fromstring(drawing).tag.endswith("svg")
        assert len(drawing) < 3000


def test_an_engine_without_a_picture_is_a_robot() -> None:
    assert avatar_svg("<script>") == avatar_svg(UNKNOWN)
