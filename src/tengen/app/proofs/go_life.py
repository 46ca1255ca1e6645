"""Life and death of a string of Go in a closed region, by a strategy that answers every move.

    claim   {"string": "B1", "goal": "kill" or "live", "first": "Black"}
    proof   {"zone": ["A1", …], "strategy": [["XO.…", "A2"], …]}

Every point beside the *zone*, and not in it, has a stone of the attacker that is alive whatever happens there. So
nothing outside matters: a move elsewhere is a pass. The claim is for `first` to move first.

The *claimant* (the attacker for "kill", the defender for "live") has in `strategy` a move, or "pass", for each
position of the zone with the claimant to move that can arise: the points of the zone in the given order as X, O or
., then ! and the point that may not be retaken, if there is one. To **kill**, every line has to end with the
capture of the string, so no position may repeat. To **live**, the string is never captured, even if the game never
ends.

The opponent may retake every ko at once, the claimant may not: so the result holds whatever ko threats there are.
Suicide is not allowed. A pass of both sides ends the game with the string on the board.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from tengen.app.proofs.proof_file import Effort, InvalidProof, ProofFile, Verified, is_list_of
from tengen.core.diagram import Point, neighbours
from tengen.core.position import Position
from tengen.games.go import Go

KILL, LIVE = "kill", "live"
PASS = "pass"
_SYMBOLS = ".XO"


class State(NamedTuple):
    """Stones of the zone, 0 to 2 in the order of its points, and the index that may not be retaken, or -1."""

    stones: tuple[int, ...]
    banned: int = -1


class Zone:
    """The rules within a zone."""

    def __init__(self, points: tuple[Point, ...], attacker: int, touches_wall: frozenset[Point]) -> None:
        index = {point: number for number, point in enumerate(points)}
        self.points = points
        self.attacker = attacker
        self._beside = [[index[one] for one in neighbours(point) if one in index] for point in points]
        self._walled = [point in touches_wall for point in points]

    def string(self, stones: tuple[int, ...] | list[int], at: int) -> tuple[list[int], bool]:
        """The string on a point, and whether it has a liberty; walls are liberties of the attacker's strings."""
        colour, found, waiting, alive = stones[at], {at}, [at], False
        while waiting:
            one = waiting.pop()
            alive = alive or (colour == self.attacker and self._walled[one])
            for beside in self._beside[one]:
                if not stones[beside]:
                    alive = True
                elif stones[beside] == colour and beside not in found:
                    found.add(beside)
                    waiting.append(beside)
        return list(found), alive

    def play(self, state: State, at: int, colour: int, *, may_retake: bool) -> State | None:
        """The position after a stone; None if it is not legal."""
        if state.stones[at] or (at == state.banned and not may_retake):
            return None
        stones = list(state.stones)
        stones[at] = colour
        captured: list[int] = []
        for beside in self._beside[at]:
            if stones[beside] == 3 - colour:
                string, alive = self.string(stones, beside)
                if not alive:
                    captured += string
                    for one in string:
                        stones[one] = 0
        own, alive = self.string(stones, at)
        if not alive:
            return None
        is_ko = len(captured) == 1 and len(own) == 1 and self._liberties(stones, at) == 1
        return State(tuple(stones), captured[0] if is_ko else -1)

    def _liberties(self, stones: list[int], at: int) -> int:
        """Liberties of a lone stone; a wall counts as several."""
        walled = 2 if stones[at] == self.attacker and self._walled[at] else 0
        return walled + sum(not stones[beside] for beside in self._beside[at])

    def replies(self, state: State, colour: int) -> Iterator[State]:
        """What the opponent's moves lead to: a pass, and every legal stone; kos may be retaken at once."""
        yield State(state.stones)
        for at in range(len(state.stones)):
            after = self.play(state, at, colour, may_retake=True)
            if after is not None:
                yield after

    def write(self, state: State, names: list[str]) -> str:
        text = "".join(_SYMBOLS[stone] for stone in state.stones)
        return text if state.banned < 0 else f"{text}!{names[state.banned]}"


