"""claude-agent-sdk, with the Claude Code of its wheel, against a server at ANTHROPIC_BASE_URL.

Three turns of one session, with parallel calls, a tool that is loaded later and a subagent, and a
fourth turn that resumes the session in a new process. The first argument is the model.

The home directory is temporary and the variables of Claude Code are removed, so neither settings
nor credentials of the user are read. Everything but the requests to the model is turned off. Prints
the number of requests that it sent.
"""

import asyncio
import os
import sys
import tempfile
from pathlib import Path

from claude_agent_sdk import (
    AssistantMessage,
    ClaudeAgentOptions,
    ClaudeSDKClient,
    ResultMessage,
    query,
)

# Each request has one response, whose id all of its blocks have.
responses = set()


def collect(message):
    """Counts a response, and returns the session at the end of a turn."""
    if isinstance(message, AssistantMessage):
        responses.add(message.message_id)
    if isinstance(message, ResultMessage):
        assert not message.is_error, message
        return message.session_id
    return None


async def main(model, home, work):
    for name in list(os.environ):
        if name.startswith(("ANTHROPIC_", "CLAUDE")) and name != "ANTHROPIC_BASE_URL":
            del os.environ[name]
    options = ClaudeAgentOptions(
        model=model,
        cwd=work,
        permission_mode="bypassPermissions",
        system_prompt={"type": "preset", "preset": "claude_code"},
        setting_sources=[],
        # The responses of the subagent are counted, too.
        forward_subagent_text=True,
        env={
            "HOME": str(home),
            "CLAUDE_CONFIG_DIR": str(home / ".claude"),
            "CLAUDE_CODE_TMPDIR": str(home),
            "ANTHROPIC_API_KEY": "none",
            # Without it, the permission mode is refused to root.
            "IS_SANDBOX": "1",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_TELEMETRY": "1",
            "DISABLE_ERROR_REPORTING": "1",
            "DISABLE_AUTOUPDATER": "1",
        },
    )
    session = None
    async with ClaudeSDKClient(options) as client:
        for turn in range(3):
            await client.query(f"Read the notes, turn {turn}. " * 20)
            async for message in client.receive_response():
                session = collect(message) or session
    options.resume = session
    async for message in query(prompt="Read the notes once more. " * 20, options=options):
        session = collect(message) or session
    assert session == options.resume, session
    print(len(responses))


with tempfile.TemporaryDirectory() as directory:
    home, work = Path(directory, "home"), Path(directory, "work")
    home.mkdir()
    work.mkdir()
    (work / "notes.txt").write_text("The notes of the project. " * 60)
    asyncio.run(main(sys.argv[1], home, work))
