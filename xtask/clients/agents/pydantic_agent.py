"""An agent of pydantic-ai with a tool, against a server at ANTHROPIC_BASE_URL: one prompt."""

import sys
from pathlib import Path

from pydantic_ai import Agent
from pydantic_ai.models.anthropic import AnthropicModel
from pydantic_ai.providers.anthropic import AnthropicProvider

model = AnthropicModel("claude-opus-5-5", provider=AnthropicProvider(api_key="none"))
agent = Agent(model, system_prompt="Be careful with the files of the user. " * 200)


@agent.tool_plain
def read_file(path: str) -> str:
    """Reads a file."""
    return Path(path).read_text(errors="replace")


agent.run_sync(sys.argv[1])
