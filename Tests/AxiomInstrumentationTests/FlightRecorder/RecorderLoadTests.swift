// SPDX-License-Identifier: Apache-2.0

#if Instrumented
import Axiom
import AxiomBase
import AxiomInstrumentation
import AxiomMetrics
import AxiomTestSupport
import Foundation
import Testing

/// Each test runs in a process of its own, because it measures memory or needs the threads.
@Suite("The flight recorder under load", .timeLimit(.minutes(10)))
struct RecorderLoadTests {
    private static let tasks = 8

    /// A million actions at a scale of 1.
    private static var actions: Int { max(80_000, TestScale.count(1_000_000, usual: 0.1)) }

    @Test("A million actions from eight tasks: counts are exact, memory is flat, and no span has a wrong parent")
    func million() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            try await Self.run()
        }
        Self.show(result)
    }

    @Test("Of every action the recorded parent is the one that it carries, in rounds that fit into the ring")
    func everyParent() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            try await Self.runInRounds()
        }
        Self.show(result)
    }

    /// Prints what the process of a test has printed.
    private static func show(_ result: ExitTest.Result?) {
        print(String(decoding: result?.standardOutputContent ?? [], as: UTF8.self))
    }

    /// Sends the actions in rounds, and compares all spans of a round with the parents that its actions carried.
    @MainActor
    private static func runInRounds() async throws {
        let app = try await FlightApp.started()
        let context = try app.context()
        let (telemetry, leaf, binding) = (app.telemetry, context.leaf, context.binding)
        let (start, each) = (TimeSource.live.now, 24_000)
        var (sent, before) = (0, 0)
        while sent < actions {
            let roundStart = TimeSource.live.now
            let parents = try await send(each, telemetry, leaf, binding)
            #expect(parents.reduce(0) { $0 + $1.count } == each / 10)
            checkParents(telemetry, parents, since: roundStart)
            sent += each
            if before == 0 { before = ProcessMemory.heap ?? 0 }
        }
        let after = ProcessMemory.heap ?? 0
        let seconds = TimeSource.live.now.seconds(since: start)
        print("\(sent) actions, each compared with its parent: \(seconds) s, heap \(before) to \(after) bytes")
        let recorded = telemetry.spanCounts?.recorded ?? 0
        #expect(recorded == UInt64(sent + sent / 10 + 1))
        #expect(telemetry.spanCounts?.contended == 0)
    }

    /// Checks the spans of the last round.
    ///
    /// - Parameter parents: By task, the ids of the spans below which it sent its actions.
    private static func checkParents(_ telemetry: Telemetry, _ parents: [[UInt64]], since start: Instant) {
        let count = parents.reduce(0) { $0 + $1.count }
        let known = telemetry.activity(latest: .max, of: [.custom, .clientAction])
        let spans = known.filter { $0.start >= start }
        let children = Dictionary(grouping: spans.filter { $0.kind == .clientAction }) { $0.parent ?? 0 }
        let roots = Dictionary(grouping: spans.filter { $0.kind == .custom }, by: \.id)
        for (task, ids) in parents.enumerated() {
            for id in ids {
                let (root, below) = (roots[id] ?? [], children[id] ?? [])
                let isRight =
                    root.count <= 1 && root.allSatisfy { $0.parent == nil && $0.name == "leaf\(task)" }
                    && below.allSatisfy { $0.trace.low == id && ["leaf\(task)", "run"].contains($0.name) }
                    && below.count { $0.name != "run" } <= 9 && below.count { $0.name == "run" } <= 1
                    && Set(below.map(\.id)).count == below.count
                if !isRight { Issue.record("the spans below \(id) of task \(task) are \(below)") }
            }
        }
        let carried = Set(parents.flatMap { $0 })
        #expect(spans.allSatisfy { carried.contains($0.parent ?? $0.id) })
        // A thread that moves to a shard fills a chunk that was begun earlier, and which is overwritten earlier.
        #expect(spans.count >= count * 11 - 64 * Shards.count)
    }

    @MainActor
    private static func run() async throws {
        let start = TimeSource.live.now
        let app = try await FlightApp.started()
        let context = try app.context()
        let (telemetry, leaf, binding) = (app.telemetry, context.leaf, context.binding)
        let flag = Flag()
        let reader = Task.detached {
            var reads = 0
            repeat {
                check(telemetry)
                reads += 1
                await Task.yield()
            } while !flag.isSet
            return reads
        }
        _ = try await send(actions / 2, telemetry, leaf, binding)
        flag.set()
        #expect(await reader.value > 0)
        // Without the reader, whose copies are larger than the recorder.
        let before = ProcessMemory.heap ?? 0
        _ = try await send(actions / 2, telemetry, leaf, binding)
        let growth = (ProcessMemory.heap ?? 0) - before
        let seconds = TimeSource.live.now.seconds(since: start)
        print("\(actions) actions beside a reader: \(seconds) s, heap \(before) bytes and then \(growth) more")
        check(telemetry)
        if ProcessMemory.isMeaningful { #expect(growth < 1 << 20, "the heap grew by \(growth) bytes") }
        checkCounts(telemetry, actions: actions / 2 / tasks / 10 * tasks * 10 * 2)
    }

    /// Sends `count` actions from eight tasks. Each task has a span named like the case of its actions, and every
    /// hundredth round fails.
    ///
    /// - Returns: By task, the ids of these spans.
    private static func send(
        _ count: Int,
        _ telemetry: Telemetry,
        _ leaf: any StatelessClient<LeafClient.Action>,
        _ binding: any StatelessClient<BindingClient.Action>
    ) async throws -> [[UInt64]] {
        let rounds = count / tasks / 10
        return try await withThrowingTaskGroup(of: (Int, [UInt64]).self) { group in
            for task in 0..<tasks {
                group.addTask {
                    var parents: [UInt64] = []
                    for round in 0..<rounds {
                        try await telemetry.span("leaf\(task)") {
                            let parent = OperationContext.current.span
                            parents.append(parent.span)
                            for _ in 0..<9 {
                                try await leaf.process(
                                    LeafClient.Action(caseIndex: task) {
                                        guard OperationContext.current.span == parent else { throw WrongParent() }
                                    }
                                )
                            }
                            try? await binding.process(
                                .run {
                                    if OperationContext.current.span.trace != parent.trace { throw WrongParent() }
                                    if round % 100 == 0 { throw Expected() }
                                }
                            )
                        }
                    }
                    return (task, parents)
                }
            }
            return try await group.reduce(into: Array(repeating: [], count: tasks)) { $0[$1.0] = $1.1 }
        }
    }

    private struct WrongParent: Error {}
    private struct Expected: Error {}

    /// Checks that the parent of each client action is the span of the task that sent it.
    private static func check(_ telemetry: Telemetry) {
        if let counts = telemetry.spanCounts {
            // Counts that change while they are read may differ, and none may be negative.
            let parts = [counts.inRing, counts.keptOnly, counts.overwritten, counts.displaced, counts.contended]
            #expect(parts.allSatisfy { $0 <= UInt64(actions) * 2 }, "\(counts)")
        }
        let spans = telemetry.activity(latest: .max, of: [.custom, .clientAction])
        let named = Dictionary(spans.filter { $0.kind == .custom }.map { ($0.id, $0) }) { first, _ in first }
        for span in spans where span.kind == .clientAction {
            guard let parent = span.parent else {
                Issue.record("\(span) has no parent")
                continue
            }
            #expect(span.trace.low == parent)
            guard let above = named[parent] else { continue }
            if span.component?.name == "LeafClient" { #expect(above.name == span.name) }
            #expect(span.start >= above.start && span.end <= above.end)
        }
    }

    private static func checkCounts(_ telemetry: Telemetry, actions: Int) {
        let metrics = telemetry.registry.collect()
        #expect(metrics.total("axiom_client_actions_total") == Double(actions))
        guard let counts = telemetry.spanCounts else {
            Issue.record("nothing was recorded")
            return
        }
        // The client actions, one named span for ten of them, and the creation of the context.
        #expect(counts.recorded == UInt64(actions + actions / 10 + 1))
        let dropped = counts.overwritten + counts.displaced + counts.contended
        #expect(counts.recorded == counts.inRing + counts.keptOnly + dropped)
        let known = telemetry.activity(latest: .max, of: Set(SpanKind.allCases)).count
        #expect(counts.inRing + counts.keptOnly == UInt64(known))
        #expect(metrics.total("axiom_trace_spans_dropped_total") == Double(dropped))
        #expect(telemetry.readings.knownSpans?.keptTraces(.max).contains { $0.keptFor == .recovered } == true)
    }
}
#endif
