"""Test what your agent sends to a model, byte for byte.

A body is a ``dict``, a ``str`` or ``bytes``. Byte offsets in results are those of ``bytes`` and
``str``; a ``dict`` is written as the SDKs write it: UTF-8 without white space.
"""

from __future__ import annotations

import json as _json
import os as _os
from typing import TYPE_CHECKING, Any, Iterable

from . import _native
from ._inputs import error as _error, to_bytes as _bytes, to_list as _list, to_option as _option, to_path as _path, to_path_text as _path_text, to_text as _text
from ._native import AsideError

if TYPE_CHECKING:
    from typing import Literal, Mapping, TypeVar, Union

    from ._types import *  # noqa: F403
    from .watching import Watch

    #: A body: an object, its JSON, or its bytes.
    Body = Union[Mapping[str, Any], str, bytes]
    BodyT = TypeVar("BodyT", bound=Body)
    MessagesT = TypeVar("MessagesT", bound=Union[list[Any], str, bytes])
    Path = Union[str, bytes, _os.PathLike[str], _os.PathLike[bytes]]
    Wire = Literal["messages", "chat-completions", "responses", "generate-content"]
    Ttl = Literal["5m", "1h"]

__all__ = [
    "AsideError", "CacheModel", "assert_accepted", "assert_golden", "assert_no_cache_miss",
    "assert_prefix_stable", "assert_same_meaning", "check", "context", "convert",
    "convert_stream", "diff", "estimate", "explain", "git_state", "inject", "mark", "memory",
    "models", "neutralize", "plan", "readable", "rows", "watch",
]


def _options(options: dict[str, Any]) -> bytes:
    given = {name: value for name, value in options.items() if value is not None}
    return _bytes(given) if given else b""


def _call(name: str, *inputs: Any, **options: Any) -> Any:
    facts, _ = _native.call(name, [_bytes(it) for it in inputs], _options(options))
    return _json.loads(facts)


def _changed(name: str, *inputs: Any, **options: Any) -> tuple[Any, Any]:
    """Returns the facts, and the body in the type of the first input."""
    facts, body = _native.call(name, [_bytes(it) for it in inputs], _options(options))
    return _json.loads(facts or b"{}"), _like(inputs[0], body)


def _like(given: Any, body: bytes) -> Any:
    if isinstance(given, (bytes, bytearray, memoryview)):
        return body
    return body.decode() if isinstance(given, str) else _json.loads(body)


def check(body: Body, *, wire: Wire | None = None, model: str | None = None, platform: str | None = None,
          betas: Iterable[str] | None = None, api_version: str | None = None) -> CheckResult:
    """Returns what the API would refuse, and what costs or reads badly.

    Without ``betas`` they are unknown, and rules that depend on them do not apply; ``[]`` is none.
    """
    return _call("check", body, wire=wire, model=model, platform=platform, betas=_option(betas, "betas"),
                 api_version=api_version)


def diff(before: Body, after: Body) -> DiffResult:
    """Compares two bodies as a prompt cache does: relation, first byte, cause, lost money."""
    return _call("diff", before, after)


def explain(requests: Iterable[Body], *, every: float | None = None, at: Iterable[float] = (),
            latency: float | None = None) -> ExplainResult:
    """Returns what the cache reads and writes for each request, and why it misses.

    ``every`` is the time between requests in seconds, 30 by default; ``at`` has the time of each,
    and the rows are in the order of these times, each with its request's number.
    ``latency`` is the time until a response begins, before which its request cannot be read.
    """
    times = _option(at, "at") or None
    return _call("explain", *_list(requests, "requests"), every=every, at=times, latency=latency)


class CacheModel:
    """The prompt cache of a provider, to which you send one request after the other."""

    def __init__(self) -> None:
        self._model = _native.CacheModel()

    def send(self, body: Body, *, at: float | None = None, usage: Mapping[str, Any] | None = None,
             session: str | None = None, latency: float | None = None) -> CacheRow:
        """Sends a request at a time in seconds, and returns its row of ``explain``.

        ``usage`` is that of the response: it makes the token counts of later requests exact.
        """
        options = _options({"at": at, "usage": usage, "session": session, "latency": latency})
        return _json.loads(self._model.send(_bytes(body), options)[0])


def plan(body: Body, *, ttl: Ttl | None = None) -> PlanResult:
    """Returns the cache markers that Aside would set, with reasons. ``ttl`` is ``5m`` or ``1h``."""
    return _call("plan", body, ttl=ttl)


def mark(body: BodyT, *, ttl: Ttl | None = None) -> BodyT:
    """Returns the body with the markers of ``plan``, in the type of the input."""
    return _changed("mark", body, ttl=ttl)[1]


def inject(messages: MessagesT, reminder: str) -> MessagesT:
    """Returns the messages with a ``<system-reminder>`` in the last user message; those of OpenAI
    with one in a message at the end. An empty reminder is not sent.

    All other messages keep their bytes, so the cached prefix stays valid.
    """
    return _changed("inject", messages, _text(reminder))[1]


