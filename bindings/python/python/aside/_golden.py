"""Golden files."""

from __future__ import annotations

import difflib
import pathlib
from typing import Any

import aside

from ._inputs import error, to_path

#: Set by ``--aside-bless``.
BLESS = False


def compare(body: Any, path: Any, bless: bool | None) -> None:
    __tracebackhide__ = True
    file, text = pathlib.Path(to_path(path)), aside.readable(body)
    try:
        _compare(body, file, text, bless)
    except OSError as fault:
        raise error("local", str(fault), str(file)) from fault


def _compare(body: Any, file: pathlib.Path, text: str, bless: bool | None) -> None:
    __tracebackhide__ = True
    if BLESS if bless is None else bless:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8", newline="\n")
        return
    if not file.exists():
        raise AssertionError(f"{file} does not exist: write it with --aside-bless, and review it")
    expected = file.read_bytes()
    message = aside._call("golden", body, expected)["message"]
    if message is None:
        return
    lines = difflib.unified_diff(
        expected.decode().splitlines(), text.splitlines(), str(file), "this request", lineterm="", n=1
    )
    fix = "if this is intended, run pytest --aside-bless and review the change"
    raise AssertionError("\n".join([message, *lines, fix]))
