"""The page that a browser gets wherever it goes by itself: it has the key, or changes the token in the address for it.

A browser that goes to an address sends no header of ours, and there is no cookie. So every screen begins with this
page. Its script has the key that this browser keeps, asks with it for a ticket, and goes on to the screen with that.
"""

from base64 import b64encode
from hashlib import sha256

__all__ = ["POLICY", "WELCOME"]

_STYLE = (
    ":root{color-scheme:light dark}"
    "body{font:16px/1.5 system-ui,sans-serif;max-width:36em;margin:4em auto;padding:0 1em}"
)
_SCRIPT = """
const NAME = "shoal-key", place = new URL(location.href), first = place.pathname === "/";
const token = first ? place.hash.slice(1) : "", refused = place.searchParams.has("ticket");
if (first) place.hash = "";
place.searchParams.delete("ticket");
history.replaceState(null, "", place);
const say = (text) => {
  document.getElementById("said").textContent = text;
  document.querySelector("main").hidden = false;
};
const post = (path, body, more) =>
  fetch(path, {method: "POST", body, headers: {"Content-Type": "text/plain", ...more}});
const enter = async (key) => {
  const got = await post("/ticket", place.pathname, {"X-Shoal-Key": key});
  if (!got.ok) return false;
  place.searchParams.set("ticket", await got.text());
  location.replace(place);
  return true;
};
const open = async (kept) => {
  if (kept && await enter(kept)) return;
  if (!token) return say("This page opens with the address that shoal printed when it was started.");
  const got = await post("/token", token);
  if (!got.ok)
    return say("This address was used before, or it is of an earlier start. Use the address that shoal printed last.");
  const key = await got.text();
  localStorage.setItem(NAME, key);
  if (!await enter(key)) say("This did not work. Load this page again.");
};
let kept = null, keeps = true;
try { kept = localStorage.getItem(NAME); } catch { keeps = false; }
if (!keeps) say("This browser keeps nothing for this page. Let it keep data of sites, and load this page again.");
else if (refused) say("This did not work. Load this page again.");
else open(kept).catch(() => say("The server does not answer. Start it again."));
"""
WELCOME = f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>shoal</title>
<meta name="viewport" content="width=device-width"><link rel="icon" href="data:,">
<style>{_STYLE}</style></head>
<body><noscript>This page needs JavaScript.</noscript><main hidden><h1>shoal</h1>
<p id="said" role="status"></p></main>
<script>{_SCRIPT}</script></body></html>
""".encode()


def _hash(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


POLICY = (
    f"default-src 'none'; script-src {_hash(_SCRIPT)}; style-src {_hash(_STYLE)}; connect-src 'self'; img-src data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""Nothing but this page's own script and style."""
