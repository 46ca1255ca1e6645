"""What the head of every page refers to: the stylesheet, the script of the frame, and the manifest with its icons.

The stylesheet is the files in static/styles joined in the order of their names, as one request. The manifest makes
the app installable. There is no service worker: without the server, which runs on the user's machine, no page
would work, and a cached page could show an old position.
"""

from __future__ import annotations

import gzip
import hashlib
import json
from functools import cache
from pathlib import Path

from fastapi import FastAPI, Request
from fastapi.responses import Response

from tengen.core.translation import gettext as _

STATIC = Path(__file__).parent / "static"
_STYLESHEET = "/static/tengen.css"
_SCRIPT = "/static/frame.js"
_MANIFEST = "/manifest.webmanifest"
_CACHED = {"Cache-Control": "public, max-age=31536000"}
THEME_COLOURS = {"light": "#ffffff", "dark": "#20242a"}  # of the header, --tg-card in static/styles/10-base.css
_PAGE_COLOURS = {"light": "#f3f2ee", "dark": "#16181c"}  # --tg-page


@cache
def _styles() -> str:
    return "\n".join(path.read_text("utf-8") for path in sorted((STATIC / "styles").glob("*.css")))


@cache
def _script() -> str:
    return (STATIC / "frame.js").read_text("utf-8")


def stylesheet_url() -> str:
    return versioned(_STYLESHEET, _styles())


def versioned(path: str, content: str) -> str:
    """The address with a digest of the content, so that browsers load a new version and keep an old one."""
    return f"{path}?{hashlib.sha256(content.encode()).hexdigest()[:12]}"


def head_html(theme: str) -> str:
    """HTML for the head of a page; `theme` is "auto", "light" or "dark"."""
    colours = (
        [f'<meta name="theme-color" content="{THEME_COLOURS[theme]}">']
        if theme in THEME_COLOURS
        else [
            f'<meta name="theme-color" media="(prefers-color-scheme: {name})" content="{colour}">'
            for name, colour in THEME_COLOURS.items()
        ]
    )
    return "".join(
        (
            f"<style>{_first_colours(theme)}</style>",
            f'<link rel="stylesheet" href="{stylesheet_url()}">',
            f'<script defer src="{versioned(_SCRIPT, _script())}"></script>',
            # With credentials, because a server with a token or accounts serves it to its users only.
            f'<link rel="manifest" href="{_MANIFEST}" crossorigin="use-credentials">',
            '<link rel="apple-touch-icon" href="/static/icons/icon-180.png">',
            *colours,
        )
    )


def _first_colours(theme: str) -> str:
    """Style for the time before the scripts have run, so that a dark page is dark from the start."""
    if theme in _PAGE_COLOURS:
        return f":root{{color-scheme:{theme};background:{_PAGE_COLOURS[theme]}}}"
    light, dark = _PAGE_COLOURS["light"], _PAGE_COLOURS["dark"]
    return (
        f":root{{color-scheme:light dark;background:{light}}}"
        f"@media(prefers-color-scheme:dark){{:root{{background:{dark}}}}}"
    )


def manifest() -> dict[str, object]:
    """The web app manifest."""
    icons = [{"src": "/static/icon.svg", "sizes": "any", "type": "image/svg+xml", "purpose": "any"}]
    for purpose, sizes in (("any", (192, 512)), ("maskable", (512,))):
        for size in sizes:
            name = f"icon-{size}.png" if purpose == "any" else f"icon-maskable-{size}.png"
            about = {"sizes": f"{size}x{size}", "type": "image/png", "purpose": purpose}
            icons.append({"src": f"/static/icons/{name}", **about})
    return {
        "id": "/",
        "name": "Tengen",
        "short_name": "Tengen",
        "description": _("Play, analyse and solve Clobber, Go, Othello and Pente"),
        "start_url": "/",
        "scope": "/",
        "display": "standalone",
        "background_color": _PAGE_COLOURS["light"],
        "theme_color": THEME_COLOURS["light"],
        "categories": ["games"],
        "icons": icons,
        "shortcuts": [
            {"name": _("New game"), "url": "/new"},
            {"name": _("Puzzles"), "url": "/puzzles"},
            {"name": _("Analyse"), "url": "/analysis"},
        ],
    }


def compressed(request: Request, content: str, media_type: str) -> Response:
    """A response that browsers may keep, compressed if they accept that."""
    if "gzip" not in request.headers.get("accept-encoding", ""):
        return Response(content, media_type=media_type, headers=_CACHED)
    headers = {**_CACHED, "Content-Encoding": "gzip", "Vary": "Accept-Encoding"}
    return Response(_gzipped(content), media_type=media_type, headers=headers)


@cache
def _gzipped(content: str) -> bytes:
    return gzip.compress(content.encode(), mtime=0)


def serve_head_files(app: FastAPI) -> None:
    """Serve the stylesheet, the script and the manifest. Call it before /static is mounted."""

    @app.get(_STYLESHEET, include_in_schema=False)
    async def stylesheet(request: Request) -> Response:
        return compressed(request, _styles(), "text/css")

    @app.get(_SCRIPT, include_in_schema=False)
    async def script(request: Request) -> Response:
        return compressed(request, _script(), "text/javascript")

    @app.get(_MANIFEST, include_in_schema=False)
    async def show_manifest() -> Response:
        return Response(json.dumps(manifest()), media_type="application/manifest+json")
