"""Chooses the native library.

A wheel for x86-64 has one for any such CPU, ``_native``, with weights, model and book inside, and beside it one for
each higher tier, ``_native_v3`` and ``_native_v4``, which get these files from it. Other builds have the one library. The environment
variable ``EMILIA_TIER`` demands a tier: ``baseline``, ``v3`` or ``v4``.
"""

import importlib.machinery
import importlib.util
import os
import sys
from typing import TYPE_CHECKING, Any, Optional

from . import _native as _own


def _library(tier: str) -> Optional[str]:
    """The library of a higher tier, if it is there."""
    folder = os.path.dirname(__file__)
    for suffix in importlib.machinery.EXTENSION_SUFFIXES:
        path = os.path.join(folder, f"_native_{tier}{suffix}")
        if os.path.exists(path):
            return path
    return None


def _load(path: str) -> Any:
    """The library at `path` under the name of the one that it replaces."""
    name = f"{__package__}._native"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} cannot be loaded")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    if module.VERSION != _own.VERSION:
        raise ImportError(f"{path} is of version {module.VERSION}, not {_own.VERSION}")
    module.lend_files(_own.embedded_files())
    sys.modules[name] = module
    return module


def _choose() -> Any:
    wanted = os.environ.get("EMILIA_TIER")
    tiers = _own.tiers_of_cpu()
    if wanted is not None and wanted not in tiers:
        raise ImportError(f"EMILIA_TIER={wanted}: this CPU runs {', '.join(tiers)}")
    for tier in [wanted] if wanted is not None else tiers:
        path = _library(tier)
        if path is not None:
            return _load(path)
    return _own


if TYPE_CHECKING:
    native = _own
else:
    native = _choose()
