"""`aside.watch` with the clients of three SDKs, synchronous and not."""

import asyncio
import json
import threading

import anthropic
import httpx2 as httpx
import openai
import pytest
from google import genai

import aside
from aside import _http

CHAT = {"id": "1", "object": "chat.completion", "created": 1, "model": "gpt-5.5",
        "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "Hi"}}]}
GEMINI = {"candidates": [{"content": {"role": "model", "parts": [{"text": "Hi"}]}}]}


def transport(answer):
    return httpx.MockTransport(lambda request: httpx.Response(200, json=answer))


def sent(watch):
    assert len(watch.requests) == 2
    assert len(watch.report()["requests"]) == 2
    return watch.requests[0]


def test_openai():
    client = openai.OpenAI(api_key="none", http_client=httpx.Client(transport=transport(CHAT)))
    watch = aside.watch(client)
    for _ in range(2):
        client.chat.completions.create(model="gpt-5.5", messages=[{"role": "user", "content": "Hi"}])
    assert b'"model":"gpt-5.5"' in sent(watch)


def test_a_watch_is_read_while_its_client_sends():
    client = openai.OpenAI(api_key="none", http_client=httpx.Client(transport=transport(CHAT)))
    watch = aside.watch(client)

    def send():
        for _ in range(50):
            client.chat.completions.create(model="gpt-5.5", messages=[{"role": "user", "content": "Hi"}])

    send()
    sender = threading.Thread(target=send)
    sender.start()
    while sender.is_alive():
        assert {it["request"] for it in watch.findings} <= set(range(1, 101))
        assert len(watch.report()["requests"]) >= 50
    sender.join()


def test_a_wrong_limit_is_an_error():
    for bodies in (-1, "x", None):
        with pytest.raises(aside.AsideError, match="bodies: expected a number from 0"):
            aside.watch(openai.OpenAI(api_key="none"), bodies=bodies)


def test_openai_without_blocking():
    http = httpx.AsyncClient(transport=transport(CHAT))
    client = openai.AsyncOpenAI(api_key="none", http_client=http)
    watch = aside.watch(client)

    async def run():
        for _ in range(2):
            await client.chat.completions.create(model="gpt-5.5", messages=[{"role": "user", "content": "Hi"}])

    asyncio.run(run())
    assert b'"model":"gpt-5.5"' in sent(watch)


def google(url=None):
    """Returns a client with a transport, or one that sends to an address as it would by default."""
    options = {"client_args": {"transport": transport(GEMINI)}, "async_client_args": {"transport": transport(GEMINI)}}
    return genai.Client(api_key="none", http_options={"base_url": url} if url else options)


ASK = {"model": "gemini-2.5-pro", "contents": "Hi"}


def test_google_genai():
    client = google()
    watch = aside.watch(client)
    client.models.generate_content(**ASK)
    assert list(client.models.generate_content_stream(**ASK))
    assert b'"contents"' in sent(watch)
    # A batch has requests of its own form, and its address ends like that of a request.
    client.batches.create(model="gemini-2.5-pro", src=[{"contents": [{"parts": [{"text": "Hi"}]}]}])
    sent(watch)


async def ask_twice(client):
    for _ in range(2):
        await client.aio.models.generate_content(**ASK)


def test_google_genai_without_blocking():
    client = google()
    watch = aside.watch(client)
    asyncio.run(ask_twice(client))
    assert b'"contents"' in sent(watch)


@pytest.mark.parametrize("has_aiohttp", [False, True])
def test_google_genai_with_its_own_transport(aside_api, monkeypatch, has_aiohttp):
    bodies, reply = [], json.dumps(GEMINI).encode()

    def answer(path, headers, body):
        bodies.append(body)
        return 200, {"content-type": "application/json"}, reply

    aside_api.answer = answer
    for name in ("HTTP_PROXY", "ALL_PROXY", "http_proxy", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    if not has_aiohttp:
        monkeypatch.setattr("google.genai._api_client.has_aiohttp", False)
    client = google(aside_api.url)
    watch = aside.watch(client.aio)
    asyncio.run(ask_twice(client))
    assert sent(watch) == bodies[0]
    assert list(watch.requests) == bodies


def test_claude_on_google_cloud():
    options = {"region": "global", "project_id": "p", "access_token": "none"}
    message = {"id": "m", "type": "message", "role": "assistant", "model": "m", "content": []}
    http = httpx.Client(transport=transport({**message, "input_tokens": 1}))
    client = anthropic.AnthropicVertex(http_client=http, **options)
    watch = aside.watch(client)
    ask = {"model": "claude-opus-5-5", "messages": [{"role": "user", "content": "Hi"}]}
    client.messages.create(max_tokens=8, **ask)
    client.messages.create(max_tokens=8, stream=True, **ask)
    client.messages.count_tokens(**ask)
    assert b'"anthropic_version"' in sent(watch)


def test_an_upload_is_sent_and_not_recorded():
    client = openai.OpenAI(api_key="none", http_client=httpx.Client(transport=transport({"id": "f"})))
    watch = aside.watch(client)
    client.files.create(file=("a.jsonl", b"{}"), purpose="batch")
    assert not watch.requests


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/v1/messages?beta=true", True),
        ("/v1/messages/count_tokens", False),
        ("/v1/messages/batches", False),
        ("/v1/threads/t1/messages", False),
        ("/v1/responses", True),
        ("/v1/chat/completions", True),
        ("/v1beta/models/gemini-2.5-pro:generateContent", True),
        ("/v1beta/models/gemini-2.5-pro:streamGenerateContent?alt=sse", True),
        ("/v1beta/models/gemini-2.5-pro:batchGenerateContent", False),
        ("/v1/publishers/anthropic/models/claude-opus-5-5:streamRawPredict", True),
        ("/v1/publishers/anthropic/models/count-tokens:rawPredict", False),
        ("/model/anthropic.claude-opus-4-6-v1%3A0/invoke", True),
        ("/model/anthropic.claude-opus-4-6-v1%3A0/invoke-with-response-stream", True),
        ("/model/anthropic.claude-opus-4-6-v1%3A0/count-tokens", False),
    ],
)
def test_only_addresses_for_messages_are_recorded(path, expected):
    assert _http.is_request("POST", "https://localhost" + path) == expected
