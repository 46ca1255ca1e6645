"""A server with accounts behind a real nginx with HTTPS, on loopback addresses only.

Clients connect to nginx from 127.0.0.2 and 127.0.0.3; the server believes 127.0.0.1, from where nginx forwards.
nginx and its certificate live in a temporary folder. The configuration is the one of docs/guide/hosting.md.
"""

from __future__ import annotations

import re
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import WebSocket
from tests.helpers.web_accounts import PASSWORD, open_account
from tests.helpers.web_site import DESKTOP, STRAW, TIMEOUT_MS, Visitor, chromium, serving

from tengen.store.store import Store
from tengen.web.account_authentication import FAILURES_PER_ADDRESS, SESSION_COOKIE

DOCS = Path(__file__).parent.parent / "docs" / "guide" / "hosting.md"
_MAIN = """daemon off;
master_process off;
pid {folder}/nginx.pid;
error_log {folder}/error.log;
events {{}}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
{site}
}}
"""


@dataclass
class Proxied:
    url: str
    folder: Path

    def client(self, source: str = "127.0.0.2") -> httpx.Client:
        transport = httpx.HTTPTransport(verify=False, local_address=source)
        return httpx.Client(base_url=self.url, transport=transport, timeout=TIMEOUT_MS / 1000)


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as found:
        return int(found.getsockname()[1])


def site_configuration(folder: Path, port: int, server: str) -> str:
    """The documented configuration, with the addresses of this test."""
    found = re.search(r"```nginx\n(.*?)```", DOCS.read_text(), re.DOTALL)
    assert found is not None
    text = found[1].replace("http://127.0.0.1:8564", server)
    text = text.replace("listen 443 ssl;", f"listen 127.0.0.1:{port} ssl;")
    text = text.replace("listen [::]:443 ssl;", "")
    text = re.sub(r"ssl_certificate .*;", f"ssl_certificate {folder}/cert.pem;", text)
    return re.sub(r"ssl_certificate_key .*;", f"ssl_certificate_key {folder}/key.pem;", text)


@pytest.fixture(scope="module")
def proxied(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Proxied]:
    nginx, openssl = shutil.which("nginx", path="/usr/sbin:/usr/bin:/usr/local/bin"), shutil.which("openssl")
    if nginx is None or openssl is None:
        pytest.skip("needs nginx and openssl: apt-get install nginx-light openssl")
    folder, data = tmp_path_factory.mktemp("nginx"), tmp_path_factory.mktemp("club")
    command = [openssl, "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"]
    command += ["-subj", "/CN=board.example", "-addext", "subjectAltName=DNS:board.example,IP:127.0.0.1"]
    command += ["-keyout", str(folder / "key.pem"), "-out", str(folder / "cert.pem")]
    subprocess.run(command, check=True, capture_output=True)
    port = free_port()
    more = ("--host", "127.0.0.1", "--accounts", "--proxy", "127.0.0.1", "--name", "board.example")
    with serving(data, *more) as (server, _):
        configuration = folder / "nginx.conf"
        site = site_configuration(folder, port, server)
        configuration.write_text(_MAIN.format(folder=folder, site=site))
        process = subprocess.Popen([nginx, "-c", str(configuration), "-e", str(folder / "error.log")])
        try:
            made = Proxied(f"https://127.0.0.1:{port}", data)
            until = time.monotonic() + 60
            while True:
                assert process.poll() is None, (folder / "error.log").read_text()
                try:
                    with made.client() as site_client:
                        site_client.get("/login")
                    break
                except httpx.TransportError:
                    assert time.monotonic() < until, (folder / "error.log").read_text()
                    time.sleep(0.1)
            with Store.open(str(data / "tengen.db")) as store:
                for name in ("Ann", "Ben"):
                    open_account(store, name, "owner" if name == "Ann" else "member")
            yield made
        finally:
            process.terminate()
            process.wait(30)
    assert "Traceback" not in (data / "server.log").read_text()


