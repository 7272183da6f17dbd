"""Writes the string fields of the SDKs' request types: `string_fields.py FILE`.

Each line of FILE is a wire, the path of a field, and its class: `kept` if a record has its text,
`secret` if not, `url` if a record has all of it but its userinfo and its query. A path is
`messages[].content[].text`; `{}` stands for a key that the caller chooses. The classes of known
fields stay. A new field is written as `unknown`, which a test of `aside-gateway` refuses: decide
whether it can hold a secret, and write its class.

A type is expanded once below each top-level key: it has the same fields wherever it is.
"""

import collections
import collections.abc
import pathlib
import sys
import types
import typing

import pydantic
import typing_extensions

from check import typed
from closed import ANYTHING, MAPS, is_class, is_list, shape, unwrapped

# Google's SDK takes lists of anything, so their elements are named as well.
REQUESTS = {
    "messages": {
        "anthropic.types.beta.message_create_params:MessageCreateParams": "",
        "anthropic.types.beta.messages.batch_create_params:BatchCreateParams": "",
    },
    "responses": {"openai.types.responses.response_create_params:ResponseCreateParams": ""},
    "chat": {"openai.types.chat.completion_create_params:CompletionCreateParams": ""},
    "gemini": {
        "google.genai.types:_GenerateContentParameters": "",
        "google.genai.types:Content": ".contents[]",
        "google.genai.types:GenerationConfig": ".generationConfig",
        "google.genai.types:Tool": ".tools[]",
    },
}
# Keys of the SDK's own, which are other ones or none on the wire.
RENAMED = {"gemini": {"config": "", "model": None, "httpOptions": None}}
MAX_KEYS = 12


def fields(kind, wire, path):
    """Every path to a string, the shortest first."""
    found, seen = {}, set()
    queue = collections.deque([(kind, path)])
    while queue:
        kind, path = queue.popleft()
        kind, _ = unwrapped(kind)
        origin, arguments = typing.get_origin(kind), typing.get_args(kind)
        if origin in (typing.Union, types.UnionType):
            queue.extend((it, path) for it in arguments)
        elif kind is str or kind in ANYTHING:
            found.setdefault(path or "{}")
        elif origin in (typing.Literal, typing_extensions.Literal):
            continue
        elif is_list(origin):
            queue.append((arguments[0] if arguments else object, path + "[]"))
        elif kind in MAPS or origin in MAPS:
            queue.append((arguments[1] if len(arguments) > 1 else object, path + ".{}"))
        elif typing_extensions.is_typeddict(kind) or is_class(kind, pydantic.BaseModel):
            top = path.lstrip(".").split(".")[0].split("[")[0]
            if (top, kind) in seen or path.count(".") > MAX_KEYS:
                continue
            seen.add((top, kind))
            for key, (inner, _) in sorted(shape(kind)[0].items()):
                name = RENAMED.get(wire, {}).get(key, key) if not path else key
                if name is not None:
                    queue.append((inner, f"{path}.{name}" if name else path))
    return sorted(it.lstrip(".") for it in found if it.strip("[]{}."))


def main(target):
    target = pathlib.Path(target)
    lines = target.read_text().splitlines() if target.exists() else []
    known = {tuple(it.split(" ")[:2]): it.split(" ")[2] for it in lines if it[:1] not in ("#", "")}
    text = ["# WIRE PATH CLASS: the string fields of requests, written by xtask/conformance/string_fields.py"]
    for wire, kinds in REQUESTS.items():
        paths = sorted({path for kind, at in kinds.items() for path in fields(typed(kind), wire, at)})
        text += [f"{wire} {path} {known.get((wire, path), 'unknown')}" for path in paths]
    target.write_text("\n".join(text) + "\n")


if __name__ == "__main__":
    main(sys.argv[1])