def check(file: ProofFile, effort: Effort) -> Verified:
    position = file.position()
    game = position.game
    if not isinstance(game, Go):
        raise InvalidProof("this kind of proof is about Go")
    if game.suicide:
        raise InvalidProof("this kind of proof is about rules without suicide")
    diagram = position.diagram()
    names = {
        f"{diagram.columns[column]}{diagram.rows[row]}": (column, row)
        for row in range(len(diagram.rows))
        for column in range(len(diagram.columns))
    }
    stones = {point: int(stone) for point, stone in diagram.contents().items()}
    claim, proof = file.claim, file.proof
    if set(claim) != {"string", "goal", "first"} or claim["goal"] not in (KILL, LIVE):
        raise InvalidProof("the claim should have a string, a goal (kill or live) and who moves first")
    if claim["first"] not in game.players or not stones.get(names.get(str(claim["string"]), (-1, -1))):
        raise InvalidProof("the claim names no string, or not who moves first")
    if not isinstance(proof, dict) or set(proof) != {"zone", "strategy"} or not is_list_of(proof["zone"], str):
        raise InvalidProof("the proof should have a zone and a strategy")
    if len(set(proof["zone"])) != len(proof["zone"]) or not set(proof["zone"]) <= set(names):
        raise InvalidProof("the zone is not a list of points")
    target = names[claim["string"]]
    attacker = 3 - stones[target]
    points = tuple(names[name] for name in proof["zone"])
    if target not in points:
        raise InvalidProof("the string is not in the zone")
    zone = Zone(points, attacker, check_closed(stones, set(points), attacker))
    claimant = attacker if claim["goal"] == KILL else 3 - attacker
    strategy = _read_strategy(proof["strategy"], proof["zone"])
    walk = _Walk(
        zone, points.index(target), claimant=claimant, strategy=strategy, names=proof["zone"], effort=effort
    )
    first = game.players.index(claim["first"]) + 1
    walk.run(start_state(position, points, first == claimant), claimant_first=first == claimant)
    result = "is captured" if claim["goal"] == KILL else "lives"
    return Verified(
        f"Go: if {claim['first']} moves first, the string on {claim['string']} {result}, without a ko",
        f"{effort.count} positions",
    )


def start_state(position: Position, points: tuple[Point, ...], claimant_first: bool) -> State:
    """The stones of a zone in a position."""
    contents = position.diagram().contents()
    ban = banned_point(position) if claimant_first else None
    return State(tuple(int(contents[point]) for point in points), points.index(ban) if ban in points else -1)


def check_closed(stones: dict[Point, int], zone: set[Point], attacker: int) -> frozenset[Point]:
    """The points of a zone that touch a wall. Raises `InvalidProof` unless the walls live by eyes outside it."""
    alive = alive_stones(stones, attacker, zone)
    touching = set()
    for point in zone:
        for beside in neighbours(point):
            if beside not in stones or beside in zone:
                continue
            if beside not in alive:
                raise InvalidProof("the zone is not closed: what surrounds it is not proved to live")
            touching.add(point)
    return frozenset(touching)


def alive_stones(stones: dict[Point, int], colour: int, zone: set[Point]) -> set[Point]:
    """The stones of a colour that live even if their owner always passes (Benson's algorithm), by eyes elsewhere.

    Eyes in the zone do not count, because their owner may fill them.
    """
    outside = {point: stone for point, stone in stones.items() if point not in zone}
    chains = _areas(outside, lambda stone: stone == colour)
    regions = [area for area in _areas(stones, lambda stone: stone != colour) if not area & zone]
    liberties = [{one for point in chain for one in neighbours(point) if stones.get(one) == 0} for chain in chains]
    borders = [
        {one for point in region for one in neighbours(point) if one in stones} - region for region in regions
    ]
    empties = [{point for point in region if stones[point] == 0} for region in regions]
    living, healthy = set(range(len(chains))), set(range(len(regions)))
    while True:
        kept = {
            number
            for number in living
            if sum(bool(empties[region]) and empties[region] <= liberties[number] for region in healthy) >= 2
        }
        walls = {point for number in kept for point in chains[number]}
        sound = {region for region in healthy if borders[region] <= walls}
        if kept == living and sound == healthy:
            return walls
        living, healthy = kept, sound


