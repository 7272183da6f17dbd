"""Writes the types of both packages from `results.schema.json`, or checks that they are written.

usage: write_types.py [--check]
"""

import json
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
DEFINITIONS = json.loads((HERE / "results.schema.json").read_text())["$defs"]
PYTHON = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}
SCRIPT = {"string": "string", "integer": "number", "number": "number", "boolean": "boolean", "null": "null"}


def python(schema):
    if "$ref" in schema:
        return schema["$ref"].rsplit("/", 1)[1]
    if "anyOf" in schema:
        return " | ".join(map(python, schema["anyOf"]))
    if "enum" in schema:
        return f"Literal[{', '.join(map(json.dumps, schema['enum']))}]"
    kind = schema.get("type")
    if isinstance(kind, list):
        return " | ".join(PYTHON[it] for it in kind)
    if kind == "array":
        return f"list[{python(schema['items'])}]"
    return PYTHON.get(kind, "dict[str, Any]" if kind == "object" else "Any")


def script(schema):
    if "$ref" in schema:
        return schema["$ref"].rsplit("/", 1)[1]
    if "anyOf" in schema:
        return " | ".join(map(script, schema["anyOf"]))
    if "enum" in schema:
        return " | ".join(map(json.dumps, schema["enum"]))
    kind = schema.get("type")
    if isinstance(kind, list):
        return " | ".join(SCRIPT[it] for it in kind)
    if kind == "array":
        inner = script(schema["items"])
        return f"({inner})[]" if "|" in inner else f"{inner}[]"
    return SCRIPT.get(kind, "Record<string, unknown>" if kind == "object" else "unknown")


def python_types():
    yield '"""The results. Written by `bindings/write_types.py` from `results.schema.json`."""\n'
    yield "from __future__ import annotations\n"
    # `typing` has `NotRequired` from Python 3.11 on. Every type checker knows `typing_extensions`.
    yield "from typing import Any, Literal, TypedDict\n"
    yield "from typing_extensions import NotRequired\n"
    for name, schema in DEFINITIONS.items():
        if "properties" not in schema:
            yield f"\n{name} = dict[str, Any]\n"
            continue
        yield f"\nclass {name}(TypedDict):"
        for key, value in schema["properties"].items():
            kind = python(value)
            yield f"    {key}: {kind if key in schema['required'] else f'NotRequired[{kind}]'}"
        yield ""


def script_types():
    yield "// The results. Written by `bindings/write_types.py` from `results.schema.json`.\n"
    for name, schema in DEFINITIONS.items():
        if "properties" not in schema:
            yield f"export type {name} = Record<string, unknown>;\n"
            continue
        yield f"export interface {name} {{"
        for key, value in schema["properties"].items():
            if "description" in value:
                yield f"  /** {value['description']} */"
            yield f"  {key}{'' if key in schema['required'] else '?'}: {script(value)};"
        yield "}\n"


FILES = {"python/python/aside/_types.pyi": python_types, "node/results.d.ts": script_types}
TEXTS = {HERE / name: "\n".join(lines()) + "\n" for name, lines in FILES.items()}
if "--check" in sys.argv:
    stale = [path.name for path, text in TEXTS.items() if not path.exists() or path.read_text() != text]
    sys.exit(f"bindings: run bindings/write_types.py for {', '.join(stale)}" if stale else 0)
for path, text in TEXTS.items():
    path.write_text(text)
