"""The functions of a ruleset for kernels: compiled on first use, together with the kernel that calls them."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from tengen.core.compiled.kernel import helper
from tengen.games.rulesets.ruleset import Ruleset, either_player


@functools.cache
def compiled_rules(ruleset: Ruleset) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """`list_moves` and `play` as helpers of kernels."""
    if ruleset.base is not None:
        list_moves, play = either_player(*compiled_rules(ruleset.base))
    else:
        list_moves, play = ruleset.list_moves, ruleset.play
    return helper(list_moves), helper(play)
