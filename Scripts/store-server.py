"""Serves one record for the first program of the README: Scripts/store-server.py [PORT]

Listens at http://localhost:8642 until it is interrupted. Port 0 selects a free port. The address is printed.
"""

import http.server
import sys


class Store(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        found = self.path == "/records/LP-0042"
        body = b'{"sku": "LP-0042", "title": "Kind of Miles", "quantity": 3}' if found else b'{"title": "No such record"}'
        self.send_response(200 if found else 404)
        self.send_header("Content-Type", "application/json" if found else "application/problem+json")
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
