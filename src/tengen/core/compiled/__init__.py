"""Infrastructure for kernels: plain Python functions that Numba compiles to machine code, for any game.

Read in this order:

1. `kernel`: the decorators, `kernel` for entry points and `helper` for functions that they call;
   `deferred_codegen` and `faster_numba` make their compilation faster;
2. `dispatch`: generic functions, resolved at compile time by the type of the game's record;
3. `rules`: the generic functions that each game implements, the whole interface between search and games;
4. `cache`: the on-disk cache of compiled kernels; `fingerprint` and `sources`: its keys;
5. `bits`, `atomics`, `pointers`, `references`, `records`, `rng`, `symmetry`: utilities for kernels.

Everything here also runs as plain Python with `NUMBA_DISABLE_JIT=1`.
"""
