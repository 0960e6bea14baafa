// SPDX-License-Identifier: Apache-2.0

#if Instrumented
import Axiom
import AxiomBase
import AxiomInstrumentation
import AxiomMetrics
import AxiomTestSupport
import Foundation
import Testing

/// Runs in a process of its own, because it measures memory.
@Suite("The flight recorder under load", .timeLimit(.minutes(10)))
struct RecorderLoadTests {
    private static let tasks = 8

    /// A million actions at a scale of 1.
    private static var actions: Int {
        let scale = ProcessInfo.processInfo.environment["AXIOM_TEST_SCALE"].flatMap(Double.init) ?? 0.1
        return max(80_000, Int(1_000_000 * scale))
    }

    @Test("A million actions from eight tasks: counts are exact, memory is flat, and no span has a wrong parent")
    func million() async {
        await #expect(processExitsWith: .success) { try await Self.run() }
    }

    @MainActor
    private static func run() async throws {
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
        try await send(actions / 2, telemetry, leaf, binding)
        flag.set()
        #expect(await reader.value > 0)
        // Without the reader, whose copies are larger than the recorder.
        let before = ProcessMemory.resident ?? 0
        try await send(actions / 2, telemetry, leaf, binding)
        let growth = (ProcessMemory.resident ?? 0) - before
        check(telemetry)
        if ProcessMemory.isMeaningful { #expect(growth < 1 << 20, "resident memory grew by \(growth) bytes") }
        checkCounts(telemetry, actions: actions / 2 / tasks / 10 * tasks * 10 * 2)
    }

    /// Sends `count` actions from eight tasks. Each task has a span named like the case of its actions, and every
    /// hundredth round fails.
    private static func send(
        _ count: Int,
        _ telemetry: Telemetry,
        _ leaf: any StatelessClient<LeafClient.Action>,
        _ binding: any StatelessClient<BindingClient.Action>
    ) async throws {
        let rounds = count / tasks / 10
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<tasks {
                group.addTask {
                    for round in 0..<rounds {
                        try await telemetry.span("leaf\(task)") {
                            let parent = OperationContext.current.span
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
                }
            }
            try await group.waitForAll()
        }
    }

    private struct WrongParent: Error {}
    private struct Expected: Error {}

    /// Checks that the parent of each client action is the span of the task that sent it.
    private static func check(_ telemetry: Telemetry) {
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
        #expect(counts.inRing == UInt64(telemetry.activity(latest: .max, of: Set(SpanKind.allCases)).count))
        #expect(metrics.total("axiom_trace_spans_dropped_total") == Double(dropped))
        #expect(telemetry.keptTraces.contains { $0.reason == .recovered })
    }
}
#endif
