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
        bodies = [request.body or b"" for request in (recorded, sent)]
        bodies = [body.encode() if isinstance(body, str) else bytes(body) for body in bodies]
        if bodies[0] == bodies[1]:
            return
        if not all(body.lstrip().startswith((b"{", b"[")) for body in bodies):
            raise AssertionError("the body differs from the recorded one")
        aside.assert_same_meaning(*bodies, ignore=ignore, ignore_text=ignore_text)

    # VCR.py prints it in the list of matchers.
    matches.__name__ = "aside"
    return matches
