"""Images of many 8x8 boards at once, for book formats of other Othello programs.

Images are numbered as in `games.othello.images`: columns mirrored (1), then rows (2), then both swapped (4).
Programs that count squares from h8 instead of a1 store the image turned by half, which is one of the eight, so the
order of bits does not matter where a position stands for all of its images.
"""

from __future__ import annotations

import numpy as np

from tengen.books.nodes import Array


def images(boards: Array) -> Array:
    """The eight images of each board: uint64[8, n]."""
    upright = [boards, _mirrored(boards), _upside_down(boards), _mirrored(_upside_down(boards))]
    return np.stack(upright + [_swapped(one) for one in upright])


def least_images(movers: Array, enemies: Array) -> tuple[Array, Array]:
    """Our canonical images: the least pairs as unsigned numbers."""
    number = _least(images(movers), images(enemies))
    return _chosen(images(movers), number), _chosen(images(enemies), number)


def least_signed_images(movers: Array, enemies: Array) -> tuple[Array, Array, Array]:
    """The least pairs as signed numbers, and the numbers of these images."""
    some, others = images(movers), images(enemies)
    flip = np.uint64(1 << 63)  # makes the order of signed numbers that of unsigned ones
    number = _least(some ^ flip, others ^ flip)
    return _chosen(some, number), _chosen(others, number), number


def _least(movers: Array, enemies: Array) -> Array:
    """The number of the least (mover, enemy) for each position."""
    enemies = np.where(movers == movers.min(axis=0), enemies, np.uint64(2**64 - 1))
    number: Array = enemies.argmin(axis=0)
    return number


def _chosen(boards: Array, number: Array) -> Array:
    found: Array = np.take_along_axis(boards, number[None, :], axis=0)[0]
    return found


def _delta(boards: Array, shift: int, mask: int) -> Array:
    """Exchange bits with those `shift` above, where `mask` says so."""
    swap = (boards ^ (boards >> np.uint64(shift))) & np.uint64(mask)
    result: Array = boards ^ swap ^ (swap << np.uint64(shift))
    return result


def _mirrored(boards: Array) -> Array:
    for shift, mask in ((1, 0x5555555555555555), (2, 0x3333333333333333), (4, 0x0F0F0F0F0F0F0F0F)):
        boards = _delta(boards, shift, mask)
    return boards


def _upside_down(boards: Array) -> Array:
    for shift, mask in ((8, 0x00FF00FF00FF00FF), (16, 0x0000FFFF0000FFFF), (32, 0x00000000FFFFFFFF)):
        boards = _delta(boards, shift, mask)
    return boards


def _swapped(boards: Array) -> Array:
    for shift, mask in ((7, 0x00AA00AA00AA00AA), (14, 0x0000CCCC0000CCCC), (28, 0x00000000F0F0F0F0)):
        boards = _delta(boards, shift, mask)
    return boards
