"""A client that has to fail: a clock in its system text, against `aside serve --strict`.

The first argument is the command `aside`. Each request has another system text, so each one after
the first misses the cache. The server has to end with 1 and to name the cause and the byte of each
miss, in its report and in JUnit. The same client without the clock is clean.
"""

import datetime
import json
import re
import signal
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import anthropic

REQUESTS = 4
INSTRUCTIONS = "Be careful with the files of the user. " * 200


def send(url, has_clock):
    """Sends one conversation, as an agent would."""
    client = anthropic.Anthropic(base_url=url, api_key="none")
    messages = []
    for turn in range(REQUESTS):
        time = f"It is {datetime.datetime.now().isoformat()}." if has_clock else ""
        system = {
            "type": "text",
            "text": INSTRUCTIONS + time,
            "cache_control": {"type": "ephemeral"},
        }
        messages.append({"role": "user", "content": f"Read a file, turn {turn}."})
        answer = client.messages.create(
            model="claude-opus-5", max_tokens=1024, system=[system], messages=messages
        )
        blocks = [block.to_dict() for block in answer.content]
        messages.append({"role": "assistant", "content": blocks})


def serve(aside, has_clock):
    """Returns the exit code of the server, its report, and the failures in JUnit."""
    with tempfile.TemporaryDirectory() as directory:
        junit = Path(directory, "junit.xml")
        server = subprocess.Popen(
            [aside, "serve", "--strict", "--json", "--junit", junit],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        try:
            send(server.stdout.readline().strip().split("=", 1)[1], has_clock)
            server.send_signal(signal.SIGINT)
            report, _ = server.communicate(timeout=60)
        finally:
            server.kill()
        failures = ElementTree.parse(junit).getroot().iter("failure")
        texts = [failure.get("message", "") + (failure.text or "") for failure in failures]
        return server.returncode, json.loads(report), texts


code, report, failures = serve(sys.argv[1], has_clock=True)
misses = [line["miss"] for line in report["misses"]]
assert code == 1, f"exit code {code}, expected 1: {report}"
assert len(misses) == REQUESTS - 1, f"expected {REQUESTS - 1} misses: {report}"
for miss in misses:
    difference = miss["difference"]
    assert difference["path"] == "system[0].text", miss
    assert difference["cause"], miss
    assert difference["value_offset"] > len(INSTRUCTIONS), miss
assert len(failures) == REQUESTS - 1, f"expected {REQUESTS - 1} failures in JUnit: {failures}"
for failure in failures:
    assert re.search(r"at system\[0\]\.text, byte 78\d\d \(.+\)", failure), failure

code, report, failures = serve(sys.argv[1], has_clock=False)
assert (code, report["misses"], failures) == (0, [], []), (code, report, failures)
print(f"{REQUESTS - 1} misses with the clock, none without it")
