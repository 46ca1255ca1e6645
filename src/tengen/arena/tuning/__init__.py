"""Tuning: finding better values for the numbers that an engine declares, by games alone.

Read the modules in this order:

1. `space`     what is tuned: an engine's tunables, each on a scale from 0 to 1
2. `method`    what every way of tuning is: it asks for bouts and learns from their results
3. `genetic`   a population whose best survive, mate and mutate
4. `spsa`      steps along a slope that is guessed from two opposite changes of everything at once
5. `surface`   a surface laid through all results (a Gaussian process), whose summit is looked for
6. `campaign`  the games: side by side, kept as they end; matches that check whether anything was won
"""
