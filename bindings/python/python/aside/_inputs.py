"""Values of Python as the native module takes them: bytes, lists and paths."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any

from ._native import AsideError


def error(kind: str, message: str, path: str = "") -> AsideError:
    raised = AsideError(message)
    raised.kind, raised.path, raised.line = kind, path, None
    return raised


def to_bytes(value: Any) -> bytes:
    if isinstance(value, (bytes, bytearray, memoryview)):
        return bytes(value)
    try:
        if isinstance(value, str):
            return value.encode()
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    except (RecursionError, TypeError, ValueError) as fault:
        raise error("shape", str(fault)) from fault
    # Half a surrogate pair is an escape in JSON, as in the bodies of a JavaScript client.
    return text.encode(errors="backslashreplace")


def to_list(values: Any, name: str) -> list[Any]:
    """Returns a list. The letters of a string or the keys of a ``dict`` would hide the mistake."""
    try:
        if not isinstance(values, (str, bytes, Mapping)):
            return list(values)
    except TypeError:
        pass
    raise error("option", f"{name}: expected a list, found {type(values).__name__}")


def to_option(values: Any, name: str) -> list[Any] | None:
    """Returns a list, or ``None`` if the option is not given."""
    return None if values is None else to_list(values, name)


def to_path(value: Any) -> str:
    try:
        return os.fsdecode(value)
    except TypeError as fault:
        raise error("option", str(fault)) from fault
