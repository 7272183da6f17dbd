"""Compares the closed keys of the SDK's request types with those of `aside check`.

The types are turned into bodies that have every key and every variant once. A key, a block, a tool
or an edit that the types name and `aside check` does not is drift: a new release of the SDK has
something for which a rule is missing.
"""

import json
import subprocess
import tempfile
import types
import typing

import typing_extensions

from closed import ANYTHING, MAPS, is_list, shape, unwrapped

# The rules that say that a name is not known.
UNKNOWN = {"unknown-key", "unknown-kind", "misspelled-kind"}

# What the types name and no body holds, with the reason.
EXPLAINED = {
    "betas": "the header anthropic-beta",
    "user_profile_id": "the header anthropic-user-profile-id",
    "workspace_id": "the header anthropic-workspace-id",
}

# A name that no type has: if it is not found, nothing would be.
PROBE = "aside_unknown"

# So deep are objects filled: a block in a result in a block.
MAX_DEPTH = 9


def alternatives(kind, depth=0):
    """Values that together have every key and every variant of a type; the first is the fullest."""
    kind, _ = unwrapped(kind)
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if depth > MAX_DEPTH or kind in ANYTHING:
        return [{}]
    if origin in (typing.Union, types.UnionType):
        return [value for it in arguments if it is not type(None) for value in alternatives(it, depth)]
    if origin in (typing.Literal, typing_extensions.Literal):
        return [arguments[0]]
    if is_list(origin):
        return [[it] for it in alternatives(arguments[0], depth + 1)] or [[]]
    if kind in MAPS or origin in MAPS:
        values = alternatives(arguments[1], depth + 1) if arguments else [{}]
        return [{"name": it} for it in values]
    if typing_extensions.is_typeddict(kind):
        return of_object(kind, depth)
    return [{str: "a", bool: True, int: 1, float: 1.0}.get(kind, "a")]


def of_object(kind, depth):
    keys, _ = shape(kind)
    members = {key: alternatives(hint, depth + 1) for key, (hint, _) in keys.items()}
    members = {key: values for key, values in members.items() if values}
    whole = {key: values[0] for key, values in members.items()}
    others = [{**whole, key: value} for key, values in members.items() for value in values[1:]]
    return [whole, *others]


def drift(aside, version, kind):
    """A complaint for each name of the type that `aside check` does not know."""
    whole, *others = alternatives(kind)
    bodies = [json.dumps(it) for it in (whole, *others, {**whole, PROBE: 1})]
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as file:
        file.writelines(f"{body}\n" for body in bodies)
        file.flush()
        command = [aside, "check", "--json", "--api-version", version, file.name]
        printed = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False).stdout
    # One complaint for a name, however many bodies have it.
    found = {}
    for it in json.loads(printed)["violations"]:
        if it["rule"] in UNKNOWN:
            path = "".join(letter for letter in it["path"] if not letter.isdigit())
            found.setdefault(path, it["found"])
    if PROBE not in found:
        return ["drift: aside check does not report a name that no type has"]
    names = {path: path.rpartition(".")[2] for path in sorted(found)}
    unknown = [path for path, name in names.items() if name != PROBE and name not in EXPLAINED]
    print(f"{len(bodies)} bodies with every name of the types, {len(unknown)} names unknown to aside check")
    return [f"drift: the SDK has {path} ({found[path][:60]}), which no rule of aside check knows" for path in unknown]
