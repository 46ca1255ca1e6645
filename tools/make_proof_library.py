"""Make the library of proofs that is shipped: certificates of small positions, and entries for larger ones.

    .venv/bin/python tools/make_proof_library.py

Certificates are written to src/tengen/app/proof_library/shipped, each after its independent check.
"""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from tengen.app.proof_library.library import FILE, SHIPPED, hash_of
from tengen.app.proofs.proof_file import verify_text
from tengen.engines.sums.language import read_sum, write_sum
from tengen.engines.sums.solver import SumSolver
from tengen.games.clobber.board import alternating

MAX_BYTES = 120_000  # of a certificate that is shipped


def empty(rows: int, columns: int) -> str:
    return "/".join(["." * columns] * rows)


SUMS = {  # id: (game, title, sum, first player)
    **{
        f"clobber-xo-{n}": ("clobber", f"(XO)^{n}", f"clobber (XO)^{n}", first)
        for n, first in [(1, "X"), (2, "X"), (3, "X"), *((n, "X") for n in range(4, 11))]
    },
    **{
        f"clobber-{r}x{c}": ("clobber", f"{r}x{c}, chequered", f"clobber {alternating(r, c)}", "X")
        for r, c in ((2, 3), (2, 4), (2, 5), (2, 6), (2, 7), (3, 3), (3, 4), (3, 5), (4, 4))
    },
    **{
        f"nogo-{r}x{c}-{first.lower()}": ("nogo", f"{r}x{c}, empty", f"nogo {empty(r, c)}", first)
        for r, c in ((1, 6), (2, 3), (3, 3), (2, 5), (3, 4))
        for first in "X"
    },
    **{
        f"domineering-{r}x{c}-{first.lower()}": (
            "domineering",
            f"{r}x{c}, empty",
            f"domineering {empty(r, c)}",
            first,
        )
        for r, c in ((3, 3), (4, 4), (4, 5), (5, 5))
        for first in "XO"
    },
    "cannibal-3x3": ("cannibal_clobber", "3x3, chequered", f"cannibal_clobber {alternating(3, 3)}", "X"),
    "cannibal-3x4": ("cannibal_clobber", "3x4, chequered", f"cannibal_clobber {alternating(3, 4)}", "X"),
    "amazons-3x3": ("amazons", "3x3, two amazons in corners", "amazons O../.../..X", "X"),
    "kayles-20": ("kayles", "20 pins", "kayles 20", "X"),
    "toads-3-3": ("toads_and_frogs", "XXX...OOO", "toads_and_frogs XXX...OOO", "X"),
    "sum-mixed": (
        "sums",
        "Clobber 3x3 + Domineering 3x3 + NoGo 2x3 - ^",
        f"clobber {alternating(3, 3)} + domineering {empty(3, 3)} + nogo {empty(2, 3)} - ^",
        "X",
    ),
}

