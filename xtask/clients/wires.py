"""The SDKs of OpenAI and Google for Python against servers at OPENAI_BASE_URL and
GOOGLE_GEMINI_BASE_URL: Responses, Chat Completions and generateContent. ASIDE_SERVER is the server
behind the proxy, for requests that refer to what it stored: a record does not have that.

Prints the number of requests that it sent. Every response and every event of a stream is compared
with the closed types of the SDK.
"""

import os

import closed
import openai
from google import genai
from google.genai import errors, types
from openai.types.chat import ChatCompletion, ChatCompletionChunk
from openai.types.responses import Response, ResponseStreamEvent

SCHEMA = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}
INSTRUCTIONS = "Be careful with the files of the user. " * 900
TASK = "Read a file. " * 50
TURNS = 4

requests = 0


def verified(kind, value):
    """Returns a value of the SDK that its type allows, without any key that it does not name."""
    found = closed.faults(kind, value.to_dict(mode="json"))
    assert not found, "; ".join(map(str, found[:5]))
    return value


def refused(send, status, phrase):
    global requests
    requests += 1
    try:
        send()
    except (openai.APIStatusError, errors.APIError) as error:
        code = getattr(error, "status_code", None) or error.code
        assert (code, phrase in error.message) == (status, True), error
    else:
        raise AssertionError(f"accepted: {phrase}")


def responses(client):
    global requests
    # The reasoning of this model is bound to its prefix.
    model = "gpt-6.2-sol"
    tool = {"type": "function", "name": "read_file", "strict": False, "parameters": SCHEMA}
    items = [{"role": "developer", "content": INSTRUCTIONS}, {"role": "user", "content": TASK}]
    options = dict(
        model=model,
        tools=[tool],
        store=False,
        include=["reasoning.encrypted_content"],
        reasoning={"effort": "low", "summary": "auto"},
        prompt_cache_key="wires",
    )
    for turn in range(TURNS):
        requests += 1
        if turn % 2:
            for event in client.responses.create(input=items, stream=True, **options):
                verified(ResponseStreamEvent, event)
            answer = event.response
        else:
            answer = verified(Response, client.responses.create(input=items, **options))
        assert answer.status == "completed" and not answer.input_transformations, answer
        assert turn == 0 or answer.usage.input_tokens_details.cached_tokens > 0, answer.usage
        items += [item.to_dict(mode="json") for item in answer.output]
        calls = [item for item in answer.output if item.type == "function_call"]
        outputs = [
            {"type": "function_call_output", "call_id": call.call_id, "output": "A text. " * 40}
            for call in calls
        ]
        items += outputs or [{"role": "user", "content": f"Go on, {turn}."}]
    # Another conversation: with a message of the user in common it would go on, and miss the cache.
    changed = [{"role": "developer", "content": "Be brief."}]
    for item in items[1:]:
        changed.append({**item, "content": "Again."} if item.get("role") == "user" else item)
    options["prompt_cache_key"] = "another"
    answer = verified(Response, client.responses.create(input=changed, **options))
    reasons = {item.reason for item in answer.input_transformations}
    assert reasons == {"prefix_mismatch"}, answer.input_transformations
    requests += 1
    call = {"type": "function_call", "call_id": "call_1", "name": "read_file", "arguments": "{}"}
    send = client.responses.create
    refused(lambda: send(model=model, input=[call]), 400, "No tool output found for function call")
    refused(lambda: send(model="gpt-0", input="Hello."), 404, "does not exist")


def stored(client):
    global requests
    model = "gpt-6.2-sol"
    first = verified(Response, client.responses.create(model=model, input="Hello."))
    read = verified(Response, client.responses.retrieve(first.id))
    assert read.output_text == first.output_text
    compared = verified(
        Response,
        client.responses.create(
            model=model,
            input="Go on.",
            previous_response_id=first.id,
            prompt_cache_options={"comparison_response_id": first.id},
        ),
    )
    assert compared.prompt_cache_diagnostics.type == "cache_hit", compared
    counted = client.responses.input_tokens.count(model=model, input="Hello.")
    assert counted.input_tokens == first.usage.input_tokens
    requests += 3


