"""What a game between players needs besides the rules, as plain data, and engines that never block.

Clocks and players: `time_control`, `clock`, `pacing` (an engine's limits from its clock), `opponents`,
`rematch`.

The engine host runs engines in worker processes for any number of games. Read it in this order: `request` (what
is asked for, and what is told meanwhile), `host` (the one class that others use), `manager` (the thread that
brings searches and workers together), `scheduler` (whose turn it is, and on which worker), `crew` (a worker as the
manager sees it), `worker` (one from within), `delivery` (the thread that calls back).
"""
