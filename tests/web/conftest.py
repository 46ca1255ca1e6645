"""A server, a Chromium and a user for all tests of a module."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from tests.helpers.web_site import Site, Visitor, chromium


@pytest.fixture(scope="module")
def site_arguments() -> tuple[str, ...]:
    """Command line arguments of the server; a module may override this."""
    return ()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, site_arguments: tuple[str, ...]) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp("site")
    made = Site(folder, *site_arguments)
    yield made
    made.close()
    assert "Traceback" not in (folder / "server.log").read_text()


@pytest.fixture(scope="module")
def site(server: Site) -> str:
    return server.address


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as found:
        yield found


@pytest.fixture(scope="module")
def _ann(browser: Browser, site: str) -> Iterator[Visitor]:
    visitor = Visitor.arrive(browser, site)
    yield visitor
    visitor.leave()


@pytest.fixture
def ann(_ann: Visitor) -> Iterator[Visitor]:
    with _ann.without_complaints():
        yield _ann
