// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomInstrumentation
import AxiomMetrics
import AxiomOpenTelemetry
import AxiomTestSupport
import Foundation
import Logging
import Testing

@testable import AxiomPush

@Suite("Log records by OTLP", .timeLimit(.minutes(10)))
struct LogTests {
    private typealias JSON = [String: Any]

    private struct Failure: Error, CustomStringConvertible {
        let description = "no paper"
    }

    private static func logger(_ queue: OTLPLogQueue, _ label: String = "shop") -> Logger {
        Logger(label: label) { OTLPLogHandler(label: $0, queue, level: .trace, metadataProvider: nil) }
    }

    private func batches(_ queue: OTLPLogQueue) throws -> [PushBatch] {
        let target = try PushTarget.otlpLogs(
            queue,
            "http://h",
            service: "shop",
            attributes: ["service.instance.id": "one"]
        )
        return target.destination.batches(of: Registry().collect(), at: 0)
    }

    /// Sends what waits to a receiver, and returns the records by their scopes.
    private func received(_ queue: OTLPLogQueue, path: String = "") async throws -> [String: [JSON]] {
        let receiver = try await Receiver()
        let target = try PushTarget.otlpLogs(queue, PushEndpoint(receiver.url(path)), service: "shop")
        var rest = target.destination.batches(of: Registry().collect(), at: 0)
        var found: [String: [JSON]] = [:]
        while let batch = rest.popLast() {
            let receipt = try await target.destination.send(batch)
            rest += receipt.parts
            let request = try await receiver.request()
            for scope in request["otlp", "resourceLogs", 0, "scopeLogs"] as? [JSON] ?? [] {
                let name = (scope["scope"] as? JSON)?["name"] as? String ?? ""
                found[name, default: []] += scope["logRecords"] as? [JSON] ?? []
            }
        }
        return found
    }

    private static func attributes(_ record: JSON) -> [String: JSON] {
        let pairs = (record["attributes"] as? [JSON] ?? []).map {
            ($0["key"] as? String ?? "", $0["value"] as? JSON ?? [:])
        }
        return Dictionary(pairs, uniquingKeysWith: { $1 })
    }

    private static func hex(_ base64: Any?) -> String {
        let bytes = (base64 as? String).flatMap { Data(base64Encoded: $0) } ?? Data()
        return bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }

    @Test("A message has these bytes")
    func golden() throws {
        let time = ManualTime(secondsSinceEpoch: 1_700_000_000)
        let queue = try OTLPLogQueue(of: Telemetry(clock: .manual(time)))
        var handler = OTLPLogHandler(label: "s", queue, metadataProvider: nil)
        handler[metadataKey: "a"] = .stringConvertible(true)
        #expect(handler[metadataKey: "a"] == .stringConvertible(true))
        handler.log(
            event: LogEvent(
                level: .error,
                message: "m",
                metadata: nil,
                source: nil,
                file: "f",
                function: "g",
                line: 7
            )
        )
        let batch = try #require(try batches(queue).first)
        #expect(batch.samples == 1)
        let text = batch.bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        #expect(text == Self.goldenBytes)
    }

    /// Read with `protoc --decode_raw`: a resource with `service.name` and `service.instance.id`, and the scope `s`, whose
    /// record has the time, the severity 17, the text `error`, the body `m` and four attributes.
    private static let goldenBytes = [
        "0ab4010a360a160a0c736572766963652e6e616d6512060a0473686f700a1c0a13736572766963652e696e7374616e63",
        "652e696412050a036f6e65127a0a030a017312730900002a36fe9c971710111a056572726f722a030a016d32070a0161",
        "1202100132150a0e636f64652e66696c652e7061746812030a016632190a12636f64652e66756e6374696f6e2e6e616d",
        "6512030a016732160a10636f64652e6c696e652e6e756d626572120218075900002a36fe9c9717",
    ].joined()

    @Test("Records of the label axiom.push are not sent, and records below the level are not written")
    func left() throws {
        let queue = try OTLPLogQueue()
        Self.logger(queue, "axiom.push").error("a push failed")
        Logger(label: "a") { OTLPLogHandler(label: $0, queue) }.debug("nothing")
        #expect(try batches(queue).isEmpty)
        Logger(label: "a") { OTLPLogHandler(label: $0, queue) }.info("something")
        #expect(try batches(queue).map(\.samples) == [1])
    }

