"""The strict Messages API in process: a transport for the client of an SDK."""

from __future__ import annotations

import json
from typing import Any

import aside

from . import _native, _server


class Api:
    """A Messages API that refuses what the real one refuses, without a socket.

    >>> client = anthropic.Anthropic(api_key="none", http_client=api.client())

    ``requests`` has the bodies that were sent. ``reply`` sets the content of the next response.
    """

    def __init__(self) -> None:
        self.requests: list[bytes] = []
        self._api = _native.StrictApi()
        self._listening: Any = None

    @property
    def url(self) -> str:
        """The address of this API on a loopback port, for a client that takes no transport.

        It listens from the first use until ``close``, which the fixture calls.
        """
        if self._listening is None:
            self._listening = _server.listen(self.answer)
        return f"http://127.0.0.1:{self._listening.server_port}"

    def close(self) -> None:
        """Stops listening."""
        if self._listening is not None:
            self._listening.shutdown()
            self._listening.server_close()
            self._listening = None

    def reply(self, *blocks: Any) -> Api:
        """Adds a response: texts, or content blocks such as a ``tool_use`` without an id.

        A refused request leaves it to the next one.
        """
        texts = [{"type": "text", "text": it} if isinstance(it, str) else it for it in blocks]
        self._api.reply(aside._bytes(texts))
        return self

    def answer(self, path: str, headers: Any, body: bytes) -> tuple[int, dict[str, str], bytes]:
        """Responds to a request: status, headers, body."""
        if path == "/v1/messages":
            self.requests.append(body)
        options = {
            "path": path,
            "version": headers.get("anthropic-version", ""),
            "betas": headers.get("anthropic-beta"),
        }
        facts, body = self._api.answer(body, aside._options(options))
        head = json.loads(facts)
        found = {"content-type": head["content_type"], "request-id": head["request_id"]}
        return head["status"], found, body

    def client(self, *, is_async: bool = False) -> Any:
        """Returns an ``httpx`` client for the ``http_client`` of ``anthropic.Anthropic``."""
        http = _library()
        transport = http.MockTransport(lambda request: self._respond(http, request))
        return (http.AsyncClient if is_async else http.Client)(transport=transport)

    def _respond(self, http: Any, request: Any) -> Any:
        status, headers, body = self.answer(request.url.path, request.headers, request.content)
        return http.Response(status, headers=headers, content=body)


def _library() -> Any:
    """Returns the module of ``httpx`` that ``anthropic`` builds its client on."""
    try:
        from anthropic import _base_client

        for name in ("httpx2", "httpx"):
            if hasattr(_base_client, name):
                return getattr(_base_client, name)
    except ImportError:
        pass
    import httpx

    return httpx