def _areas(stones: dict[Point, int], belongs: Callable[[int], bool]) -> list[set[Point]]:
    """Connected sets of points whose contents satisfy a condition."""
    left = {point for point, stone in stones.items() if belongs(stone)}
    found = []
    while left:
        area, waiting = set(), [left.pop()]
        while waiting:
            point = waiting.pop()
            area.add(point)
            for beside in neighbours(point):
                if beside in left:
                    left.remove(beside)
                    waiting.append(beside)
        found.append(area)
    return found


def banned_point(position: Position) -> Point | None:
    """The point where the last move captured a single stone: the claimant may not play there at first.

    That is so for a ko; otherwise it only makes the proof harder.
    """
    if position.parent is None:
        return None
    changes = position.parent.diagram().changes(position.diagram())
    taken = [change.point for change in changes if change.before]
    return taken[0] if len(taken) == 1 else None


def _read_strategy(given: Any, names: list[str]) -> dict[str, int]:
    """The claimant's moves by position, -1 for a pass."""
    if not isinstance(given, list):
        raise InvalidProof("the strategy should be a list")
    found: dict[str, int] = {}
    index = {name: number for number, name in enumerate(names)}
    for entry in given:
        if not is_list_of(entry, str) or len(entry) != 2 or entry[0] in found:
            raise InvalidProof("the strategy is not a list of different positions with a move")
        if entry[1] != PASS and entry[1] not in index:
            raise InvalidProof(f"{entry[1]!r} is not a point of the zone")
        found[entry[0]] = -1 if entry[1] == PASS else index[entry[1]]
    return found


class _Walk:
    """Visits every position that the opponent's moves and the claimant's strategy lead to."""

    def __init__(
        self, zone: Zone, target: int, *, claimant: int, strategy: dict[str, int], names: list[str], effort: Effort
    ) -> None:
        self._zone = zone
        self._target = target
        self._claimant = claimant
        self._kills = claimant == zone.attacker
        self._strategy = strategy
        self._names = names
        self._effort = effort

    def run(self, start: State, *, claimant_first: bool) -> None:
        """Raises `InvalidProof` at the first position in which the claim does not hold."""
        zone, opponent = self._zone, 3 - self._claimant
        todo = [start] if claimant_first else self._open(zone.replies(start, opponent))
        finished: set[State] = set()
        on_path: set[State] = set()
        stack: list[tuple[State, list[State]]] = []
        while todo or stack:
            if not todo:
                state, rest = stack.pop()
                on_path.discard(state)
                finished.add(state)
                todo = rest
                continue
            state = todo.pop()
            if state in finished:
                continue
            if state in on_path:
                if self._kills:
                    raise InvalidProof(
                        f"{self._shown(state)}: the position repeats, and the string is not captured"
                    )
                continue
            stack.append((state, todo))
            on_path.add(state)
            todo = self._after(state)

    def _after(self, state: State) -> list[State]:
        """The positions with the claimant to move again, in which the string is still there."""
        self._effort.step()
        key = self._zone.write(state, self._names)
        if key not in self._strategy:
            raise InvalidProof(f"{key}: the strategy has no move there")
        at = self._strategy[key]
        if at < 0:
            after: State | None = State(state.stones)
        else:
            after = self._zone.play(state, at, self._claimant, may_retake=False)
        if after is None:
            raise InvalidProof(f"{key}: {self._names[at]} is not legal there")
        if not after.stones[self._target]:
            return []
        if at < 0 and self._kills:
            raise InvalidProof(f"{key}: a pass does not capture anything")
        return self._open(self._zone.replies(after, 3 - self._claimant))

    def _open(self, states: Iterator[State]) -> list[State]:
        """Those in which the string is on the board."""
        found = []
        for state in states:
            if state.stones[self._target]:
                found.append(state)
            elif not self._kills:
                raise InvalidProof(f"{self._shown(state)}: the string is captured")
        return found

    def _shown(self, state: State) -> str:
        return self._zone.write(state, self._names)
