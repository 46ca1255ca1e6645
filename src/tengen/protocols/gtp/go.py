"""Commands specific to Go: komi, handicap, set-up, trial moves, captures."""

from __future__ import annotations

from dataclasses import replace

from tengen.core.diagram import Point, Stone, connected, neighbours
from tengen.core.errors import OptionError, PositionError
from tengen.games.go.handicap import fixed_handicap, most_fixed_handicap
from tengen.protocols.gtp.session import GoGroup, PlayedMove, Session
from tengen.protocols.gtp.syntax import Arguments, GtpError, command


class GoCommands(GoGroup):
    """Set-up, trial moves and board queries for Go."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._trial_moves: list[PlayedMove] = []

    @command("komi")
    def komi(self, arguments: Arguments) -> None:
        komi = arguments.number("komi", -1000, 1000, last=True)
        self.session.change(replace(self._game, komi=round(komi, 3)))

    @command("get_komi")
    def get_komi(self) -> str:
        return f"{self._game.komi:g}"

    # ---- handicap

    @command("fixed_handicap")
    def fixed_handicap(self, arguments: Arguments) -> str:
        count = arguments.integer("a number of stones", last=True)
        self._check_empty()
        try:
            stones = fixed_handicap(self._game.width, self._game.height, count)
        except OptionError:
            raise GtpError("invalid number of stones") from None
        self.session.begin(replace(self._game, board="", handicap=count, free_handicap=False))
        return " ".join(map(self._write, stones))

    @command("place_free_handicap")
    def place_free_handicap(self, arguments: Arguments) -> str:
        count = arguments.integer("a number of stones", last=True)
        self._check_empty()
        if not 2 <= count < self._game.area:
            raise GtpError("invalid number of stones")
        stones = self._spread(count)
        self.session.set_up(dict.fromkeys(stones, Stone.FIRST), 1, len(stones))
        return " ".join(map(self._write, stones))

    def _spread(self, count: int) -> list[Point]:
        """The fixed handicap points, then points farthest from all stones, preferring the interior."""
        width, height = self._game.width, self._game.height
        most = min(count, most_fixed_handicap(width, height))
        stones = fixed_handicap(width, height, most) if most >= 2 else []
        free = {(column, row): width + height for row in range(height) for column in range(width)}

        def place(stone: Point) -> None:
            """Update the distance of each free point to its nearest stone."""
            free.pop(stone)
            for column, row in free:
                distance = abs(column - stone[0]) + abs(row - stone[1])
                free[column, row] = min(free[column, row], distance)

        def spacing(point: Point) -> tuple[int, int]:
            edge = min(point[0], point[1], width - 1 - point[0], height - 1 - point[1])
            return min(free[point], 2 * edge + 1), edge

        for stone in stones:
            place(stone)
        while len(stones) < count:
            stones.append(max(free, key=spacing))
            place(stones[-1])
        return stones

    @command("set_free_handicap")
    def set_free_handicap(self, arguments: Arguments) -> None:
        stones = [self.session.notation.read_point(word) for word in arguments.rest().split()]
        self._check_empty()
        if len(set(stones)) != len(stones):
            raise GtpError("repeated vertex")
        if not 2 <= len(stones) < self._game.area:
            raise GtpError("invalid number of stones")
        self.session.set_up(dict.fromkeys(stones, Stone.FIRST), 1, len(stones))

    @command("get_handicap")
    def get_handicap(self) -> str:
        return str(self._game.handicap)

    def _check_empty(self) -> None:
        if self.session.stones():
            raise GtpError("board not empty")

    # ---- set-up

    @command("set_position", "gogui-setup")
    def set_position(self, arguments: Arguments) -> None:
        """Alternating colours and vertices: a board with these stones and without history."""
        stones: dict[Point, Stone] = {}
        while arguments.left:
            player = arguments.colour()
            point = self._read(arguments)
            if point in stones:
                raise GtpError("repeated vertex")
            stones[point] = (Stone.FIRST, Stone.SECOND)[player]
        try:
            self.session.set_up(stones, 0)
        except (OptionError, PositionError) as error:
            raise GtpError(f"illegal position: {error}") from None

    @command("gogui-setup_player")
    def set_player(self, arguments: Arguments) -> None:
        """Set the player to move after a set-up, before any move."""
        player = arguments.colour(last=True)
        if self.session.history:
            raise GtpError("moves have already been played")
        self.session.set_up(self.session.stones(), player)

    # ---- trial moves

    @command("trymove")
    def trymove(self, arguments: Arguments) -> None:
        """Play a move that `popgo` takes back."""
        player, move = arguments.colour(), arguments.word("a vertex", last=True)
        self.session.play(player, move)
        self._trial_moves.append(self.session.history[-1])

    @command("tryko")
    def tryko(self, arguments: Arguments) -> None:
        """The same, also where the rule of ko forbids the move: as if a threat had been answered elsewhere."""
        player, move = arguments.colour(), arguments.word("a vertex", last=True)
        self.session.play(player, move, ignore_ko=True)
        self._trial_moves.append(self.session.history[-1])

    @command("popgo")
    def popgo(self) -> None:
        """Take back the last move if it is a trial move."""
        last = self._trial_moves.pop() if self._trial_moves else None
        if last is None or not self.session.history or self.session.history[-1] is not last:
            self._trial_moves.clear()  # the game has changed since
            raise GtpError("no trial move to take back")
        self.session.undo()

    @command("increase_depths", "decrease_depths")
    def change_depths(self) -> None:
        """Nothing to do: the depth of GNU Go's readings, which test files change. Ours have no depth limit."""

    # ---- queries

    @command("captures")
    def captures(self, arguments: Arguments) -> str:
        """Number of stones captured by a colour."""
        player = arguments.colour(last=True)
        return str(int(self.session.position.state.captured[player]))

    @command("countlib")
    def countlib(self, arguments: Arguments) -> str:
        return str(len(self._liberties(arguments)))

    @command("findlib")
    def findlib(self, arguments: Arguments) -> str:
        return " ".join(map(self._write, self._liberties(arguments)))

    def _liberties(self, arguments: Arguments) -> list[Point]:
        point = self._read(arguments, last=True)
        stones = self.session.stones()
        if point not in stones:
            raise GtpError("vertex must not be empty")
        string = connected(point, {other for other, stone in stones.items() if stone is stones[point]})
        beside = {one for stone in string for one in neighbours(stone)} - set(stones)
        width, height = self._game.shape
        return sorted((column, row) for column, row in beside if 0 <= column < width and 0 <= row < height)

    @command("kgs-game_over")
    def game_over(self) -> None:
        """Nothing to do: KGS announces that a game has ended."""
