"""Positions are immutable; a refused move says why."""

import tengen

position = tengen.game("pente", size=9).start().play("E5").play("C3")
print(position)
print(len(position.legal_moves), "legal moves")
try:
    position.play("E5")
except tengen.errors.IllegalMove as error:
    print(error)
