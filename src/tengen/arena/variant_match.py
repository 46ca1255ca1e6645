"""Several variants of an engine against the same base, tested as a group (`tengen.arena.group_test`).

Each variant plays pairs of games against the base, all from the same openings, in turn; a decided variant stops.
Each game is a task of `tengen.jobs`, as in a match, so that a run can be interrupted and resumed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from html import escape
from pathlib import Path
from typing import Any

from tengen.arena import match_report, openings, plots
from tengen.arena.adjudication import Adjudication
from tengen.arena.engine_match import EngineMatch
from tengen.arena.game_runner import PlayedGame, describe_game, list_faults, play_game
from tengen.arena.group_test import ACCEPTED, OPEN, GroupTest
from tengen.arena.match_score import MatchScore
from tengen.arena.openings import Opening, Openings
from tengen.arena.run_checkpoint import config_for_fingerprint, run_checkpoint
from tengen.arena.run_status import RunStatus, StatusWriter, worker_rows
from tengen.arena.statistics import Sprt, elo_of, interval, normalized_elo, score
from tengen.core.errors import OptionError
from tengen.core.game import Game
from tengen.core.translation import mark
from tengen.jobs import Checkpoint, Task, run
from tengen.play.player_lookup import save_new_players
from tengen.play.time_control import TimeControl
from tengen.players.player import EnginePlayer
from tengen.store.store import Store

MAX_VARIANTS = 50
STATES = {OPEN: mark("undecided"), ACCEPTED: mark("accepted"), -1: mark("rejected")}


@dataclass
class VariantScores:
    """The games of all variants, and the decisions."""

    names: tuple[str, ...]  # of the variants
    base: str
    sprt: Sprt
    scores: list[MatchScore] = field(init=False)
    test: GroupTest = field(init=False)

    def __post_init__(self) -> None:
        self.scores = [MatchScore((name, self.base)) for name in self.names]
        self.test = GroupTest(self.sprt, len(self.names))

    def add(self, variant: int, played: PlayedGame) -> None:
        score = self.scores[variant]
        score.games[played.number] = played
        points = score.points_of_pair(played.number // 2)
        if points is None:
            return
        self.test.add(variant, played.number // 2, points)
        for one, state, pairs in zip(self.scores, self.test.states, self.test.pairs, strict=True):
            if state != OPEN:
                one.decided_by = pairs

    @property
    def games(self) -> int:
        """The number of games that count."""
        return sum(len(score.counted()) for score in self.scores)

    def order(self) -> list[int]:
        """The variants, the most promising first."""
        ratios, states = self.test.ratios, self.test.states
        return sorted(range(len(self.names)), key=lambda one: (-states[one], -ratios[one]))

    # ---- output

    def line(self) -> str:
        found = (
            f"{self.names[one]} {self.test.ratios[one]:+.2f} {STATES[self.test.states[one]]}"
            for one in self.order()
        )
        return f"{self.games} games: " + ", ".join(found)

    def decision(self) -> str:
        """The state of the test in one line."""
        accepted = [self.names[one] for one in self.order() if self.test.states[one] == ACCEPTED]
        left = self.test.states.count(OPEN)
        parts = [f"accepted: {', '.join(accepted)}" if accepted else "none accepted"]
        if left:
            parts.append(f"{left} undecided")
        return ", ".join(parts)

    def rows(self) -> list[dict[str, Any]]:
        """A row for each variant, the most promising first, as data for JSON."""
        found = []
        for number in self.order():
            counts = self.scores[number].counts()
            mean = float(score(counts))
            low, high = (float(end) for end in interval(counts))
            won, drawn, lost = self.scores[number].results(0)
            found.append(
                {
                    "name": self.names[number],
                    "state": STATES[self.test.states[number]],
                    "ratio": self.test.ratios[number],
                    "won": won,
                    "drawn": drawn,
                    "lost": lost,
                    "pairs": list(counts),
                    "elo": [_finite(elo_of(one)) for one in (mean, low, high)],
                    "normalized_elo": [_finite(one) for one in normalized_elo(counts)],
                }
            )
        return found

    def to_dict(self) -> dict[str, Any]:
        """Data for JSON."""
        sprt = self.sprt
        return {
            "version": 1,
            "base": self.base,
            "games": self.games,
            "test": {"elo0": sprt.elo0, "elo1": sprt.elo1, "alpha": sprt.alpha, "beta": sprt.beta},
            "variants": self.rows(),
        }

    def sections(self) -> list[tuple[str, str]]:
        """The tables and plots: heading and HTML."""
        head = ("", "variant", "games", "won", "drawn", "lost", "Elo", "normalised Elo", "LLR", "verdict")
        rows = []
        for place, number in enumerate(self.order(), 1):
            played, counts = self.scores[number], self.scores[number].counts()
            ends = [elo_of(float(end)) for end in (score(counts), *interval(counts))]
            rows.append(
                (
                    *(str(place), self.names[number], str(len(played.counted())), *map(str, played.results(0))),
                    match_report.difference(ends[0], ends[1], ends[2]),
                    match_report.difference(*normalized_elo(counts)),
                    *(f"{self.test.ratios[number]:+.2f}", STATES[self.test.states[number]]),
                )
            )
        series = {self.names[number]: self.scores[number].pair_points() for number in self.order()}
        bounds = self.sprt.bounds[0], self.test.bound
        about = (
            f"Each variant plays {self.base}. Accepted means stronger than {self.sprt.elo0:+g} Elo. The "
            f"probability of accepting any variant that is not is at most {100 * self.sprt.alpha:g} % for all of "
            f"them together (Holm's step-down procedure on sequential tests); the next one is accepted at a "
            f"log-likelihood ratio of {self.test.bound:.2f}."
        )
        found = [
            (mark("Variants"), plots.html_table(head, rows) + f"<p>{escape(about)}</p>"),
            (mark("Log-likelihood ratio"), match_report.ratio_curve(series, self.sprt, bounds)),
            (mark("Elo over the games"), match_report.elo_curve(series)),
        ]
        faults = list_faults((game, one.names) for one in self.scores for game in one.counted())
        if faults:
            found.append((mark("Lost by a fault"), "".join(f"<p>{escape(fault)}</p>" for fault in faults)))
        return found


@dataclass(frozen=True)
class VariantMatch:
    """The definition. `games` is the maximum for each variant; without `lines`, openings are generated."""

    game: Game
    base: EnginePlayer
    variants: tuple[EnginePlayer, ...]
    games: int
    sprt: Sprt
    control: TimeControl = field(default_factory=TimeControl)
    seed: int = 1
    plies: int = openings.PLIES
    lines: tuple[Opening, ...] | None = None
    rated: bool = False
    event: str = ""
    adjudication: Adjudication = field(default_factory=Adjudication)

    def __post_init__(self) -> None:
        if not 1 <= len(self.variants) <= MAX_VARIANTS:
            raise OptionError(f"a group has 1 to {MAX_VARIANTS} variants, not {len(self.variants)}")
        configs = [player.config for player in (self.base, *self.variants)]
        for number, config in enumerate(configs):
            if config in configs[:number]:
                raise OptionError(
                    f"two players of the group are the same: {(self.base, *self.variants)[number].name}"
                )
        for variant in range(len(self.variants)):
            self.match(variant)  # checks the number of games and the players

    def match(self, variant: int) -> EngineMatch:
        """The games of a variant."""
        return EngineMatch(
            self.game,
            (self.variants[variant], self.base),
            self.games,
            self.control,
            None,
            self.seed,
            self.plies,
            self.lines,
            self.rated,
            self.event or f"variants of {self.base.name}",
            self.adjudication,
        )

    def checkpoint(self, path: Path | None = None) -> Checkpoint:
        """The checkpoint in a file, by default in the data folder."""
        return run_checkpoint("variants", self._facts, path)

    def _facts(self, former: bool) -> dict[str, Any]:
        players = (self.base, *self.variants)
        return {
            **self.match(0).facts(former),
            "variants": [config_for_fingerprint(player.config, former) for player in players],
        }

    def describe(self) -> str:
        """The test in one line."""
        sprt = self.sprt
        return (
            f"{len(self.variants)} variants of {self.base.name}, {self.game.describe()}, Elo {sprt.elo0:g} to "
            f"{sprt.elo1:g}, at most {self.games} games each"
        )

    def play(
        self,
        store: Store,
        executor: Executor,
        *,
        window: int,
        checkpoint: Path | None = None,
        on_game: Callable[[VariantScores], None] = lambda scores: None,
    ) -> VariantScores:
        """Play the missing games until all variants are decided or have played all games."""
        results_file = self.checkpoint(checkpoint)
        save_new_players(store, (self.base, *self.variants))
        scores = VariantScores(tuple(player.name for player in self.variants), self.base.name, self.sprt)
        matches = [self.match(variant) for variant in range(len(self.variants))]
        status = partial(self._status, scores, executor)
        with StatusWriter(Path(results_file.path), status) as status_writer:
            results = run(
                self._tasks(scores, matches),
                executor=executor,
                checkpoint=results_file,
                window=window,
                total=self.games * len(self.variants),
            )
            with closing(results):
                for result in results:
                    variant = int(result.id.split()[1])
                    matches[variant].save_game(store, result.value, result.resumed)
                    scores.add(variant, result.value)
                    status_writer.add_game(describe_game(result.value, scores.scores[variant].names))
                    status_writer.update()
                    on_game(scores)
                    if scores.test.is_decided:
                        break
        return scores

    def _tasks(self, scores: VariantScores, matches: list[EngineMatch]) -> Iterator[Task[PlayedGame]]:
        lines = Openings(self.game, self.plies, self.seed, self.lines)
        setups = [match.setup for match in matches]
        for pair in range(self.games // 2):
            for variant, setup in enumerate(setups):
                for number in (2 * pair, 2 * pair + 1):
                    if scores.test.states[variant] == OPEN:
                        yield Task(f"variant {variant} game {number}", play_game, (setup, number, lines[pair]))

    def _status(self, scores: VariantScores, executor: Executor, state: str) -> RunStatus:
        figures = [
            (mark("variants"), str(len(self.variants))),
            *((STATES[one], str(scores.test.states.count(one))) for one in (ACCEPTED, -1, OPEN)),
        ]
        return RunStatus(
            f"{self.base.name}: {len(self.variants)} variants",
            self.describe(),
            self.game.name,
            state,
            f"{scores.games} games, {scores.decision()}",
            scores.sections(),
            figures=figures,
            done=scores.games,
            total=self.games * len(self.variants),
            workers=worker_rows(executor),
            result=scores.to_dict(),
        )


def _finite(elo: float) -> float | None:
    return elo if abs(elo) != float("inf") else None
