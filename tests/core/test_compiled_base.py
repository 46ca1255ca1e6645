"""The compiled base: rules chosen by record, bit tricks, atomics, random numbers; plain and compiled alike."""

import ast
import operator
import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numba import types
from numba.core.errors import TypingError
from numba.core.registry import cpu_target

import tengen
from tengen.core.compiled import atomics, bits, rng
from tengen.core.compiled.dispatch import generic, rule
from tengen.core.compiled.kernel import kernel

WORDS = st.integers(0, 2**64 - 1)
quick = settings(max_examples=50, deadline=None)  # the first example waits for the compiler


pytestmark = pytest.mark.usefixtures("private_kernel_cache")


def in_threads(count, task):
    """The results of `task(0)` … `task(count - 1)`, all running at once."""
    results = [None] * count
    barrier = threading.Barrier(count)

    def run(index):
        barrier.wait()
        results[index] = task(index)

    threads = [threading.Thread(target=run, args=(index,), daemon=True) for index in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    return results


# ---- dispatch: two games, pebbles and coins, that answer three rules


@generic
def worth(state):
    """What a state is worth."""


@generic
def doubled(state, times):
    """The worth doubled so many times: each game the same, unless it knows better."""
    value = worth(state)
    for _ in range(times):
        value *= 2
    return value


@generic
def is_cheap(state):
    """A default that is false, which is not the same as no default."""
    return False


PEBBLES = np.dtype((np.record, [("pebbles", np.int64), ("turn", np.int64)]))
COINS = np.dtype((np.record, [("coins", np.int64, (3,)), ("turn", np.int64)]))
NUTS = np.dtype((np.record, [("nuts", np.int64)]))


def _register_pebbles():
    @rule(PEBBLES.names)
    def worth(state):
        return state.pebbles

    @rule(PEBBLES.names)
    def is_cheap(state):
        return worth(state) < 10  # a rule may call another

    return worth


def _register_coins():
    @rule(COINS.names)
    def worth(state):
        return state.coins[0] + 10 * state.coins[1] + 100 * state.coins[2]

    @rule(COINS.names)
    def doubled(state, times):
        return worth(state) << times


_register_pebbles()
_register_coins()


@kernel
def appraise(states):
    state = states[0]
    return worth(state), doubled(state, 3), is_cheap(state)


def pebbles(count):
    states = np.zeros(1, PEBBLES)
    states[0].pebbles = count
    return states


def coins(*counts):
    states = np.zeros(1, COINS)
    states[0].coins[:] = counts
    return states


@pytest.mark.parametrize("run", [appraise, appraise.py_func], ids=["compiled", "plain"])
def test_one_kernel_serves_two_games_in_one_process(run):
    assert run(pebbles(7)) == (7, 56, True)
    assert run(coins(1, 2, 3)) == (321, 2568, False)
    assert run(pebbles(70)) == (70, 560, False)


@pytest.mark.parametrize("run", [appraise, appraise.py_func], ids=["compiled", "plain"])
def test_a_missing_rule_is_named(run):
    with pytest.raises(NotImplementedError, match="the game with the fields nuts has no rule 'worth'"):
        run(np.zeros(1, NUTS))


def test_a_rule_of_an_unknown_name_is_refused():
    with pytest.raises(NameError, match=r"there is no generic rule 'wurth'; there are .*worth"):

        @rule(NUTS.names)
        def wurth(state):
            return 1


def test_a_rule_with_other_parameters_is_refused():
    with pytest.raises(TypeError, match=r"the rule 'doubled' takes \(state, times\)"):

        @rule(NUTS.names)
        def doubled(state):
            return 1


def test_a_second_game_with_the_same_fields_is_refused():
    source = compile("def worth(state): return 1", "another_game.py", "exec")
    scope = {"__name__": "another_game"}
    exec(source, scope)
    with pytest.raises(NameError, match="needs a field name that no other game has"):
        rule(PEBBLES.names)(scope["worth"])


def test_a_module_may_be_loaded_twice():
    assert _register_pebbles() is worth


@pytest.mark.parametrize("value", [False, True, 0, 1, -1, 1000, 0.0, "text", ()])
def test_a_default_that_returns_a_constant_is_a_default(value):
    scope = {}
    exec(f'def some_default(state):\n    """Documented."""\n    return {value!r}', scope)
    assert generic(scope["some_default"])(np.zeros(1, NUTS)[0]) == value


def test_a_body_of_dots_is_no_default():
    @generic
    def no_default(state): ...

    with pytest.raises(NotImplementedError, match="no_default"):
        no_default(np.zeros(1, NUTS)[0])


# ---- bits


@kernel
def compiled_bits(word):
    return bits.popcount(word), bits.trailing_zeros(word)


@kernel
def compiled_nth_bit(word, n):
    return bits.nth_bit(word, n)


@quick
@given(WORDS)
def test_popcount_and_trailing_zeros(word):
    lowest = 64 if word == 0 else next(i for i in range(64) if word >> i & 1)
    expected = (bin(word).count("1"), lowest)
    assert (bits.popcount(np.uint64(word)), bits.trailing_zeros(np.uint64(word))) == expected
    assert compiled_bits(np.uint64(word)) == expected


@quick
@given(WORDS)
def test_nth_bit_finds_every_set_bit_in_order(word):
    expected = [i for i in range(64) if word >> i & 1]
    for run in (compiled_nth_bit, bits.nth_bit.py_func):
        assert [int(run(np.uint64(word), n)) for n in range(len(expected))] == expected


def test_bit_results_are_unsigned_so_that_they_can_be_mixed_with_boards():
    assert isinstance(bits.popcount(bits.ONE), np.uint64)
    assert isinstance(bits.trailing_zeros(bits.ZERO), np.uint64)
    compiled_bits(bits.ONE)
    (signature,) = compiled_bits.nopython_signatures
    assert str(signature.return_type) == "UniTuple(uint64 x 2)"


# ---- atomics, one thread: the same in plain and in compiled code


@kernel
def atomic_script(array, index, value):
    before = atomics.add(array, index, value)
    swapped = atomics.compare_and_swap(array, index, before + value, before)
    refused = atomics.compare_and_swap(array, index, before + value + 1, before)
    atomics.store(array, index + 1, value)
    return before, swapped, refused, atomics.load(array, index), atomics.load(array, index + 1)


@pytest.mark.parametrize("kind", [np.int32, np.int64, np.uint32, np.uint64])
def test_atomics_do_the_same_in_plain_and_compiled_code(kind):
    for start, value in [(0, 1), (5, 3), (100, 0)]:
        outcomes = []
        for run in (atomic_script, atomic_script.py_func):
            array = np.array([9, start, 9, 9], kind)
            outcomes.append((run(array, 1, kind(value)), array.tolist()))
        assert outcomes[0] == outcomes[1] == ((start, True, False, start, value), [9, start, value, 9])


@kernel
def add_with_any_index(array, index):
    return atomics.add(array, index, 1)


@pytest.mark.parametrize("kind", [np.int32, np.uint8, np.uint64])
def test_an_atomic_index_may_have_any_integer_type(kind):
    array = np.zeros(4, np.int64)
    add_with_any_index(array, kind(3))
    assert array.tolist() == [0, 0, 0, 1]


@pytest.mark.parametrize("array", [np.zeros(3), np.zeros(3, np.bool_)])
def test_atomics_take_arrays_of_integers(array):
    with pytest.raises(TypingError, match="atomics need an array of integers"):
        add_with_any_index(array, 0)


def test_atomics_take_one_index_for_each_dimension():
    table = np.zeros((2, 3), np.int64)
    add_with_any_index(table, (1, 2))
    assert table.tolist() == [[0, 0, 0], [0, 0, 1]]
    with pytest.raises(TypingError, match="atomics need one index for each dimension"):
        add_with_any_index(table, 0)
    with pytest.raises(TypingError, match="atomics need one index for each dimension"):
        add_with_any_index(table[0], (0, 0))


def test_atomics_do_not_write_to_what_is_read_only():
    array = np.zeros(3, np.int64)
    array.flags.writeable = False
    with pytest.raises(TypingError, match="atomics cannot write"):
        add_with_any_index(array, 0)


# ---- atomics, several threads


@kernel
def draw_tickets(counter, tickets):
    for i in range(len(tickets)):
        tickets[i] = atomics.add(counter, 0, 1)


@pytest.mark.parametrize("kind", [np.int32, np.int64, np.uint64])
def test_no_count_is_lost_and_no_ticket_drawn_twice(kind):
    counter = np.zeros(1, kind)
    tickets = np.zeros((4, 100_000), np.int64)
    draw_tickets(counter, tickets[0, :0])  # compile before the race
    in_threads(4, lambda index: draw_tickets(counter, tickets[index]))
    assert counter[0] == tickets.size
    assert np.array_equal(np.sort(tickets.ravel()), np.arange(tickets.size))


@kernel
def count_under_lock(lock, total, times):
    for _ in range(times):
        while not atomics.compare_and_swap(lock, 0, 0, 1):
            pass
        total[0] += 1  # plain: it is the lock that keeps it whole
        atomics.store(lock, 0, 0)


def test_compare_and_swap_makes_a_lock():
    lock, total = np.zeros(1, np.int64), np.zeros(1, np.int64)
    count_under_lock(lock, total, 0)
    in_threads(3, lambda index: count_under_lock(lock, total, 20_000))
    assert (lock[0], total[0]) == (0, 60_000)


@kernel
def spin_until_stopped(started, stop, limit):
    """Nothing in this loop is written: a plain read of `stop` would be hoisted out of it."""
    atomics.store(started, 0, 1)
    turns = 0
    while atomics.load(stop, 0) == 0 and turns < limit:
        turns += 1
    return turns


def test_a_spinning_kernel_sees_the_stop_flag_and_lets_other_threads_run():
    started, stop = np.zeros(1, np.int64), np.ones(1, np.int64)
    spin_until_stopped(started, stop, 1)
    started[0] = stop[0] = 0
    limit, turns = 2**36, []
    thread = threading.Thread(target=lambda: turns.append(spin_until_stopped(started, stop, limit)), daemon=True)
    thread.start()
    while started[0] == 0:  # this loop runs only because the kernel has released the GIL
        time.sleep(0.001)
    time.sleep(0.02)
    asked = time.perf_counter()
    stop[0] = 1
    thread.join(240)
    seconds = time.perf_counter() - asked
    print(f"stopped after {seconds * 1000:.2f} ms")
    assert turns
    assert turns[0] < limit


# ---- random numbers

REFERENCE = [  # of the published SplitMix64, seed 1234567
    6457827717110365317,
    3203168211198807973,
    9817491932198370423,
    4593380528125082431,
    16408922859458223821,
]


@kernel
def draw_bits(generator, out):
    for i in range(len(out)):
        out[i] = rng.next_bits(generator)


@kernel
def draw_below(generator, limit, out):
    for i in range(len(out)):
        out[i] = rng.below(generator, limit)


@kernel
def draw_uniform(generator, out):
    for i in range(len(out)):
        out[i] = rng.uniform(generator)


@kernel
def compiled_mix(word):
    return rng.mix(word)


def unshifted(word, distance):
    """The inverse of `word ^ (word >> distance)`."""
    result = word
    for _ in range(64 // distance):
        result = word ^ (result >> distance)
    return result


def unmixed(word):
    """The inverse of `mix`: each of its steps undone."""
    word = unshifted(word, 31)
    word = word * pow(0x94D049BB133111EB, -1, 2**64) % 2**64
    word = unshifted(word, 27)
    word = word * pow(0xBF58476D1CE4E5B9, -1, 2**64) % 2**64
    return unshifted(word, 30)


@pytest.mark.parametrize("draw", [draw_bits, draw_bits.py_func], ids=["compiled", "plain"])
def test_the_generator_is_splitmix64(draw):
    out = np.zeros(5, np.uint64)
    draw(rng.make_rng(1234567), out)
    assert out.tolist() == REFERENCE


@quick
@given(st.integers(), st.integers(1, 2**32))
def test_plain_and_compiled_draw_the_same_numbers_within_range(seed, limit):
    for draw, kind, arguments in [
        (draw_bits, np.uint64, ()),
        (draw_below, np.uint64, (limit,)),
        (draw_uniform, np.float64, ()),
    ]:
        compiled, plain = np.zeros(8, kind), np.zeros(8, kind)
        draw(rng.make_rng(seed), *arguments, compiled)
        draw.py_func(rng.make_rng(seed), *arguments, plain)
        assert np.array_equal(compiled, plain)
        if draw is draw_below:
            assert compiled.max() < limit
        if draw is draw_uniform:
            assert compiled.min() >= 0
            assert compiled.max() < 1


@pytest.mark.parametrize("limit", [1, 2, 3, 10, 361])
def test_below_is_roughly_uniform_and_reaches_every_number(limit):
    out = np.zeros(1000 * limit, np.uint64)
    draw_below(rng.make_rng(42), limit, out)
    counts = Counter(out.tolist())
    assert sorted(counts) == list(range(limit))
    assert all(800 < count < 1200 for count in counts.values())  # six standard deviations


@quick
@given(WORDS)
def test_mix_can_be_undone_so_no_two_words_give_the_same(word):
    assert rng.mix(np.uint64(word)) == compiled_mix(np.uint64(word))
    assert unmixed(int(rng.mix(np.uint64(word)))) == word


def test_any_integer_is_a_seed_and_seeds_give_unlike_numbers():
    firsts = {int(rng.next_bits(rng.make_rng(seed))) for seed in (-1, 0, 1, 2, 2**63, 2**80 + 5)}
    assert len(firsts) == 6


def test_zobrist_keys_are_fixed_and_distinct():
    keys = rng.zobrist(1000, seed=7)
    assert len(set(keys.tolist())) == 1000
    assert keys.dtype == np.uint64
    assert np.array_equal(keys[:10], rng.zobrist(10, seed=7))


def test_a_field_that_numpy_would_answer_for_is_refused():
    with pytest.raises(NameError, match="cannot have a field 'size'"):
        rule(("my_heap", "size"))


# ---- helpers that create arrays

ALLOCATING = """
import numpy as np
from tengen.core.compiled.kernel import allocating_helper, helper, inner, kernel

@{decorator}
def first_of_three(x):
    made = np.empty(3, np.uint16)
    made[0] = x
    return made[0]

@inner
def within(x):
    return first_of_three(x)

@kernel
def entry(x):
    return within(x)

print(int(entry(np.uint16(7))))
"""


@pytest.mark.parametrize(("decorator", "works"), [("allocating_helper", True), ("helper", False)])
def test_only_an_allocating_helper_can_create_arrays_for_an_inner_function(tmp_path, decorator, works):
    """In a new process: in one where `np.empty` was compiled before, any helper could."""
    program = tmp_path / "program.py"
    program.write_text(ALLOCATING.format(decorator=decorator))
    run = subprocess.run([sys.executable, str(program)], capture_output=True, text=True)
    assert (run.returncode == 0) == works, run.stderr
    assert run.stdout == ("7\n" if works else "")


def test_every_helper_that_creates_arrays_says_so():
    wrong = []
    for path in Path(tengen.__file__).parent.rglob("*.py"):
        for function in ast.walk(ast.parse(path.read_text("utf-8"))):
            if not isinstance(function, ast.FunctionDef):
                continue
            decorators = {ast.unparse(decorator).split("(")[0] for decorator in function.decorator_list}
            calls = {ast.unparse(node.func) for node in ast.walk(function) if isinstance(node, ast.Call)}
            creates = calls & {"np.empty", "np.zeros", "np.ones", "np.full", "np.arange", "np.array"}
            if creates and decorators & {"helper", "inner", "rule"}:
                wrong.append(f"{path.name}: {function.name}")
    assert wrong == []


def test_numba_remembers_the_types_of_operations_on_numbers():
    context = cpu_target.typing_context
    context.refresh()
    for arguments in ((types.uint64, types.uint64), (types.int64, types.uint64)):
        signature = context.resolve_function_type(operator.add, arguments, {})
        assert context.resolve_function_type(operator.add, arguments, {}) is signature
    assert signature.return_type == types.int64
