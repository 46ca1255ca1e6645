"""What a proof about a sum claims, in words."""

from __future__ import annotations

from typing import Any

from tengen.core.values import PlainValues


def describe_terms(proof: dict[str, Any]) -> str:
    """The sum of a proof in the input language. The structure of the proof must be valid."""
    values = PlainValues()
    forms = [values.zero]
    words = []
    for term in proof["terms"]:
        if isinstance(term, str):
            words.append(term.replace(":", " "))
            continue
        while len(forms) <= term:
            lefts, rights = proof["forms"][len(forms)]
            forms.append(values.game([forms[i] for i in lefts], [forms[i] for i in rights]))
        words.append(str(forms[term]))
    return " + ".join(words) or "0"