def neutralize(text: str) -> str:
    """Returns text from outside in a form that neither opens nor closes a reminder."""
    return _like(text, _native.call("neutralize", [_text(text)], b"")[1])


def context(body: Body, *, depth: int | None = None) -> ContextResult:
    """Returns the parts of a body, which sum to it, with bytes, tokens and cost."""
    return _call("context", body, depth=depth)


def readable(body: Body) -> str:
    """Returns a body as lines of text, as ``assert_golden`` writes them."""
    return _native.call("readable", [_bytes(body)], b"")[1].decode()


def convert(body: Body, to: str, *, source: str | None = None, model: str | None = None,
            betas: Iterable[str] = (), session_id: str | None = None) -> ConvertResult:
    """Returns the ``body`` for another provider, and the ``losses`` of the conversion."""
    facts, converted = _changed("convert", body, to=to, model=model, betas=_option(betas, "betas"),
                           session_id=session_id, **{"from": source})
    return {"body": converted, **facts}


def convert_stream(stream: str | bytes, source: str) -> list[dict[str, Any]]:
    """Returns a recorded stream of server-sent events as events of the Messages API."""
    return _call("convert_stream", _text(stream), **{"from": source})


def memory(directory: Path, *, agent: str | None = None, home: Path | None = None) -> MemoryResult:
    """Returns the instruction files (``CLAUDE.md``, ``AGENTS.md``, rules) of a directory.

    Nothing outside of the project is read unless you name the ``home`` directory.
    """
    given = None if home is None else _path_text(home, "home")
    return _call("memory", _os.fsencode(_path(directory)), agent=agent, home=given)


def git_state(directory: Path) -> GitResult:
    """Returns the state of the repository as text for a model."""
    return _call("git_state", _os.fsencode(_path(directory)))


def rows(paths: Path | Iterable[Path], *, format: str | None = None) -> _native.Rows:
    """Returns the rows of ``aside report --rows`` as a stream of Arrow record batches.

    ``paths`` are files, also compressed, directories and patterns. pyarrow, DuckDB, Polars and
    Spark read the stream without a copy: ``pyarrow.RecordBatchReader.from_stream(rows(paths))``.
    Every reader reads the logs from the start. What cannot be read of a log is a warning, and the
    rest is read.
    """
    given = [paths] if isinstance(paths, (str, bytes, _os.PathLike)) else _list(paths, "paths")
    if not isinstance(format, (str, type(None))):
        raise _error("option", f"format: expected a name, found {type(format).__name__}")
    return _native.Rows([_path(it) for it in given], format)


def models(*ids: str) -> ModelsResult:
    """Returns the facts and prices of models; without ids, of all."""
    return _call("models", ids=list(ids) or None)


def estimate(text: str, model: str) -> int:
    """Returns the estimated tokens of a text for a model."""
    return _call("estimate", _text(text), model=model)["tokens"]


def _assert(name: str, *inputs: Any, **options: Any) -> None:
    __tracebackhide__ = True
    message = _call(name, *inputs, **options)["message"]
    if message is not None:
        raise AssertionError(message)


def assert_accepted(body: Body, *, wire: Wire | None = None, model: str | None = None,
                    platform: str | None = None, betas: Iterable[str] | None = None) -> None:
    """Fails if the API would refuse the body: rule, path, byte, found and expected."""
    __tracebackhide__ = True
    _assert("accepted", body, wire=wire, model=model, platform=platform, betas=_option(betas, "betas"))


def assert_no_cache_miss(requests: Iterable[Body], *, every: float | None = None) -> None:
    """Fails if a request changes the prefix that an earlier one left in the cache.

    Requests come in the order in which they were sent, ``every`` seconds apart (30).
    """
    __tracebackhide__ = True
    _assert("no_cache_miss", *_list(requests, "requests"), every=every)


def assert_prefix_stable(before: Body, after: Body, *, allow_after_marker: bool | None = None) -> None:
    """Fails unless ``after`` repeats ``before`` and continues it."""
    __tracebackhide__ = True
    _assert("prefix_stable", before, after, allow_after_marker=allow_after_marker)


def assert_same_meaning(recorded: Body, sent: Body, *, ignore: Iterable[str] = (),
                        ignore_text: Iterable[str] = ()) -> None:
    """Fails if a body differs in meaning from a recorded one.

    ``ignore`` has paths such as ``metadata.user_id`` or ``messages[].content[].id``;
    ``ignore_text`` has regular expressions of texts that may differ, such as clocks.
    """
    __tracebackhide__ = True
    _assert("same_meaning", recorded, sent, ignore=_option(ignore, "ignore"),
            ignore_text=_option(ignore_text, "ignore_text"))


def assert_golden(body: Body, path: Path, *, bless: bool | None = None) -> None:
    """Compares a body with a golden file of readable text.

    ``pytest --aside-bless`` writes the file. A missing file is a failure otherwise.
    """
    __tracebackhide__ = True
    from ._golden import compare

    compare(body, path, bless)


def watch(client: Any, *, bodies: int = 1000) -> Watch:
    """Records the requests of a client in memory: see ``aside.watching.Watch``."""
    from .watching import Watch

    return Watch(client, bodies)
