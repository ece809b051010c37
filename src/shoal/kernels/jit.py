"""`njit` and `inner` as every kernel uses them: no GIL, compiled code cached wherever a cache can be kept.

A kernel that Python calls is `njit`; one that only kernels call is `inner`, which spares the code by which Python
would call it. Compiling is what a first run waits for, so a constant among the arguments is no reason to compile anew.
"""

from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar, cast

import numba
from numba.core.types import unliteral

from shoal.stopping import whole

__all__ = ["before_compiling", "inner", "njit"]

P = ParamSpec("P")
R = TypeVar("R")


before_compiling: list[Callable[[Any], None]] = []
"""A listener that is told which kernel Python calls, before it is looked for in the cache and compiled."""


def njit(function: Callable[P, R]) -> Callable[P, R]:
    """Compile `function` at its first call; a read-only install with no cache folder compiles every time."""
    kernel = _compiled(function)
    if kernel is not function:
        _tell_before_compiling(kernel)
    return cast(Callable[P, R], kernel)


def inner(function: Callable[P, R]) -> Callable[P, R]:
    """Compile `function` when a kernel that calls it is compiled; Python must not call it."""
    return cast(Callable[P, R], _compiled(function, no_cpython_wrapper=True, no_cfunc_wrapper=True))


def _compiled(function: Callable[..., Any], **options: bool) -> Any:
    compiler: Any = numba.njit
    try:
        kernel = compiler(cache=True, nogil=True, **options)(function)
    except RuntimeError:  # numba found no folder it may write to
        kernel = compiler(nogil=True, **options)(function)
    if kernel is not function:  # as it is where compiling is switched off
        _take_constants_as_numbers(kernel)
        _save_whole(kernel)
    return kernel


def _take_constants_as_numbers(kernel: Any) -> None:
    """Let kernels call `kernel` with 0 and with a variable alike; numba would compile it for each."""
    number: Callable[[Any], Any] = unliteral
    template = kernel.get_call_template
    kernel.get_call_template = lambda args, kws: template(
        [number(arg) for arg in args], {key: number(arg) for key, arg in kws.items()}
    )


def _save_whole(kernel: Any) -> None:
    """Let nobody who is told to stop leave half a file in the cache."""
    cache = kernel._cache
    save = cache.save_overload

    def saved(*compiled: Any) -> None:
        with whole:
            save(*compiled)

    cache.save_overload = saved


def _tell_before_compiling(kernel: Any) -> None:
    compile_ = kernel.compile

    def told(types: Any) -> Any:
        for tell in before_compiling:
            tell(kernel)
        return compile_(types)

    kernel.compile = told
