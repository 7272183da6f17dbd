"""The requests of a client of an SDK, before they are sent."""

from __future__ import annotations

import json
import re
from typing import Any, Callable

from ._inputs import error

#: Takes a request's body.
Record = Callable[[bytes], None]


def on_request(client: Any, record: Record) -> None:
    """Calls ``record`` with each body with messages that a client sends."""
    google = getattr(client, "_api_client", client)
    if hasattr(google, "_request_once") and hasattr(google, "_async_request_once"):
        _wrap_google(google, record)
    elif hasattr(google, "_httpx_client"):
        raise error("option", "this version of google-genai cannot be watched: install a later one")
    else:
        _add_hook(getattr(client, "_client", client), record)


def _wrap_google(api: Any, record: Record) -> None:
    """Wraps the methods that send. The client that does not block sends with aiohttp, or with a
    client of httpx per event loop, whose hooks cannot be changed.
    """
    send, send_async = api._request_once, api._async_request_once

    def note(request: Any) -> None:
        if not is_request(request.method, request.url):
            return
        data = request.data
        body = data if isinstance(data, bytes) else json.dumps(data).encode() if data else b""
        record(body)

    def noted(request: Any, *others: Any, **options: Any) -> Any:
        note(request)
        return send(request, *others, **options)

    async def noted_async(request: Any, *others: Any, **options: Any) -> Any:
        note(request)
        return await send_async(request, *others, **options)

    api._request_once, api._async_request_once = noted, noted_async


def _add_hook(http: Any, record: Record) -> None:
    """Adds a hook to a client of httpx, of any version."""
    if not hasattr(http, "event_hooks"):
        raise error("option", f"{type(http).__name__} has no httpx client: pass one of the SDKs' clients")

    def note(request: Any) -> None:
        # An upload has no content yet.
        if is_request(request.method, str(request.url)):
            record(bytes(request.content))

    async def note_async(request: Any) -> None:
        note(request)

    hook = note_async if hasattr(http, "aclose") else note
    hooks = http.event_hooks
    http.event_hooks = {**hooks, "request": [*hooks.get("request", []), hook]}


#: The addresses to which bodies with messages are sent. On Google Cloud, a Claude model is called by
#: `:rawPredict` or `:streamRawPredict`; a message of a thread is no request. As in `index.js`.
REQUEST = re.compile(
    r"^(?!.*/threads/[^/]+/messages$).*(/messages|/responses|/chat/completions"
    r"|:(g|streamG)enerateContent|(?<!/count-tokens):(r|streamR)awPredict"
    r"|/model/[^/]+/invoke(-with-response-stream)?)$"
)


def is_request(method: str, url: str) -> bool:
    """Returns true for a request whose body has messages."""
    return method.upper() == "POST" and REQUEST.match(url.split("?", 1)[0]) is not None
