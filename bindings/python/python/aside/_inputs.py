"""Values of Python as the native module takes them: bytes, lists and paths."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import Any

from ._native import AsideError


def error(kind: str, message: str, path: str = "") -> AsideError:
    raised = AsideError(message)
    raised.kind, raised.path, raised.line = kind, path, None
    return raised


def to_bytes(value: Any) -> bytes:
    """Returns a body's bytes: those that the SDKs send, of models, dates and sequences as well."""
    if isinstance(value, (bytes, bytearray, memoryview)):
        return bytes(value)
    try:
        if isinstance(value, str):
            return value.encode()
        text = _ENCODER.encode(value)
    except (RecursionError, TypeError, ValueError) as fault:
        raise error("shape", str(fault), _path_of_fault(value)) from fault
    # Half a surrogate pair is an escape in JSON, as in the bodies of a JavaScript client.
    return text.encode(errors="backslashreplace")


class _Encoder(json.JSONEncoder):
    """Writes what ``json`` cannot as the SDKs of Anthropic and OpenAI do. They also send sets and
    iterators, of which one has no order, and the other would be empty when it is sent.
    """

    def default(self, o: Any) -> Any:
        if isinstance(o, date):
            return o.isoformat()
        if hasattr(type(o), "model_dump"):
            excluded = getattr(o, "__api_exclude__", None)
            return o.model_dump(exclude_unset=True, mode="json", by_alias=True, exclude=excluded)
        if isinstance(o, Mapping):
            return dict(o)
        if isinstance(o, Sequence) and not isinstance(o, (bytes, bytearray, memoryview)):
            return list(o)
        return super().default(o)


_ENCODER = _Encoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def _path_of_fault(value: Any, path: str = "", depth: int = 64) -> str:
    """Returns the path of the innermost value that cannot be written. A value may contain itself."""
    inner: Iterable[tuple[str, Any]] = ()
    if isinstance(value, Mapping):
        inner = ((f"{path}.{key}" if path else str(key), it) for key, it in value.items())
    elif isinstance(value, Sequence) and not isinstance(value, (str, bytes, bytearray, memoryview)):
        inner = ((f"{path}[{index}]", it) for index, it in enumerate(value))
    for place, it in inner if depth else ():
        try:
            _ENCODER.encode(it)
        except (RecursionError, TypeError, ValueError):
            return _path_of_fault(it, place, depth - 1)
    return path


def to_text(value: Any) -> bytes:
    if isinstance(value, (str, bytes, bytearray, memoryview)):
        return to_bytes(value)
    raise error("option", f"expected text, found {type(value).__name__}")


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
        path = os.fsdecode(value)
        os.fsencode(path)
    except (TypeError, UnicodeError) as fault:
        raise error("option", str(fault)) from fault
    return path


def to_path_text(value: Any, name: str) -> str:
    """Returns a path that an option has as JSON."""
    path = to_path(value)
    try:
        path.encode()
    except UnicodeError as fault:
        raise error("option", f"{name}: {path!r} is not UTF-8") from fault
    return path
