"""Time from a click on the board to the own stone drawn, while engines search on all cores of the machine.

    python soak/measure_clicks.py [clicks]

The server runs in its own process with one engine worker for each core; as many searches of Go, asked for over the
API, keep them busy. Chromium clicks with a real mouse. Prints three figures, counted from the click: *script*,
until the stone is in the document; *drawn*, until the end of the next frame; *server*, until the server's answer.
"""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
import threading
from pathlib import Path

import httpx

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.helpers.web_site import Site, Visitor, chromium

CLICKS = 30
# Resolves to [script, drawn] in milliseconds once the stone at a point is there, counted from the click itself.
_WATCH = """point => {
    const board = document.querySelector('.tg-board');
    let clicked = 0;
    board.addEventListener('pointerup', (event) => { clicked = event.timeStamp; }, { capture: true, once: true });
    window.drawn = new Promise((done) => {
        const look = new MutationObserver(() => {
            if (!clicked || !board.querySelector(`.tg-stone[data-point="${point}"]`)) return;
            look.disconnect();
            const script = performance.now() - clicked;
            // A message that is sent in a frame is handled after it has been drawn.
            requestAnimationFrame(() => {
                const channel = new MessageChannel();
                channel.port1.onmessage = () => done([script, performance.now() - clicked]);
                channel.port2.postMessage(0);
            });
        });
        look.observe(board, { subtree: true, childList: true });
    });
}"""


def main(clicks: int = CLICKS) -> None:
    cores = os.cpu_count() or 1
    with tempfile.TemporaryDirectory() as folder, chromium() as browser:
        site = Site(Path(folder), "--workers", str(cores))
        stop = threading.Event()
        searchers = [threading.Thread(target=_search, args=(site.address, stop, seed)) for seed in range(cores)]
        try:
            for thread in searchers:
                thread.start()
            stop.wait(5)
            visitor = Visitor.arrive(browser, site.address)
            visitor.begin("go", "Bea", size=19)
            _measure(visitor, clicks)
            visitor.leave()
        finally:
            stop.set()
            for thread in searchers:
                thread.join()
            site.close()
    print(f"load {os.getloadavg()[0]:.1f} on {cores} cores")


def _search(address: str, stop: threading.Event, seed: int) -> None:
    """Search one position after another until `stop`."""
    columns = "ABCDEFGHJ"
    with httpx.Client(base_url=address, timeout=120, headers={"X-Forwarded-For": f"198.51.100.{seed}"}) as client:
        while not stop.is_set():
            asked = {"game": "go", "options": {"size": 9}, "moves": [f"{columns[seed % 9]}5"], "engine": "go"}
            client.post("/api/analyse", json={**asked, "seconds": 2})


def _measure(visitor: Visitor, clicks: int) -> None:
    script, drawn, server = [], [], []
    for number in range(clicks):
        move = visitor.legal()[(number * 37) % 300]
        visitor.page.mouse.move(*visitor.place(move[1]))
        visitor.page.wait_for_timeout(300)  # the preview of the pointer is asked for and drawn
        visitor.page.evaluate(_WATCH, move[0])
        visitor.click(move[1])
        one, two = visitor.page.evaluate("() => window.drawn")
        script.append(one)
        drawn.append(two)
        before = visitor.page.evaluate("() => performance.now()")
        visitor.wait_for_ply(number + 1)
        server.append(two + visitor.page.evaluate("() => performance.now()") - before)
    for name, found in (("script", script), ("drawn", drawn), ("server", server)):
        found.sort()
        print(
            f"{name}: median {statistics.median(found):.0f} ms, 95 % {found[int(0.95 * len(found))]:.0f} ms, ",
            end="",
        )
        print(f"worst {found[-1]:.0f} ms")


if __name__ == "__main__":
    main(*(int(text) for text in sys.argv[1:]))
