"""Atomic weights of all-small games."""

from __future__ import annotations

from fractions import Fraction

from tengen.core.values.game_value import GameValue
from tengen.core.values.notation import number_of

MAX_POSITIONS = 3000  # larger canonical forms take too long


def atomic_weight(value: GameValue) -> GameValue | None:
    """The atomic weight, itself a game; None if the game is not all-small or has over `MAX_POSITIONS` positions.

    With a weight of at least 2 Left wins moving first or second; with at least 1 Left wins moving first.
    """
    positions = value.positions()
    if len(positions) > MAX_POSITIONS or not value.is_all_small:
        return None
    values = value.values
    far_star = values.nimber(min(100, value.birthday + 1))
    weights: dict[int, GameValue] = {}
    for form in positions:
        game = values.from_form(form)
        if form == 0:
            weights[form] = values.zero
            continue
        lefts = [weights[option.form] - 2 for option in game.left_options]
        rights = [weights[option.form] + 2 for option in game.right_options]
        weight = values.game(lefts, rights)
        number = number_of(weight)
        if number is not None and number.denominator == 1:
            weight = _eccentric(game, far_star, lefts, rights)
        weights[form] = weight
    return weights[value.form]


def _eccentric(game: GameValue, far_star: GameValue, lefts: list[GameValue], rights: list[GameValue]) -> GameValue:
    """The integer weight if several integers fit, chosen by comparison with a far star."""
    values = game.values
    above, below = game > far_star, game < far_star
    if not above and not below:
        return values.zero
    number = number_of(values.game(lefts, rights))
    whole = int(Fraction(number or 0))
    while True:  # find the largest or smallest integer that fits between the options
        further = values.number(whole + (1 if above else -1))
        fits = all(not option >= further for option in lefts) and all(not option <= further for option in rights)
        if not fits:
            return values.number(whole)
        whole += 1 if above else -1
