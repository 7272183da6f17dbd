"""An agent of pydantic-ai that reviews a project.

    aside proxy --record records -- python agent.py
"""

import sys
import time
from datetime import datetime
from pathlib import Path

from pydantic_ai import Agent
from pydantic_ai.models.anthropic import AnthropicModelSettings

agent = Agent(
    "anthropic:claude-opus-5-5",
    model_settings=AnthropicModelSettings(
        anthropic_cache_instructions=True,
        anthropic_cache_tool_definitions=True,
        anthropic_cache_messages=True,
    ),
    instructions=Path(__file__).with_name("rules.md").read_text(),
)


@agent.instructions
def clock() -> str:
    """Tells the model the time."""
    return f"The current time is {datetime.now():%Y-%m-%d %H:%M:%S}."


@agent.tool_plain
def read_file(path: str) -> str:
    """Reads a file of the project and returns its text.

    Args:
        path: The path of the file, relative to the root of the project.
    """
    return (Path(__file__).parent / Path(path).name).read_text()


@agent.tool_plain
def search(pattern: str) -> list[str]:
    """Searches the files of the project for a text.

    Args:
        pattern: The text to search for.
    """
    files = Path(__file__).parent.iterdir()
    return [it.name for it in files if it.is_file() and pattern in it.read_text()]


history = None
for question in sys.argv[1:] or ["What does this agent do?", "Which of its tools write files?"]:
    result = agent.run_sync(question, message_history=history)
    history = result.all_messages()
    time.sleep(2)
