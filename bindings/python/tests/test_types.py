"""Results have the keys of `results.schema.json`, from which the types of both packages are written."""

import json
import pathlib
import subprocess
import sys

import aside
import pytest

DEFINITIONS = json.loads(
    (pathlib.Path(__file__).parent.parent / "results.schema.json").read_text(encoding="utf-8")
)["$defs"]


def faults(value, schema, path):
    """Yields the paths at which a value is not as the schema has it."""
    if "anyOf" in schema:
        schema = schema["anyOf"][-1 if value is None else 0]
    if "$ref" in schema:
        schema = DEFINITIONS[schema["$ref"].rsplit("/", 1)[1]]
    if "properties" in schema:
        properties = schema["properties"]
        yield from (f"{path}.{key}: missing" for key in schema["required"] if key not in value)
        yield from (f"{path}.{key}: not declared" for key in value if key not in properties)
        for key, inner in value.items():
            if key in properties:
                yield from faults(inner, properties[key], f"{path}.{key}")
    elif "items" in schema:
        for index, inner in enumerate(value):
            yield from faults(inner, schema["items"], f"{path}[{index}]")
    elif "enum" in schema and value not in schema["enum"]:
        yield f"{path}: {value!r}"


def test_results_have_the_keys_of_the_schema(tmp_path):
    (tmp_path / "CLAUDE.md").write_text("Use tabs.\n@missing.md\n")
    bodies = [
        {
            "model": "claude-opus-5-5",
            "max_tokens": 8,
            "system": [
                {
                    "type": "text",
                    "text": f"It is 14:31:0{second}. " + "Be kind. " * 1500,
                    "cache_control": {"type": "ephemeral"},
                }
            ],
            "messages": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Yes"}][:second],
        }
        for second in (1, 2)
    ]
    results = {
        "CheckResult": aside.check(bodies[1]),
        "DiffResult": aside.diff(*bodies),
        "DiffResult of thinking": aside.diff(bodies[0], {**bodies[0], "thinking": {"type": "adaptive"}}),
        "ExplainResult": aside.explain(bodies),
        "CacheRow": aside.CacheModel().send(bodies[0], usage={"input_tokens": 1}, session="s"),
        "CacheRow of OpenAI": aside.CacheModel().send({"model": "gpt-5.6", "input": "Be kind. " * 1500}),
        "CacheRow of fast mode": aside.CacheModel().send({**bodies[0], "model": "claude-opus-4-8", "speed": "fast"}),
        "PlanResult": aside.plan(bodies[0]),
        "PlanResult of OpenAI": aside.plan(
            {
                "model": "gpt-5.6",
                "store": False,
                "input": [
                    {"role": "developer", "content": [{"type": "input_text", "text": "Be kind."}]},
                    {"role": "user", "content": "Hi"},
                ],
            }
        ),
        "ContextResult": aside.context({**bodies[0], "tools": [{"name": "mcp__a__b", "input_schema": {"type": "object"}}]}),
        "ConvertResult": aside.convert({**bodies[0], "model": "claude-haiku-4-5", "top_k": 3}, to="openai"),
        "MemoryResult": aside.memory(tmp_path),
        "GitResult": aside.git_state(tmp_path),
        "ModelsResult": aside.models(),
    }
    assert len(results["PlanResult of OpenAI"]["markers"]) == 2
    assert results["MemoryResult"]["diagnostics"] and results["ContextResult"]["servers"]
    assert results["CheckResult"]["findings"] and results["ConvertResult"]["losses"]
    assert results["ExplainResult"]["requests"][1]["predicted"]["miss"]
    assert results["CacheRow of OpenAI"]["predicted"]["usage"]["write_other"] > 1000
    assert results["CacheRow of fast mode"]["predicted"]["usage"]["fast"]
    found = [it for name, value in results.items() for it in faults(value, DEFINITIONS[name.split()[0]], name)]
    assert found == []


PROGRAM = """
from typing import TypedDict

import aside


class Params(TypedDict, total=False):
    model: str
    messages: list[dict[str, str]]


def use(params: Params, body: aside.Body) -> None:
    aside.check(params)
    aside.assert_no_cache_miss([params, "{}", b"{}"])
    marked: Params = aside.mark(params)
    same: aside.Body = aside.mark(body)
    text: str = aside.mark("{}")
    messages: list[dict[str, str]] = aside.inject(params["messages"], "Be brief.")
    aside.rows("logs"), aside.rows([b"logs"], format="har")
    written: int = aside.explain([body])["requests"][0]["predicted"]["usage"].get("write_other", 0)
    rows = aside.watch(object()).misses
    print(marked, same, text, messages, written, rows[0]["request"])


aside.check(5)  # type: ignore[arg-type]
aside.check({}, wire=5)  # type: ignore[arg-type]
aside.check({}, betas=5)  # type: ignore[arg-type]
aside.explain([], every="30s")  # type: ignore[arg-type]
aside.memory(3)  # type: ignore[arg-type]
session: int = aside.explain([])["requests"][0].get("session")  # type: ignore[assignment]
"""


@pytest.mark.parametrize("version", ["3.10", "3.13"])
def test_a_program_is_typed(tmp_path, version):
    (tmp_path / "program.py").write_text(PROGRAM)
    check = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", "cache", "--python-version", version, "program.py"]
    done = subprocess.run(check, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
