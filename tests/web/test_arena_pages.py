"""The arena in a real Chromium: a run started, watched, stopped, resumed; links and permissions."""

from __future__ import annotations

from playwright.sync_api import Browser, expect

from tests.helpers.arena_browser import (
    check_results,
    kill_game_worker,
    run_status,
    server_pid,
    start_match,
    stop_and_resume,
    wait_for_games,
)
from tests.helpers.web_site import Site, Visitor

GAMES = 20
SLOW = "uct:seconds=0.1"  # so that the match is not over before it is stopped


def test_a_match_is_started_watched_stopped_and_resumed(ann: Visitor, server: Site, browser: Browser) -> None:
    page = ann.page
    url = start_match(ann, SLOW, "random:nodes=1", GAMES, size=30)
    wait_for_games(ann, url, 2)
    expect(page.locator(".tg-state")).to_have_text("running")
    kill_game_worker(server_pid(server.folder))
    stop_and_resume(ann)
    ann.go("/arena")
    expect(page.locator("a.tg-run").first).to_contain_text("Uct 0.1 s – Random 1 node")
    page.locator("a.tg-run").first.click()
    wait_for_games(ann, url, GAMES, state="finished")
    expect(page.locator(".tg-state")).to_have_text("finished")
    check_results(server.folder, ann, url, GAMES)
    # Figures, plots, pairs, and a game in analysis.
    expect(page.get_by_text("normalised Elo")).to_be_visible()
    expect(page.get_by_role("heading", name="Elo over the games")).to_be_visible()
    expect(page.get_by_text(f"{GAMES // 2} pairs")).to_be_visible()
    ann.shot("arena-run")
    page.get_by_role("button", name="Pairs won").click()
    page.locator(".tg-pairs-games a").first.click()
    page.wait_for_url("**/analysis/*")
    # The same run is not played twice, but with more games it is continued.
    ann.go(f"/arena/new?copy=matches-{url.rpartition('/')[2]}")
    ann.press("Start")
    expect(page.get_by_role("alert").filter(has_text="finished already")).to_be_visible()
    page.get_by_label("Games", exact=True).fill(str(GAMES + 4))
    ann.press("Start")
    page.wait_for_url("**/arena/matches/*")
    assert page.url == url
    wait_for_games(ann, url, GAMES + 4, state="finished")
    check_results(server.folder, ann, url, GAMES + 4)
    # A link that works without being known to the server.
    ann.context.grant_permissions(["clipboard-read", "clipboard-write"])
    link = ann.context.request.post(f"{ann.address}/api{url[url.index('/arena') :]}/share").json()["path"]
    stranger = browser.new_context()
    answer = stranger.request.get(f"{ann.address}{link}")
    assert "Elo over the games" in answer.text()
    assert "/analysis/" not in answer.text()
    ann.context.request.delete(f"{ann.address}/api{url[url.index('/arena') :]}/share")
    assert stranger.request.get(f"{ann.address}{link}").status == 422
    stranger.close()
    # Removed from the list; the games stay.
    ann.go(url[url.index("/arena") :])
    ann.press("Remove")
    page.get_by_role("dialog").get_by_role("button", name="Remove").click()
    page.wait_for_url("**/arena")
    expect(page.get_by_text("Start a run here")).to_be_visible()
    assert run_status(ann, url)["detail"]


def test_faults_of_the_form_are_shown(ann: Visitor) -> None:
    ann.go("/arena/new?kind=variants")
    ann.press("Start")
    alert = ann.page.get_by_role("alert").filter(has_text="variants")
    expect(alert).to_be_visible()
    ann.page.get_by_role("button", name="Match", exact=True).click()
    ann.page.get_by_label("First player").fill("gtp:gnugo --mode gtp")
    ann.page.get_by_label("First player").press("Enter")
    ann.press("Start")
    expect(ann.page.get_by_role("alert").filter(has_text="--allow-programs")).to_be_visible()


def test_others_watch_but_do_not_start(ann: Visitor, site: str) -> None:
    # Behind a proxy that the server does not know, nobody is the owner.
    stranger = {"X-Forwarded-For": "203.0.113.9"}
    plan = {"game": "clobber", "players": ["random:nodes=1", "random:nodes=2"]}
    post = ann.context.request.post
    assert post(f"{site}/api/arena/matches", data=plan, headers=stranger).status == 403
    assert ann.context.request.get(f"{site}/api/arena", headers=stranger).ok
    for path in ("stop", "resume", "share"):
        assert post(f"{site}/api/arena/matches/{24 * 'a'}/{path}", headers=stranger).status == 403
    assert ann.context.request.get(f"{site}/arena/new", headers=stranger).status == 403
