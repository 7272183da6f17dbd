"""A matcher for VCR.py that fails if the body that would be sent is not the recorded one.

>>> my_vcr.register_matcher("aside", aside.vcr.matcher(ignore=["metadata.user_id"]))
>>> my_vcr.use_cassette("cassette.yaml", match_on=["method", "uri", "aside"])
"""

from __future__ import annotations

from typing import Any, Callable, Iterable

import aside

from ._inputs import to_list


def matcher(
    *, ignore: Iterable[str] = (), ignore_text: Iterable[str] = ()
) -> Callable[[Any, Any], None]:
    """Returns a matcher; ``ignore`` and ``ignore_text`` are those of ``assert_same_meaning``."""
    ignore, ignore_text = to_list(ignore, "ignore"), to_list(ignore_text, "ignore_text")

    def matches(sent: Any, recorded: Any) -> None:
        before, after = _body(recorded), _body(sent)
        if before == after:
            return
        # VCR.py also compares the requests of other libraries, and goes on after this error only.
        differs = AssertionError("the body differs from the recorded one")
        if not all(body.lstrip().startswith((b"{", b"[")) for body in (before, after)):
            raise differs
        try:
            aside.assert_same_meaning(before, after, ignore=ignore, ignore_text=ignore_text)
        except aside.AsideError as error:
            if error.kind == "option":
                raise
            raise differs from error

    # VCR.py prints it in the list of matchers.
    matches.__name__ = "aside"
    return matches


def _body(request: Any) -> bytes:
    """Returns the bytes of a body: VCR.py has a file or an iterator for what was sent as one."""
    body = request.body
    if hasattr(body, "read"):
        body = body.read()
    if isinstance(body, str):
        return body.encode()
    if body is None or isinstance(body, (bytes, bytearray, memoryview)):
        return bytes(body or b"")
    return b"".join(it.encode() if isinstance(it, str) else it for it in body)
