"""One place that compiles the hot loops, and says so when it can't."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from typing import Any, TypeVar, cast

Function = TypeVar("Function", bound=Callable[..., object])


def compiled(function: Function) -> Function:
    """Compile ``function`` with Numba; without Numba return it unchanged, with a warning.

    The compiled code is kept on disk, so that only the first process of an installation pays the
    compilation. Where the installation's folder can't be written, every process compiles anew.
    """
    if find_spec("numba") is None:
        warnings.warn(
            f"Numba is not installed: '{function.__name__}' runs as plain Python, about a hundred "
            "times slower. Install numba to speed it up.",
            RuntimeWarning,
            stacklevel=2,
        )
        return function
    numba: Any = import_module("numba")
    try:
        fast = numba.njit(cache=True)(function)
    except RuntimeError:  # Numba's word for "no writable place for the cache"
        fast = numba.njit(function)
    return cast(Function, fast)
