// SPDX-License-Identifier: Apache-2.0

#if Instrumented
import Axiom
import AxiomBase
import AxiomInstrumentation
import AxiomLogging
import InMemoryLogging
import Logging
import Synchronization
import Testing

@Suite("Log records in traces", .timeLimit(.minutes(10)))
@MainActor
struct LogHandlerTests {
    private func logger(_ app: TracedApp, level: Logger.Level = .info) -> Logger {
        Logger(label: "shop") { TraceLogHandler(label: $0, app.telemetry, level: level) }
    }

    @Test("A record carries the trace, the span, the component and the action in which it was written")
    func stamps() async throws {
        let app = try await TracedApp.started(exports: false)
        let (logger, telemetry) = (logger(app), app.telemetry)
        logger.info("outside")
        let trace = try #require(
            try await app.trace { context in
                logger.info("in the context")
                let stock = context.stock
                try await context.orders.process(
                    .run {
                        logger.info("in the client")
                        telemetry.span("parse") { logger.info("in named work") }
                    }
                )
                try await context.orders.process(
                    .call {
                        logger.info("in the capability")
                        try await stock.process(StockClient.Action(caseIndex: 2) { logger.info("in a leaf") })
                    }
                )
            }
        )
        let records = telemetry.readings.logRecords.all
        #expect(records.map { $0.component ?? "-" } == ["-", "DeskContext", "OrderClient", "-", "Depot", "Depot"])
        let actions = ["-", "act0", "run", "parse", "process", "process"]
        #expect(records.map { $0.action ?? "-" } == actions)
        #expect(records.first?.trace == nil && records.first?.span == nil)
        let ofTrace = telemetry.readings.logRecords.records(of: trace.id)
        #expect(ofTrace.map(\.message) == records.dropFirst().map(\.message))
        for (record, action) in zip(records, actions).dropFirst() {
            let span = trace.spans.first { $0.id == record.span }
            #expect(span?.name == action && span?.component?.name == record.component, "\(record.message)")
            #expect(record.level == "info" && record.label == "shop")
        }
    }

    @Test("With a tracer, a client without a capability has a span of its own for its records")
    func boundLeaf() async throws {
        let app = try await TracedApp.started()
        let logger = logger(app)
        _ = try await app.trace { context in
            try await context.stock.process(StockClient.Action(caseIndex: 2) { logger.info("in a leaf") })
        }
        let record = try #require(app.telemetry.readings.logRecords.all.first)
        #expect(record.component == "StockClient" && record.action == "step2")
    }

    @Test("Of 10,000 records of 8 tasks the last 2,000 are kept, in order for each task, each with its own action")
    func many() async throws {
        let app = try await TracedApp.started(exports: false)
        let logger = logger(app)
        let contexts = try (0..<8).map { _ in try app.context() }
        await withDiscardingTaskGroup { group in
            for (task, context) in contexts.enumerated() {
                group.addTask { await Self.log(task, context, logger) }
            }
        }
        let records = app.telemetry.readings.logRecords.all
        #expect(records.count == 2_000 && app.telemetry.readings.logRecords.dropped == 8_000)
        #expect(Self.unordered(records).isEmpty)
        let wrong = records.filter { !$0.message.hasPrefix("\($0.component ?? "-") \($0.action ?? "-") ") }
        #expect(wrong.isEmpty)
        let traces = Dictionary(grouping: records, by: \.trace).mapValues { records in
            Set(records.map { $0.message.split(separator: " ").last })
        }
        // The records of one action have its trace alone.
        #expect(traces[nil] == nil && traces.values.allSatisfy { $0.count == 1 })
    }

    /// Writes 1,250 records: five in each of 250 actions, two of them in a client and one in a capability.
    private static func log(_ task: Int, _ context: DeskContext, _ logger: Logger) async {
        for turn in 0..<250 {
            func line(_ place: String, _ number: Int) -> Logger.Message {
                "\(place) \(task) \(turn * 5 + number) \(task)/\(turn)"
            }
            let lines = [
                line("DeskContext act\(task)", 0), line("OrderClient run", 1), line("OrderClient run", 2),
                line("Depot process", 3), line("DeskContext act\(task)", 4),
            ]
            await context.send(
                DeskAction(caseIndex: task) { context in
                    logger.info(lines[0])
                    await Task.yield()
                    try await context.orders.process(
                        .run {
                            logger.info(lines[1])
                            await Task.yield()
                            logger.info(lines[2])
                        }
                    )
                    try await context.orders.process(.call { logger.info(lines[3]) })
                    logger.info(lines[4])
                }
            )
        }
    }

    /// The tasks whose records are not in the order in which they were written, without a gap up to the last one that was written.
    private static func unordered(_ records: [LogRecord]) -> [Int] {
        let numbers = Dictionary(grouping: records) { Int($0.message.split(separator: " ")[2]) ?? -1 }
            .mapValues { $0.compactMap { Int($0.message.split(separator: " ")[3]) } }
        return numbers.filter { _, found in
            found != Array(1_250 - found.count..<1_250)
        }.map(\.key)
    }

    @Test("Several handlers get the same records, and each has a level of its own")
    func multiplex() async throws {
        let app = try await TracedApp.started(exports: false)
        let memory = InMemoryLogHandler()
        let telemetry = app.telemetry
        var logger = Logger(label: "shop") { label in
            MultiplexLogHandler(
                [memory, TraceLogHandler(label: label, telemetry, level: .debug)],
                metadataProvider: .trace(of: telemetry)
            )
        }
        logger[metadataKey: "tenant"] = "acme"
        let finished = logger
        let reading = try await app.trace { _ in
            finished.debug("detail")
            finished.trace("nothing")
            finished.info("paid", metadata: ["cents": "\(100)"])
            finished.error("lost", error: Outage())
        }
        let trace = try #require(reading)
        #expect(memory.entries.map(\.message) == ["paid", "lost"])
        let id = trace.id.description
        #expect(memory.entries.allSatisfy { $0.metadata["trace_id"] == .string(id) && $0.metadata["span_id"] != nil })
        let records = telemetry.readings.logRecords.all
        #expect(records.map(\.message) == ["detail", "paid", "lost"])
        #expect(records.allSatisfy { $0.trace == trace.id && $0.metadata["trace_id"] == nil })
        #expect(records[1].metadata == ["tenant": "acme", "cents": "100"])
        #expect(records[2].metadata["error.type"]?.hasSuffix("Outage") == true)
    }

    @Test("All records in a span that continues a trace of another process have its id, also those of actions in it")
    func continued() async throws {
        let app = try await TracedApp.started(exports: false)
        let context = try app.context()
        let (telemetry, caller) = (app.telemetry, "4bf92f3577b34da6a3ce929d0e0e4736")
        let logger = Logger(label: "shop") { TraceLogHandler(label: $0, telemetry) }
        let header = "00-\(caller)-00f067aa0ba902b7-01"
        let inner = try await telemetry.span("outer") {
            try await telemetry.span("HTTP", continuing: header) {
                logger.info("before")
                try await context.orders.process(.run { logger.info("in the client") })
                return telemetry.span("parse") { telemetry.currentSpan }
            }
        }
        #expect(inner?.trace.description == caller)
        let records = telemetry.readings.logRecords.all
        #expect(records.map { $0.trace?.description } == [caller, caller])
        let trace = try #require(TraceID(caller).flatMap { telemetry.trace($0) })
        let root = trace.spans.first { $0.name == "HTTP" }
        #expect(root?.parent == nil && root?.remoteParent == 0x00f0_67aa_0ba9_02b7)
        #expect(Set(trace.spans.map(\.name)) == ["HTTP", "run", "parse"])
    }

    @Test(
        "Without a header in the form of the specification, a span belongs to the one around it",
        arguments: [
            nil, "", "00-4bf92f3577b34da6a3ce929d0e0e4736", "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
        ]
    )
    func notContinued(header: String?) async throws {
        let telemetry = try Telemetry()
        let (outer, inner) = await telemetry.span("outer") {
            (telemetry.currentSpan, await telemetry.span("inner", continuing: header) { telemetry.currentSpan })
        }
        #expect(outer != nil && inner?.trace == outer?.trace && inner?.id != outer?.id)
    }

    @Test("A value of a record replaces that of the provider, which replaces that of the logger")
    func metadata() async throws {
        let app = try await TracedApp.started(exports: false)
        let telemetry = app.telemetry
        var logger = Logger(label: "shop") { label in
            TraceLogHandler(
                label: label,
                telemetry,
                metadataProvider: Logger.MetadataProvider { ["a": "provider", "b": "provider", "list": ["x", "y"]] }
            )
        }
        logger[metadataKey: "a"] = "logger"
        logger[metadataKey: "c"] = "logger"
        logger.info("text", metadata: ["b": "record"])
        #expect(logger[metadataKey: "c"] == "logger")
        let found = try #require(telemetry.readings.logRecords.all.first).metadata
        #expect(found["a"] == "provider" && found["b"] == "record" && found["c"] == "logger")
        #expect(found["list"]?.contains("x") == true)
    }

    @Test("A record below the level is neither made nor kept, and a long message is cut off")
    func limits() async throws {
        let app = try await TracedApp.started(exports: false)
        let logger = logger(app, level: .notice)
        let made = Atomic(0)
        func message() -> Logger.Message {
            made.wrappingAdd(1, ordering: .relaxed)
            return "made"
        }
        logger.info(message())
        #expect(made.load(ordering: .relaxed) == 0 && app.telemetry.readings.logRecords.all.isEmpty)
        logger.notice("\(String(repeating: "é", count: 10_000))")
        let record = try #require(app.telemetry.readings.logRecords.all.first)
        #expect(record.message.utf8.count <= LogRecord.messageLimit + 3)
    }
}
#endif
