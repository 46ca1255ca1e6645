"""What is said about a value: its name, outcome, bounds, atomic weight and temperature."""

from __future__ import annotations

from dataclasses import dataclass

from tengen.core.values import GameValue, atomic_weight, thermograph

OUTCOMES = {
    "L": "L, X wins moving first or second",
    "R": "R, O wins moving first or second",
    "N": "N, the next player wins",
    "P": "P, the previous player wins",
}


@dataclass(frozen=True)
class ValueReport:
    """Description of a value; `bounds` are multiples of up, then of up plus star."""

    name: str
    outcome: str
    bounds: tuple[int | None, int | None, int | None, int | None]
    atomic_weight: str | None
    temperature: str
    mean: str
    birthday: int

    @classmethod
    def of(cls, value: GameValue) -> ValueReport:
        weight = atomic_weight(value)
        graph = thermograph(value)
        return cls(
            name=str(value),
            outcome=value.outcome,
            bounds=value.bounds,
            atomic_weight=None if weight is None else str(weight),
            temperature=str(graph.temperature),
            mean=str(graph.mean),
            birthday=value.birthday,
        )


def value_words(value: ValueReport) -> str:
    """A value as one line of text."""
    low, high, low_star, high_star = (("-" if k is None else str(k)) for k in value.bounds)
    name = value.name if len(value.name) <= 200 else f"{value.name[:197]}..."
    words = [f"value {name}"]
    if value.atomic_weight is not None:
        words.append(f"atomic weight {value.atomic_weight if len(value.atomic_weight) <= 80 else '(long)'}")
    words.append(f"ups {low} to {high}, with star {low_star} to {high_star}")
    words.append(f"temperature {value.temperature}")
    return ", ".join(words)
