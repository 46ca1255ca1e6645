"""GTP, command by command: ids, comments, odd spacing, wrong arguments, and what no line may do."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from numba import config

import tengen
from tengen.core.compiled.ready_markers import mark_ready
from tengen.core.diagram import Stone
from tengen.core.errors import TengenError
from tengen.players.config import EngineConfig
from tengen.players.syntax import parse_limits
from tengen.protocols.gtp.server import Gtp
from tengen.protocols.gtp.syntax import parse
from tengen.protocols.gtp.vertices import Notation
from tests.helpers import protocol_engines
from tests.helpers.paths import ROOT
from tests.helpers.protocol_client import Pipes, Talk, seconds_to_stop
from tests.helpers.protocol_fuzz import check_gtp, fuzz, gtp_talk

UCT = EngineConfig("uct", parse_limits("30nodes"))
STARTED_MODULES = """
import sys
from tengen import cli
cli.run(["gtp"])
print([name for name in ("typer", "rich", "pydantic", "tengen.engines.go.mcts.engine") if name in sys.modules])
"""

# What is said, and what the whole answer must match. `…` stands for anything that has no empty line in it.
SESSION = r"""
protocol_version                        | = 2
1 name                                  | =1 Tengen
002 version                             | =002 0…
known_command genmove                   | = true
known_command no_such_thing             | = false
known_command                           | ? syntax error: expected a command
list_commands                           | = accurate_approxlib…
help                                    | = accurate_approxlib…
echo a  b                               | = a b
cputime                                 | = [0-9.]+
clear_cache                             | =
no_such_thing                           | ? unknown command
7 no_such_thing                         | ?7 unknown command
7                                       | ?7 unknown command
boardsize                               | ? syntax error: expected a size
boardsize x                             | ? syntax error…
boardsize 26                            | ? unacceptable size
boardsize 0                             | ? unacceptable size
boardsize 9 9 9                         | ? syntax error…
boardsize 9                             | =
query_boardsize                         | = 9
get_komi                                | = 7.5
komi 6.5                                | =
get_komi                                | = 6.5
komi x                                  | ? syntax error…
komi nan                                | ? syntax error…
komi 5000                               | ? syntax error…
play b e5                               | =
play B E5                               | ? illegal move: there is a stone
play black I5                           | ? syntax error: expected a vertex as D4, not 'I5'
play w k1                               | ? syntax error…
play w 55                               | ? syntax error…
play x e5                               | ? syntax error: expected a colour, b or w, not 'x'
play w                                  | ? syntax error: expected a vertex
play w e4 e3                            | ? syntax error…
play w e4                               | =
play w c3                               | =
list_stones white                       | = E4 C3
list_stones b                           | = E5
move_history                            | = white C3\nwhite E4\nblack E5
last_move                               | = white C3
color E4                                | = white
color A1                                | = empty
undo                                    | =
undo 1                                  | ? syntax error…
gg-undo 2                               | =
gg-undo 1                               | ? cannot undo
gg-undo                                 | ? cannot undo
undo                                    | ? cannot undo
play b pass                             | =
play w PASS                             | =
play b D4                               | =
play w resign                           | =
is_legal w D4                           | = 0
is_legal w D5                           | = 1
is_legal w                              | ? syntax error…
is_legal w Z99                          | ? syntax error…
all_legal w                             | = A9 …pass
clear_board                             | =
genmove b                               | = [A-HJ][1-9]
genmove                                 | ? syntax error…
genmove q                               | ? syntax error…
kgs-genmove_cleanup w                   | = pass
reg_genmove b                           | = pass
gg_genmove b                            | = pass
gg_genmove b 7                          | = pass
gg_genmove b x                          | ? syntax error…
gg-undo 3                               | ? cannot undo
showboard                               | =\n   A B C D E F G H J\n 9 …Black to move
fixed_handicap 2                        | ? board not empty
genmove_black                           | = ([A-HJ][1-9]|pass)
genmove_white                           | = ([A-HJ][1-9]|pass)
clear_board                             | =
fixed_handicap 1                        | ? invalid number of stones
fixed_handicap 10                       | ? invalid number of stones
fixed_handicap 5                        | = C3 G7 C7 G3 E5
get_handicap                            | = 5
gogui-rules_side_to_move                | = white
clear_board                             | =
place_free_handicap 1                   | ? invalid number of stones
place_free_handicap 12                  | = ([A-J]\d ?){12}
clear_board                             | =
set_free_handicap A1                    | ? invalid number of stones
set_free_handicap A1 A1                 | ? repeated vertex
set_free_handicap A1 Z1                 | ? syntax error…
set_free_handicap A1 B2 C3              | =
get_handicap                            | = 3
clear_board                             | =
time_settings 60 30 5                   | =
time_settings 60 30                     | ? syntax error: expected stones
time_settings 0 10 0                    | =
time_settings 0 0 0                     | =
time_settings 60 0 0                    | =
kgs-time_settings none                  | =
kgs-time_settings absolute 60           | =
kgs-time_settings byoyomi 60 10 3       | =
kgs-time_settings byoyomi 60 0 3        | ? invalid time…
kgs-time_settings canadian 60 10 5      | =
kata-time_settings fischer 60 2         | =
kata-time_settings fischer 0 2          | ? invalid time…
kgs-time_settings hourglass 60          | ? syntax error…
kgs-time_settings                       | ? syntax error…
kata-list_time_settings                 | = none absolute byoyomi canadian fischer
time_left b 30 0                        | =
time_left w 30 3                        | =
time_left w x                           | ? syntax error…
final_score                             | = [BW]\+[0-9.]+
final_score 12                          | = [BW]\+[0-9.]+
final_score x                           | ? syntax error…
final_status_list seki 12               | =
new_score                               | = [BW]\+[0-9.]+ \(upper bound: -?[0-9.]+, lower: -?[0-9.]+\)
estimate_score                          | = [BW]\+[0-9.]+ \(upper bound: -?[0-9.]+, lower: -?[0-9.]+\)
final_status_list dead                  | =…
final_status_list alive                 | =…
final_status_list seki                  | =
final_status_list white_territory       | =…
final_status_list sleepy                | ? syntax error…
final_status_list                       | ? syntax error…
final_status E5                         | = (dame|black_territory|white_territory)
final_status Z5                         | ? syntax error…
captures b                              | = 0
countlib A1                             | ? vertex must not be empty
play b A1                               | =
countlib A1                             | = 2
findlib A1                              | = A2 B1
findlib                                 | ? syntax error…
kgs-game_over                           | =
kata-get-rules                          | = {…}
kata-set-rules japanese                 | =
kata-set-rules                          | ? unknown rules…
kata-set-rules {"ko":"SIMPLE"}          | =
kata-set-rules {"ko":"SOMEHOW"}         | ? unknown rules…
kata-set-rules {"tax":"ALL"}            | ? unknown rules…
kata-set-rules {broken                  | ? unknown rules…
kata-set-rule suicide true              | =
kata-set-rule suicide perhaps           | ? unknown rules…
kgs-rules chinese                       | =
trymove w E5                            | =
popgo                                   | =
popgo                                   | ? no trial move to take back
trymove b E5                            | =
trymove w E5                            | ? illegal move…
trymove w E4                            | =
popgo                                   | =
popgo                                   | =
tryko w E4                              | =
popgo                                   | =
increase_depths                         | =
decrease_depths                         | =
set_position b A1 w B2                  | =
attack A1                               | = 1 (A2|B1)
owl_threaten_attack A1                  | =…
owl_threaten_defense A1                 | =…
attack                                  | ? syntax error…
attack C5                               | ?…
defend A1                               | =…
ladder_attack A1                        | =…
does_attack B1 A1                       | = [0-3]
does_defend B1 A1                       | = [0-3]
accuratelib b C3                        | = [A-J]\d…
set_position b A1 w A1                  | ? repeated vertex
set_position b A1 w B1 w A2             | ? illegal position…
gogui-setup b C3 b D4                   | =
combination_attack w                    | = (PASS|[A-J]\d)
combination_defend w                    | =…
attack_either C3 D4                     | = 0
defend_both C3 D4                       | = 1
attack_either C3                        | ? syntax error…
worm_cutstone C3                        | = 0
worm_stones C3                          | = C3
worm_stones b                           | = D4\nC3
worm_stones w                           | =
worm_data C3                            | = C3:\norigin               C3\ncolor                black\n…
accurate_approxlib b E5                 | = [A-J]\d…
connect C3 D4                           | = 1 (C4|D3)
disconnect C3 D4                        | =…
connect C3                              | ? syntax error…
owl_attack C3                           | =…
owl_defend C3                           | =…
owl_does_attack D3 C3                   | = [0-3]
owl_does_defend D3 C3                   | = [0-3]
dragon_status C3                        | = (alive|dead|critical)…
analyze_semeai C3 D4                    | ? vertices must have different colors
white C4                                | =
analyze_semeai C3 C4                    | = [0-3] [0-3] (PASS|[A-J]\d)
tactical_analyze_semeai C3 C4           | = [0-3] [0-3] (PASS|[A-J]\d)
analyze_semeai_after_move b B4 C3 C4    | = [0-3] [0-3] (PASS|[A-J]\d)
owl_connection_defends D3 C3 D4         | = [0-3]
owl_connection_defends D3 C3 C4         | ? vertices must have same color
dragon_stones C3                        | = (D4 C3|C3)
dragon_stones w                         | = C4
dragon_data C4                          | = C4:\ncolor                   white\n…
undo                                    | =
black C3                                | ? illegal move…
same_dragon C3 C3                       | = 1
same_dragon C3 D4                       | = 1
eval_eye C3                             | = -1
eval_eye E9                             | = -1
top_moves                               | = ([A-J]\d \d+\.\d\d ?)+…
top_moves_black                         | = ([A-J]\d \d+\.\d\d ?)+…
top_moves_white                         | = ([A-J]\d \d+\.\d\d ?)+…
all_move_values b                       | = [A-J]\d  \d+\.\d\d…
restricted_genmove b                    | ? no allowed vertex
restricted_genmove b C3                 | = PASS
restricted_genmove b A1 Z3              | ? syntax error…
restricted_genmove b A1 E5              | = (A1|E5)
unconditional_status C3                 | = undecided
tengen-status                           | =…
tengen-groups                           | = (("" |1 |""\n|""){81})
tengen-status_signs                     | = ((A!|A|D!|D|[=>!?]|"")[ \n]?){81}
tengen-unconditional                    | =
tengen-catch C3                         | = TEXT White first: …
tengen-save C3                          | = TEXT Safe…
tengen-kill C3                          | = …TEXT White first: …
tengen-live C3                          | = …TEXT …
tengen-live A9                          | ? vertex must not be empty
tengen-territory                        | = (-?[01]\.\d{3}[ \n]?){81}
tengen-moyo                             | = (-?[01]\.\d{3}[ \n]?){81}
tengen-area                             | = (-?[01]\.\d{3}[ \n]?){81}
gogui-setup b                           | ? syntax error…
gogui-setup_player w                    | =
gogui-rules_side_to_move                | = white
play w E5                               | =
gogui-setup_player b                    | ? moves have already been played
gogui-play_sequence b A1 w A2 b A3      | =
gogui-play_sequence b B1 w B1           | ? illegal move: there is a stone
gogui-rules_game_id                     | = Go
gogui-rules_board                       | = (([.XO] ){8}[.XO]\n){8}([.XO] ){8}[.XO]
gogui-rules_board_size                  | = 9
gogui-rules_legal_moves                 | = A9…
gogui-rules_side_to_move                | = white
gogui-rules_final_result                | =
gogui-title                             | = Tengen: Go
gogui-interrupt                         | =
gogui-analyze_commands                  | = gfx/…
gogui_analyze_commands                  | = gfx/…
tengen-ownership                        | = (-?[01]\.\d{3}[ \n]?){81}
lz-analyze w 100                        | =\ninfo move [A-J]\d visits \d+ winrate \d+ prior 0 lcb \d+ order 0 pv…
lz-analyze w 50 maxmoves 2 minmoves 1   | =\ninfo move…
analyze interval 10                     | =\ninfo move…
lz-analyze avoid w A9,B9 1              | =\ninfo move…
lz-analyze allow w E6 1                 | =\ninfo move E6…
lz-analyze allow w E5 1                 | ? illegal move: there is a stone
lz-analyze maxmoves                     | ? syntax error…
lz-analyze some thing                   | ? syntax error…
kata-analyze w 10 rootInfo true         | =\ninfo move…rootInfo visits \d+ winrate…
kata-analyze ownership true pvVisits true | =\ninfo move…ownership( -?[01]\.\d{3}){81}
kata-analyze rootInfo perhaps           | ? syntax error…
gogui-analyze w                         | =\n(VAR…)?LABEL…\nTEXT…
lz-genmove_analyze w 10                 | =\ninfo move…\nplay ([A-J]\d|pass)
genmove_analyze b 10                    | =\ninfo move…\nplay ([A-J]\d|pass)
kata-genmove_analyze w 10 rootInfo true | =\ninfo move…rootInfo…\nplay ([A-J]\d|pass)
tengen-gfx                              | = VAR…
tengen-visits                           | = (\d\.\d{3}[ \n]?){81}
tengen-win_rates                        | = (\d\.\d{3}[ \n]?){81}
tengen-criticality                      | = (-?\d\.\d{3}[ \n]?){81}
printsgf                                | = \(;FF…
loadsgf                                 | ? syntax error…
loadsgf no such file.sgf                | ? cannot load file…
quit                                    | =
"""


def go_talk(config: EngineConfig = UCT, **options: object) -> Talk:
    return Talk(lambda input_queue, write: Gtp(input_queue, write, tengen.game("go", **options), config))


def rows() -> list[tuple[str, str]]:
    found = []
    for row in SESSION.strip().splitlines():
        line, _, wanted = row.partition(" | ")
        found.append((line.strip(), wanted.strip()))
    return found


def pattern(wanted: str) -> str:
    """The regular expression of a whole answer."""
    anything = r"(?:[^\n]|\n(?!\n))*"
    return re.escape(wanted[:1]) + wanted[1:].replace("{…}", r"\{…\}").replace("…", anything) + r"\n\n"


def test_every_command_as_it_should_be_answered() -> None:
    talk = go_talk(size=9)
    for line, wanted in rows():
        answer = talk.say(line)
        assert re.fullmatch(pattern(wanted), answer), f"{line!r} was answered {answer!r}, not {wanted!r}"
    assert not talk.open


def test_the_session_above_has_every_command() -> None:
    talk = go_talk(EngineConfig("random"))
    assert isinstance(talk.protocol, Gtp)
    assert set(talk.protocol.commands()) == {line.split()[-1] if line[0].isdigit() else line.split()[0]
                                             for line, _ in rows()} & set(talk.protocol.commands())  # fmt: skip


def test_the_page_on_protocols_names_every_command() -> None:
    talk = go_talk(EngineConfig("random"))
    assert isinstance(talk.protocol, Gtp)
    page = (ROOT / "docs" / "guide" / "protocols.md").read_text()
    assert [name for name in talk.protocol.commands() if f"`{name}`" not in page] == []


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("name", ("", "name", ())),
        ("  name  ", ("", "name", ())),
        ("12 name # and more", ("12", "name", ())),
        ("12\tplay\tb\t d4\r", ("12", "play", ("b", "d4"))),
        ("\x01na\x02me", ("", "name", ())),
        ("12name", ("", "12name", ())),
        ("-1 name", ("", "-1", ("name",))),
        ("1 2 3", ("1", "2", ("3",))),
        ("12", ("12", "", ())),
    ],
)
def test_lines_are_read_as_the_protocol_says(line: str, words: tuple[str, str, tuple[str, ...]]) -> None:
    request = parse(line)
    assert request is not None
    assert (request.id, request.command, request.words) == words


@pytest.mark.parametrize("line", ["", "   ", "\t", "# a comment", "   # 1 name", "\r", "\x00"])
def test_what_says_nothing_gets_no_answer(line: str) -> None:
    assert parse(line) is None
    assert go_talk(EngineConfig("random")).say(line) == ""


# ---- the board


def test_either_colour_may_play_and_play_on_after_two_passes() -> None:
    talk = go_talk(EngineConfig("random"), size=5)
    for line in ("play b c3", "play b b2", "play w pass", "play w pass", "play w d4", "play b d3"):
        assert talk.say(line) == "=\n\n", line
    assert talk.say("list_stones b") == "= C3 D3 B2\n\n"
    assert talk.say("list_stones w") == "= D4\n\n"
    for _ in range(6):
        assert talk.say("undo") == "=\n\n"
    assert talk.say("undo") == "? cannot undo\n\n"


def test_ko_and_superko_hold_over_a_change_of_turn() -> None:
    talk = go_talk(EngineConfig("random"), size=5)
    for move in ("b B3", "w C4", "b C2", "w D3", "b C3", "b A1", "w B4"):  # no ko yet
        talk.say(f"play {move}")
    talk.say("clear_board")
    for move in ("b B2", "w C2", "b A1", "w D1", "b C1", "w B1"):  # White takes the ko at B1
        assert talk.say(f"play {move}") == "=\n\n", move
    assert talk.say("play b C1") == "? illegal move: the ko may not be retaken at once\n\n"


def test_a_trial_move_may_retake_a_ko() -> None:
    talk = go_talk(EngineConfig("random"), size=5, ko="simple")
    for move in ("b B2", "w C2", "b A1", "w D1", "b C1", "w B1"):  # White takes the ko at B1
        talk.say(f"play {move}")
    assert talk.say("trymove b C1").startswith("? illegal move")
    assert talk.say("tryko b C1") == "=\n\n"
    assert talk.say("color B1") == "= empty\n\n"
    assert talk.say("popgo") == "=\n\n"
    assert talk.say("color B1") == "= white\n\n"


def test_two_moves_in_a_row_kill_or_save_a_group() -> None:
    """Four empty points in a row are two eyes, unless White plays both of the middle ones."""
    talk = go_talk(EngineConfig("random"), size=9)
    talk.say("gogui-setup b A2 b B2 b C2 b D2 b E2 b E1 w A3 w B3 w C3 w D3 w E3 w F3 w F2 w F1")
    assert talk.say("owl_attack A2") == "= 0\n\n"
    assert talk.say("owl_threaten_attack A2") in ("= 1 B1 C1\n\n", "= 1 C1 B1\n\n")
    assert talk.say("dragon_stones A2") == "= A2 B2 C2 D2 E2 E1\n\n"
    assert "status                  alive\n" in talk.say("dragon_data A2")
    talk.say("play w B1")
    talk.say("play w C1")
    assert talk.say("owl_defend A2") == "= 0\n\n"
    assert talk.say("owl_threaten_defense A2") == "= 0\n\n"  # capturing the two stones makes only one eye


def test_double_threats_and_their_defences() -> None:
    """Black at D5 would put two white stones into atari at once."""
    talk = go_talk(EngineConfig("random"), size=9)
    talk.say("gogui-setup w D4 w D6 b C4 b E4 b C6 b E6 w D2 w C8 w H5")
    assert talk.say("combination_attack b") == "= D5\n\n"
    assert talk.say("attack_either D4 D6") == "= 1\n\n"
    assert talk.say("defend_both D4 D6") == "= 1\n\n"
    defences = talk.say("combination_defend b").split()[1:]
    assert "D5" in defences
    for move in defences:
        talk.say(f"trymove w {move}")
        assert talk.say("combination_attack b") == "= PASS\n\n"
        talk.say("popgo")
    talk.say("play b D5")
    assert talk.say("defend_both D4 D6") == "= 0\n\n"


def test_capture_of_one_of_two_strings_by_ko() -> None:
    """Black takes D4 in a ko, which White can prevent; H7 is safe."""
    talk = go_talk(EngineConfig("random"), size=9)
    talk.say("gogui-setup w D4 b C4 b D5 b D3 w E5 w E3 w F4 w H7")
    assert talk.say("attack D4") == "= 2 E4\n\n"
    assert talk.say("attack_either D4 H7") == "= 2\n\n"
    assert talk.say("defend_both D4 H7") == "= 1\n\n"


def test_races_by_tactical_reading() -> None:
    """White's three stones have one liberty, C4, and live if they reach it; Black's have two."""
    talk = go_talk(EngineConfig("random"), size=9)
    talk.say("gogui-setup b B1 b B2 b B3 w C1 w C2 w C3 b D1 b D2 b D3 w A4 w B4 w A1")
    assert talk.say("worm_cutstone B1") == "= 2\n\n"
    assert talk.say("worm_cutstone D1") == "= 0\n\n"
    assert talk.say("tactical_analyze_semeai B1 C1") == "= 1 1 C4\n\n"
    assert talk.say("tactical_analyze_semeai C1 B1").startswith("= 1 ")
    assert "liberties            1\nattack_code          1\nattack_point         C4\n" in talk.say("worm_data C1")


def test_strings_that_cannot_be_separated_are_one_dragon() -> None:
    talk = go_talk(EngineConfig("random"), size=9)
    for move in ("b C3", "b D4", "b G7", "w F5", "b J1"):  # a diagonal, and two stones far away
        assert talk.say(f"play {move}").startswith("=")
    assert talk.say("same_dragon C3 D4") == "= 1\n\n"
    assert talk.say("same_dragon D4 G7") == "= 0\n\n"
    assert talk.say("same_dragon C3 A9") == "? vertex must not be empty\n\n"


def test_komi_and_rules_may_change_in_mid_game() -> None:
    talk = go_talk(EngineConfig("random"), size=5)
    talk.say("play b c3")
    talk.say("komi 3")
    assert talk.say("final_score") == "= B+22.0\n\n"
    talk.say("kata-set-rules japanese")
    assert json.loads(talk.say("kata-get-rules")[2:])["scoring"] == "TERRITORY"
    assert talk.say("list_stones b") == "= C3\n\n"
    assert talk.say("get_komi") == "= 3\n\n"


def test_a_repeated_position_is_illegal_by_the_new_rules_and_nothing_changes() -> None:
    talk = go_talk(EngineConfig("random"), size="2x1", ko="simple", suicide=True)
    # Black at A1, White takes at B1, two passes, Black takes back at A1: the board repeats.
    for line in ("play b A1", "play w B1", "play b pass", "play w pass", "play b A1"):
        assert talk.say(line) == "=\n\n", line
    assert talk.say("kata-set-rule ko POSITIONAL").startswith("? the game so far is illegal")
    assert json.loads(talk.say("kata-get-rules")[2:])["ko"] == "SIMPLE"
    assert len(talk.say("move_history").splitlines()) == 6


def test_dead_stones_are_found_when_all_is_settled() -> None:
    talk = go_talk(EngineConfig("random"), size=7)
    black = ["D1", "D2", "D3", "D4", "D5", "D6", "D7", "B2", "A4"]
    white = ["E1", "E2", "E3", "E4", "E5", "E6", "E7", "G2", "G6", "F4", "B5"]
    talk.say(
        f"set_position {' '.join(f'b {stone}' for stone in black)} {' '.join(f'w {stone}' for stone in white)}"
    )
    assert talk.say("final_status_list dead") == "= B5\n\n"
    assert talk.say("final_status B5") == "= dead\n\n"
    talk.say("komi 0.5")
    assert talk.say("final_score") == "= B+6.5\n\n"  # 28 points to 21


def test_a_seki_is_neither_dead_nor_alive() -> None:
    talk = go_talk(EngineConfig("random"), size=9)
    black = "G9 A8 B8 C8 D8 E8 F8 G8"
    white = "B9 C9 D9 E9 H9 H8 A7 B7 C7 D7 E7 F7 G7 H7"
    stones = [f"{side} {vertex}" for side, vertices in (("b", black), ("w", white)) for vertex in vertices.split()]
    talk.say(f"set_position {' '.join(stones)}")
    lists = {status: talk.say(f"final_status_list {status}")[2:] for status in ("alive", "dead", "seki")}
    assert {frozenset(line.split()) for line in lists["seki"].strip().splitlines()} == {
        frozenset(black.split()),
        frozenset(white.split()[:4]),
    }
    assert set(lists["alive"].split()) == set(white.split()[4:])
    assert lists["dead"].strip() == ""
    assert talk.say("final_status A8") == "= seki\n\n"
    assert talk.say("final_status H9") == "= alive\n\n"


def test_the_bounds_of_an_estimate_are_whites_as_in_gnu_go() -> None:
    talk = go_talk(EngineConfig("random"), size=9)
    talk.say("komi 6.5")
    talk.say("play b E5")
    # Black may hope for all 81 points, White for the 80 that are left.
    assert talk.say("estimate_score").endswith(" (upper bound: 85.5, lower: -74.5)\n\n")


def test_lines_are_drawn_and_all_that_the_menu_offers_can_be_asked() -> None:
    talk = go_talk(EngineConfig("random"), size=9)
    # A White stone in a ladder that runs to the corner, in which Black begins.
    talk.say("set_position w C7 b C8 b B7 b B6 b D8")
    drawn = talk.say("tengen-catch C7")[2:].split("\n")
    assert drawn[0].startswith("VAR b ")
    colours, points = drawn[0].split()[1::2], drawn[0].split()[2::2]
    assert colours == ["b", "w"] * (len(points) // 2) + ["b"] * (len(points) % 2)
    assert len(points) > 5
    assert drawn[1] == "TEXT Black first: works"
    assert talk.say("tengen-save C7")[2:].startswith("VAR w ")
    signs = talk.say("tengen-status_signs")[2:].split()
    assert signs[2 * 9 + 2] == "!"
    assert "COLOR #ffa500 C7" in talk.say("tengen-status")
    for line in talk.say("gogui-analyze_commands")[2:].strip().splitlines():
        kind, _, words = line.split("/")
        assert kind in {"gfx", "dboard", "sboard", "string", "plist"}
        assert talk.say(f"known_command {words.split()[0]}") == "= true\n\n", line
        answer = talk.say(words.replace("%p", "C7"))
        assert answer.startswith("=") or answer == "? no search has been made yet\n\n", (line, answer)


# ---- files


def test_a_game_can_be_written_and_loaded(tmp_path: Path) -> None:
    talk = go_talk(EngineConfig("random"), size=9)
    for move in ("b C3", "w G7", "b E5", "b D5"):
        talk.say(f"play {move}")
    file = tmp_path / "a game.sgf"
    assert talk.say(f"printsgf {file}") == "=\n\n"
    assert "B[ee];B[de]" in file.read_text()
    assert talk.say(f"loadsgf {file} 3") == "= black\n\n"
    assert talk.say("move_history") == "= white G7\nblack C3\n\n"
    talk.say(f"loadsgf {file} 1")
    assert talk.say("move_history") == "=\n\n"
    assert talk.say(f"printsgf {tmp_path}").startswith("? cannot write file")
    file.write_text("f5d6c3")
    assert talk.say(f"loadsgf {file}") == "? cannot load file: it contains a game of Othello\n\n"
    file.write_text("(;GM[1]SZ[9];B[ee];W[cc];AB[aa];B[gg])")  # stones are set up after the second move
    assert talk.say(f"loadsgf {file}").startswith("? cannot load file")
    assert talk.say(f"loadsgf {file} 3") == "= black\n\n"
    assert talk.say("move_history") == "= white C7\nblack E5\n\n"
    file.write_text("(;GM[1]SZ[9];B[ee];W[ee])")
    assert talk.say(f"loadsgf {file}").startswith("? cannot load file")


def test_a_file_without_rules_is_scored_as_in_gnu_go(tmp_path: Path) -> None:
    """By territory; komi is 5.5, or 0.5 with handicap. Stones set up after the wanted move do not matter."""
    talk = go_talk(size=9)
    file = tmp_path / "game.sgf"
    for root, komi, scoring in (
        ("", "5.5", "TERRITORY"),
        ("HA[2]AB[cc][gg]", "0.5", "TERRITORY"),
        ("KM[7]RU[Chinese]", "7", "AREA"),
    ):
        file.write_text(f"(;GM[1]SZ[9]{root};W[ee];B[dd];AB[aa];W[ff])")
        assert talk.say(f"loadsgf {file} 3") == "= white\n\n"
        assert talk.say("get_komi") == f"= {komi}\n\n"
        assert f'"scoring": "{scoring}"' in talk.say("kata-get-rules")


# ---- other games


@pytest.mark.parametrize(
    ("game", "options"),
    [("othello", {}), ("clobber", {"size": "4x5"}), ("clobber", {"size": 12}), ("pente", {"size": 9}),
     ("pente", {"variant": "connect6", "size": 7}), ("pente", {"opening": "swap2", "size": 7})],
)  # fmt: skip
def test_a_whole_game_by_gogui_rules(game: str, options: dict[str, object]) -> None:
    """GoGui as the referee: it asks for the side, the moves, the board and the result, and knows no rules."""
    talk = Talk(
        lambda input_queue, write: Gtp(input_queue, write, tengen.game(game, **options), EngineConfig("random"))
    )
    position = tengen.game(game, **options).start()
    notation = Notation(position)

    def ask(line: str) -> str:
        answer = talk.say(line)
        assert answer.startswith("="), f"{line}: {answer}"
        return answer[2:].rstrip("\n")

    assert ask("gogui-rules_game_id") == position.game.title
    while not position.is_over:
        side = ask("gogui-rules_side_to_move")
        assert side == ("black", "white")[position.to_move]
        assert ask("gogui-rules_legal_moves").split() == list(map(notation.write, position.legal_moves))
        if position.ply % 2:
            word = ask(f"genmove {side}")
        else:
            word = notation.write(position.legal_moves[position.ply % len(position.legal_moves)])
            ask(f"play {side} {word}")
        position = position.play(notation.read(word, position))
        stones = [[Stone(".XO".index(symbol)) for symbol in row.split()]
                  for row in ask("gogui-rules_board").split("\n")]  # fmt: skip
        assert stones == [list(row) for row in position.diagram().stones]
    assert position.outcome is not None
    assert ask("gogui-rules_final_result") == position.game.write_outcome(position.outcome)
    assert ask("final_score")[0] in "BW0"
    assert talk.say(f"genmove {side}") == "? the game is over\n\n"
    ask("clear_board")
    assert ask("gogui-rules_final_result") == ""


def test_rows_of_othello_are_counted_from_below_as_in_every_gtp() -> None:
    position = tengen.game("othello").start()
    notation = Notation(position)
    assert notation.write(position.game.read_move("f5", position)) == "F4"
    assert notation.read("d6", position) == position.game.read_move("d3", position)


# ---- time


def test_the_clock_decides_where_there_is_no_level() -> None:
    talk = Talk(lambda input_queue, write: Gtp(input_queue, write, tengen.game("go"), EngineConfig("random")))
    assert isinstance(talk.protocol, Gtp)
    timing = next(group.__self__ for name, group in talk.protocol._handlers.items() if name == "time_left")

    def seconds(player: int) -> float | None:
        with timing.move_limits(player, counts=False) as limits:
            return limits.seconds

    assert seconds(0) == 1.0  # the usual level
    talk.say("time_settings 0 10 1")
    assert seconds(0) == pytest.approx(9.5)
    talk.say("time_settings 300 0 0")
    assert seconds(0) == pytest.approx((300 - 15) / 30)
    talk.say("time_left b 30 0")
    assert seconds(0) == pytest.approx((30 - 15) / 30)
    assert seconds(1) == pytest.approx((300 - 15) / 30)
    talk.say("kgs-time_settings byoyomi 0 20 3")
    assert seconds(0) == pytest.approx(19)
    talk.say("time_left b 10 2")
    assert seconds(0) == pytest.approx(9.5)
    talk.say("kgs-time_settings canadian 0 50 10")
    assert seconds(0) == pytest.approx(4.75)
    talk.say("time_left b 10 5")
    assert seconds(0) == pytest.approx(1.9)
    talk.say("time_settings 0 1 0")
    assert seconds(0) == 1.0  # no limit: the usual level again


def test_a_level_holds_beside_the_clock() -> None:
    talk = go_talk(EngineConfig("uct", parse_limits("2s,500nodes")))
    assert isinstance(talk.protocol, Gtp)
    timing = next(group.__self__ for name, group in talk.protocol._handlers.items() if name == "time_left")
    talk.say("time_settings 0 10 1")
    with timing.move_limits(0) as limits:
        assert (limits.seconds, limits.nodes) == (2.0, 500)


@pytest.mark.parametrize(
    ("text", "level"),
    [("1s", (1.0, None, None)), ("0.5 s, 20 nodes", (0.5, 20, None)), ("depth4", (None, None, 4))],
)
def test_levels_as_they_are_written(text: str, level: tuple[float | None, int | None, int | None]) -> None:
    found = parse_limits(text)
    assert (found.seconds, found.nodes, found.depth) == level


@pytest.mark.parametrize("text", ["", "1", "5x", "1s,2s", "0s", "depth", "nodes5"])
def test_levels_that_are_none(text: str) -> None:
    with pytest.raises(TengenError):
        parse_limits(text)


# ---- streams and stops


def test_an_analysis_streams_until_any_input_and_then_that_is_answered() -> None:
    pipes = Pipes(
        lambda input_queue, write: Gtp(input_queue, write, tengen.game("go", size=9), EngineConfig("uct"))
    )
    pipes.send("5 lz-analyze b 1\n")
    assert pipes.line() == "=5"
    for _ in range(3):
        assert pipes.line().startswith("info move ")
    pipes.send("# anything\n")
    lines = pipes.until(lambda line: line == "")
    assert all(line.startswith("info move ") for line in lines[:-1])
    pipes.send("6 name\n")
    assert [pipes.line(), pipes.line()] == ["=6 Tengen", ""]
    # Nothing was played.
    pipes.send("list_stones b\n")
    assert pipes.line() == "="
    pipes.hang_up()


def test_an_engine_that_is_slow_to_end_holds_up_nobody() -> None:
    protocol_engines.let_go.clear()
    config = EngineConfig("tests.helpers.protocol_engines:Slow")
    talk = Talk(lambda input_queue, write: Gtp(input_queue, write, tengen.game("go", size=9), config))
    answer = talk.say("lz-analyze")
    assert answer.startswith("=\ninfo move ")
    assert talk.say("5 name") == "=5 Tengen\n\n"  # the engine has not come to its end yet
    protocol_engines.let_go.set()
    assert talk.say("tengen-gfx").startswith("= VAR ")  # what it found last is waited for
    assert talk.say("name") == "= Tengen\n\n"


def test_an_engine_that_fails_ends_an_analysis_with_its_reason() -> None:
    talk = Talk(
        lambda input_queue, write: Gtp(
            input_queue, write, tengen.game("go"), EngineConfig("tests.helpers.protocol_engines:Failing")
        )
    )
    for line in ("lz-analyze", "kata-genmove_analyze b", "genmove w", "reg_genmove b"):
        assert talk.say(line) == "? not today\n\n"
    assert talk.say("tengen-gfx") == "? no search has been made yet\n\n"


def test_an_interrupt_ends_a_genmove_with_a_move() -> None:
    config = EngineConfig("uct", parse_limits("600s"))
    pipes = Pipes(lambda input_queue, write: Gtp(input_queue, write, tengen.game("go", size=9), config))
    pipes.send("1 genmove b\n2 name\n")  # other commands wait
    pipes.send("# interrupt\n")
    assert re.fullmatch("=1 [A-HJ][1-9]", pipes.line())
    assert pipes.until(lambda line: line.startswith("=2"))
    pipes.hang_up()


def test_a_stop_is_heeded() -> None:
    """The soak tests measure thousandths of a second; without the stop this would take ten minutes."""
    pipes = Pipes(lambda input_queue, write: Gtp(input_queue, write, tengen.game("go"), EngineConfig("uct")))
    for _ in range(3):
        taken = seconds_to_stop(
            pipes, "lz-analyze 1\n", lambda line: line.startswith("info"), "9 name\n", "=9 Tengen"
        )
        assert taken < 60
    pipes.hang_up()


# ---- noise


def test_two_thousand_lines_of_noise(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    talk, lines = gtp_talk(size=9)
    fuzz(talk, lines, check_gtp, 2000, "gtp")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("game", ["othello", "clobber", "pente"])
def test_noise_in_other_games(game: str) -> None:
    talk, lines = gtp_talk(game)
    fuzz(talk, lines, check_gtp, 300, game)


def test_reading_loads_neither_the_engine_nor_the_command_line_parser(tmp_path: Path) -> None:
    """`tengen gtp` is started for a few questions, and loading everything takes longer than answering them."""
    if config.DISABLE_JIT:
        pytest.skip("no kernels are compiled, so none are known to be ready")
    mark_ready((tengen.game("go").describe(), EngineConfig()))  # otherwise the engine is loaded to compile it
    program = [sys.executable, "-c", STARTED_MODULES]
    talk = "boardsize 5\nplay b a1\nplay w a2\nattack a1\nquit\n"
    found = subprocess.run(program, input=talk, capture_output=True, text=True, check=True)
    assert "1 B1" in found.stdout
    assert found.stdout.endswith("[]\n")
