"""A server on a loopback port, for a client that takes no transport."""

from __future__ import annotations

import http.server
import threading
from typing import Any, Callable, Iterator


def listen(answer: Callable[[str, Any, bytes], tuple[int, dict[str, str], bytes]]) -> http.server.ThreadingHTTPServer:
    """Starts a server in a thread of its own. ``answer`` takes path, headers and body."""

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = b"".join(self.parts())
            status, headers, body = answer(self.path.split("?", 1)[0], self.headers, body)
            self.send_response(status)
            for name, value in {**headers, "content-length": str(len(body))}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        do_GET = do_POST

        def parts(self) -> Iterator[bytes]:
            """Returns the body, or its chunks."""
            if self.headers.get("transfer-encoding", "").lower() != "chunked":
                yield self.rfile.read(int(self.headers.get("content-length") or 0))
                return
            while size := int(self.rfile.readline().split(b";")[0], 16):
                yield self.rfile.read(size)
                self.rfile.readline()
            while self.rfile.readline().strip():
                pass

        def log_message(self, *_: Any) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    return server
