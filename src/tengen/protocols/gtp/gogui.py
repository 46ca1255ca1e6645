"""GoGui's extensions: rules of any game, move sequences, and graphics of the engine's analysis."""

from __future__ import annotations

from tengen.engines.go.mcts.dead_stones import ownership
from tengen.games.go import Go
from tengen.protocols.gtp.gfx import format_dboard, overlay_values, report_graphics
from tengen.protocols.gtp.reading_graphics import MENU
from tengen.protocols.gtp.session import Session
from tengen.protocols.gtp.syntax import Arguments, GtpError, command


class GoGui:
    """Commands named gogui-*, and those listed in GoGui's analyze menu."""

    def __init__(self, session: Session) -> None:
        self.session = session

    # ---- rules of any game

    @command("gogui-rules_game_id")
    def game_id(self, arguments: Arguments) -> str:
        arguments.finish()
        return self.session.game.title

    @command("gogui-rules_board")
    def board(self, arguments: Arguments) -> str:
        arguments.finish()
        stones = self.session.position.diagram().stones
        return "\n".join(" ".join(".XO"[stone] for stone in row) for row in stones)

    @command("gogui-rules_board_size")
    def board_size(self, arguments: Arguments) -> str:
        arguments.finish()
        return self.session.notation.size_text

    @command("gogui-rules_legal_moves")
    def legal_moves(self, arguments: Arguments) -> str:
        """All legal moves; empty when the game is over."""
        arguments.finish()
        return " ".join(map(self.session.notation.write, self.session.position.legal_moves))

    @command("gogui-rules_side_to_move")
    def side_to_move(self, arguments: Arguments) -> str:
        arguments.finish()
        return ("black", "white")[self.session.position.to_move]

    @command("gogui-rules_final_result")
    def final_result(self, arguments: Arguments) -> str:
        """The result in words; empty while the game is in progress."""
        arguments.finish()
        outcome = self.session.position.outcome
        return "" if outcome is None else self.session.game.write_outcome(outcome)

    # ---- convenience

    @command("gogui-title")
    def title(self, arguments: Arguments) -> str:
        arguments.finish()
        return f"Tengen: {self.session.game.title}"

    @command("gogui-interrupt")
    def interrupt(self, arguments: Arguments) -> str:
        """Announces that the comment `# interrupt` interrupts a running command."""
        arguments.finish()
        return ""

    @command("gogui-play_sequence")
    def play_sequence(self, arguments: Arguments) -> str:
        """Play alternating colours and moves: all or none."""
        before = len(self.session.history)
        try:
            while arguments.left:
                player = arguments.colour()
                self.session.play(player, arguments.word("a vertex"))
        except Exception:
            del self.session.history[before:]
            raise
        return ""

    # ---- graphics

    @command("gogui-analyze_commands", "gogui_analyze_commands")
    def analyze_commands(self, arguments: Arguments) -> str:
        arguments.finish()
        lines = [
            "gfx/Engine analysis/tengen-gfx",
            "dboard/Visits/tengen-visits",
            "dboard/Win rates/tengen-win_rates",
        ]
        if isinstance(self.session.game, Go):
            lines += [
                "dboard/Ownership/tengen-ownership",
                "dboard/Criticality/tengen-criticality",
                "plist/Dead stones/final_status_list dead",
                "plist/Stones in a seki/final_status_list seki",
                *MENU,
            ]
        return "\n".join(lines)

    @command("tengen-gfx")
    def gfx(self, arguments: Arguments) -> str:
        """Graphics of the last search."""
        arguments.finish()
        return report_graphics(self.session, *self.session.last_report())

    @command("tengen-visits")
    def visits(self, arguments: Arguments) -> str:
        return self._numbers(arguments, "visits")

    @command("tengen-win_rates")
    def win_rates(self, arguments: Arguments) -> str:
        return self._numbers(arguments, "win rate")

    @command("tengen-ownership")
    def owners(self, arguments: Arguments) -> str:
        arguments.finish()
        if not isinstance(self.session.game, Go):
            raise GtpError("ownership is available only for Go")
        return format_dboard(self.session, ownership(self.session.position))

    @command("tengen-criticality")
    def criticality(self, arguments: Arguments) -> str:
        return self._numbers(arguments, "criticality")

    def _numbers(self, arguments: Arguments, overlay: str) -> str:
        arguments.finish()
        return format_dboard(self.session, overlay_values(self.session.last_report()[0], overlay))
