"""An agent of openai-agents with a tool, against a server at OPENAI_BASE_URL: one prompt."""

import sys
from pathlib import Path

from agents import Agent, Runner, function_tool, set_tracing_disabled


@function_tool
def read_file(path: str) -> str:
    """Reads a file."""
    return Path(path).read_text(errors="replace")


set_tracing_disabled(True)
instructions = "Be careful with the files of the user. " * 200
agent = Agent(name="Reader", instructions=instructions, tools=[read_file], model="gpt-6.1-sol")
Runner.run_sync(agent, sys.argv[1])
