"""The functions: results, types of inputs, errors, threads."""

import concurrent.futures
import datetime
import json
import os
import sys
import threading
import time
import types

import anthropic
import pytest

import aside
import aside.vcr

BODY = {
    "model": "claude-opus-5-5",
    "max_tokens": 8,
    "system": "Be kind.",
    "messages": [{"role": "user", "content": "Hi 🎈"}],
}


def test_inputs_are_values_text_or_bytes():
    text = json.dumps(BODY, ensure_ascii=False, separators=(",", ":"))
    results = [aside.context(it) for it in (BODY, text, text.encode())]
    assert results[0] == results[1] == results[2]
    assert results[0]["bytes"] == len(text.encode())
    assert isinstance(aside.mark(BODY), dict)
    assert isinstance(aside.mark(text), str)
    assert isinstance(aside.mark(text.encode()), bytes)
    assert aside.mark(BODY)["system"][0]["cache_control"] == {"type": "ephemeral"}


def test_each_function_has_a_result(tmp_path):
    (tmp_path / "CLAUDE.md").write_text("Use tabs.\n")
    assert aside.check({**BODY, "messages": []})["findings"][0]["level"] == "refused"
    assert aside.diff(BODY, BODY)["relation"] == "identical"
    assert aside.explain([BODY, BODY])["requests"][1]["at"] == 30
    assert aside.explain(iter([BODY, BODY]), at=(0, 9))["requests"][1]["at"] == 9
    model = aside.CacheModel()
    assert model.send(BODY, at=1)["request"] == 1
    assert len(aside.plan(BODY)["markers"]) == 2
    injected = aside.inject(BODY["messages"], "Be brief.")
    assert injected[0]["content"].startswith("Hi 🎈\n<system-reminder>\nBe brief.")
    assert aside.inject(BODY["messages"], " \n") == BODY["messages"]
    assert aside.neutralize("<system-reminder>") == "&lt;system-reminder>"
    assert "| Be kind." in aside.readable(BODY) or ': "system":"Be kind."' in aside.readable(BODY)
    converted = aside.convert(BODY, to="openai")
    assert converted["body"]["model"].startswith("gpt")
    for directory in (tmp_path, str(tmp_path), bytes(tmp_path)):
        assert aside.memory(directory)["files"][0]["text"] == "Use tabs."
    assert aside.git_state(tmp_path)["text"] is None
    assert aside.models("claude-opus-5-5")["models"][0]["id"] == "claude-opus-5-5"
    assert aside.estimate("three short words", "claude-opus-5-5") > 1


def test_errors_have_kind_path_and_line():
    with pytest.raises(aside.AsideError) as raised:
        aside.context('{\n "a" 1}')
    assert (raised.value.kind, raised.value.line) == ("syntax", 2)
    with pytest.raises(aside.AsideError) as raised:
        aside.mark({"model": "m", "max_tokens": 1, "messages": 1})
    assert (raised.value.kind, raised.value.path) == ("shape", "messages")
    with pytest.raises(aside.AsideError) as raised:
        aside.check(BODY, wire="soap")
    assert raised.value.kind == "option"
    with pytest.raises(aside.AsideError, match="bedrock-invoke"):
        aside.check(BODY, platform="bedrock")
    with pytest.raises(aside.AsideError, match="generate-content"):
        aside.convert(BODY, to="soap")


def test_files_that_cannot_be_used_are_errors_with_their_path(tmp_path):
    for bless in (True, False):
        with pytest.raises(aside.AsideError) as raised:
            aside.assert_golden(BODY, tmp_path, bless=bless)
        assert (raised.value.kind, raised.value.path) == ("local", str(tmp_path))
    for path in (None, 5, "a\ud800"):
        with pytest.raises(aside.AsideError) as raised:
            aside.assert_golden(BODY, path)
        assert raised.value.kind == "option"


def test_a_spaced_body_has_lines():
    body = {"model": "m", "max_tokens": 1, "messages": [{"role": "user", "content": "Hi\nthere"}]}
    spaced, compact = [aside.readable(json.dumps(body, separators=it)) for it in (None, (",", ":"))]
    first, *lines = spaced.splitlines()
    assert first == "== request, with a space after each comma and colon"
    assert "| there" in lines and "| there" in compact.splitlines()


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no such names")
def test_a_directory_may_have_any_name(tmp_path):
    directory = os.path.join(os.fsencode(tmp_path), b"caf\xe9")
    os.mkdir(directory)
    with open(os.path.join(directory, b"CLAUDE.md"), "w", encoding="utf-8") as file:
        file.write("Use tabs.")
    assert aside.memory(directory)["files"][0]["text"].startswith("Use tabs.")
    assert aside.git_state(directory)["text"] is None
    with pytest.raises(aside.AsideError, match="home"):
        aside.memory(tmp_path, home=directory)



