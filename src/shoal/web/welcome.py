"""The page that whoever has no cookie gets: it changes the token in the address for one."""

from base64 import b64encode
from hashlib import sha256

__all__ = ["POLICY", "WELCOME"]

_STYLE = "body{font:16px/1.5 system-ui,sans-serif;max-width:36em;margin:4em auto;padding:0 1em;color-scheme:light dark}"
_SCRIPT = """
const token = location.hash.slice(1);
history.replaceState(null, "", location.pathname);
const say = (text) => { document.getElementById("said").textContent = text; };
if (token) {
  say("Opening ...");
  fetch("/token", {method: "POST", body: token, headers: {"Content-Type": "text/plain"}}).then(
    (got) => {
      if (got.ok) location.replace("/");
      else say("This address was used before, or it is of an earlier start. Use the address that shoal printed last.");
    },
    () => say("The server does not answer. Start it again.")
  );
}
"""
WELCOME = f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>shoal</title>
<meta name="viewport" content="width=device-width"><link rel="icon" href="data:,">
<style>{_STYLE}</style></head>
<body><main><h1>shoal</h1>
<p id="said" role="status">This page opens with the address that shoal printed when it was started.</p></main>
<script>{_SCRIPT}</script></body></html>
""".encode()


def _hash(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


POLICY = (
    f"default-src 'none'; script-src {_hash(_SCRIPT)}; style-src {_hash(_STYLE)}; connect-src 'self'; img-src data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""Nothing but this page's own script and style."""
