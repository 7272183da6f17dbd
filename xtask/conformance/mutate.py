"""Bodies with one thing wrong with them, for the check on the check."""

import copy
import json
import random

# Below these keys stands what the user of an API defines: any JSON is right.
FREE = {"input", "input_schema", "parameters", "parametersJsonSchema", "args", "response", "schema"}
# On this wire it is the conversation.
NOT_FREE = {"responses": {"input"}}
# The types take any value for these.
ANY = {"parametersJsonSchema"}
# The keys of these are names that the user of an API chooses.
MAPS = {"properties"}
# Objects whose keys the types of the SDK leave open.
OPEN = {("tool_choice", "tools")}
# What the types of all SDKs require wherever they have it; Gemini's require next to nothing.
REQUIRED = {
    "anthropic": {"messages", "content", "role", "source", "media_type", "thinking", "signature"}
    | {"tool_use_id", "input", "input_schema", "text", "data", "id"},
    "openai": {"messages", "model", "role", "tool_call_id", "function", "arguments", "image_url"}
    | {"text", "type", "id"},
    "responses": {"role", "content", "arguments", "name", "output", "summary", "text", "parameters"}
    | {"strict", "mode", "id"},
    "gemini": {"contents"},
}
# Where they are not required all the same.
OPTIONAL = {("system", "content"), ("tool_result", "content"), ("assistant", "content"), (None, "text")}
OPTIONAL |= {(None, "summary"), ("json_schema", "strict")}


def mutants(body, wire, seen):
    """Every body that differs from `body` in one place of a shape not in `seen`, which is added
    to: what was done, and the body. The body is changed in place, and back."""
    free = FREE - NOT_FREE.get(wire, set())
    for owner, key, place in places(body, (), free):
        if place in seen:
            continue
        seen.add(place)
        value = owner[key]
        if key not in ANY:
            owner[key] = of_another_type(value)
            yield f"another type at {show(place)}", body
            owner[key] = value
        if isinstance(value, dict) and place[-1] not in free | MAPS:
            value["aside_unknown"] = 1
            yield f"a key added at {show(place)}", body
            del value["aside_unknown"]
        if isinstance(key, str) and len(place) > 1 and place[-2] not in MAPS:
            renamed(owner, key, f"{key}_x")
            yield f"renamed {show(place)}", body
            renamed(owner, f"{key}_x", key)
        kind = owner.get("type", owner.get("role")) if isinstance(owner, dict) else None
        if key in REQUIRED[wire] and (kind, key) not in OPTIONAL:
            del owner[key]
            yield f"without {show(place)}", body
            owner[key] = value


def sampled(bodies, wire, count):
    """Random mutants, the same in every run: what was done, the text of the body, the text of the
    mutant, the mutant, and the paths of its doubled keys, which no type can refuse."""
    chosen, free = random.Random(wire), FREE - NOT_FREE.get(wire, set())
    for _ in range(count):
        body = chosen.choice(bodies)
        mutant = copy.deepcopy(body)
        owner, key, place = chosen.choice(list(places(mutant, (), free)))
        change = chosen.choice(CHANGES)
        text, doubled = change(owner, key, chosen), []
        if text:
            owner[key], doubled = text, [show_path(mutant, owner, key)]
        printed = json.dumps(mutant)
        if text:
            # The key is written a second time behind itself.
            value = owner[key] = text["aside_doubled"]
            member = f"{json.dumps(key)}: {json.dumps(value)}"
            printed = printed.replace(f"{json.dumps(key)}: {json.dumps(text)}", f"{member}, {member}", 1)
        yield f"{change.__name__} at {show(place)}", json.dumps(body), printed, mutant, doubled


def dropped(owner, key, _):
    del owner[key]


def doubled(owner, key, _):
    return {"aside_doubled": owner[key]} if isinstance(key, str) else None


def of_wrong_type(owner, key, _):
    owner[key] = of_another_type(owner[key])


def reordered(owner, key, chosen):
    """The members of an object, which have no order, or the items of a list."""
    items = list(owner.items()) if isinstance(owner, dict) else list(owner)
    chosen.shuffle(items)
    owner.clear()
    (owner.update if isinstance(owner, dict) else owner.extend)(items)


def of_unknown_value(owner, key, _):
    if isinstance(owner[key], str):
        owner[key] = "aside_unknown"


def with_another_key(owner, key, _):
    if isinstance(owner, dict):
        owner["aside_unknown"] = 1


CHANGES = [dropped, doubled, of_wrong_type, reordered, of_unknown_value, with_another_key]


def show_path(value, owner, key):
    """The path of a member, in the form of `aside check`."""
    paths = [("", value)]
    for path, it in paths:
        if it is owner:
            return f"{path}.{key}".lstrip(".")
        members = it.items() if isinstance(it, dict) else enumerate(it) if isinstance(it, list) else ()
        paths += [(f"{path}.{at}" if isinstance(it, dict) else f"{path}[{at}]", inner) for at, inner in members]
    return key


def places(value, path, free):
    """Every place in `value`: what holds it, its key or index there, and a path in which items of
    lists stand by what they are instead of where."""
    if isinstance(value, dict):
        for key in list(value):
            yield value, key, (*path, key)
            if key not in free and (*path, key) not in OPEN:
                yield from places(value[key], (*path, key), free)
    elif isinstance(value, list):
        for at, item in enumerate(value):
            kind = item.get("type", item.get("role")) if isinstance(item, dict) else None
            yield value, at, (*path, kind or "[]")
            yield from places(item, (*path, kind or "[]"), free)


def renamed(owner, old, new):
    """Renames a key in its place."""
    items = [(new if key == old else key, value) for key, value in owner.items()]
    owner.clear()
    owner.update(items)


def of_another_type(value):
    return 7 if isinstance(value, (str, dict, list)) else "seven"


def show(place):
    return ".".join(place)
