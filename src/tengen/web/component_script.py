"""Our Vue components as one script: split into files for their readers, joined for browsers.

NiceGUI would load each component by a request of its own, and files that components share by further ones.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from fastapi import FastAPI, Request
from fastapi.responses import Response

from tengen.web.head import compressed, versioned

_FOLDER = Path(__file__).parent / "components"
_PATH = "/static/components.js"
_LOCAL_IMPORT = re.compile(r'^import [^;]*? from "\./[^"]*";\n', re.MULTILINE)


def tag_of(name: str) -> str:
    """The tag of the component in the file `name`.js."""
    return f"tengen-{name}"


def join_modules(shared: Sequence[str], components: Mapping[str, str]) -> str:
    """One module with the shared parts and the components by their names.

    Shared parts see each other's top-level names, which therefore differ; code that runs while they are loaded
    must not use another part. Each component has a scope of its own.
    """
    parts = [_LOCAL_IMPORT.sub("", source) for source in shared]
    for name, source in components.items():
        body = _LOCAL_IMPORT.sub("", source).replace("export default {", "return {", 1)
        parts.append(f"const {name}Component = (() => {{\n{body}}})();")
    names = ", ".join(f'"{tag_of(name)}": {name}Component' for name in components)
    return "\n".join([*parts, f"export const components = {{ {names} }};"])


@cache
def _script() -> str:
    shared = [path.read_text("utf-8") for path in sorted(_FOLDER.glob("*/*.js"))]
    return join_modules(shared, {path.stem: path.read_text("utf-8") for path in sorted(_FOLDER.glob("*.js"))})


def script_url() -> str:
    return versioned(_PATH, _script())


def serve_components(app: FastAPI) -> None:
    """Serve the script and let every page register its components. Call it before /static is mounted."""
    from nicegui import app as nicegui_app

    @app.get(_PATH, include_in_schema=False)
    async def script(request: Request) -> Response:
        return compressed(request, _script(), "text/javascript")

    nicegui_app.config.vue_config_script += (
        f'\nimport {{ components }} from "{script_url()}";'
        "\nfor (const [tag, component] of Object.entries(components)) app.component(tag, component);\n"
    )
