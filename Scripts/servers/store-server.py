"""Serves a record store for the programs of the README and of Examples: Scripts/servers/store-server.py [PORT]

It has two copies of one record, and sells them: then a sale is refused with 409. It streams a text at /chat.
Listens at http://localhost:8642 until it is interrupted. Port 0 selects a free port. The address is printed.
"""

import http.server
import json
import sys
import threading

lock = threading.Lock()
left = 2


class Store(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        if self.path == "/records/LP-0042":
            self.reply(200, {"sku": "LP-0042", "title": "Kind of Miles", "quantity": left})
        else:
            self.reply(404, {"title": "No such record"})

    def do_POST(self):
        global left
        body = json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))) or "{}")
        if self.path == "/chat":
            chunks = [json.dumps({"text": word}) for word in ("Kind ", "of ", "Miles.")] + ["[DONE]"]
            return self.send(200, "text/event-stream", "".join(f"data: {chunk}\n\n" for chunk in chunks).encode())
        if self.path != "/records/LP-0042/sales":
            return self.reply(404, {"title": "No such record"})
        with lock:
            is_enough = left >= body.get("copies", 1)
            left -= body.get("copies", 1) if is_enough else 0
        if is_enough:
            self.send(204)
        else:
            self.reply(409, {"title": "There is none left"})

    def reply(self, status, value):
        kind = "application/json" if status == 200 else "application/problem+json"
        self.send(status, kind, json.dumps(value).encode())

    def send(self, status, kind=None, body=b""):
        self.send_response(status)
        if kind:
            self.send_header("Content-Type", kind)
        if status != 204:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


port = int(sys.argv[1]) if len(sys.argv) > 1 else 8642
with http.server.ThreadingHTTPServer(("127.0.0.1", port), Store) as server:
    print(f"http://localhost:{server.server_port}", flush=True)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        pass
