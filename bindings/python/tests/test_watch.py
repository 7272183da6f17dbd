"""`aside.watch` with the clients of three SDKs, synchronous and not."""

import asyncio

import anthropic
import httpx2 as httpx
import openai
from google import genai

import aside

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


def test_openai_without_blocking():
    http = httpx.AsyncClient(transport=transport(CHAT))
    client = openai.AsyncOpenAI(api_key="none", http_client=http)
    watch = aside.watch(client)

    async def run():
        for _ in range(2):
            await client.chat.completions.create(model="gpt-5.5", messages=[{"role": "user", "content": "Hi"}])

    asyncio.run(run())
    assert b'"model":"gpt-5.5"' in sent(watch)


def google():
    options = {"client_args": {"transport": transport(GEMINI)}, "async_client_args": {"transport": transport(GEMINI)}}
    return genai.Client(api_key="none", http_options=options)


def test_google_genai():
    client = google()
    watch = aside.watch(client)
    for _ in range(2):
        client.models.generate_content(model="gemini-2.5-pro", contents="Hi")
    assert b'"contents"' in sent(watch)


def test_google_genai_without_blocking():
    client = google()
    watch = aside.watch(client)

    async def run():
        for _ in range(2):
            await client.aio.models.generate_content(model="gemini-2.5-pro", contents="Hi")

    asyncio.run(run())
    assert b'"contents"' in sent(watch)


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
