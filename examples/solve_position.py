"""Exact results under best play."""

import tengen

othello = tengen.solve(tengen.game("othello", size=4).start())
print("Othello on 4x4:", othello.value)

clobber = tengen.solve(tengen.game("clobber", board="XOXOXOXO.OXOX").start(), every_move=True)
for candidate in clobber.candidates:
    print(candidate.move, candidate.value)