MEASURED = "docs/measurements/clobber.md"
GRIDS = "docs/measurements/sums.md"
GO = "docs/measurements/go.md"
PENTE = "docs/measurements/pente.md"
RESULTS = "docs/measurements/new-results.md"
SOLVED_GRIDS = [  # rows, columns, whether the first player wins, seconds
    (2, 12, False, 0.2),
    (2, 15, False, 7.1),
    (2, 16, True, 0.7),
    (2, 17, True, 3.4),
    (2, 18, False, 92),
    (2, 19, True, 5.3),
    (2, 20, True, 30),
    (3, 6, False, 0.1),
    (3, 8, False, 2.6),
    (3, 9, True, 1.1),
    (3, 10, False, 148),
    (3, 11, True, 51),
    (4, 5, True, 0.2),
    (4, 6, False, 13),
    (4, 7, True, 7.1),
    (5, 5, False, 19),
]
SOLVED_GO = [  # height, width, claim, expected output, seconds
    (2, 3, "a draw", "+0 points (exact)", 1),
    (2, 5, "Black wins the whole board, +10", "+10 points (exact) for Black", 1),
    (3, 3, "Black wins the whole board, +9", "+9 points (exact) for Black", 1),
    (3, 4, "Black wins by 4", "+4 points (exact) for Black", 3),
]
LARGE = [
    *(
        {
            "id": f"clobber-xo-{n}",
            "game": "clobber",
            "position": f"(XO)^{n}",
            "claim": "X moves first and wins",
            "command": f'tengen clobber solve "(XO)^{n}" --set short={short} --proof FILE',
            "seconds": seconds,
            "method": f"proof-number search; the certificate is checked independently ({MEASURED})",
        }
        for n, short, seconds in ((24, 8, 2), (30, 8, 8), (34, 10, 29))
    ),
    *(
        {
            "id": f"clobber-xo-{n}-search",
            "game": "clobber",
            "position": f"(XO)^{n}",
            "claim": "X moves first and wins",
            "command": f'tengen clobber solve "(XO)^{n}" --set short=24 --set merge=20000'
            + (" --set bound_parts=200 --memory 9000" if n > 48 else ""),
            "expected": "X begins, X wins",
            "seconds": seconds,
            "method": f"proof-number search, no certificate ({MEASURED})",
        }
        for n, seconds in ((40, 0.5), (48, 2.6), (52, 13), (60, 167))
    ),
    *(
        {
            "id": f"clobber-xo-{n}-{'second' if first == 'O' else 'first'}-beside-up",
            "game": "clobber",
            "position": f"(XO)^{n} + XXO",
            "claim": f"X wins, {first} begins; so down < (XO)^{n} < up, with the other of these two entries",
            "command": f'tengen clobber solve "(XO)^{n}.XXO" --set short=12 --first {first} --proof FILE',
            "seconds": seconds,
            "method": f"proof-number search; XXO is up, and swapping colours mirrors (XO)^n ({MEASURED})",
        }
        for n, first, seconds in ((26, "X", 10), (26, "O", 7), (30, "X", 15), (30, "O", 20))
    ),
    *(
        {
            "id": f"clobber-{rows}x{columns}-search",
            "game": "clobber",
            "position": f"{rows}x{columns}, chequered",
            "claim": f"X moves first and {'wins' if wins else 'loses'}",
            "command": f"tengen clobber solve {alternating(rows, columns)} --memory 6000",
            "expected": f"X begins, {'X' if wins else 'O'} wins",
            "seconds": seconds,
            "method": f"proof-number search, no certificate ({GRIDS})",
            "board": {"game": "clobber", "options": {"board": alternating(rows, columns)}},
        }
        for rows, columns, wins, seconds in SOLVED_GRIDS
    ),
    {
        "id": "clobber-xxo-law",
        "game": "clobber",
        "position": "(XXO)^n",
        "claim": "the value is floor((n+1)/2) ups, for every n",
        "command": "tengen clobber lab XXO --repeats 40 --check",
        "expected": "for every n",
        "seconds": 1.2,
        "method": "exact values, and an induction that uses none (engines/clobber/pattern_bounds.py)",
    },
    *(
        {
            "id": f"clobber-{pattern.lower()}-law",
            "game": "clobber",
            "position": f"({pattern})^n",
            "claim": claim,
            "command": f"tengen clobber lab {pattern} --repeats {repeats} --check",
            "expected": "for every n",
            "seconds": 1,
            "method": f"induction without values, and exact values up to n = {repeats} ({RESULTS})",
        }
        for pattern, repeats, claim in (
            ("XXOO", 24, "the value is 0, for every n"),
            ("XOOX", 24, "the value is 0, for every n"),
            ("XXXOO", 12, "the value is 0, for every n"),
            ("XXXXOO", 40, "the value is 0, for every n"),
            ("XXXOOX", 40, "the value is 0, for every n"),
            ("XXOOXX", 40, "the value is 0, for every n"),
            ("XXOOX", 12, "the value is 0, for every n > 1"),
            ("XXXOOO", 12, "the value is * if n mod 4 is 2 or 3, otherwise 0"),
            ("XXOOOX", 12, "the values are *, down, 0, down + * for n = 2 to 5, then with period 4"),
            ("XXXO", 24, "Left wins whoever begins, for every n > 2"),
        )
    ),
    *(
        {
            "id": f"go-4x4-{move.lower()}",
            "game": "go",
            "position": f"4x4 after {move}, area scoring, positional superko",
            "claim": "White wins the whole board, +16 (komi 0)",
            "command": f"tengen solve go size=4 komi=0 --moves {move}",
            "expected": "+16 points (exact) for White",
            "seconds": 5,
            "method": f"exact search of both bounds; by symmetry all first moves but the centre ({GO})",
        }
        for move in ("A1", "B1")
    ),
    *(
        {
            "id": f"go-{height}x{width}",
            "game": "go",
            "position": f"{height}x{width}, area scoring, positional superko",
            "claim": f"{claim} (komi 0)",
            "command": f"tengen solve go width={width} height={height} komi=0",
            "expected": expected,
            "seconds": seconds,
            "method": f"exact search ({GO})",
        }
        for height, width, claim, expected, seconds in SOLVED_GO
    ),
    {
        "id": "five-in-a-row-5x5",
        "game": "pente",
        "position": "five in a row without captures, 5x5",
        "claim": "a draw",
        "command": "tengen solve pente size=5 captures=none goal=0",
        "expected": "drawn (exact)",
        "seconds": 14,
        "method": f"exact search, 20.6 million nodes ({PENTE})",
    },
    {
        "id": "othello-6x6",
        "game": "othello",
        "position": "6x6, from the start",
        "claim": "the second player wins by 4",
        "command": "tengen solve othello size=6 --table 2048",
        "expected": "-4 discs (exact)",
        "seconds": 190,
        "method": "alpha-beta; the value that Feinstein found in 1993 (docs/measurements/othello.md)",
    },
    {
        "id": "go-4x4",
        "game": "go",
        "position": "4x4, area scoring, positional superko",
        "claim": "Black wins by 2 (komi 0)",
        "command": "tengen solve go size=4 komi=0",
        "expected": "+2 points (exact)",
        "seconds": 16,
        "method": "exact search of both bounds; as van der Werf and others 2003 (docs/measurements/go.md)",
    },
    {
        "id": "go-5x5-c3",
        "game": "go",
        "position": "5x5 after C3",
        "claim": "Black wins the whole board, +25",
        "command": "tengen solve go size=5 komi=0 --moves C3 --table 8192",
        "expected": "+25 points",
        "seconds": 840,
        "method": "exact search; three other settings prove it as well (docs/measurements/go.md)",
    },
]


