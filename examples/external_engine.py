"""Another program as an engine, over GTP. Here it is Tengen itself; GNU Go would be `gtp:gnugo --mode gtp`."""

import sys

import tengen

program = tengen.player(f"gtp,1nodes:{sys.executable} -m tengen gtp --engine random")
position = tengen.game("go", size=5).start()
report = tengen.analyse(position, program)
print(report.engine, "plays", report.best)