def test_signing_in_over_https(proxied: Proxied) -> None:
    with proxied.client() as site:
        answer = site.post("/login", data={"name": "Ben", "password": PASSWORD, "to": "/library"})
        assert (answer.status_code, answer.headers["location"]) == (303, "/library")
        cookies = answer.headers.get_list("set-cookie")
        assert len(cookies) >= 2
        for cookie in cookies:
            assert "; Secure" in cookie
            assert "; HttpOnly" in cookie
        assert site.get("/library").status_code == 200
        own = proxied.url
        assert site.get("/api/games", headers={"origin": own}).status_code == 200
        for origin in (own.replace("https", "http"), "https://evil.example", "https://["):
            assert site.get("/api/games", headers={"origin": origin}).status_code == 403
        named = {"host": "board.example"}
        assert site.get("/login", headers=named).status_code in (200, 303)
        assert site.get("/login", headers={"host": "evil.example"}).status_code == 403
        assert site.post("/logout").status_code == 303


def test_a_spoofed_client_address_gets_round_no_brake(proxied: Proxied) -> None:
    def guess(site: httpx.Client, number: int) -> int:
        spoofed = {"x-forwarded-for": f"198.51.100.{number}", "x-real-ip": f"198.51.100.{number}"}
        data = {"name": f"nobody {number}", "password": "wrong password"}
        return site.post("/login", data=data, headers=spoofed).status_code

    with proxied.client("127.0.0.3") as attacker:
        codes = [guess(attacker, number) for number in range(FAILURES_PER_ADDRESS + 10)]
    assert codes[:FAILURES_PER_ADDRESS] == [401] * FAILURES_PER_ADDRESS
    assert codes[FAILURES_PER_ADDRESS] == 429  # later ones may come after the short first waits
    assert codes.count(429) >= 3
    with proxied.client("127.0.0.2") as other:  # nobody else is kept out
        assert other.post("/login", data={"name": "Ben", "password": PASSWORD}).status_code == 303


def test_large_requests_are_refused_by_both(proxied: Proxied) -> None:
    with proxied.client() as site:
        site.post("/login", data={"name": "Ben", "password": PASSWORD})
        by_server = site.post("/api/records", content=b"x" * (8 * 1024 * 1024 + 1))
        by_nginx = site.post("/api/records", content=b"x" * (12 * 1024 * 1024))
    assert (by_server.status_code, "bytes" in by_server.text) == (413, True)
    assert (by_nginx.status_code, "nginx" in by_nginx.text) == (413, True)


def test_a_game_over_secure_websockets_until_the_session_is_revoked(proxied: Proxied) -> None:
    with chromium() as browser:
        context = browser.new_context(**DESKTOP, ignore_https_errors=True)
        context.set_default_timeout(TIMEOUT_MS)
        sockets: list[WebSocket] = []
        visitor = Visitor(context, context.new_page(), proxied.url).listen()
        visitor.page.on("websocket", lambda opened: sockets.append(opened))
        visitor.page.goto(f"{proxied.url}/login")
        visitor.page.get_by_label("Name").fill("Ben")
        visitor.page.get_by_label("Password").fill(PASSWORD)
        visitor.page.get_by_role("button", name="Sign in").click()
        visitor.page.wait_for_url(f"{proxied.url}/")
        session = next(one for one in context.cookies() if one["name"] == SESSION_COOKIE)
        assert session["secure"]
        assert session["httpOnly"]
        sockets.clear()  # that of the page before is not reported as closed
        visitor.begin("clobber", STRAW, "Ben", size="2x3")
        ply = visitor.ply()
        visitor.move(visitor.legal()[0])
        visitor.wait_for_ply(ply + 1)
        live = [one for one in sockets if not one.is_closed()]
        assert live
        assert all(one.url.startswith("wss://") for one in live)
        with Store.open(str(proxied.folder / "tengen.db")) as store:
            store.revoke_sessions(store.account_named("Ben").id)
        begun = time.monotonic()
        while not all(one.is_closed() for one in live):
            visitor.page.wait_for_timeout(500)
            assert time.monotonic() - begun < 180  # a minute on a machine that is not busy
        print(f"sockets were closed {time.monotonic() - begun:.0f} s after the session was revoked")
        assert context.request.get(f"{proxied.url}/library").status == 401
        context.close()