    @Test("Beyond its bytes a queue drops the oldest records, and a pusher counts them")
    func overflow() async throws {
        let queue = try OTLPLogQueue(bytes: 1_000)
        let logger = Self.logger(queue)
        for number in 0..<100 { logger.info("record \(number)") }
        let target = try PushTarget.otlpLogs(queue, "http://127.0.0.1:1", service: "shop")
        let registry = Registry()
        let pusher = try Pusher(registry: registry, to: [target], finalTimeout: .zero, onFailure: { _ in })
        let running = Task { try await pusher.run() }
        try await Loopback.wait(for: "the records") { await pusher.pending["otlp_logs"]?.samples ?? 0 > 0 }
        let pending = try #require(await pusher.pending["otlp_logs"])
        running.cancel()
        try await running.value
        #expect(pending.totals.appended == 100 && pending.samples < 10 && pending.bytes < 2_000)
        let name = "axiom_push_dropped_samples_total"
        let dropped = registry.collect().value(name, ["destination": "otlp_logs", "reason": "queue_full"])
        #expect(dropped == Double(100 - pending.samples))
        for bytes in [0, -1, (1 << 30) + 1] { #expect(throws: PushError.self) { try OTLPLogQueue(bytes: bytes) } }
        #expect(throws: PushError.self) { try PushTarget.otlpLogs(queue, "http://h", service: "a", queueBytes: 0) }
        #expect(throws: PushError.self) { try PushTarget.otlpLogs(queue, "http://h", service: "") }
    }

    @Test("Halves of a request keep the scope of each record, in their order")
    func halves() throws {
        let queue = try OTLPLogQueue()
        for number in 0..<9 { Self.logger(queue, number.isMultiple(of: 3) ? "odd" : "even").info("r\(number)r") }
        let batch = try #require(try batches(queue).first)
        var (rest, texts) = ([batch], [] as [String])
        while let next = rest.popLast() {
            if let (left, right) = next.halves {
                #expect(left.samples + right.samples == next.samples)
                rest += [right, left]
            } else {
                texts.append(String(decoding: next.bytes, as: UTF8.self))
            }
        }
        #expect(texts.count == 9)
        for text in texts {
            let number = try #require((0..<9).first { text.contains("r\($0)r") })
            #expect(text.contains(number.isMultiple(of: 3) ? "odd" : "even") && text.contains("service.name"))
        }
    }

    @Test(
        "Severity, body, attributes of every shape, error, place, time and span arrive",
        .enabled(if: ExternalTool.telemetryPython.mayRun, Comment(rawValue: ExternalTool.telemetryPython.installation))
    )
    func decoded() async throws {
        let telemetry = try Telemetry()
        let queue = try OTLPLogQueue(of: telemetry)
        var logger = Self.logger(queue)
        logger[metadataKey: "request"] = "r1"
        for level in Logger.Level.allCases { logger.log(level: level, "at \(level)") }
        let before = Date().timeIntervalSince1970
        let ids = telemetry.span("work") {
            logger.error(
                "failed",
                error: Failure(),
                metadata: [
                    "count": .stringConvertible(7), "large": .stringConvertible(UInt64.max),
                    "ratio": .stringConvertible(0.5),
                    "single": .stringConvertible(Float(0.25)), "flag": .stringConvertible(true),
                    "list": ["a", ["b": "c"]],
                    "map": ["x": ["y": .stringConvertible(1)]], "request": "r2", "error": "\(Failure())",
                ]
            )
            return telemetry.currentSpan
        }
        Self.logger(queue, "other").info("elsewhere")
        let found = try await received(queue)
        #expect(found["other"]?.count == 1 && found["shop"]?.count == 8)
        let records = found["shop"] ?? []
        let numbers = records.map { $0["severityNumber"] as? String ?? "" }
        #expect(
            numbers.prefix(7) == [
                "SEVERITY_NUMBER_TRACE", "SEVERITY_NUMBER_DEBUG", "SEVERITY_NUMBER_INFO", "SEVERITY_NUMBER_INFO2",
                "SEVERITY_NUMBER_WARN", "SEVERITY_NUMBER_ERROR", "SEVERITY_NUMBER_FATAL",
            ]
        )
        let record = try #require(records.last)
        #expect(
            record["severityText"] as? String == "error"
                && (record["body"] as? JSON)?["stringValue"] as? String == "failed"
        )
        let attributes = Self.attributes(record)
        #expect(attributes["count"]?["intValue"] as? String == "7")
        #expect(attributes["large"]?["stringValue"] as? String == "\(UInt64.max)")
        #expect(
            attributes["ratio"]?["doubleValue"] as? Double == 0.5
                && attributes["single"]?["doubleValue"] as? Double == 0.25
        )
        #expect(attributes["flag"]?["boolValue"] as? Bool == true)
        #expect(attributes["request"]?["stringValue"] as? String == "r2")
        let list = (attributes["list"]?["arrayValue"] as? JSON)?["values"] as? [JSON]
        #expect(list?.count == 2 && list?[0]["stringValue"] as? String == "a" && list?[1]["kvlistValue"] != nil)
        #expect("\(attributes["map"] ?? [:])".contains("intValue"))
        #expect(attributes["exception.message"]?["stringValue"] as? String == "no paper")
        #expect((attributes["exception.type"]?["stringValue"] as? String)?.hasSuffix("Failure") == true)
        #expect((attributes["code.file.path"]?["stringValue"] as? String)?.hasSuffix("LogTests.swift") == true)
        #expect(attributes["code.function.name"]?["stringValue"] as? String == "decoded()")
        #expect(attributes["code.line.number"]?["intValue"] as? String != nil)
        let time = try #require(Double(record["timeUnixNano"] as? String ?? ""))
        #expect(
            abs(time / 1e9 - before) < 600
                && record["observedTimeUnixNano"] as? String == record["timeUnixNano"] as? String
        )
        #if Instrumented
        let span = try #require(ids)
        #expect(
            Self.hex(record["traceId"]) == span.trace.description && Self.hex(record["spanId"]) == TraceID.hex(span.id)
        )
        #expect(attributes["trace_id"] == nil)
        #else
        #expect(ids == nil && record["traceId"] == nil)
        #endif
        #expect(records.first?["traceId"] == nil)
    }

    @Test(
        "A receiver with a limit gets every record",
        .enabled(if: ExternalTool.telemetryPython.mayRun, Comment(rawValue: ExternalTool.telemetryPython.installation))
    )
    func limited() async throws {
        let queue = try OTLPLogQueue()
        let logger = Self.logger(queue)
        let text = String(repeating: "x", count: 500)
        for number in 0..<200 { logger.info("\(text) \(number)") }
        let found = try await received(queue, path: "/limit/30000")
        #expect(found["shop"]?.count == 200)
    }
}
