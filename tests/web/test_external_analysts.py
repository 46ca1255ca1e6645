"""External engines in a real Chromium: they analyse, review and teach; those that misbehave disturb nobody."""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from tengen.players.configure import configure_program
from tengen.players.player import EnginePlayer
from tengen.players.program import ExternalProgram
from tengen.search.limits import Limits
from tengen.store.store import Store
from tests.helpers.paths import HELPERS
from tests.helpers.web_site import STRAW, TIMEOUT_MS, Site, Visitor

GNU_GO = shutil.which("gnugo") or shutil.which("/usr/games/gnugo")
FAULTS = ("crash", "hang", "flood", "strange")
GAMES = {
    "katago": "(;GM[1]SZ[5]KM[6.5]RU[Japanese];B[aa];W[ee];B[ab];W[ed])",
    "nboard": "(;GM[2]SZ[8]PL[B]PB[A];B[f5];W[d6];B[c3];W[d3])",
    "gomocup": "(;GM[4]SZ[15]RU[gomoku];B[hh];W[aa];B[oo];W[ao])",
}


def player(name: str, protocol: str, mode: str, folder: Path) -> EnginePlayer:
    command = (sys.executable, "-I", "-S", str(HELPERS / "scripted_analyst.py"), protocol, mode, str(folder))
    program = ExternalProgram(protocol, command, timeout_s=4.0 if mode == "hang" else 20.0)
    return EnginePlayer(name, configure_program(program, Limits(seconds=0.2)))


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp("site")
    with Store.open(str(folder / "tengen.db")) as store:
        for protocol in GAMES:
            store.save_player(player(f"Scripted {protocol}", protocol, "good", folder))
        for fault in FAULTS:
            store.save_player(player(f"Katago {fault}", "katago", fault, folder))
        if GNU_GO:
            program = ExternalProgram("gtp", (GNU_GO, "--mode", "gtp", "--level", "1"), timeout_s=60)
            store.save_player(EnginePlayer("GNU Go", configure_program(program)))
    made = Site(folder, "--allow-programs")
    yield made
    made.close()
    assert "Traceback" not in (folder / "server.log").read_text()


def open_game(visitor: Visitor, text: str) -> None:
    visitor.go("/analysis")
    visitor.page.get_by_label("SGF, GGF").fill(text)
    visitor.press("Open")
    visitor.page.wait_for_url("**/analysis/*")
    visitor.wait_for_board()


def choose_engine(visitor: Visitor, name: str) -> None:
    visitor.page.get_by_role("combobox", name="Engine player").click()
    visitor.page.get_by_role("option", name=name, exact=True).click()


@pytest.mark.parametrize(
    ("protocol", "shown"),
    [("katago", ("C3", "62 %", "3.2")), ("nboard", ("+",)), ("gomocup", ("G8", "34 %"))],
)
def test_scripted_engines_analyse_and_review(ann: Visitor, protocol: str, shown: tuple[str, ...]) -> None:
    page = ann.page
    open_game(ann, GAMES[protocol])
    choose_engine(ann, f"Scripted {protocol}")
    again = page.get_by_role("button", name="Review the game with this engine")
    expect(again).to_be_visible(timeout=TIMEOUT_MS)  # our own engine has reviewed it
    expect(page.locator(".tg-thought")).to_contain_text("python", timeout=TIMEOUT_MS)  # whose estimate it is
    page.get_by_role("button", name="Start", exact=True).click()
    for text in shown:
        expect(page.locator(".tg-lines-list")).to_contain_text(text, timeout=TIMEOUT_MS)
    expect(page.locator(".tg-candidate .tg-kind-exact")).to_have_count(0)
    again.click()
    expect(page.get_by_text("Reviewed:")).to_be_visible(timeout=TIMEOUT_MS)
    expect(again).to_be_visible(timeout=TIMEOUT_MS)
    expect(page.get_by_text("Reviewed:")).to_be_visible()
    expect(page.get_by_text("named no move")).to_have_count(0)
    expect(page.locator(".tg-review-table")).to_contain_text("Accuracy")
    ann.shot(f"external-{protocol}")


@pytest.mark.parametrize(
    ("protocol", "game", "options", "best", "bad"),
    [
        ("katago", "go", {"size": 5}, ("C3", "62"), "A1"),
        ("nboard", "othello", {}, ("f5", "+1.5 discs"), ""),  # its other move loses too little for a warning
        ("gomocup", "pente", {"variant": "gomoku", "size": 15}, ("G8", "34"), ""),
    ],
)
def test_scripted_engines_teach(
    server: Site,
    browser: Browser,
    protocol: str,
    game: str,
    options: dict[str, Any],
    best: tuple[str, str],
    bad: str,
) -> None:
    ann = Visitor.arrive(browser, server.address)
    ann.begin(game, STRAW, **options)
    ann.page.get_by_role("switch", name="Teaching").click()
    ann.page.get_by_role("combobox", name="Advice from").click()
    ann.page.get_by_role("option", name=f"Scripted {protocol}").click()
    teacher = ann.page.locator(".tg-helper .tg-status").first
    for label, text in (
        ("Small hint", "Look at"),
        ("Clearer hint", "What it does|The best move"),
        ("Clearer hint", re.escape(best[0])),
    ):
        ann.press(label)
        expect(teacher).to_contain_text(re.compile(text), timeout=TIMEOUT_MS)
    expect(teacher).to_contain_text(best[1])
    if bad:
        ann.move(ann.find(bad))
        expect(ann.page.get_by_text("Are you sure about")).to_be_visible(timeout=TIMEOUT_MS)
        ann.press("Take it back")
    ann.leave()


