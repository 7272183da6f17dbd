"""An agent with the SDK, as a new user tests it: it passes, and a clock in the system text fails."""

import http.client
import pathlib
import re
import urllib.parse

import anthropic
import pytest

import aside

pytest_plugins = ["pytester"]

README = pathlib.Path(__file__).parent.parent / "README.md"
#: The first program of the README.
EXAMPLE = re.search(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.S)[1]
CLOCK = EXAMPLE.replace('system="Be kind."', 'system=f"Be kind. It is 14:31:{len(messages):02}."')


def test_the_example_of_the_readme_passes(pytester):
    pytester.makepyfile(EXAMPLE)
    pytester.runpytest().assert_outcomes(passed=1)


def test_a_clock_in_the_system_text_fails_and_names_the_byte(pytester):
    pytester.makepyfile(CLOCK)
    result = pytester.runpytest()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        ["*system at byte *: date or clock", "*before: *", "*after : *", "*fix   : *"]
    )


def test_golden_files_are_written_and_compared(pytester):
    test = "import aside\ndef test():\n    aside.assert_golden({'model': '%s', 'messages': []}, 'a.txt')"
    pytester.makepyfile(test % "a")
    pytester.runpytest().assert_outcomes(failed=1)
    pytester.runpytest("--aside-bless").assert_outcomes(passed=1)
    pytester.runpytest().assert_outcomes(passed=1)
    pytester.makepyfile(test % "b")
    result = pytester.runpytest()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        ["*golden file at *, byte *:", "*-*\"model\":\"a\"*", "*+*\"model\":\"b\"*"]
    )


def test_a_golden_file_may_end_its_lines_in_any_way(tmp_path):
    body, file = {"model": "a", "messages": []}, tmp_path / "a.txt"
    aside.assert_golden(body, file, bless=True)
    text = file.read_bytes()
    for same in (text.rstrip(b"\n"), text.replace(b"\n", b"\r\n")):
        file.write_bytes(same)
        aside.assert_golden(body, file, bless=False)


def test_the_api_refuses_streams_and_replies(aside_api):
    client = anthropic.Anthropic(api_key="none", http_client=aside_api.client(), max_retries=0)
    ask = {"model": "claude-opus-5-5", "max_tokens": 64}
    hi = [{"role": "user", "content": "Hi"}]
    aside_api.reply("Hello", {"type": "tool_use", "name": "Read", "input": {"a": 1}})
    reply = client.messages.create(messages=hi, **ask)
    assert [it.type for it in reply.content] == ["text", "tool_use"]
    with client.messages.stream(messages=hi, **ask) as stream:
        assert stream.get_final_message().stop_reason == "end_turn"
    assert client.messages.count_tokens(messages=hi, model=ask["model"]).input_tokens > 0
    with pytest.raises(anthropic.BadRequestError, match="prefill"):
        client.messages.create(messages=[*hi, {"role": "assistant", "content": "A"}], **ask)
    aside.assert_accepted(aside_api.requests[0])
    with pytest.raises(AssertionError, match=r"messages\[1\].* at byte \d+"):
        aside.assert_accepted(aside_api.requests[-1])


def test_a_reply_that_cannot_be_sent_is_refused(aside_api):
    for block in (5, None, {"text": "a block without its type"}, {"type": "tool_use"}):
        with pytest.raises(aside.AsideError) as raised:
            aside_api.reply(block)
        assert (raised.value.kind, raised.value.path) == ("option", "[0]")
    aside_api.reply({"type": "tool_use", "name": "Read"})
    client = anthropic.Anthropic(api_key="none", http_client=aside_api.client(), max_retries=0)
    ask = {"model": "claude-haiku-4-5", "max_tokens": 64}
    with pytest.raises(anthropic.BadRequestError):
        client.messages.create(messages=[], **ask)
    # A refused request leaves it to the next one.
    reply = client.messages.create(messages=[{"role": "user", "content": "Hi"}], **ask)
    assert (reply.content[0].name, reply.content[0].input) == ("Read", {})


def test_a_watched_client_has_its_requests(aside_api):
    client = anthropic.Anthropic(api_key="none", http_client=aside_api.client())
    watch = aside.watch(client)
    messages = []
    for second in (1, 2):
        system = f"It is 14:31:0{second}. " + "Be kind. " * 1500
        messages += [{"role": "user", "content": "Hi"}]
        client.messages.create(
            model="claude-haiku-4-5",
            max_tokens=8,
            system=[{"type": "text", "text": system, "cache_control": {"type": "ephemeral"}}],
            messages=messages,
        )
        messages = [*messages, {"role": "assistant", "content": "Hello"}]
    assert list(watch.requests) == aside_api.requests
    assert [row["request"] for row in watch.misses] == [2]
    assert watch.findings == []


def test_a_client_without_a_transport_uses_a_loopback_port(aside_api):
    url = aside_api.url
    connect = lambda: anthropic.Anthropic(api_key="none", base_url=url, max_retries=0)
    ask = {"model": "claude-opus-5-5", "max_tokens": 64}
    client = connect()
    with client.messages.stream(messages=[{"role": "user", "content": "Hi"}], **ask) as stream:
        assert stream.get_final_message().stop_reason == "end_turn"
    with pytest.raises(anthropic.BadRequestError, match="messages"):
        client.messages.create(messages=[], **ask)
    assert len(aside_api.requests) == 2
    with pytest.raises(anthropic.NotFoundError):
        client.models.list()
    # A body in chunks.
    found = urllib.parse.urlsplit(url)
    http_client = http.client.HTTPConnection(found.hostname, found.port)
    body = b'{"model":"claude-opus-5-5","max_tokens":64,"messages":[{"role":"user","content":"Hi"}]}'
    headers = {"anthropic-version": "2023-06-01", "transfer-encoding": "chunked"}
    for sent, status in ((headers, 200), ({"transfer-encoding": "Chunked"}, 400)):
        chunks = iter([body[:9], body[9:]])
        http_client.request("POST", "/v1/messages", chunks, sent, encode_chunked=True)
        reply = http_client.getresponse()
        assert (reply.status, aside_api.requests[-1]) == (status, body), reply.read()
        reply.read()
    http_client.close()
    aside_api.close()
    with pytest.raises(anthropic.APIConnectionError):
        connect().messages.create(messages=[], **ask)
