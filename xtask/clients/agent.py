"""An agent of pydantic-ai, with tools, against a server at ANTHROPIC_BASE_URL.

Prints the number of requests that it sent.
"""

from pydantic_ai import Agent
from pydantic_ai.models.anthropic import AnthropicModel
from pydantic_ai.providers.anthropic import AnthropicProvider

provider = AnthropicProvider(api_key="none")
model = AnthropicModel("claude-opus-5", provider=provider)
agent = Agent(model, system_prompt="Be careful with the files of the user. " * 200)


@agent.tool_plain
def read_file(path: str) -> str:
    """Reads a file."""
    return f"The text of {path}. " * 40


history = None
requests = 0
for turn in range(4):
    result = agent.run_sync(f"Read a file, turn {turn}. " * 50, message_history=history)
    history = result.all_messages()
    requests += result.usage.requests
print(requests)
