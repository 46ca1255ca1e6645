"""KataGo's JSON analysis protocol, with Tengen as the engine.

`query` checks a query and makes positions of it, `rules` reads KataGo's names of rules, `answer` writes results,
and `server` runs many queries at a time on the engine host.
"""
