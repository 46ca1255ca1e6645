"""Tuning: finds better values for the tunables of an engine by playing games.

Reading order:

1. `space`: the parameters, each on a scale from 0 to 1
2. `method`: the interface of tuning methods, which request matches and learn from their results
3. `genetic`: a genetic algorithm
4. `spsa`: simultaneous perturbation stochastic approximation
5. `gaussian_process`: Bayesian optimisation with a Gaussian process
6. `tuning_run`: plays the games, with checkpoints and validation matches
"""
