"""The three best moves of an Othello position."""

import tengen

position = tengen.game("othello").start().play_all(["f5", "d6", "c3", "d3", "c4"])
report = tengen.analyse(position, depth=8, lines=3)
for candidate in report.candidates[:3]:
    print(candidate.move, candidate.value, " ".join(candidate.line))
