"""The Anthropic SDK for Python against a server at ANTHROPIC_BASE_URL.

Prints the number of requests that it sent.
"""

import anthropic

MODEL = "claude-opus-5-5"
TOOL = {
    "name": "read_file",
    "description": "Reads a file.",
    "input_schema": {
        "type": "object",
        "properties": {"path": {"type": "string"}},
        "required": ["path"],
    },
}
SYSTEM = [
    {
        "type": "text",
        "text": "Be careful with the files of the user. " * 200,
        "cache_control": {"type": "ephemeral"},
    }
]

client = anthropic.Anthropic(api_key="none", max_retries=4)
requests = 0


def marked(messages):
    """Moves one marker to the end, as callers of this SDK do by hand."""
    copied = [dict(message) for message in messages]
    last = copied[-1]
    content = last["content"]
    if isinstance(content, str):
        content = [{"type": "text", "text": content}]
    content = [dict(block) for block in content]
    content[-1]["cache_control"] = {"type": "ephemeral"}
    last["content"] = content
    return copied


messages = [{"role": "user", "content": [{"type": "text", "text": "Read a file. " * 50}]}]
for turn in range(6):
    arguments = dict(
        model=MODEL, max_tokens=1024, system=SYSTEM, tools=[TOOL], messages=marked(messages)
    )
    if turn % 2:
        with client.messages.stream(**arguments) as stream:
            for _ in stream.text_stream:
                pass
            answer = stream.get_final_message()
    else:
        answer = client.messages.create(**arguments)
    requests += 1
    assert answer.usage.output_tokens > 0
    if turn:
        assert answer.usage.cache_read_input_tokens > 0, answer.usage
    messages.append(
        {"role": "assistant", "content": [block.to_dict() for block in answer.content]}
    )
    results = [
        {
            "type": "tool_result",
            "tool_use_id": block.id,
            "content": [{"type": "text", "text": f"The text of {block.input['path']}. " * 40}],
        }
        for block in answer.content
        if block.type == "tool_use"
    ]
    messages.append(
        {"role": "user", "content": results or [{"type": "text", "text": f"Go on, {turn}."}]}
    )

counted = client.messages.count_tokens(
    model=MODEL, system=SYSTEM, tools=[TOOL], messages=messages
)
assert counted.input_tokens > 1000
requests += 1
assert any(model.id == MODEL for model in client.models.list())

try:
    client.messages.create(model=MODEL, max_tokens=16, messages=[{"role": "user", "content": " "}])
except anthropic.BadRequestError as error:
    assert "non-whitespace" in error.message, error.message
    requests += 1
else:
    raise AssertionError("a blank text was accepted")
print(requests)
