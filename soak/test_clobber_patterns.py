"""(XXO)^n = floor((n+1)/2) up, by the arithmetic of the checker: plain Python, no code of the laboratory in it."""

from __future__ import annotations

from tengen.engines.clobber.checker import Arithmetic

PATTERN = "XXO"
REPEATS = 60


def test_xxo_repeated_is_a_multiple_of_up() -> None:
    """Whatever play makes of the strip, a part is a piece of it in which at most the two end cells are changed."""
    games = Arithmetic()
    known: dict[tuple[int, str, str, int], int] = {}  # by phase, first and last stone, length

    def value(begin: int, first: str, last: str, length: int) -> int:
        return known[begin % 3, first, last, length] if length > 1 else 0

    for length in range(2, 3 * REPEATS + 1):
        for begin in range(3):
            for first in "XO":
                for last in "XO":
                    cells = [PATTERN[(begin + place) % 3] for place in range(length)]
                    cells[0], cells[-1] = first, last
                    options: dict[str, set[int]] = {"X": set(), "O": set()}
                    for place in range(length - 1):
                        one, two = cells[place], cells[place + 1]
                        if one != two:
                            # One stone goes right and captures the other, or the other goes left.
                            low = value(begin, first, cells[place - 1], place)
                            high = value(begin + place + 1, one, last, length - place - 1)
                            options[one].add(games.add(low, high))
                            low = value(begin, first, two, place + 1)
                            next_stone = cells[min(place + 2, length - 1)]
                            high = value(begin + place + 2, next_stone, last, length - place - 2)
                            options[two].add(games.add(low, high))
                    known[begin, first, last, length] = games.game(options["X"], options["O"])
    for repeats in range(1, REPEATS + 1):
        ups = (repeats + 1) // 2
        assert known[0, "X", "O", 3 * repeats] == games.ups(ups)[0], repeats
