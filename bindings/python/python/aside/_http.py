"""The HTTP client inside of a client of an SDK: that of httpx, of any version."""

from __future__ import annotations

from typing import Any

from ._inputs import error


def of_client(client: Any) -> list[Any]:
    """Returns the HTTP clients inside of a client of an SDK: that of Google has one that blocks and
    one that does not.
    """
    seen: list[Any] = [client]
    for name in ("_client", "_api_client", "_httpx_client", "_async_httpx_client"):
        seen += [getattr(it, name) for it in seen if getattr(it, name, None) is not None]
    found = [it for it in seen if hasattr(it, "event_hooks")]
    if found:
        return found
    raise error("option", f"{type(client).__name__} has no httpx client: pass one of the SDKs' clients")


def is_request(url: str) -> bool:
    """Returns true for an address to which bodies with messages are sent."""
    path = url.split("?", 1)[0]
    # On Google Cloud a Claude model is called by :rawPredict or :streamRawPredict.
    ends = ("/messages", "/responses", "/chat/completions", "enerateContent", "awPredict")
    return path.endswith(ends) and not path.endswith("/count-tokens:rawPredict")
