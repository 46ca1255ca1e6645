"""Draw the PNG icons of the installable web app from its SVG icon.

    python tools/app_icons.py

Needs Chromium, like tools/screenshots.py. Systems that install the app do not all accept SVG.
"""

from __future__ import annotations

import re
from pathlib import Path

from playwright.sync_api import sync_playwright

from screenshots import FLAGS, chromium_path

STATIC = Path(__file__).resolve().parents[1] / "src" / "tengen" / "web" / "static"
_SIZES = {"icon-180": 180, "icon-192": 192, "icon-512": 512, "icon-maskable-512": 512}


def main() -> None:
    svg = (STATIC / "icon.svg").read_text("utf-8")
    (STATIC / "icons").mkdir(exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium_path(), args=FLAGS)
        for name, size in _SIZES.items():
            page = browser.new_page(viewport={"width": size, "height": size})
            page.set_content(
                f"<style>body {{ margin: 0 }} svg {{ display: block }}</style>{_sized(svg, name, size)}"
            )
            path = STATIC / "icons" / f"{name}.png"
            page.screenshot(path=path, omit_background=True)
            page.close()
            print(f"{path.name}: {path.stat().st_size / 1000:.1f} KB")
        browser.close()


def _sized(svg: str, name: str, size: int) -> str:
    """A maskable icon fills its square, and so does Apple's: the system rounds the corners."""
    if "maskable" in name or size == 180:
        svg = svg.replace(' rx="7"', "")
    if "maskable" in name:  # only the inner 80 % are always visible
        svg = svg.replace("M16 3V29M3 16H29", "M16 0V32M0 16H32")
    return re.sub("<svg ", f'<svg style="display: block" width="{size}" height="{size}" ', svg, count=1)


if __name__ == "__main__":
    main()
