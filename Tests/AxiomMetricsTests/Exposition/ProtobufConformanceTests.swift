// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomTestSupport
import Foundation
import Testing

@testable import AxiomMetrics

@Suite(
    "Conformance of protocol buffers with an independent reader",
    .enabled(if: ExternalTool.prometheusPython.mayRun, Comment(rawValue: ExternalTool.prometheusPython.installation))
)
struct ProtobufConformanceTests {
    private struct Family: Decodable {
        let name: String
        let help: String
        let type: Int
        let unit: String
        /// Each metric as the lines that ``expected`` makes too.
        let metrics: [Metric]
    }

    private struct Metric: Decodable {
        let labels: [[String]]
        let value: String?
        let count: UInt64?
        let sum: String?
        let created: String?
        let buckets: [[String]]
        let exemplars: [Exemplar]
        let schema: Int?
        let zeroThreshold: String?
        let zeroCount: UInt64?
        /// Index and count.
        let positive: [[Int]]
        let negative: [[Int]]
    }

    private struct Exemplar: Decodable {
        let labels: [[String]]
        let value: String
        let timestamp: String
    }

    @Test(
        "Every hostile snapshot is read back, native histograms bucket by bucket",
        arguments: [NameEscaping.allowUTF8, .underscores, .dots, .values]
    )
    func roundTrip(_ escaping: NameEscaping) async throws {
        for seed: UInt64 in 0..<12 {
            let hostile = try HostileSnapshot(seed: seed)
            var buffer = ExpositionBuffer()
            ProtobufEncoder(escaping: escaping).encode(hostile.snapshot, into: &buffer)
            let output = try await ExternalTool.prometheusPython.run(["-c", Self.script], input: Data(buffer.bytes))
            try #require(output.status == 0, "seed \(seed): \(output.errors)")
            let read = try JSONDecoder().decode([Family].self, from: Data(output.output.utf8))
            try #require(read.count == hostile.families.count, "seed \(seed)")
            for (found, family) in zip(read, hostile.families) {
                #expect(
                    found.name.unicodeScalars.elementsEqual(escaping.escape(family.definition.name).unicodeScalars)
                )
                #expect(found.help.unicodeScalars.elementsEqual(family.definition.help.unicodeScalars))
                #expect(found.unit == family.definition.unit ?? "")
                #expect(
                    found.type
                        == (family.definition.kind == .counter ? 0 : family.definition.kind == .histogram ? 4 : 1)
                )
                try #require(found.metrics.count == family.series.count)
                for (metric, series) in zip(found.metrics, family.series) {
                    try check(metric, series, family.definition, escaping)
                }
            }
        }
    }

    private func check(
        _ metric: Metric,
        _ series: HostileSnapshot.Series,
        _ definition: MetricDefinition,
        _ escaping: NameEscaping
    ) throws {
        let labels = series.labels.map { (name: escaping.escape($0.name), value: $0.value) }
        #expect(ReadSample("", metric.labels.map { ($0[0], $0[1]) }, 0) == ReadSample("", labels, 0))
        let hasCreated = definition.kind == .counter || definition.kind == .histogram
        #expect(metric.created.flatMap(Double.init) == (hasCreated ? series.created : nil))
        let value = (metric.sum ?? metric.value).flatMap(Double.init)
        #expect(ReadSample("", [], value ?? 0) == ReadSample("", [], series.number))
        let found = metric.exemplars.map {
            ReadSample.exemplar($0.labels.map { ($0[0], $0[1]) }, Double($0.value) ?? 0, Double($0.timestamp) ?? 0)
        }
        #expect(
            found == series.exemplars.map { ReadSample.exemplar($0.labels, $0.exemplar.value, $0.exemplar.timestamp) }
        )
        guard definition.kind == .histogram else { return }
        #expect(metric.count == series.counts.reduce(0, +))
        var cumulative: UInt64 = 0
        let bounds = definition.buckets.upperBounds
        let buckets = zip(bounds, series.counts).map { bound, count in
            cumulative += count
            return [String(cumulative), bound.description]
        }
        #expect(metric.buckets.prefix(bounds.count).map { [$0[0], Double($0[1])?.description ?? ""] } == buckets)
        if let native = series.native { check(metric, native) }
    }

    private func check(_ metric: Metric, _ native: ExponentialHistogramData) {
        #expect(metric.schema == native.schema)
        #expect(metric.zeroThreshold.flatMap(Double.init) == native.zeroThreshold)
        #expect(metric.zeroCount == native.zeroCount)
        let last = ExponentialScale.shared.index(of: .greatestFiniteMagnitude, schema: native.schema)
        func buckets(_ buckets: ExponentialBuckets, _ infinities: UInt64) -> [[Int]] {
            let finite = buckets.indices.filter { buckets[$0] > 0 }.map { [$0, Int(buckets[$0])] }
            return finite + (infinities > 0 ? [[last + 1, Int(infinities)]] : [])
        }
        #expect(metric.positive.filter { $0[1] != 0 } == buckets(native.positive, native.positiveInfinities))
        #expect(metric.negative.filter { $0[1] != 0 } == buckets(native.negative, native.negativeInfinities))
    }

    /// A reader of the wire format and of the part of the schema that there is, written from its definition.
    private static let script = """
        import json, struct, sys
        def varint(b, i):
            v = s = 0
            while True:
                v |= (b[i] & 127) << s; s += 7; i += 1
                if b[i - 1] < 128: return v, i
        def fields(b):
            out, i = {}, 0
            while i < len(b):
                key, i = varint(b, i)
                if key & 7 == 0: v, i = varint(b, i)
                elif key & 7 == 1: v, i = struct.unpack("<d", b[i:i + 8])[0], i + 8
                elif key & 7 == 2:
                    n, i = varint(b, i)
                    v, i = b[i:i + n], i + n
                    assert len(v) == n
                else: raise ValueError("wire type")
                out.setdefault(key >> 3, []).append(v)
            return out
        one = lambda f, n, d=None: f[n][0] if n in f else d
        zag = lambda v: (v >> 1) ^ -(v & 1)
        hexed = lambda v: None if v is None else float(v).hex()
        def labels(f): return [[one(fields(l), n, b"").decode() for n in (1, 2)] for l in f.get(1, [])]
        def time(b):
            f = fields(b)
            return one(f, 1, 0) + one(f, 2, 0) / 1e9
        def exemplar(b):
            f = fields(b)
            return {"labels": labels(f), "value": hexed(one(f, 2)), "timestamp": hexed(time(one(f, 3)))}
        def native(f, spans, deltas):
            values = []
            for packed in f.get(deltas, []):
                i = 0
                while i < len(packed):
                    v, i = varint(packed, i)
                    values.append(zag(v))
            out, index, count, position = [], 0, 0, 0
            for number, span in enumerate(f.get(spans, [])):
                s = fields(span)
                gap = zag(one(s, 1, 0))
                assert number == 0 or gap >= 0
                index += gap
                for _ in range(one(s, 2, 0)):
                    count += values[position]; position += 1
                    out.append([index, count]); index += 1
            assert position == len(values)
            return out
        def metric(b):
            f = fields(b)
            m = {"labels": labels(f), "buckets": [], "exemplars": [], "positive": [], "negative": []}
            holder = fields(one(f, 2) or one(f, 3) or one(f, 7))
            if 7 not in f:
                m["value"] = hexed(one(holder, 1))
                m["exemplars"] = [exemplar(e) for e in holder.get(2, [])]
                m["created"] = hexed(time(holder[3][0])) if 3 in holder else None
                return m
            m["count"], m["sum"] = one(holder, 1), hexed(one(holder, 2))
            for bucket in map(fields, holder.get(3, [])):
                m["buckets"].append([str(one(bucket, 1)), hexed(one(bucket, 2))])
                m["exemplars"] += [exemplar(e) for e in bucket.get(3, [])]
            m["exemplars"] += [exemplar(e) for e in holder.get(16, [])]
            m["created"] = hexed(time(holder[15][0]))
            if 5 in holder:
                m["schema"], m["zeroThreshold"], m["zeroCount"] = zag(one(holder, 5)), hexed(one(holder, 6)), one(holder, 7)
                m["negative"], m["positive"] = native(holder, 9, 10), native(holder, 12, 13)
                assert 12 in holder or 9 in holder or m["zeroCount"] or float.fromhex(m["zeroThreshold"]) > 0
            return m
        page, i, out = sys.stdin.buffer.read(), 0, []
        while i < len(page):
            n, i = varint(page, i)
            f = fields(page[i:i + n]); i += n
            out.append({"name": one(f, 1).decode(), "help": one(f, 2).decode(), "type": one(f, 3),
                        "unit": one(f, 5, b"").decode(), "metrics": [metric(m) for m in f.get(4, [])]})
        print(json.dumps(out))
        """
}