def chat(client):
    global requests
    function = {"name": "read_file", "description": "Reads a file.", "parameters": SCHEMA}
    messages = [{"role": "system", "content": INSTRUCTIONS}, {"role": "user", "content": TASK}]
    options = dict(model="gpt-5.2", tools=[{"type": "function", "function": function}])
    for turn in range(TURNS):
        requests += 1
        if turn % 2:
            with client.chat.completions.stream(
                messages=messages, stream_options={"include_usage": True}, **options
            ) as stream:
                for event in stream:
                    if event.type == "chunk":
                        verified(ChatCompletionChunk, event.chunk)
                answer = stream.get_final_completion()
        else:
            answer = client.chat.completions.create(messages=messages, **options)
            verified(ChatCompletion, answer)
        assert turn == 0 or answer.usage.prompt_tokens_details.cached_tokens > 0, answer.usage
        message = answer.choices[0].message
        calls = [
            {
                "id": call.id,
                "type": "function",
                "function": {"name": call.function.name, "arguments": call.function.arguments},
            }
            for call in message.tool_calls or []
        ]
        sent = {"role": "assistant", "content": message.content}
        messages.append(sent | ({"tool_calls": calls} if calls else {}))
        outputs = [
            {"role": "tool", "tool_call_id": call["id"], "content": "A text. " * 40}
            for call in calls
        ]
        messages += outputs or [{"role": "user", "content": f"Go on, {turn}."}]
    orphan = [{"role": "tool", "tool_call_id": "call_1", "content": "A text."}]
    send = client.chat.completions.create
    refused(lambda: send(messages=orphan, **options), 400, "must be a response to a preceding")


def gemini(client):
    global requests
    model = "gemini-3.6-flash"
    tool = types.Tool(function_declarations=[{"name": "read_file", "parameters": SCHEMA}])
    config = types.GenerateContentConfig(
        system_instruction=INSTRUCTIONS,
        tools=[tool],
        thinking_config=types.ThinkingConfig(include_thoughts=True),
        automatic_function_calling=types.AutomaticFunctionCallingConfig(disable=True),
    )
    contents = [types.Content(role="user", parts=[types.Part(text=TASK)])]
    options = dict(model=model, config=config)
    for turn in range(TURNS):
        requests += 1
        if turn % 2:
            answers = list(client.models.generate_content_stream(contents=contents, **options))
        else:
            answers = [client.models.generate_content(contents=contents, **options)]
        usage = answers[-1].usage_metadata
        assert turn == 0 or usage.cached_content_token_count > 0, usage
        parts = [part for answer in answers for part in answer.candidates[0].content.parts]
        contents.append(types.Content(role="model", parts=[it for it in parts if it.text != ""]))
        calls = [part.function_call for part in parts if part.function_call]
        outputs = [
            types.Part.from_function_response(name=call.name, response={"output": "A text. " * 40})
            for call in calls
        ]
        contents.append(
            types.Content(role="user", parts=outputs or [types.Part(text=f"Go on, {turn}.")])
        )
    counted = client.models.count_tokens(model=model, contents="Hello.")
    assert counted.total_tokens > 0
    requests += 1
    send = client.models.generate_content
    refused(lambda: send(model="gemini-0", contents="Hello."), 404, "is not found")
    call = types.Part(function_call=types.FunctionCall(name="read_file", args={}))
    unsigned = [*contents, types.Content(role="model", parts=[call]), contents[-1]]
    refused(lambda: send(contents=unsigned, **options), 400, "function response parts")


client = openai.OpenAI(api_key="none", max_retries=4)
assert any(model.id == "gpt-6.2-sol" for model in client.models.list())
responses(client)
stored(client.with_options(base_url=os.environ["ASIDE_SERVER"] + "/v1"))
chat(client)
gemini(genai.Client(api_key="none"))
print(requests)
