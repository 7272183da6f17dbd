"""Writes the closed key sets of SDKs in the grammar of `crates/rules/src/shapes`.

`shapes.py DIRECTORY [--check]` writes a file for each wire, or compares the files that are there.
Objects that differ by their `type`, or by their `role`, become a union. Objects that share such a
value are merged: the keys of all, of which those are required that all require. So the text
accepts a little more than the types, and refuses nothing that they accept.
"""

import importlib.metadata
import itertools
import pathlib
import re
import sys
import types
import typing

import pydantic
import typing_extensions

from check import typed
from closed import ANYTHING, MAPS, is_class, is_list, shape, unwrapped

WIRES = {
    "chat": ("openai", "openai.types.chat.completion_create_params:CompletionCreateParams"),
    "responses": ("openai", "openai.types.responses.response_create_params:ResponseCreateParams"),
    "gemini": ("google-genai", "gemini:GenerateContent"),
}
SCALARS = {str: "string", bytes: "base64", bool: "boolean", int: "integer", float: "number"}
TAGS = ("type", "role")
# What the types of a wire require, and public clients leave out without a refusal. The model may be
# in the address of a request.
LENIENT = {
    "chat": {"model"},
    "responses": {"action", "annotations", "detail", "id", "model", "parameters", "status", "strict"},
    "gemini": set(),
}
HEAD = """\
// The closed key sets of the types of `{package}` (Python) {version}. Written by
// `cargo xtask conformance --update`; `messages.shapes` describes the notation.
"""


class Form:
    """What a value may be: any JSON, null, scalars, literals, items of a list, values of a map,
    objects by their index in `Writer.objects`."""

    def __init__(self):
        self.any = self.null = self.is_map = False
        self.scalars, self.literals, self.objects = {}, {}, {}
        self.items = self.values = None

    def add(self, other):
        self.any |= other.any
        self.null |= other.null
        self.is_map |= other.is_map
        for mine, others in zip(self.sets(), other.sets()):
            mine.update(others)
        self.items = joined(self.items, other.items)
        self.values = joined(self.values, other.values)
        return self

    def sets(self):
        return self.scalars, self.literals, self.objects


def joined(one, other):
    return Form().add(one).add(other) if one and other else one or other


