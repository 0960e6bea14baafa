# SPDX-License-Identifier: Apache-2.0
"""Receives pushes, decompresses and decodes them with code of others, and writes each request as a line of JSON.

    receiver.py PORT [CERTIFICATE KEY [AUTHORITY]]

The first line is {"port": N}; with PORT 0 the port is a free one. With a certificate it speaks TLS, and with an authority it
requires a certificate of a client. The path decides on the answer:

    /v1/metrics, /v1/traces, /v1/logs   decoded as OTLP, also below /otlp
    /write                    decoded as remote write
    /refusing/v1/metrics      the same, and the answer refuses 3 data points
    /status/N                 answers N, with "Retry-After: 7" after 429 and 503
    /flaky/N/...              answers 503 to the first N requests of that path, and then like the rest of the path
    /busy/N/...               answers 503 to the Nth request of that path, and else like the rest of the path
    /limit/N/...              answers 413 to bodies of more than N bytes, and else like the rest of the path
    /redirect, /large, /silent, /close
"""

import base64
import gzip
import http.server
import json
import socketserver
import ssl
import struct
import sys
import threading

from google.protobuf import descriptor_pb2, descriptor_pool, json_format, message_factory
from opentelemetry.proto.collector.logs.v1 import logs_service_pb2
from opentelemetry.proto.collector.metrics.v1 import metrics_service_pb2
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2

PREFIX = "prometheus."


def remote_write_classes():
    """WriteRequest of remote write 1.0, from https://github.com/prometheus/prometheus/tree/main/prompb."""
    field = descriptor_pb2.FieldDescriptorProto
    types = {
        "double": field.TYPE_DOUBLE, "int64": field.TYPE_INT64, "uint64": field.TYPE_UINT64, "string": field.TYPE_STRING,
        "sint32": field.TYPE_SINT32, "uint32": field.TYPE_UINT32, "sint64": field.TYPE_SINT64, "int32": field.TYPE_INT32,
    }
    messages = {
        "Label": [("name", 1, "string"), ("value", 2, "string")],
        "Sample": [("value", 1, "double"), ("timestamp", 2, "int64")],
        "Exemplar": [("labels", 1, "*Label"), ("value", 2, "double"), ("timestamp", 3, "int64")],
        "BucketSpan": [("offset", 1, "sint32"), ("length", 2, "uint32")],
        "Histogram": [
            ("count_int", 1, "uint64"), ("sum", 3, "double"), ("schema", 4, "sint32"), ("zero_threshold", 5, "double"),
            ("zero_count_int", 6, "uint64"), ("negative_spans", 8, "*BucketSpan"), ("negative_deltas", 9, "*sint64"),
            ("positive_spans", 11, "*BucketSpan"), ("positive_deltas", 12, "*sint64"), ("reset_hint", 14, "int32"),
            ("timestamp", 15, "int64"),
        ],
        "TimeSeries": [
            ("labels", 1, "*Label"), ("samples", 2, "*Sample"), ("exemplars", 3, "*Exemplar"),
            ("histograms", 4, "*Histogram"),
        ],
        "WriteRequest": [("timeseries", 1, "*TimeSeries")],
    }
    file = descriptor_pb2.FileDescriptorProto(name="remote.proto", package="prometheus", syntax="proto3")
    for name, fields in messages.items():
        message = file.message_type.add(name=name)
        for label, number, kind in fields:
            added = message.field.add(name=label, number=number)
            added.label = field.LABEL_REPEATED if kind[0] == "*" else field.LABEL_OPTIONAL
            kind = kind.lstrip("*")
            if kind in types:
                added.type = types[kind]
            else:
                added.type, added.type_name = field.TYPE_MESSAGE, "." + PREFIX + kind
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return message_factory.GetMessageClass(pool.FindMessageTypeByName(PREFIX + "WriteRequest"))


WriteRequest = remote_write_classes()


def snappy(data):
    """Decodes Snappy's block format: https://github.com/google/snappy/blob/main/format_description.txt."""
    length, shift, at = 0, 0, 0
    while True:
        byte = data[at]
        at += 1
        length |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            break
    out = bytearray()
    while at < len(data):
        tag = data[at]
        at += 1
        if tag & 3 == 0:
            size = tag >> 2
            if size >= 60:
                more = size - 59
                size = int.from_bytes(data[at:at + more], "little")
                at += more
            out += data[at:at + size + 1]
            at += size + 1
            continue
        if tag & 3 == 1:
            size, offset = (tag >> 2 & 7) + 4, (tag >> 5) << 8 | data[at]
            at += 1
        else:
            more = 2 if tag & 3 == 2 else 4
            size, offset = (tag >> 2) + 1, int.from_bytes(data[at:at + more], "little")
            at += more
        assert 0 < offset <= len(out)
        for _ in range(size):
            out.append(out[-offset])
    assert len(out) == length, (len(out), length)
    return bytes(out)


