"""``aside.watch(client)``: the requests of a client, in memory."""

from __future__ import annotations

import threading
import time
from collections import deque
from typing import TYPE_CHECKING, Any

import aside

from . import _http
from ._inputs import error

if TYPE_CHECKING:
    from ._types import CacheRow, ExplainResult


class Watch:
    """The requests that a client has sent since ``aside.watch``. Nothing is sent anywhere.

    >>> watch = aside.watch(client)
    >>> run_my_agent(client)
    >>> aside.assert_no_cache_miss(watch.requests)
    """

    def __init__(self, client: Any, bodies: int) -> None:
        if not isinstance(bodies, int) or bodies < 0:
            raise error("option", f"bodies: expected a number from 0, found {bodies!r}")
        #: The bodies as they were sent, at most the last thousand.
        self.requests: deque[bytes] = deque(maxlen=bodies)
        self._times: deque[float] = deque(maxlen=bodies)
        self._lock = threading.Lock()

        def record(body: bytes) -> None:
            with self._lock:
                self._times.append(time.monotonic())
                self.requests.append(body)

        _http.on_request(client, record)

    def report(self) -> ExplainResult:
        """Returns ``aside.explain`` of the requests, at the times when they were sent.

        A request counts as answered at once, as a mocked one is.
        """
        with self._lock:
            times, requests = list(self._times), list(self.requests)
        return aside.explain(requests, at=[time - times[0] for time in times], latency=0)

    @property
    def misses(self) -> list[CacheRow]:
        """The rows of the requests that miss the cache."""
        return [row for row in self.report()["requests"] if row["predicted"]["miss"]]

    @property
    def findings(self) -> list[Any]:
        """The findings of all requests, each with the number of its request, from 1."""
        # A client may send in another thread meanwhile.
        with self._lock:
            bodies = list(enumerate(self.requests, 1))
        return [
            {"request": number, **finding}
            for number, body in bodies
            for finding in aside.check(body)["findings"]
        ]