@pytest.mark.skipif(not GNU_GO, reason="GNU Go is not installed")
def test_gnu_go_analyses_and_reviews(ann: Visitor) -> None:
    page = ann.page
    open_game(ann, GAMES["katago"])
    choose_engine(ann, "GNU Go")
    expect(page.locator(".tg-thought")).to_contain_text("gnugo", timeout=TIMEOUT_MS)
    expect(page.locator(".tg-verdict")).to_contain_text("points")
    expect(page.locator(".tg-candidate .tg-kind-exact")).to_have_count(0)
    page.get_by_role("button", name="Review the game with this engine").click()
    expect(page.get_by_role("button", name="Review the game with this engine")).to_be_visible(timeout=TIMEOUT_MS)
    expect(page.get_by_text("Reviewed:")).to_be_visible(timeout=TIMEOUT_MS)
    expect(page.locator(".tg-review-table")).to_contain_text("Average loss")


def test_a_known_engine_is_tried_at_a_path(ann: Visitor, server: Site) -> None:
    page = ann.page
    ann.go("/players/program")
    page.locator(".tg-item", has_text="Rapfi").get_by_role("button", name="Path").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Path of the program").fill(str(server.folder / "nothing"))
    dialog.get_by_role("button", name="Try").click()
    expect(page.get_by_role("alert").filter(has_text="no program at")).to_be_visible(timeout=TIMEOUT_MS)
    rapfi = server.folder / "pbrain-rapfi"
    script = HELPERS / "scripted_analyst.py"
    rapfi.write_text(f'#!/bin/sh\nexec "{sys.executable}" -I -S "{script}" gomocup good "{server.folder}"\n')
    rapfi.chmod(0o700)
    page.locator(".tg-item", has_text="Rapfi").get_by_role("button", name="Path").click()
    dialog.get_by_label("Path of the program").fill(str(rapfi))
    dialog.get_by_label("Path of the program").press("Enter")
    expect(page.get_by_text("pbrain-rapfi: ")).to_be_visible(timeout=TIMEOUT_MS)
    ann.press("Add this engine")
    page.wait_for_url("**/players")
    expect(page.get_by_text("Rapfi")).to_be_visible()


@pytest.mark.parametrize("fault", FAULTS)
def test_an_engine_that_misbehaves_disturbs_nobody(server: Site, browser: Browser, fault: str) -> None:
    ann, bob = (Visitor.arrive(browser, server.address) for _ in range(2))
    open_game(ann, GAMES["katago"])
    choose_engine(ann, f"Katago {fault}")
    open_game(bob, GAMES["katago"])
    expect(bob.page.locator(".tg-candidate").first).to_be_visible(timeout=TIMEOUT_MS)
    words = {"crash": "ended|exit|died", "hang": "answer", "flood": "output|line", "strange": "move"}[fault]
    ann.until(
        "words => new RegExp(words).test(document.querySelector('.tg-verdict').innerText + ' ' "
        "+ document.querySelector('.tg-thought').innerText)",
        words,
    )
    choose_engine(ann, "Full strength")
    expect(ann.page.locator(".tg-candidate").first).to_be_visible(timeout=TIMEOUT_MS)
    ann.leave()
    bob.leave()


def test_an_engine_is_tried_and_added_by_the_owner(ann: Visitor, server: Site) -> None:
    page = ann.page
    script = HELPERS / "scripted_analyst.py"
    command = f"{sys.executable} -I -S {script} katago"
    ann.go("/players/program")
    expect(page.get_by_text("KataGo (Go)")).to_be_visible()
    field = page.get_by_label("Command")
    field.fill(f"katago:{command} crash {server.folder}")
    page.get_by_role("button", name="Try").last.click()
    expect(page.get_by_role("alert").filter(has_text="out of memory")).to_be_visible(timeout=TIMEOUT_MS)
    field.fill(f"katago:{command} good {server.folder}")
    page.get_by_label("Name").fill("My analyst")
    page.get_by_role("button", name="Try").last.click()
    expect(page.get_by_text("C3")).to_be_visible(timeout=TIMEOUT_MS)
    ann.press("Add this engine")
    page.wait_for_url("**/players")
    expect(page.get_by_text("My analyst")).to_be_visible()
    stranger = {"X-Forwarded-For": "203.0.113.9"}
    assert ann.context.request.get(f"{server.address}/players/program", headers=stranger).status == 403


def test_without_the_option_nobody_adds_programs(tmp_path: Path, browser: Browser) -> None:
    site = Site(tmp_path)
    ann = Visitor.arrive(browser, site.address)
    assert ann.context.request.get(f"{site.address}/players/program").status == 403
    ann.leave()
    site.close()
