// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import AxiomNavigation
import CAxiomSupport

/// What the specification wants of navigation.
enum NavigationRows {
    static let rows: [FrameworkSuite.Row] = [
        .init(
            id: "navigation.transition",
            statement: "a transition to a small screen or back < 10 ms, p99 of 1,000",
            unit: "ms",
            limit: 10,
            measure: { try await transitions().percentile(0.99) }
        ),
        .init(
            id: "navigation.memory",
            statement: "a history of 50 screens < 10 MB of heap",
            unit: "bytes",
            limit: 10 * 1_048_576,
            measure: { try await heapOfHistory() }
        ),
        .init(
            id: "navigation.stack",
            statement: "1,000 changes of a history of 50 routes, without screens < 50 ms",
            unit: "ms",
            limit: 50,
            measure: { try await changes() }
        ),
    ]

    private enum PageRoute: Route {
        case page(Int)

        var identifier: String { "page" }
        static let samples: [PageRoute] = [.page(0)]
    }

    @MainActor
    private static func flow() async throws -> (Orchestrator, NavigationFlow<PageRoute>) {
        var flow: NavigationFlow<PageRoute>?
        var mistake: (any Error)?
        let orchestrator = try await FrameworkSuite.application { orchestrator in
            do {
                flow = try orchestrator.navigation(.page(0)) { _ in
                    .show(BookPresentation.self)
                } render: { _ in
                }
            } catch {
                mistake = error
            }
        }
        struct NoFlow: Error {}
        guard let flow else { throw mistake ?? NoFlow() }
        try await flow.open()
        return (orchestrator, flow)
    }

    @MainActor
    private static func transitions() async throws -> Durations {
        let (orchestrator, flow) = try await flow()
        var durations = Durations()
        for number in 1...500 {
            try await durations.time { try await flow.navigate(to: .page(number)) }
            try await durations.time { try await flow.navigateBack() }
        }
        await orchestrator.shutdown()
        return durations
    }

    @MainActor
    private static func heapOfHistory() async throws -> Double {
        let (orchestrator, flow) = try await flow()
        try await flow.navigate(to: .page(1))
        try await flow.navigateBack()
        let before = axiom_heap_bytes()
        for number in 1..<50 { try await flow.navigate(to: .page(number)) }
        let bytes = Double(axiom_heap_bytes() - before)
        struct Short: Error {}
        guard flow.routes.count == 50 else { throw Short() }
        await orchestrator.shutdown()
        return bytes
    }

    private static func changes() async throws -> Double {
        var stack = NavigationStack<PageRoute>(NavigationOptions())
        _ = try stack.apply(.reset((0..<49).map { .page($0) }))
        var durations = Durations()
        try await durations.time {
            for number in 0..<500 {
                _ = try stack.apply(.show(.page(number)))
                _ = try stack.apply(.back(1))
            }
        }
        return durations.total
    }
}
