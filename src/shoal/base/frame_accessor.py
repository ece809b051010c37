"""`frame.shoal` without importing pandas or polars: registered when either is imported, before shoal or after it.

Nothing here imports more than the standard library: what the methods need is loaded when `frame.shoal` is first read.
"""

import sys
from collections.abc import Callable
from importlib import import_module
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

__all__ = ["register_accessors"]

_NAME = "shoal"


def register_accessors() -> None:
    """Give frames of pandas and polars their `.shoal`: at once where a library is loaded, else when it will be."""
    waiting = {}
    for library, register in _REGISTER.items():
        module = sys.modules.get(library)
        if module is None or getattr(getattr(module, "__spec__", None), "_initializing", False):
            waiting[library] = register
        else:
            register(module)
    if waiting and not any(isinstance(finder, _ImportWatcher) for finder in sys.meta_path):
        sys.meta_path.insert(0, _ImportWatcher(waiting))


class _ImportWatcher:
    """A finder that finds nothing by itself: it calls `register` when a library was imported, then forgets it."""

    def __init__(self, register_by_library: dict[str, Callable[[ModuleType], None]]) -> None:
        self._waiting = register_by_library

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        """Return the spec that other finders have for an awaited library, so prepared that loading it registers."""
        if name not in self._waiting:
            return None
        finders = (finder for finder in sys.meta_path if finder is not self and hasattr(finder, "find_spec"))
        spec = next(filter(None, (finder.find_spec(name, path, target) for finder in finders)), None)
        if spec is not None and hasattr(spec.loader, "exec_module"):
            self._prepare_loader(name, spec.loader)
        return spec

    def _prepare_loader(self, name: str, loader: Any) -> None:
        execute = loader.exec_module

        def exec_and_register(module: ModuleType) -> None:
            execute(module)
            if module.__name__ == name and name in self._waiting:
                self._waiting.pop(name)(module)

        try:
            loader.exec_module = (
                exec_and_register  # of this loader alone, which one import of one package has
            )
        except AttributeError:
            return  # a loader that takes no attributes: `import shoal.connect.frames` registers, too


def _open_frame(frame: Any) -> Any:
    """The methods of a frame; their module is loaded when somebody asks for them."""
    return import_module("shoal.connect.frames").FrameMethods(frame)


def _register_pandas(pandas: Any) -> None:
    if _NAME not in vars(pandas.DataFrame):
        pandas.api.extensions.register_dataframe_accessor(_NAME)(_open_frame)


def _register_polars(polars: Any) -> None:
    if _NAME not in vars(polars.DataFrame):
        polars.api.register_dataframe_namespace(_NAME)(_open_frame)
        polars.api.register_lazyframe_namespace(_NAME)(_open_frame)


_REGISTER: dict[str, Callable[[ModuleType], None]] = {"pandas": _register_pandas, "polars": _register_polars}
