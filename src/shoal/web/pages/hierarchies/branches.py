"""The list that shows a tree and lets people edit it; what it looks like and how it is used is in branches.js."""

import json
from collections.abc import Callable, Mapping
from typing import Any

from nicegui.element import Element
from nicegui.events import GenericEventArguments

from shoal.web.pages.hierarchies.desk import Desk

__all__ = ["Branches"]


class Branches(Element, component="branches.js"):
    """A tree as a list of lines, of which only those in sight are drawn.

    Parameters
    ----------
    desk
        The tree.
    on_act
        Called with what somebody wants done: `act` is `rename`, `move`, `group` or `ungroup`.
    """

    def __init__(self, desk: Desk, on_act: Callable[[Mapping[str, Any]], object]) -> None:
        super().__init__()
        self._props["column"] = desk.column
        self.show(desk)

        def told(event: GenericEventArguments) -> None:
            if isinstance(event.args, dict):
                on_act(event.args)

        self.on("act", told)

    def show(self, desk: Desk) -> None:
        """Draw the tree as it is now."""
        self._props["nodes"] = json.dumps(
            desk.listed()
        )  # a text: the page need not watch each of its numbers
        self.update()
