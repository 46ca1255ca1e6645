"""The compiled base: how plain Python becomes kernels that run at the speed of C, for any game.

Read in this order:

1. `kernel`: the decorators, `kernel` for entry points and `helper` for what they call;
2. `dispatch`: rules that each game answers for its own record, chosen when a kernel is compiled;
3. `generic`: the list of those rules, which is all that search knows of a game;
4. `cache`: compiled kernels on disk, never stale, safe for many processes; `closure`: what they are made from;
5. `bits`, `atomics`, `rng`: the small tools.

Everything here also runs as plain Python with `NUMBA_DISABLE_JIT=1`.
"""