def main() -> None:
    rows = []
    for identity, (game, title, text, first) in SUMS.items():
        terms = read_sum(text)
        proof = SumSolver(plain=False).compiled.prove(terms, first, seconds=60)
        if proof is None or len(proof) > MAX_BYTES:
            print(f"{identity}: left out, {'not solved' if proof is None else f'{len(proof)} bytes'}")
            continue
        started = time.process_time()
        found = verify_text(proof)
        seconds = round(time.process_time() - started, 2)
        wins = json.loads(proof)["wins"]
        file = f"{identity}.json"
        Path(SHIPPED / file).write_text(proof + "\n", encoding="utf-8")
        row = {
            "id": identity,
            "game": game,
            "position": title,
            "claim": f"{first} moves first and {'wins' if wins else 'loses'}",
            "file": file,
            "sha256": hash_of(proof + "\n"),
            "command": f"tengen sums solve {shlex.quote(write_sum(terms))} --first {first} --proof FILE",
            "seconds": seconds,
            "method": f"proof-number search on exact values; {found.work} checked",
        }
        if len(terms) == 1 and terms[0].ruleset is not None:
            row["board"] = {"game": game, "options": {"board": str(terms[0].board), "first": first}}
        rows.append(row)
        print(identity, row["claim"], len(proof), seconds)
    known = {row["id"] for row in rows}
    rows += [_with_hash(row) for row in LARGE if row["id"] not in known]
    (SHIPPED / "library.json").write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")


def _with_hash(row: dict[str, Any]) -> dict[str, Any]:
    """An entry whose command makes a certificate, with the hash of this."""
    words = shlex.split(str(row["command"]))
    if FILE not in words:
        return row
    with tempfile.TemporaryDirectory() as folder:
        proof = Path(folder) / "proof.json"
        arguments = [str(proof) if word == FILE else word for word in words[1:]]
        subprocess.run([sys.executable, "-m", "tengen", *arguments], check=True, capture_output=True)
        text = proof.read_text(encoding="utf-8")
    print(row["id"], len(text))
    return {**row, "sha256": hash_of(text)}


if __name__ == "__main__":
    main()
