"""Clobber, on strips and rectangles: `rules` (compiled), `board` (text, subgames, mirror images), `game`."""

from tengen.games.clobber.board import colour_swapped, mirror_images, normal_form, subgames
from tengen.games.clobber.game import Clobber

__all__ = ["Clobber", "colour_swapped", "mirror_images", "normal_form", "subgames"]
