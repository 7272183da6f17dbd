"""Checks a JSON value against the types of an SDK, closed: what a type does not name is a fault.

The types are `TypedDict`s and pydantic models. Validating with pydantic itself would not do: it
ignores the keys that a `TypedDict` does not name and does not look into an `Iterable`.
"""

import base64
import binascii
import collections.abc
import enum
import functools
import types
import typing

import pydantic
import typing_extensions

ANYTHING = (object, typing.Any)
LISTS = (list, collections.abc.Iterable, collections.abc.Sequence)
MAPS = (dict, collections.abc.Mapping)
SCALARS = {str: str, bool: bool, int: int, float: (int, float), type(None): type(None)}
WRAPPERS = (typing_extensions.Required, typing_extensions.NotRequired, typing_extensions.ReadOnly)
# Of a union of objects, these say which one is meant.
TAGS = ("type", "role")


class Fault(typing.NamedTuple):
    path: tuple
    # The key, or the type of a block, that the type does not name.
    unknown: str | None
    message: str

    def __str__(self):
        path = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in self.path)
        return f"{path or '.'}: {self.message}"


def faults(kind, value, path=()):
    """Everything in `value` that is not of the type `kind`, as a list of `Fault`."""
    kind, _ = unwrapped(kind)
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if kind in ANYTHING:
        return []
    if origin in (typing.Union, types.UnionType):
        return of_union(arguments, value, path)
    if origin in (typing.Literal, typing_extensions.Literal):
        same = any(value == it and type(value) is type(it) for it in arguments)
        return [] if same else [wrong(path, f"one of {arguments}", value)]
    if is_list(origin):
        if not isinstance(value, list):
            return [wrong(path, "a list", value)]
        return [it for at, item in enumerate(value) for it in faults(arguments[0], item, (*path, at))]
    if kind in MAPS or origin in MAPS:
        if not isinstance(value, dict):
            return [wrong(path, "an object", value)]
        values = arguments[1] if arguments else object
        return [it for key, item in value.items() for it in faults(values, item, (*path, key))]
    if typing_extensions.is_typeddict(kind) or is_class(kind, pydantic.BaseModel):
        return of_object(kind, value, path)
    return [] if is_scalar(kind, value) else [wrong(path, getattr(kind, "__name__", kind), value)]


def wrong(path, expected, value):
    return Fault(path, None, f"expected {expected}, found {str(value)[:80]!r}")


def is_class(kind, base):
    return isinstance(kind, type) and issubclass(kind, base)


def is_list(origin):
    # `SequenceNotStr` is the SDKs' own protocol.
    return origin in LISTS or getattr(origin, "__name__", "") == "SequenceNotStr"


def is_scalar(kind, value):
    if kind in SCALARS:
        return isinstance(value, SCALARS[kind]) and (kind is bool) == isinstance(value, bool)
    if is_class(kind, enum.Enum):
        # Google's are of any case.
        return isinstance(value, str) and value.upper() in {str(it.value).upper() for it in kind}
    if kind is bytes:
        return isinstance(value, str) and is_base64(value)
    # Files, images, Python types: what a program may pass and no JSON can hold.
    return False


def is_base64(text):
    try:
        base64.b64decode(text.replace("-", "+").replace("_", "/"), validate=True)
    except binascii.Error:
        return False
    return True


def of_union(kinds, value, path):
    """No fault if one of the types fits, else those of the type that was most likely meant: the
    one whose first fault lies deepest, and of several such the one with the fewest."""
    candidates = []
    for kind in kinds:
        found = faults(kind, value, path)
        if not found:
            return []
        candidates.append(found)
    return min(candidates, key=lambda it: (-min(len(fault.path) for fault in it), len(it)))


def of_object(kind, value, path):
    if not isinstance(value, dict):
        return [wrong(path, f"an object ({kind.__name__})", value)]
    keys, is_open = shape(kind)
    for tag in TAGS:
        if tag in keys and tag in value and faults(keys[tag][0], value[tag]):
            fault = wrong(path, f"the {tag} of {kind.__name__}", value[tag])
            is_name = tag == "type" and isinstance(value[tag], str)
            return [fault._replace(unknown=value[tag]) if is_name else fault]
    found = []
    for key, item in value.items():
        if key in keys:
            found += faults(keys[key][0], item, (*path, key))
        elif not is_open:
            found.append(Fault((*path, key), key, f"{kind.__name__} has no such key"))
    for key, (_, is_required) in keys.items():
        if is_required and key not in value:
            found.append(Fault((*path, key), None, f"{kind.__name__} requires it"))
    return found


@functools.cache
def shape(kind):
    """The keys of an object on the wire: key → (type, whether it is required); and whether others
    may stand beside them."""
    if is_class(kind, pydantic.BaseModel):
        fields = kind.model_fields.items()
        keys = {it.alias or name: (it.annotation, it.is_required()) for name, it in fields}
        return keys, False
    keys = {}
    for name, hint in typing_extensions.get_type_hints(kind, include_extras=True).items():
        bare, marks = unwrapped(hint)
        # Of annotations that are text, the class itself sees no `Required`.
        is_required = name in kind.__required_keys__ and typing_extensions.NotRequired not in marks
        aliases = [it.alias for it in marks if getattr(it, "alias", None)]
        key = aliases[0] if aliases else name
        keys[key] = (bare, is_required or typing_extensions.Required in marks)
    config = getattr(kind, "__pydantic_config__", {})
    return keys, config.get("extra") == "allow"


def unwrapped(kind):
    """A type without what is wrapped around it, and the wrappings."""
    marks = []
    while True:
        origin, arguments = typing.get_origin(kind), typing.get_args(kind)
        if origin in WRAPPERS:
            marks.append(origin)
            kind = arguments[0]
        elif origin is typing.Annotated:
            marks.extend(arguments[1:])
            kind = arguments[0]
        elif isinstance(kind, typing_extensions.TypeAliasType):
            kind = kind.__value__
        else:
            return kind, marks
