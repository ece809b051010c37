"""A file that is sent in place of a tree: one listener for a page, whichever column it shows."""

from collections.abc import Awaitable, Callable
from typing import Any

from nicegui import ui

from shoal.web.pages.parts.words import markup
from shoal.web.uploads import Upload, Uploads

__all__ = ["Take", "Taking"]

Take = Callable[[Upload], Awaitable[None]]
"""Takes a file, and says what is wrong with it."""

_SEND = """
<label class="small-button file-button">Use a csv file of yours
<input class="hidden-input" type="file" accept=".csv,.txt,.gz" data-send="file" aria-label="Use a csv file of yours">
</label>
<div id="sending" class="box working" hidden aria-live="polite"><span id="sending-what">Sending ...</span>
<progress id="sending-bar" max="1" value="0" aria-label="how much is sent"></progress>
<button type="button" class="small-button" data-stop-sending>Cancel</button></div>
<p id="sending-said" class="said bad" role="alert" hidden></p>
"""


class Taking:
    """Listens for a page as long as that is open."""

    def __init__(self, uploads: Uploads) -> None:
        self._uploads = uploads
        self._take: Take | None = None
        ui.on("shoal-sent", self._sent)

    def offer(self, take: Take) -> None:
        """Draw the button; from now on files that are sent go to `take`."""
        self._take = take
        markup(_SEND)

    async def _sent(self, event: Any) -> None:
        """Hand over the file that a page tells of; whatever else it says is not believed."""
        ids = event.args.get("ids") if isinstance(event.args, dict) else None
        upload = self._uploads.get(str(ids[0])) if isinstance(ids, list) and ids else None
        if upload is not None and self._take is not None:
            try:
                await self._take(upload)
            finally:
                self._uploads.remove(upload.id)
        ui.run_javascript('document.getElementById("sending")?.setAttribute("hidden", "")')
