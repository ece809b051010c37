"""The page as a person meets it: `shoal serve` in a process of its own, and a real browser."""

import pytest

from page_cases import BROWSER, Listening, Site, serving, visiting


@pytest.fixture(scope="module")
def browser():
    if BROWSER is None:
        pytest.skip("no chromium or chrome on this machine")
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    sync_api.expect.set_options(timeout=60_000)  # a busy machine is no failure
    with sync_api.sync_playwright() as started:
        flags = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-sync"]
        opened = started.chromium.launch(executable_path=BROWSER, args=flags)
        yield opened
        opened.close()


@pytest.fixture(scope="session")
def listening(tmp_path_factory):
    """`shoal serve`, once for all tests of a process: starting it takes as long as a short test."""
    pytest.importorskip("nicegui", reason="the extra web is not installed")
    with serving(tmp_path_factory.mktemp("serving")) as (process, address, bearer):
        yield Listening(process, address, bearer)


@pytest.fixture(scope="module")
def site(browser, listening):
    """The server with a window of its own; a browser lives as long as a module: other tests have event loops too."""
    context = browser.new_context(storage_state=listening.state)
    if listening.state is None:
        page = context.new_page()
        page.goto(listening.address)
        page.get_by_role("heading", name="What do you want to publish?").wait_for()
        page.close()
        listening.state = context.storage_state()
    yield Site(listening.address.partition("/#")[0], listening.bearer, listening.state, browser, context)
    context.close()


@pytest.fixture
def page(site):
    """A page of a browser that was let in; it fails where the browser complains or asks for something elsewhere."""
    with visiting(site) as opened:
        yield opened