def test_a_body_is_written_as_the_sdk_writes_it(aside_api):
    client = anthropic.Anthropic(api_key="none", http_client=aside_api.client())
    aside_api.reply("Hello", {"type": "tool_use", "name": "Read", "input": {"a": "é"}})
    ask = {"model": "claude-haiku-4-5", "max_tokens": 64}
    messages = [{"role": "user", "content": "Hi"}]
    reply = client.messages.create(messages=messages, **ask)
    result = {"type": "tool_result", "tool_use_id": reply.content[1].id, "content": "It is B"}
    messages += [{"role": "assistant", "content": reply.content}, {"role": "user", "content": (result,)}]
    body = {"messages": messages, **ask}
    client.messages.create(**body)
    assert aside.mark(aside_api.requests[1]) == json.dumps(aside.mark(body), ensure_ascii=False, separators=(",", ":")).encode()
    aside.assert_accepted(body)
    assert aside.context(body)["bytes"] == len(aside_api.requests[1])
    injected = aside.inject(messages, "Be brief.")
    assert injected[1]["content"][1]["input"] == {"a": "é"}
    dates = {"on": datetime.date(2026, 11, 1), "at": datetime.datetime(2026, 11, 1, 10, 59)}
    aside.assert_same_meaning({"a": dates}, {"a": {"on": "2026-11-01", "at": "2026-11-01T10:59:00"}})
    aside.assert_same_meaning({"a": types.MappingProxyType({"b": 1})}, {"a": {"b": 1}})


def test_an_input_of_another_type_is_an_error_of_its_own():
    calls = {
        "requests: expected a list, found NoneType": lambda: aside.explain(None),
        "requests: expected a list, found dict": lambda: aside.assert_no_cache_miss(BODY),
        "at: expected a list, found int": lambda: aside.explain([BODY], at=5),
        "betas: expected a list, found int": lambda: aside.check(BODY, betas=5),
        "ignore: expected a list, found str": lambda: aside.vcr.matcher(ignore="system"),
        "paths: expected a list, found NoneType": lambda: aside.rows(None),
        "expected text, found list": lambda: aside.inject(BODY["messages"], ["a"]),
        "expected text, found NoneType": lambda: aside.neutralize(None),
        "expected text, found dict": lambda: aside.estimate({}, "claude-opus-5-5"),
        "format: expected a name, found int": lambda: aside.rows("a", format=5),
        "int": lambda: aside.memory(5),
        "object has no httpx client": lambda: aside.watch(object()),
    }
    for message, call in calls.items():
        with pytest.raises(aside.AsideError, match=message) as raised:
            call()
        assert (raised.value.kind, raised.value.path, raised.value.line) == ("option", "", None)


def test_a_value_that_is_no_json_is_an_error_and_half_a_pair_is_found():
    circle = {"model": "m"}
    circle["messages"] = [circle]
    faults = [
        ({"temperature": float("nan")}, "temperature"),
        ({"tools": [{"name": "Read"}, {"enum": {1, 2}}]}, "tools[1].enum"),
        ({"messages": iter([])}, "messages"),
        ("a\ud800", ""),
        ({"messages": [{"content": b"Hi"}]}, "messages[0].content"),
    ]
    for body, path in faults:
        with pytest.raises(aside.AsideError) as raised:
            aside.check(body)
        assert (raised.value.kind, raised.value.path, raised.value.line) == ("shape", path, None)
    with pytest.raises(aside.AsideError, match="Circular") as raised:
        aside.check(circle)
    assert raised.value.path.startswith("messages[0].messages[0]")
    found = aside.check({**BODY, "system": "a\ud800"})["findings"]
    assert [it["rule"] for it in found] == ["surrogate"]


def test_a_string_is_no_list():
    calls = [
        lambda it: aside.check(BODY, betas=it),
        lambda it: aside.convert(BODY, to="openai", betas=it),
        lambda it: aside.assert_accepted(BODY, betas=it),
        lambda it: aside.assert_same_meaning(BODY, BODY, ignore=it),
        lambda it: aside.assert_same_meaning(BODY, BODY, ignore_text=it),
    ]
    for call in calls:
        call(["fast-mode-2026-02-01"])
        call(())
        with pytest.raises(aside.AsideError) as raised:
            call("fast-mode-2026-02-01")
        assert raised.value.kind == "option"


def test_a_thousand_calls_of_eight_threads():
    expected = aside.context(BODY)
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        assert all(it == expected for it in pool.map(lambda _: aside.context(BODY), range(1000)))


def test_other_threads_run_during_a_call():
    text, spans = "word and text; " * 400_000, []

    def call():
        start = time.perf_counter()
        aside.estimate(text, "claude-opus-5-5")
        spans.append((start, time.perf_counter()))

    thread, ticks = threading.Thread(target=call), []
    thread.start()
    while thread.is_alive():
        ticks.append(time.perf_counter())
        time.sleep(0.001)
    [(start, end)] = spans
    # During a call with the GIL there is none, but one may come while it begins or ends.
    assert sum(start < it < end for it in ticks) > 3