class Writer:
    def __init__(self, wire):
        self.is_gemini, self.lenient = wire == "gemini", LENIENT[wire]
        # Each a name and its keys: name → (form, whether it is required).
        self.objects, self.of_class, self.merged = [], {}, {}
        self.names, self.texts, self.unions = set(), [], {}

    def form(self, kind):
        kind, _ = unwrapped(kind)
        origin, arguments = typing.get_origin(kind), typing.get_args(kind)
        form = Form()
        if origin in (typing.Union, types.UnionType):
            for it in arguments:
                form.add(self.form(it))
        elif kind is type(None):
            form.null = True
        elif origin in (typing.Literal, typing_extensions.Literal):
            for it in arguments:
                (form.literals if isinstance(it, str) else form.scalars).update({self.literal(it): None})
        elif is_list(origin):
            form.items = self.form(arguments[0])
        elif kind in MAPS or origin in MAPS:
            form.is_map = True
            form.values = self.form(arguments[1]) if arguments else None
        elif typing_extensions.is_typeddict(kind) or is_class(kind, pydantic.BaseModel):
            form.objects[self.object(kind)] = None
        elif isinstance(kind, type) and hasattr(kind, "__members__"):
            # Google's are read in any case.
            names = [it.value for it in kind]
            form.literals.update(dict.fromkeys(names + [it.lower() for it in names]))
        elif kind in SCALARS:
            form.scalars[SCALARS[kind]] = None
        else:
            form.any = kind in ANYTHING
        return form

    def literal(self, value):
        return value if isinstance(value, str) else SCALARS[type(value)]

    def object(self, kind):
        if kind not in self.of_class:
            self.of_class[kind] = self.reserve(kind.__name__)
            keys, _ = shape(kind)
            own = self.objects[self.of_class[kind]][1]
            for key, (hint, is_required) in keys.items():
                form = self.form(hint)
                for name in {key: 0, snake(key): 0} if self.is_gemini else [key]:
                    own[name] = (form, is_required and not self.is_gemini)
        return self.of_class[kind]

    def reserve(self, name):
        numbered = itertools.chain([name], (f"{name}{number}" for number in itertools.count(2)))
        name = next(it for it in numbered if it not in self.names)
        self.names.add(name)
        self.objects.append((name, {}))
        return len(self.objects) - 1

    def merge(self, indexes):
        indexes = tuple(sorted(set(indexes)))
        if len(indexes) == 1:
            return indexes[0]
        if indexes not in self.merged:
            self.merged[indexes] = index = self.reserve(self.objects[indexes[0]][0])
            all_keys = [self.objects[it][1] for it in indexes]
            for name in dict.fromkeys(name for keys in all_keys for name in keys):
                found = [keys[name] for keys in all_keys if name in keys]
                form = Form()
                for it, _ in found:
                    form.add(it)
                is_required = len(found) == len(all_keys) and all(it for _, it in found)
                self.objects[index][1][name] = (form, is_required)
        return self.merged[indexes]

    def groups(self, indexes):
        """Objects that share no tag; one group if there is no key that tells them apart."""
        for tag in TAGS:
            forms = [self.objects[it][1].get(tag, (None, 0))[0] for it in indexes]
            if not all(it and it.literals and not it.scalars for it in forms):
                continue
            groups = []
            for index, form in zip(indexes, forms):
                tags, members = set(form.literals), [index]
                for group in [it for it in groups if it[0] & tags]:
                    groups.remove(group)
                    tags, members = tags | group[0], group[1] + members
                groups.append((tags, members))
            return [self.merge(members) for _, members in groups]
        return [self.merge(indexes)]

    def named(self, indexes, owner):
        """The name of an object or of a union."""
        groups = tuple(self.groups(list(indexes)))
        if len(groups) == 1 and not self.is_tagged(groups[0]):
            return self.written(groups[0])
        if groups not in self.unions:
            self.unions[groups] = name = self.objects[self.reserve(owner)][0]
            variants = "".join(f"\n  | {self.written(it)}" for it in groups)
            noun = re.sub("(?<=[a-z])(?=[A-Z])", " ", owner).lower()
            self.texts.append(f'union {name} "{noun}" ={variants}\n')
        return self.unions[groups]

    def is_tagged(self, index):
        """Of an object with another `type`, only that is a fault."""
        form, is_required = self.objects[index][1].get("type", (None, False))
        return is_required and form.literals and not form.scalars

    def written(self, index):
        name, keys = self.objects[index]
        if ("written", index) not in self.merged:
            self.merged["written", index] = True
            at = len(self.texts)
            lines = []
            for key, (form, is_required) in keys.items():
                if re.fullmatch("[A-Za-z0-9_-]+", key):
                    kind = self.kind(form, name + key.title().replace("_", ""))
                    null = " | null" if form.null and kind != "any" else ""
                    is_lenient = key in self.lenient and len(keys) > 2
                    mark = "?" if is_lenient or not is_required else ""
                    lines.append(f"  {key}{mark}: {kind}{null}\n")
            self.texts.insert(at, f"type {name} = {{\n{''.join(lines)}}}\n")
        return name

    def kind(self, form, owner):
        if form.any or not (form.scalars or form.literals or form.objects or form.items or form.is_map):
            return "any"
        scalars = dict(form.scalars)
        if "number" in scalars:
            scalars.pop("integer", None)
        kinds = list(scalars)
        if "string" not in form.scalars:
            kinds += [f'"{it}"' for it in form.literals]
        if form.objects and not form.is_map:
            kinds.append(self.named(form.objects, owner))
        elif form.is_map:
            values = self.kind(form.values, owner) if form.values else "any"
            kinds.append("object" if values == "any" else f"{{ [key: string]: {values} }}")
        if form.items:
            item = self.kind(form.items, owner)
            kinds.append(f"({item})[]" if " | " in item else f"{item}[]")
            # Google's servers read one item in place of a list.
            if self.is_gemini and form.items.objects:
                kinds.append(item)
        return " | ".join(kinds)


def snake(key):
    return re.sub("([A-Z])", lambda it: f"_{it[1].lower()}", key)


def text(wire):
    package, kind = WIRES[wire]
    writer = Writer(wire)
    form = writer.form(typed(kind))
    index = writer.merge(form.objects)
    writer.objects[index] = ("Request", writer.objects[index][1])
    writer.written(index)
    body = "\n".join(writer.texts).replace("type Request =", "export type Request =", 1)
    return HEAD.format(package=package, version=importlib.metadata.version(package)) + "\n" + body


def main(directory, *options):
    differing = []
    for wire in WIRES:
        path = pathlib.Path(directory) / f"{wire}.shapes"
        new = text(wire)
        if "--check" not in options:
            path.write_text(new)
        elif path.read_text() != new:
            differing.append(path)
    for path in differing:
        print(f"{path} differs from the types: cargo xtask conformance --update")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
