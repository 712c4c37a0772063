"""Packages that only some need."""

from __future__ import annotations

import importlib
from types import ModuleType


def need(module: str, why: str) -> ModuleType:
    """The module; where it is missing, the error says how to get it."""
    package = module.partition(".")[0]
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name != package:
            raise  # it is there, but something that it needs is not
        text = f"{why} needs the package {package}: pip install {package}"
        raise ModuleNotFoundError(text, name=package) from None
