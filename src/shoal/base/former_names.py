"""Names that attributes and methods had in earlier versions: they work for a while, and warn."""

import warnings
from typing import Any

__all__ = ["FormerName"]


class FormerName:
    """A name that a method or an attribute had: it still leads to what is called `name` now.

    >>> class Front:
    ...     points = 3
    ...     dots = FormerName("points")
    >>> with warnings.catch_warnings(record=True, action="always") as caught:
    ...     Front().dots, str(caught[0].message)
    (3, 'Front.dots is called points now; the old name goes in 0.4')
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.former = ""

    def __set_name__(self, owner: type, former: str) -> None:
        self.former = former

    def __get__(self, instance: Any, owner: type) -> Any:
        """Warn, and return what the attribute is now; of the class the name itself."""
        if instance is None:
            return self
        self._warn(owner)
        return getattr(instance, self.name)

    def __set__(self, instance: Any, value: Any) -> None:
        """Warn, and set what the attribute is now."""
        self._warn(type(instance))
        setattr(instance, self.name, value)

    def _warn(self, owner: type) -> None:
        warnings.warn(
            f"{owner.__name__}.{self.former} is called {self.name} now; the old name goes in 0.4",
            DeprecationWarning,
            stacklevel=3,
        )
