"""GoGui's extensions: rules of any game, move sequences, and graphics of the engine's analysis."""

from __future__ import annotations

from tengen.engines.go.mcts.dead_stones import ownership
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
    def game_id(self) -> str:
        return self.session.game.title

    @command("gogui-rules_board")
    def board(self) -> str:
        stones = self.session.position.diagram().stones
        return "\n".join(" ".join(".XO"[stone] for stone in row) for row in stones)

    @command("gogui-rules_board_size")
    def board_size(self) -> str:
        return self.session.notation.size_text

    @command("gogui-rules_legal_moves")
    def legal_moves(self) -> str:
        """All legal moves; empty when the game is over."""
        return " ".join(map(self.session.notation.write, self.session.position.legal_moves))

    @command("gogui-rules_side_to_move")
    def side_to_move(self) -> str:
        return ("black", "white")[self.session.position.to_move]

    @command("gogui-rules_final_result")
    def final_result(self) -> str:
        """The result in words; empty while the game is in progress."""
        outcome = self.session.position.outcome
        return "" if outcome is None else self.session.game.write_outcome(outcome)

    # ---- convenience

    @command("gogui-title")
    def title(self) -> str:
        return f"Tengen: {self.session.game.title}"

    @command("gogui-interrupt")
    def interrupt(self) -> None:
        """Announces that the comment `# interrupt` interrupts a running command."""

    @command("gogui-play_sequence")
    def play_sequence(self, arguments: Arguments) -> None:
        """Play alternating colours and moves: all or none."""
        before = len(self.session.history)
        try:
            while arguments.left:
                player = arguments.colour()
                self.session.play(player, arguments.word("a vertex"))
        except Exception:
            del self.session.history[before:]
            raise

    # ---- graphics

    @command("gogui-analyze_commands", "gogui_analyze_commands")
    def analyze_commands(self) -> str:
        lines = [
            "gfx/Engine analysis/tengen-gfx",
            "dboard/Visits/tengen-visits",
            "dboard/Win rates/tengen-win_rates",
        ]
        if self.session.go is not None:
            lines += [
                "dboard/Ownership/tengen-ownership",
                "dboard/Criticality/tengen-criticality",
                "plist/Dead stones/final_status_list dead",
                "plist/Stones in a seki/final_status_list seki",
                *MENU,
            ]
        return "\n".join(lines)

    @command("tengen-gfx")
    def gfx(self) -> str:
        """Graphics of the last search."""
        return report_graphics(self.session, *self.session.last_report())

    @command("tengen-visits")
    def visits(self) -> str:
        return self._numbers("visits")

    @command("tengen-win_rates")
    def win_rates(self) -> str:
        return self._numbers("win rate")

    @command("tengen-ownership")
    def owners(self) -> str:
        if self.session.go is None:
            raise GtpError("ownership is available only for Go")
        return format_dboard(self.session, ownership(self.session.position))

    @command("tengen-criticality")
    def criticality(self) -> str:
        return self._numbers("criticality")

    def _numbers(self, overlay: str) -> str:
        return format_dboard(self.session, overlay_values(self.session.last_report()[0], overlay))
