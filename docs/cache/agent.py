"""A small agent, as one finds them: it answers questions about a project."""

import json

RULES = "Read before you write. Keep changes small. Run the tests after each change. Say what you did. "
TOOLS = [
    {
        "name": "read",
        "description": "Reads a file of the project and returns its text. " * 12,
        "input_schema": {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]},
    }
]
MARKER = {"cache_control": {"type": "ephemeral"}}


def system(clock):
    """The system prompt."""
    text = f"You are a coding agent. It is {clock}. " + RULES * 25
    return [{"type": "text", "text": text, **MARKER}]


def request(questions, answers, clock):
    """The body of the next request."""
    messages = []
    for index, question in enumerate(questions):
        messages.append({"role": "user", "content": [{"type": "text", "text": question}]})
        if index < len(answers):
            messages.append({"role": "assistant", "content": [{"type": "text", "text": answers[index]}]})
    messages[-1]["content"][-1].update(MARKER)
    return {
        "model": "claude-opus-5-5",
        "max_tokens": 2048,
        "tools": TOOLS,
        "system": system(clock),
        "messages": messages,
    }


def main():
    """Writes the log of a session: a question a minute."""
    questions = [f"Where is step {number} of the build? " + "It fails on my machine. " * 20 for number in range(1, 9)]
    answers = [f"Step {number} is in build.rs. " + "It reads the settings first. " * 20 for number in range(1, 9)]
    for turn in range(1, 9):
        body = request(questions[:turn], answers[: turn - 1], f"10:{50 + turn // 3 * 3:02}")
        entry = {"t": (turn - 1) * 60, "session": "demo", "body": body}
        print(json.dumps(entry, separators=(",", ":")))


if __name__ == "__main__":
    main()
