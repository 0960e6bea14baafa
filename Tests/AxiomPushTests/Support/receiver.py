# SPDX-License-Identifier: Apache-2.0
"""Receives pushes, decompresses and decodes them with code of others, and writes each request as a line of JSON.

    receiver.py PORT[=PATH] [CERTIFICATE KEY [AUTHORITY]]

The first line is {"port": N}; with PORT 0 the port is a free one. With a path, requests to /write2 are answered as those to it. With a certificate it speaks TLS, and with an authority it
requires a certificate of a client. The path decides on the answer:

    /v1/metrics, /v1/traces, /v1/logs   decoded as OTLP, also below /otlp
    /write                    decoded as remote write 1.0, without a look at the content type
    /write1                   the same, and the answer to another content type is 415
    /write1/400               the same with 400
    /write2                   decoded as remote write 2.0 or 1.0, and checked: the specification's demands that are not met are
                              "problems"
    /write2/STATUS/N          the same, and N samples of a request of 2.0 are written
    /only2                    the same, and the answer to 1.0 is 415
    /stray/STATUS/...         answers STATUS to the first request, and to the others like the rest of the path
    /updated/N/...            the first N requests are answered as by /write1, and the others by the rest of the path
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
import itertools
import json
import math
import socketserver
import ssl
import struct
import sys
import threading

from google.protobuf import descriptor_pb2, descriptor_pool, json_format, message_factory
from google.protobuf.unknown_fields import UnknownFieldSet
from opentelemetry.proto.collector.logs.v1 import logs_service_pb2
from opentelemetry.proto.collector.metrics.v1 import metrics_service_pb2
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2



def message_class(package, root, messages):
    """A class for the message `root` of the schema `messages`."""
    field = descriptor_pb2.FieldDescriptorProto
    types = {
        "double": field.TYPE_DOUBLE, "int64": field.TYPE_INT64, "uint64": field.TYPE_UINT64, "string": field.TYPE_STRING,
        "sint32": field.TYPE_SINT32, "uint32": field.TYPE_UINT32, "sint64": field.TYPE_SINT64, "int32": field.TYPE_INT32,
    }
    file = descriptor_pb2.FileDescriptorProto(name=package + ".proto", package=package, syntax="proto3")
    for name, fields in messages.items():
        message = file.message_type.add(name=name)
        for label, number, kind in fields:
            added = message.field.add(name=label, number=number)
            added.label = field.LABEL_REPEATED if kind[0] == "*" else field.LABEL_OPTIONAL
            kind = kind.lstrip("*")
            if kind in types:
                added.type = types[kind]
            else:
                added.type, added.type_name = field.TYPE_MESSAGE, f".{package}.{kind}"
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return message_factory.GetMessageClass(pool.FindMessageTypeByName(f"{package}.{root}"))


SPAN = [("offset", 1, "sint32"), ("length", 2, "uint32")]
HISTOGRAM = [
    ("count_int", 1, "uint64"), ("sum", 3, "double"), ("schema", 4, "sint32"), ("zero_threshold", 5, "double"),
    ("zero_count_int", 6, "uint64"), ("negative_spans", 8, "*BucketSpan"), ("negative_deltas", 9, "*sint64"),
    ("positive_spans", 11, "*BucketSpan"), ("positive_deltas", 12, "*sint64"), ("reset_hint", 14, "int32"),
    ("timestamp", 15, "int64"),
]
# Remote write 1.0: https://github.com/prometheus/prometheus/tree/main/prompb
WriteRequest = message_class("prometheus", "WriteRequest", {
    "Label": [("name", 1, "string"), ("value", 2, "string")],
    "Sample": [("value", 1, "double"), ("timestamp", 2, "int64")],
    "Exemplar": [("labels", 1, "*Label"), ("value", 2, "double"), ("timestamp", 3, "int64")],
    "BucketSpan": SPAN,
    "Histogram": HISTOGRAM,
    "TimeSeries": [
        ("labels", 1, "*Label"), ("samples", 2, "*Sample"), ("exemplars", 3, "*Exemplar"), ("histograms", 4, "*Histogram"),
    ],
    "WriteRequest": [("timeseries", 1, "*TimeSeries")],
})
# Remote write 2.0-rc.4: https://prometheus.io/docs/specs/prw/remote_write_spec_2_0/
Request = message_class("io.prometheus.write.v2", "Request", {
    "Sample": [("value", 1, "double"), ("timestamp", 2, "int64"), ("start_timestamp", 3, "int64")],
    "Exemplar": [("labels_refs", 1, "*uint32"), ("value", 2, "double"), ("timestamp", 3, "int64")],
    "Metadata": [("type", 1, "int32"), ("help_ref", 3, "uint32"), ("unit_ref", 4, "uint32")],
    "BucketSpan": SPAN,
    "Histogram": HISTOGRAM + [("custom_values", 16, "*double"), ("start_timestamp", 17, "int64")],
    "TimeSeries": [
        ("labels_refs", 1, "*uint32"), ("samples", 2, "*Sample"), ("histograms", 3, "*Histogram"),
        ("exemplars", 4, "*Exemplar"), ("metadata", 5, "Metadata"),
    ],
    "Request": [("symbols", 4, "*string"), ("timeseries", 5, "*TimeSeries")],
})
TYPES = ["", "counter", "gauge", "histogram", "gaugehistogram", "summary", "info", "stateset"]


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


def number(value):
    """JSON has neither NaN nor infinities."""
    return value if abs(value) < 1e300 else str(value)


def has_unknown_fields(message):
    nested = (value for field, value in message.ListFields() if field.type == field.TYPE_MESSAGE)
    messages = (one for value in nested for one in ([value] if hasattr(value, "ListFields") else value))
    return len(UnknownFieldSet(message)) > 0 or any(has_unknown_fields(one) for one in messages)


def series_line(series, pairs, exemplars):
    """A series as a dictionary. The values are bits, too."""
    return {
        "names": [name for name, _ in pairs],
        "labels": dict(pairs),
        "values": [number(sample.value) for sample in series.samples],
        "bits": [bits(sample.value) for sample in series.samples],
        "times": [sample.timestamp for sample in [*series.samples, *series.histograms]],
        "exemplars": [
            {"labels": dict(labels), "value": number(entry.value), "time": entry.timestamp}
            for labels, entry in zip(exemplars, series.exemplars)
        ],
        "histograms": [json_format.MessageToDict(h, preserving_proto_field_name=True) for h in series.histograms],
    }


def lines_1(request, problems):
    if has_unknown_fields(request):
        problems.append("fields that 1.0 does not have")
    for series in request.timeseries:
        exemplars = [[(label.name, label.value) for label in entry.labels] for entry in series.exemplars]
        yield series_line(series, [(label.name, label.value) for label in series.labels], exemplars)


def lines_2(request, problems):
    symbols, used = list(request.symbols), {0}
    if has_unknown_fields(request):
        problems.append("fields that 2.0 does not have")
    if symbols[:1] != [""]:
        problems.append("the first symbol is not empty")
    if len(set(symbols)) < len(symbols):
        problems.append("a symbol stands twice in the table")

    def text(reference):
        used.add(reference)
        if reference < len(symbols):
            return symbols[reference]
        problems.append(f"reference {reference} of {len(symbols)} symbols")
        return ""

    def labels(references, owner):
        texts = [text(reference) for reference in references]
        names = [name.encode() for name in texts[::2]]
        if len(texts) % 2 or any(left >= right for left, right in zip(names, names[1:])):
            problems.append(f"labels of {owner}: {texts}")
        return list(zip(texts[::2], texts[1::2]))

    for series in request.timeseries:
        pairs = labels(series.labels_refs, "a series")
        exemplars = [labels(entry.labels_refs, "an exemplar") for entry in series.exemplars]
        points = [*series.samples, *series.histograms]
        if not all(name and value for name, value in pairs) or "__name__" not in dict(pairs):
            problems.append(f"labels without a name or a value: {pairs}")
        if bool(series.samples) == bool(series.histograms):
            problems.append(f"not either samples or histograms: {pairs}")
        if any(point.timestamp <= 0 or point.start_timestamp > point.timestamp for point in points):
            problems.append(f"times of {pairs}")
        if any(entry.timestamp <= 0 for entry in series.exemplars):
            problems.append(f"an exemplar of {pairs} has no time")
        if not 0 < series.metadata.type < len(TYPES):
            problems.append(f"type {series.metadata.type} of {pairs}")
        if not all(is_sound(histogram) for histogram in series.histograms):
            problems.append(f"the histogram of {pairs}")
        line = series_line(series, pairs, exemplars)
        line["type"], line["start"] = TYPES[series.metadata.type], max((point.start_timestamp for point in points), default=0)
        line["help"], line["unit"] = text(series.metadata.help_ref), text(series.metadata.unit_ref)
        for histogram in line["histograms"]:
            histogram.pop("start_timestamp", None)
        yield line
    if used != set(range(len(symbols))):
        problems.append("symbols that no series uses")


def is_sound(histogram):
    """Whether each bucket of a native histogram has a span, and the buckets have all observations but those of NaN."""
    total = histogram.zero_count_int
    for spans, deltas in [
        (histogram.positive_spans, histogram.positive_deltas), (histogram.negative_spans, histogram.negative_deltas)
    ]:
        counts = list(itertools.accumulate(deltas))
        total += sum(counts)
        if len(counts) != sum(span.length for span in spans) or any(count < 0 for count in counts):
            return False
    return total == histogram.count_int or math.isnan(histogram.sum) and total < histogram.count_int


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    flaky = {}
    old = None

    def log_message(self, *_):
        pass

    def handle_one(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        line = {"method": self.command, "path": self.path, "bytes": len(body), "headers": dict(self.headers)}
        if self.headers.get("Content-Encoding") == "gzip":
            body = gzip.decompress(body)
        line["plain"] = len(body)
        path = Handler.old if Handler.old and self.path == "/write2" else self.path
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
        if path.startswith("/updated/"):
            _, _, count, path = path.split("/", 3)
            seen = Handler.flaky[self.path] = Handler.flaky.get(self.path, 0) + 1
            path = "/write1" if seen <= int(count) else "/" + path
        if path.startswith("/stray/"):
            _, _, status, path = path.split("/", 3)
            path = "/" + path
            seen = Handler.flaky[self.path] = Handler.flaky.get(self.path, 0) + 1
            if seen == 1:
                write(line | {"answer": int(status)})
                return self.answer(int(status), b"not from the receiver")
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
        if path == "/only2":
            path = "/write2"
            if self.headers["X-Prometheus-Remote-Write-Version"] == "0.1.0":
                write(line | {"answer": 415})
                return self.answer(415, b"no 1.0 here")
        if path.startswith("/write"):
            return self.remote_write(path, snappy(body), line)
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

    def remote_write(self, path, body, line):
        is_2 = self.headers["Content-Type"] == "application/x-protobuf;proto=io.prometheus.write.v2.Request"
        if path.startswith("/write1") and is_2:
            write(line | {"answer": 415})
            return self.answer(400 if path.endswith("400") else 415, b"no 2.0 here")
        problems = line["problems"] = []
        if not path.startswith("/write2") or not is_2:
            line["series"] = list(lines_1(WriteRequest.FromString(body), [] if is_2 else problems))
            write(line)
            return self.answer(204, b"")
        series = line["series"] = list(lines_2(Request.FromString(body), problems))
        status, written = ([int(part) for part in path.split("/")[2:]] + [None] * 2)[:2]
        taken = series if written is None else series[:written]
        write(line)
        counts = {
            "Samples": sum(len(one["bits"]) for one in taken), "Histograms": sum(len(one["histograms"]) for one in taken),
            "Exemplars": sum(len(one["exemplars"]) for one in taken),
        }
        headers = {f"X-Prometheus-Remote-Write-{name}-Written": str(count) for name, count in counts.items()}
        return self.answer(status or 204, b"as asked", headers)

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
    port, _, Handler.old = sys.argv[1].partition("=")
    server = Server(("127.0.0.1", int(port)), Handler)
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
