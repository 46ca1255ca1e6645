"""No code outside `games` and `engines` switches on which game it is; games declare capabilities instead."""

from __future__ import annotations

import ast
from collections import Counter
from itertools import pairwise
from pathlib import Path

import tengen
from tengen import games

SOURCE = Path(tengen.__file__).parent

# Comparisons with the name of a game, and isinstance checks against a game's class, that are still there, by file.
# The numbers may only go down. GTP and KataGo's are Go protocols, NBoard an Othello protocol and Gomocup one of
# five in a row: their modules have to know their game. So do the commands of one game (`cli/go.py`,
# `cli/problem.py`), its own benchmarks, and modules about one game: groups and problems of Go, and the checkers
# of proofs.
ALLOWED = {
    "app/go_groups.py": 2,
    "app/problems.py": 1,
    "app/proofs/certify.py": 2,
    "app/proofs/go_life.py": 1,
    "app/proofs/othello_value.py": 1,
    "app/proofs/pente_win.py": 1,
    "app/puzzle_generation.py": 1,
    "arena/bench.py": 2,
    "cli/analysis.py": 1,
    "cli/go.py": 1,
    "cli/problem.py": 1,
    "protocols/external/gomocup.py": 4,
    "protocols/external/gomocup_analysis.py": 1,
    "protocols/external/gtp.py": 3,
    "protocols/external/katago.py": 3,
    "protocols/external/nboard.py": 1,
    "protocols/gomocup.py": 3,
    "protocols/gtp/session.py": 1,
    "protocols/katago/answer.py": 2,
    "protocols/katago/query.py": 1,
    "runtime/warmup.py": 1,
}

NAMES = frozenset(games.names())
CLASSES = frozenset(games.game_class(name).__name__ for name in NAMES)


def _constants(node: ast.expr) -> set[object]:
    elements = node.elts if isinstance(node, (ast.Tuple, ast.List, ast.Set)) else [node]
    return {element.value for element in elements if isinstance(element, ast.Constant)}


def _class_names(node: ast.expr) -> set[str]:
    elements = node.elts if isinstance(node, ast.Tuple) else [node]
    return {one.attr if isinstance(one, ast.Attribute) else getattr(one, "id", "") for one in elements}


def _speaks_of_a_game(node: ast.expr) -> bool:
    """Whether an expression looks like the name of a game: `game`, `name`, `self.game.name`, `kind["game"]`."""
    words = {part.attr for part in ast.walk(node) if isinstance(part, ast.Attribute)}
    words |= {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
    words |= {str(part.value) for part in ast.walk(node) if isinstance(part, ast.Constant)}
    return any("game" in word or word in ("name", "kind", "rules") for word in words)


def switches(tree: ast.AST) -> list[int]:
    """The lines on which code asks which game it is."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            for one, other in pairwise(sides):
                for text, subject in ((one, other), (other, one)):
                    if _constants(text) & NAMES and _speaks_of_a_game(subject):
                        found.append(node.lineno)
        elif isinstance(node, ast.Call) and getattr(node.func, "id", "") == "isinstance":
            if _class_names(node.args[1]) & CLASSES:
                found.append(node.lineno)
        elif isinstance(node, ast.MatchValue) and _constants(node.value) & NAMES:
            found.append(node.lineno)
    return found


def test_games_declare_what_others_need_to_know() -> None:
    found: Counter[str] = Counter()
    lines: dict[str, list[int]] = {}
    for path in sorted(SOURCE.rglob("*.py")):
        name = path.relative_to(SOURCE).as_posix()
        if not name.startswith(("games/", "engines/")):
            lines[name] = switches(ast.parse(path.read_text()))
            found[name] += len(lines[name])
    more = {name: lines[name] for name, count in found.items() if count > ALLOWED.get(name, 0)}
    assert not more, f"ask the game for a capability instead of asking which game it is: {more}"
    fewer = {name: found[name] for name in ALLOWED if found[name] < ALLOWED[name]}
    assert not fewer, f"these numbers went down, so lower them in ALLOWED, too: {fewer}"


def test_switches_are_found() -> None:
    for code in (
        'game.name == "go"',
        '"go" != self.game.name',
        'name in ("go", "pente")',
        'record["game"] == "othello"',
        "isinstance(game, Go)",
        "isinstance(game, (int, pente.Pente))",
        'match game.name:\n    case "go":\n        pass',
    ):
        assert switches(ast.parse(code)), code
    for code in ('command == "go"', "game.name == other.name", "isinstance(game, Game)", 'name == "goal"'):
        assert not switches(ast.parse(code)), code
