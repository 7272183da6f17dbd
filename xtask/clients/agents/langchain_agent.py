"""An agent of LangChain with a tool, against a server at ANTHROPIC_BASE_URL: one prompt."""

import sys
from pathlib import Path

from langchain.agents import create_agent
from langchain_anthropic import ChatAnthropic


def read_file(path: str) -> str:
    """Reads a file."""
    return Path(path).read_text(errors="replace")


model = ChatAnthropic(model="claude-opus-5-5", api_key="none", max_tokens=4096)
instructions = "Be careful with the files of the user. " * 200
agent = create_agent(model, tools=[read_file], system_prompt=instructions)
agent.invoke({"messages": [{"role": "user", "content": sys.argv[1]}]})
