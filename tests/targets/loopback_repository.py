"""A Maven repository on loopback."""

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Repository(ThreadingHTTPServer):
    """Answers what `files` holds, or where `leads` say that it is, after as many failures as asked for, and keeps the paths and headers it was asked."""

    def __init__(self, files: Mapping[str, bytes]) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.files = dict(files)
        self.asked = []
        self.leads = {}
        self.failures = 0
        self.url = f"http://127.0.0.1:{self.server_port}"


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        self.server.asked.append((self.path, {name.lower(): value for name, value in self.headers.items()}))
        content = self.server.files.get(self.path)
        if self.server.failures:
            self.server.failures -= 1
            self.send_error(503)
        elif self.path in self.server.leads:
            self.send_response(302)
            self.send_header("Location", self.server.leads[self.path])
            self.send_header("Content-Length", "0")
            self.end_headers()
        elif content is None:
            self.send_error(404)
        else:
            self.send_response(200)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

    def log_message(self, *_):
        pass


@contextmanager
def serving(files: Mapping[str, bytes]) -> Iterator[Repository]:
    with Repository(files) as server:
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}).start()
        yield server
        server.shutdown()
