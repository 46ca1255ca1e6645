"""Playing, without ever blocking: the engine host runs engines in worker processes for any number of games.

Read the engine host in this order: `request` (what is asked for, and what is told meanwhile), `host` (the one
class that others use), `manager` (the thread that brings searches and workers together), `scheduler` (whose turn
it is, and on which worker), `crew` (a worker as the manager sees it), `worker` (one from within), `delivery` (the
thread that calls back).
"""
