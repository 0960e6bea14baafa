// SPDX-License-Identifier: Apache-2.0

#if Instrumented
import Axiom
import AxiomBase
import AxiomInstrumentation
import AxiomMetrics
import AxiomPush
import AxiomSampleApp
import AxiomTestSupport
import AxiomTracePush
import Foundation
import Testing

@Suite(
    "Kept traces by OTLP",
    .enabled(if: ExternalTool.telemetryPython.mayRun, Comment(rawValue: ExternalTool.telemetryPython.installation))
)
struct TraceTests {
    private typealias JSON = [String: Any]

    private static func text(_ span: JSON, _ name: String) -> String? {
        let attributes = span["attributes"] as? [JSON] ?? []
        let value = attributes.first { $0["key"] as? String == name }?["value"] as? JSON
        return value?["stringValue"] as? String
    }

    private static func hex(_ base64: Any?) -> String {
        let bytes = (base64 as? String).flatMap { Data(base64Encoded: $0) } ?? Data()
        return bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }

    @Test(
        "Each kept trace arrives once, with the spans, times and errors of the flight recorder",
        .timeLimit(.minutes(10))
    )
    func traces() async throws {
        let app = try await SampleApp.started()
        let telemetry = app.telemetry
        try await app.runOnce()
        let receiver = try await Receiver()
        let target = try PushTarget.otlpTraces(of: telemetry, PushEndpoint(receiver.url("")), service: "till")
        // A page keeps the traces of its exemplars.
        let snapshot = app.registry.collect()
        let known = try #require(telemetry.readings.knownSpans)
        let kept = known.keptTraces(1_000)
        #expect(kept.contains { $0.keptFor == .failed })
        let before = Date().timeIntervalSince1970
        let batches = target.destination.batches(of: snapshot, at: before)
        #expect(batches.map(\.samples).reduce(0, +) == kept.map(\.spans.count).reduce(0, +))
        // Nothing new was kept since.
        #expect(target.destination.batches(of: snapshot, at: before).isEmpty)

        var found: [JSON] = []
        for batch in batches {
            _ = try await target.destination.send(batch)
            let request = try await receiver.request()
            #expect(request.path == "/v1/traces")
            found += request["otlp", "resourceSpans", 0, "scopeSpans", 0, "spans"] as? [JSON] ?? []
        }
        let expected = Dictionary(
            kept.flatMap { trace in trace.spans.map { (TraceID.hex($0.id), $0) } },
            uniquingKeysWith: { first, _ in first }
        )
        #expect(found.count == expected.count)
        for json in found {
            let span = try #require(expected[Self.hex(json["spanId"])])
            #expect(Self.hex(json["traceId"]) == span.trace.description)
            #expect(Self.hex(json["parentSpanId"]) == span.parent.map(TraceID.hex) ?? "")
            #expect(json["name"] as? String == span.component.map { "\($0.name).\(span.name)" } ?? span.name)
            #expect(Self.text(json, "axiom.outcome") == span.outcome.rawValue)
            #expect(Self.text(json, "error.type") == span.error?.type)
            let isError = (json["status"] as? JSON)?["code"] as? String == "STATUS_CODE_ERROR"
            #expect(isError == (span.outcome == .failure || span.outcome == .rejected))
            let start = try #require(Int64(json["startTimeUnixNano"] as? String ?? ""))
            let end = try #require(Int64(json["endTimeUnixNano"] as? String ?? ""))
            #expect(end - start == span.nanoseconds)
            #expect(abs(Double(start) / 1e9 - before) < 600)
        }
        // A further failure is one more trace.
        try await app.runOnce()
        let more = target.destination.batches(of: app.registry.collect(), at: before)
        #expect(!more.isEmpty)
    }

    @Test("A pusher sends traces beside metrics, and counts their spans", .timeLimit(.minutes(10)))
    func pusher() async throws {
        let app = try await SampleApp.started()
        try await app.runOnce()
        let receiver = try await Receiver()
        let pusher = try Pusher(
            registry: app.registry,
            to: [
                .otlpMetrics(PushEndpoint(receiver.url("")), service: "till"),
                .otlpTraces(of: app.telemetry, PushEndpoint(receiver.url("")), service: "till"),
            ]
        )
        let running = Task { try await pusher.run() }
        _ = try await receiver.request { $0.path == "/v1/traces" }
        running.cancel()
        try await running.value
        let totals = try #require(await pusher.pending["otlp_traces"]?.totals)
        #expect(totals.sent > 0 && totals.sent == totals.appended)
    }
}
#endif
