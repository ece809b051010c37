"""Whoever types the field's words into the search of the documentation is on the right page at once."""

import functools
import http.server
import threading
from pathlib import Path

import pytest

from page_cases import BROWSER

ROOT = Path(__file__).parents[1]
PHRASES = {  # page: what people type who look for it
    "questions/gdpr": (
        "GDPR",
        "is this anonymous",
        "singling out",
        "linkability",
        "personal data",
        "anonymisation",
        "pseudonymisation",
    ),
    "questions/ethics": ("ethics", "ethics board", "certificate"),
    "questions/hipaa": ("HIPAA", "safe harbor", "expert determination"),
    "guarantee/numbers": ("which k", "how large k", "risk threshold"),
    "questions/quasi-identifiers": ("quasi-identifier", "which columns are quasi-identifiers"),
    "howto/several-rows": ("several rows per person", "repeated measurements"),
    "howto/dates-and-codes": ("dates", "date of birth", "missing values"),
    "questions/places": ("postal code", "zip code", "coordinates", "latitude"),
    "questions/free-text": ("free text", "notes"),
    "questions/small-files": ("small files", "few people"),
    "questions/rare-diseases": ("rare diseases", "outlier"),
    "questions/every-year": ("every year", "yearly release", "longitudinal"),
    "questions/withdraw": ("withdraw a release", "breach"),
    "questions/check-without-shoal": ("check without shoal", "SQL"),
    "other-tools/arx": ("ARX",),
    "reference/methods/blank": ("suppression",),
    "other-tools/sdcmicro": ("sdcMicro", "microdata"),
    "other-tools/amnesia": ("Amnesia",),
    "other-tools/pandas": ("pandas",),
    "reference/claims": ("k-anonymity", "k^m", "k^m-anonymity", "t-closeness", "l-diversity", "k^(m,n)"),
    "reference/hierarchies": ("add a hierarchy", "hierarchy"),
    "start/baskets": ("baskets",),
    "start/trees": ("nested records",),
    "howto/several-tables": ("database",),
    "reference/config": ("parquet",),
    "howto/spark": ("Spark",),
    "guarantee/limits": ("differential privacy",),
    "reference/losses": ("information loss",),
    "howto/risk": ("re-identification risk",),
    "howto/pipelines": ("pipeline",),
    "howto/notebooks": ("notebook",),
    "reference/python": ("python",),
    "reference/commands": ("exit code",),
    "start/table": ("hospital",),
    "howto/init": ("excel",),
}
TYPE = """(box, phrase) => {
    document.querySelector(".md-search-result__meta").textContent = "";
    box.focus();
    box.value = phrase;
    box.dispatchEvent(new KeyboardEvent("keyup", { bubbles: true }));
}"""
FOUND = '() => /match/.test(document.querySelector(".md-search-result__meta").textContent)'
FIRST = 'found => found.slice(0, 3).map(one => one.querySelector("a").getAttribute("href"))'


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        """Say nothing."""


@pytest.mark.browser
@pytest.mark.skipif(BROWSER is None, reason="no chromium or chrome on this machine")
def test_a_search_finds_the_page_among_its_first_three(built_docs):
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    missed = {}
    handler = functools.partial(Quiet, directory=built_docs)
    with (
        http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server,
        sync_api.sync_playwright() as started,
    ):
        threading.Thread(target=server.serve_forever, daemon=True).start()
        browser = started.chromium.launch(executable_path=BROWSER, args=["--no-sandbox"])
        page = browser.new_page()
        page.goto(f"http://127.0.0.1:{server.server_port}/index.html")
        box = page.locator("[data-md-component=search-query]")
        for wanted, phrases in PHRASES.items():
            for phrase in phrases:
                box.evaluate(TYPE, phrase)
                page.wait_for_function(FOUND, timeout=60_000)
                hits = page.locator(".md-search-result__item").evaluate_all(FIRST)
                pages = [hit.partition("?")[0].partition("#")[0].split("/", 3)[-1] for hit in hits]
                if f"{wanted}.html" not in pages:
                    missed[phrase] = pages
        browser.close()
        server.shutdown()
    assert not missed
