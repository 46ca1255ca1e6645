"""Which of two engines is stronger? Each opening is played twice, with colours reversed."""

import tengen

result = tengen.match("alphabeta:depth1", "alphabeta:depth3", tengen.game("othello", size=6), rounds=4)
print(result.line())
