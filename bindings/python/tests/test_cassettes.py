"""VCR.py and pytest-recording: a fresh cassette is replayed, a stale one fails."""

import http.server
import io
import threading

import pytest
from vcr.request import Request

import aside
import aside.vcr

pytest_plugins = ["pytester"]

TEST = """
import anthropic, pytest

@pytest.mark.vcr(match_on=["method", "uri", "aside"])
def test_agent():
    client = anthropic.Anthropic(api_key="none", base_url="URL", max_retries=0)
    reply = client.messages.create(model="claude-haiku-4-5", max_tokens=8, system="SYSTEM",
                                   messages=[{"role": "user", "content": "Hi"}])
    assert reply.content[0].text == "Hello"
"""
CONFTEST = """
import aside.vcr

def pytest_recording_configure(config, vcr):
    vcr.register_matcher("aside", aside.vcr.matcher(ignore=["system"]))
"""
REPLY = (
    b'{"id":"m","type":"message","role":"assistant","model":"claude-haiku-4-5",'
    b'"content":[{"type":"text","text":"Hello"}],"stop_reason":"end_turn","stop_sequence":null,'
    b'"usage":{"input_tokens":1,"output_tokens":1}}'
)


class Server(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        self.rfile.read(int(self.headers["content-length"]))
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(REPLY)))
        self.end_headers()
        self.wfile.write(REPLY)

    def log_message(self, *_):
        pass


def request(body):
    return Request("POST", "http://localhost/", body, {})


def test_other_bodies_do_not_match_and_are_no_error():
    matches = aside.vcr.matcher()
    lines, body = '{"index":{}}\n{"a":1}\n', '{"model":"m","messages":[]}'
    turned = '{"messages":[],"model":"m"}'
    for one, other in ((body, lines), (lines, body), (lines, lines + lines), (body, None), ("[1", body)):
        for wrap in (str.encode, lambda it: io.BytesIO(it.encode()), lambda it: iter([it.encode()])):
            recorded, sent = [request(it and wrap(it)) for it in (one, other)]
            with pytest.raises(AssertionError):
                matches(sent, recorded)
            matches(request(wrap(one)), recorded)
    for recorded in (turned, io.BytesIO(turned.encode()), iter([b'{"messages":[],', b'"model":"m"}'])):
        matches(request(body), request(recorded))
    with pytest.raises(aside.AsideError, match="ignore_text"):
        aside.vcr.matcher(ignore_text=["("])(request(body), request(turned))


def test_a_stale_cassette_fails_and_a_fresh_one_passes(pytester, monkeypatch):
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    test = TEST.replace("URL", f"http://127.0.0.1:{server.server_port}")
    pytester.makepyfile(test.replace("SYSTEM", "Be kind."))
    pytester.runpytest_subprocess("--record-mode=once").assert_outcomes(passed=1)
    server.shutdown()
    pytester.runpytest_subprocess("--record-mode=none").assert_outcomes(passed=1)
    pytester.makepyfile(test.replace("SYSTEM", "Be brief."))
    result = pytester.runpytest_subprocess("--record-mode=none")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*the request differs from the recorded one*"])
    result.stdout.fnmatch_lines(["*system at byte *"])
    # Below the error of the SDK, which hides that of VCR.py.
    result.stdout.fnmatch_lines(
        ["*APIConnectionError", "*Stale cassette*", "the request differs *", "  system at byte *"]
    )
    # The matcher of a conftest.py takes the place of the plugin's.
    pytester.makeconftest(CONFTEST)
    pytester.runpytest_subprocess("--record-mode=none").assert_outcomes(passed=1)
