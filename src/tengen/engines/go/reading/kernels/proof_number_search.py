"""Depth-first proof-number search (df-pn), for captures and connections (`capture_dfpn`) and for life and death
(`life_dfpn`).

It is a search of its own rather than the toolkit's alpha-beta search: a goal is reached or not, and long lines of
forced moves matter more than wide ones. It differs from Clobber's, too: positions repeat here, and are too many to
keep all of them.

The table is not the toolkit's either: it is direct-mapped and always replaces. So the result of a query that
reaches its node limit does not depend on earlier queries, and the many probes compare one key only. The toolkit's
rule would change 19 of 329 answers of test suites and get two more right; reproducible queries are worth more.

phi and delta are the proof and disproof numbers for the side to move: phi 0 is proved, delta 0 disproved. A
repetition is good for the defender.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from tengen.core.compiled.kernel import inner
from tengen.core.compiled.records import record_type
from tengen.engines.go.kernels.board import NOWHERE
from tengen.engines.go.reading.kernels.board import SAVED_FIELDS, colour_at, has_log_space, place, restore, save

MAX_PLIES = 128
MAX_CHILDREN = 64
TABLE_BITS = 19
PATH_BITS = 12
INFINITE = 1 << 20

CANDIDATE, ESCAPE, WALL, ZONE = 1, 2, 4, 8  # bits of `Dfpn.flags`

DFPN_STATE = record_type(
    ("target", np.int64),
    ("colour", np.int64),  # of the target
    ("rival", np.int64),  # races: a stone of the attacker whose capture ends the race, or NOWHERE
    ("width", np.int64),  # life: moves tried per position, 0 for an exact search
    ("max_liberties", np.int64),  # captures: a string with more liberties has escaped
    ("margin", np.int64),  # races: a side with so many liberties more is ahead for good; 0 if none is
    ("salt", np.uint64),  # distinguishes the table entries of different queries
    ("reply", np.int64),  # set by an evaluation: the successful move
    ("repetition_wins", np.int64),  # whether a repetition is good for the attacker, not for the defender
)
FRAME = record_type(
    ("turn", np.int64),
    ("phi_limit", np.int64),
    ("delta_limit", np.int64),
    ("children", np.int64),
    ("following", np.int64),  # the next child to check, see `life_proof`
    ("position_key", np.uint64),
    *SAVED_FIELDS,
)
CHILD = record_type(
    ("move", np.int64),  # NOWHERE for a pass
    ("position_key", np.uint64),
    ("prior", np.int64),  # initial proof numbers, see `pack_numbers`
)

SALT_STEP = np.uint64(1 << 32)
_MIX = np.uint64(0x9E3779B97F4A7C15)
_ONE, _16, _40 = (np.uint64(n) for n in (1, 16, 40))
_LOW16, _LOW24 = np.uint64(0xFFFF), np.uint64(0xFFFFFF)


Function = Callable[..., Any]


class Dfpn(NamedTuple):
    """The arrays of a search; kernels use them by reference."""

    state: Any  # one DFPN_STATE
    frames: Any  # a FRAME per ply
    children: Any  # MAX_CHILDREN of CHILD per ply
    path: Any  # number of path positions per slot, a filter for repetitions
    table: Any
    checked: Any  # hash set of checked positions, see `life_proof`
    flags: Any  # bits of each point: CANDIDATE, ESCAPE, WALL, ZONE
    candidates: Any  # points where moves are tried, preceded by their number
    zone: Any  # all relevant points, preceded by their number
    escapes: Any  # escape points, preceded by their number
    regions: Any  # see `benson`
    members: Any
    starts: Any
    eliminated: Any
    alive: Any


@inner
def key_of(board, turn):
    """The key of a position: stones, side to move, ko."""
    state = board.state[0]
    key = state.key ^ (np.uint64(turn) * _MIX)
    if state.ko != NOWHERE:
        key ^= np.uint64(state.ko * 4 + state.ko_for) * np.uint64(0xD1B54A32D192ED03)
    return key


@inner
def key_after(board, point, turn):
    """The key after a move that captures nothing: only the stone changes, and there is no ko."""
    return board.state[0].key ^ board.keys[turn - 1, point] ^ (np.uint64(3 - turn) * _MIX)


@inner
def start_proof(board, dfpn, target):
    """Set the target, and hide the table entries of earlier queries."""
    state = dfpn.state[0]
    state.target = target
    state.colour = colour_at(board, target)
    state.salt += SALT_STEP
    state.repetition_wins = 0


def repeat_salt(dfpn: Dfpn) -> None:
    """Let the next search, of the same query, find the table entries of the last one. Not for kernels."""
    dfpn.state["salt"] -= SALT_STEP


# ---- table


@inner
def _entry_of(key):
    """Index of the entry of a position: two words, the key XOR the salt, and the data.

    The data: bits 0-15 the successful move, 16-39 phi, 40-63 delta.
    """
    return (key & np.uint64((1 << TABLE_BITS) - 1)) << _ONE


@inner
def probe(dfpn, key):
    """(phi, delta) of a position; (1, 1) if unknown."""
    entry = _entry_of(key)
    if dfpn.table[entry] != key ^ dfpn.state[0].salt:
        return np.int64(1), np.int64(1)
    data = dfpn.table[entry + _ONE]
    return np.int64((data >> _16) & _LOW24), np.int64(data >> _40)


@inner
def reply_to(dfpn, key):
    """The successful move of a position in the table with phi 0, or NOWHERE."""
    return np.int64(dfpn.table[_entry_of(key) + _ONE] & _LOW16)


@inner
def store(dfpn, key, phi, delta, reply):
    entry = _entry_of(key)
    dfpn.table[entry] = key ^ dfpn.state[0].salt
    dfpn.table[entry + _ONE] = np.uint64(reply) | (np.uint64(phi) << _16) | (np.uint64(delta) << _40)


@inner
def pack_numbers(phi, delta):
    return (np.int64(phi) << 16) | np.int64(delta)


# ---- plies


@inner
def open_frame(board, dfpn, ply, turn, phi_limit, delta_limit):
    frame = dfpn.frames[ply]
    frame.turn = turn
    frame.phi_limit = phi_limit
    frame.delta_limit = delta_limit
    frame.position_key = key_of(board, turn)
    save(board, frame)


@inner
def play_child(board, dfpn, ply, index):
    """Play the move of a child."""
    move = dfpn.children[ply * MAX_CHILDREN + index].move
    if move == NOWHERE:
        board.state[0].ko = NOWHERE
    else:
        place(board, move, dfpn.frames[ply].turn)


@inner
def add_pass(board, search, dfpn, ply):
    """Add a pass to the children of a ply, if it makes sense.

    The defender may always pass. The attacker may pass only where a ko is forbidden to it: the defender could
    pass, too, and nothing would change but the ko.
    """
    frame, state, attacker = dfpn.frames[ply], board.state[0], search.state[0].attacker
    ko = state.ko
    if frame.turn != attacker or (ko != NOWHERE and state.ko_for == attacker):
        child = dfpn.children[ply * MAX_CHILDREN + frame.children]
        child.move = NOWHERE
        child.prior = 1
        state.ko = NOWHERE
        child.position_key = key_of(board, 3 - frame.turn)
        state.ko = ko
        frame.children += 1


@inner
def _path_slot(dfpn, ply):
    return np.int64(dfpn.frames[ply].position_key & np.uint64((1 << PATH_BITS) - 1))


@inner
def _is_on_path(dfpn, key, ply):
    """Whether a position occurs on the path to this ply."""
    if dfpn.path[np.int64(key & np.uint64((1 << PATH_BITS) - 1))] == 0:
        return False
    for i in range(ply + 1):
        if dfpn.frames[i].position_key == key:
            return True
    return False


@inner
def _summarise(dfpn, ply, attacking):
    """(phi, delta, best child, second smallest delta, number of other open children) of a ply.

    Transpositions are frequent, so delta is not the sum, which would count them repeatedly (weak proof numbers):
    it is the largest phi of the children, plus one for each other child that is not refuted.
    """
    phi, hardest, unrefuted, second, best = INFINITE, 0, 0, INFINITE, -1
    for i in range(dfpn.frames[ply].children):
        child = dfpn.children[ply * MAX_CHILDREN + i]
        child_phi, child_delta = probe(dfpn, child.position_key)
        if child_phi == 1 and child_delta == 1:
            child_phi, child_delta = max(child.prior >> 16, 1), child.prior & 0xFFFF
        if child_phi != 0 and child_delta != 0 and _is_on_path(dfpn, child.position_key, ply):
            fails = attacking != (dfpn.state[0].repetition_wins != 0)
            child_phi, child_delta = (0, INFINITE) if fails else (INFINITE, 0)
        hardest = max(hardest, child_phi)
        unrefuted += child_phi > 0
        if child_delta < phi:
            second = phi
            phi, best = child_delta, i
        elif child_delta < second:
            second = child_delta
    others = max(unrefuted - 1, 0)
    return phi, min(hardest + others, INFINITE), best, second, others


def make_search(evaluate: Function, expand: Function, add_refutations: Function, node_cost: int) -> Function:
    """The compiled search for a goal.

    evaluate(board, search, dfpn, turn): 1 if the attacker's goal is reached, -1 if it is out of reach, else 0
    expand(board, search, dfpn, ply): list the children of a ply; without any, the goal is out of reach
    add_refutations(board, search, dfpn, ply): add children where all others fail; returns whether there are any
    node_cost: of the node limit
    """

    @inner
    def prove(board, search, dfpn, turn):
        """Search until the goal is proved or disproved, or the node limit is reached.

        Returns (phi, delta, best move).
        """
        state, dfpn_state = search.state[0], dfpn.state[0]
        attacker = state.attacker
        for i in range(1 << PATH_BITS):
            dfpn.path[i] = 0
        for i in range(2 * board.points):
            search.wins[i] = 0
        ply = 0
        entering = True
        open_frame(board, dfpn, 0, turn, INFINITE, INFINITE)
        dfpn.path[_path_slot(dfpn, 0)] += 1
        while True:
            frame = dfpn.frames[ply]
            turn = frame.turn
            done = False
            if entering:
                entering = False
                state.nodes += node_cost
                verdict = 0
                dfpn_state.reply = NOWHERE
                if ply > 0:
                    verdict = evaluate(board, search, dfpn, turn)
                    if verdict == 0 and (ply >= MAX_PLIES - 2 or not has_log_space(board)):
                        verdict = -1
                if verdict == 0:
                    expand(board, search, dfpn, ply)
                    if frame.children == 0:
                        verdict = -1
                if verdict != 0:
                    wins = (verdict == 1) == (turn == attacker)
                    phi, delta = (0, INFINITE) if wins else (INFINITE, 0)
                    store(dfpn, frame.position_key, phi, delta, dfpn_state.reply)
                    done = True
            if not done:
                phi, delta, best, second, others = _summarise(dfpn, ply, turn == attacker)
                over = state.nodes > state.node_limit
                if delta == 0 and add_refutations(board, search, dfpn, ply):
                    continue
                move = dfpn.children[ply * MAX_CHILDREN + best].move if best >= 0 else NOWHERE
                if phi >= frame.phi_limit or delta >= frame.delta_limit or over:
                    store(dfpn, frame.position_key, phi, delta, move)
                    done = True
                    if phi == 0:
                        search.wins[2 * move + turn - 1] += 1
                else:
                    phi_limit = frame.delta_limit - others if frame.delta_limit < INFINITE else INFINITE
                    delta_limit = min(frame.phi_limit, second + 1 + (second >> 2))
                    if move != NOWHERE:
                        search.touched[move] = 1
                    play_child(board, dfpn, ply, best)
                    ply += 1
                    open_frame(board, dfpn, ply, 3 - turn, phi_limit, delta_limit)
                    dfpn.path[_path_slot(dfpn, ply)] += 1
                    entering = True
                    continue
            dfpn.path[_path_slot(dfpn, ply)] -= 1
            if ply == 0:
                break
            ply -= 1
            restore(board, dfpn.frames[ply])
        phi, delta, best, _, _ = _summarise(dfpn, 0, dfpn.frames[0].turn == attacker)
        return phi, delta, dfpn.children[best].move if best >= 0 else NOWHERE

    return prove