def bits(value):
    return format(struct.unpack("<Q", struct.pack("<d", value))[0], "016x")


def series_of(request):
    """Each series as a dictionary. JSON has neither NaN nor infinities, so values are bits too."""
    for series in request.timeseries:
        yield {
            "names": [label.name for label in series.labels],
            "labels": {label.name: label.value for label in series.labels},
            "values": [sample.value if abs(sample.value) < 1e300 else str(sample.value) for sample in series.samples],
            "bits": [bits(sample.value) for sample in series.samples],
            "times": [sample.timestamp for sample in series.samples],
            "exemplars": [
                {"labels": {label.name: label.value for label in entry.labels}, "value": entry.value, "time": entry.timestamp}
                for entry in series.exemplars
            ],
            "histograms": [json_format.MessageToDict(h, preserving_proto_field_name=True) for h in series.histograms],
        }


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    flaky = {}

    def log_message(self, *_):
        pass

    def handle_one(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        line = {"method": self.command, "path": self.path, "bytes": len(body), "headers": dict(self.headers)}
        if self.headers.get("Content-Encoding") == "gzip":
            body = gzip.decompress(body)
        line["plain"] = len(body)
        path = self.path
        if path.startswith("/limit/"):
            _, _, limit, path = path.split("/", 3)
            path = "/" + path
            if len(body) > int(limit):
                write(line | {"answer": 413})
                return self.answer(413, b"too large")
        if path.startswith(("/flaky/", "/busy/")):
            _, kind, count, path = path.split("/", 3)
            path = "/" + path
            seen = Handler.flaky[self.path] = Handler.flaky.get(self.path, 0) + 1
            if seen == int(count) or kind == "flaky" and seen < int(count):
                write(line | {"answer": 503})
                return self.answer(503, b"not yet")
        refusing = path.startswith("/refusing")
        path = path.removeprefix("/refusing").removeprefix("/otlp")
        if path == "/v1/metrics":
            line["otlp"] = json_format.MessageToDict(metrics_service_pb2.ExportMetricsServiceRequest.FromString(body))
            reply = metrics_service_pb2.ExportMetricsServiceResponse()
            if refusing:
                reply.partial_success.rejected_data_points = 3
                reply.partial_success.error_message = "too old"
            write(line)
            return self.answer(200, reply.SerializeToString())
        if path == "/v1/traces":
            line["otlp"] = json_format.MessageToDict(trace_service_pb2.ExportTraceServiceRequest.FromString(body))
            write(line)
            return self.answer(200, trace_service_pb2.ExportTraceServiceResponse().SerializeToString())
        if path == "/v1/logs":
            line["otlp"] = json_format.MessageToDict(logs_service_pb2.ExportLogsServiceRequest.FromString(body))
            write(line)
            return self.answer(200, logs_service_pb2.ExportLogsServiceResponse().SerializeToString())
        if path == "/write":
            line["series"] = list(series_of(WriteRequest.FromString(snappy(body))))
            write(line)
            return self.answer(204, b"")
        write(line | {"body": base64.b64encode(body).decode()})
        if path.startswith("/status/"):
            return self.answer(int(path.split("/")[2]), b"as asked\x07")
        if path.startswith("/redirect"):
            return self.answer(302, b"", {"Location": "/v1/metrics"})
        if path.startswith("/large"):
            return self.answer(200, b"x" * 1_000_000)
        if path.startswith("/silent"):
            threading.Event().wait(600)
        if path.startswith("/close"):
            self.close_connection = True
            return None
        return self.answer(200, b"")

    do_GET = do_PUT = do_POST = do_DELETE = handle_one

    def answer(self, status, body, headers={}):
        self.send_response(status)
        if status in (429, 503):
            self.send_header("Retry-After", "7")
        for name, value in headers.items():
            self.send_header(name, value)
        if status != 204:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if status != 204:
            self.wfile.write(body)


lock = threading.Lock()


def write(line):
    with lock:
        print(json.dumps(line), flush=True)


class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True

    def handle_error(self, request, client_address):
        pass


def main():
    server = Server(("127.0.0.1", int(sys.argv[1])), Handler)
    if len(sys.argv) > 3:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(sys.argv[2], sys.argv[3])
        if len(sys.argv) > 4:
            context.load_verify_locations(sys.argv[4])
            context.verify_mode = ssl.CERT_REQUIRED
        server.socket = context.wrap_socket(server.socket, server_side=True)
    write({"port": server.server_address[1]})
    server.serve_forever()


main()
