"""Receives telemetry by OpenTelemetry's own definitions, for tests: telemetry-server.py DIR

Refuses what the definitions don't know with 400 and the reason. GET /received/SERVICE tells what a service has sent.
"""

import base64
import http.server
import json
import pathlib
import sys

from google.protobuf import json_format
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

received = {}


def with_base64(value):
    """Replaces the hexadecimal identifiers of OTLP's JSON by the base64 of the JSON of protocol buffers."""
    if isinstance(value, list):
        return [with_base64(item) for item in value]
    if not isinstance(value, dict):
        return value
    sizes = {"traceId": 16, "spanId": 8, "parentSpanId": 8}
    for name, size in sizes.items():
        if name in value and len(bytes.fromhex(value[name])) != size:
            raise ValueError(f"{name} has not {size} bytes")
    return {
        name: base64.b64encode(bytes.fromhex(item)).decode() if name in sizes else with_base64(item)
        for name, item in value.items()
    }


def attributes(message):
    return {item.key: getattr(item.value, item.value.WhichOneof("value")) for item in message.attributes}


def read(path, body):
    message = {"/v1/traces": ExportTraceServiceRequest, "/v1/metrics": ExportMetricsServiceRequest}[path]()
    json_format.ParseDict(with_base64(json.loads(body)), message)
    for group in getattr(message, "resource_spans", []):
        kept = received.setdefault(attributes(group.resource)["service.name"], [])
        for span in (span for scope in group.scope_spans for span in scope.spans):
            if len(span.trace_id) != 16 or len(span.span_id) != 8 or span.end_time_unix_nano < span.start_time_unix_nano:
                raise ValueError("a span without identifiers, or that ends before it begins")
            kept.append({
                "trace": span.trace_id.hex(), "id": span.span_id.hex(), "parent": span.parent_span_id.hex(),
                "name": span.name, "kind": span.kind, "status": span.status.code, "attributes": {
                    name: str(value) for name, value in attributes(span).items()}})
    for group in getattr(message, "resource_metrics", []):
        kept = received.setdefault(attributes(group.resource)["service.name"], [])
        for metric in (metric for scope in group.scope_metrics for metric in scope.metrics):
            points = getattr(metric, metric.WhichOneof("data")).data_points
            count = sum(point.count if metric.HasField("histogram") else point.as_int for point in points)
            kept.append({"name": metric.name, "attributes": {"count": str(count)}})


class Collector(http.server.BaseHTTPRequestHandler):
    def respond(self, status, body):
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        try:
            read(self.path, body)
        except (ValueError, KeyError, json_format.ParseError) as error:
            return self.respond(400, json.dumps({"message": str(error)}).encode())
        self.respond(200, b"{}")

    def do_GET(self):
        self.respond(200, json.dumps(received.get(self.path.rsplit("/", 1)[-1], [])).encode())

    def log_message(self, *_):
        pass


with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Collector) as server:
    folder = pathlib.Path(sys.argv[1])
    part = folder / "env.part"
    part.write_text(f"export RECORDKIT_OTLP_URL=http://127.0.0.1:{server.server_port}\n")
    part.rename(folder / "env")
    server.serve_forever()
