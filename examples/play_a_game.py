"""Two engines play a game of Go on 5x5."""

import tengen

position = tengen.game("go", size=5).start()
engines = ["go:100nodes", "uct:200nodes"]
while not position.is_over:
    report = tengen.analyse(position, engines[position.to_move])
    position = position.play(report.best)

print(position)
print(position.outcome)
