// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase
internal import AxiomBenchmarking
internal import AxiomInstrumentation
internal import Foundation
internal import Synchronization

/// One row: an operation, and the row that does the same unobserved.
struct CostRow: Sendable {
    /// A goal: readings of the clock, and atomic additions.
    struct Goal: Sendable {
        var clocks = 0.0
        let additions: Double
    }

    let id: String
    var base: String?
    /// How many steps the difference is divided by.
    var parts = 1
    var goal: Goal?
    let body: @Sendable (_ calls: Int) async -> Void

    static let ids = [
        "atomic", "clock", "floor", "bare", "empty", "action", "action.no-spans", "action.bound", "action.traced",
        "action.traced.bound", "trace", "capability", "capability.bare", "middleware", "middleware.three", "validated",
        "handle", "send", "send.bare", "unobserved",
    ]

    static func all() async throws -> [CostRow] {
        let applications = try await Applications.make()
        let rows = floors() + actions(applications) + others(applications)
        precondition(rows.map(\.id) == ids)
        return rows
    }

    private static func floors() -> [CostRow] {
        let (total, cell) = (Total(), Cell())
        return [
            CostRow(id: "atomic") { for _ in 0..<$0 { total.add() } },
            CostRow(id: "clock") { for _ in 0..<$0 { blackHole(monotonicTime()) } },
            CostRow(id: "floor") { for _ in 0..<$0 { cell.record() } },
        ]
    }

    private static func actions(_ applications: Applications) -> [CostRow] {
        let (full, plain) = (applications.full, applications.withoutSpans)
        // Hidden from the compiler, as the clients that contexts hold are.
        let (bare, empty): (any StatelessClient<CostAction>, any StatelessClient<CostAction>) =
            (opaque(full.bare), opaque(EmptyWrapper(full.bare)))
        let goal = Goal(clocks: 2, additions: 25)
        let bound = Goal(clocks: 2, additions: 55)
        return [
            CostRow(id: "bare") { await call(bare, $0) },
            CostRow(id: "empty") { await call(empty, $0) },
            CostRow(id: "action", base: "empty", goal: goal) { await call(full.plain, $0) },
            CostRow(id: "action.no-spans", base: "empty", goal: goal) { await call(plain.plain, $0) },
            CostRow(id: "action.bound", base: "empty", goal: bound) { await call(full.bound, $0) },
            CostRow(id: "action.traced", base: "empty", goal: goal) { await traced(full.plain, $0, full.telemetry) },
            CostRow(id: "action.traced.bound", base: "empty", goal: bound) {
                await traced(full.bound, $0, full.telemetry)
            },
        ]
    }

    private static func others(_ applications: Applications) -> [CostRow] {
        let (full, off) = (applications.full, applications.unobserved)
        let call: @Sendable (Application, Int) async -> Void = { await $0.caller.call($1) }
        let (middleware, three) = (applications.middleware, applications.threeMiddlewares)
        return [
            CostRow(id: "trace") { for _ in 0..<($0 / 10) { await full.telemetry?.span("trace") { await nothing() } } },
            CostRow(id: "capability", base: "capability.bare", goal: Goal(clocks: 2, additions: 30)) {
                await call(full, $0)
            },
            CostRow(id: "capability.bare") { await call(off, $0) },
            CostRow(id: "middleware", base: "action", goal: Goal(additions: 20)) {
                await Self.call(middleware.plain, $0)
            },
            CostRow(id: "middleware.three", base: "action", parts: 3, goal: Goal(additions: 20)) {
                await Self.call(three.plain, $0)
            },
            CostRow(id: "validated", base: "action", goal: Goal(additions: 8)) {
                for _ in 0..<$0 { try? await full.validated.process(.increment(1)) }
            },
            CostRow(id: "handle") { await full.context.repeatHandle($0) },
            CostRow(id: "send", base: "handle", goal: Goal(additions: 100)) { await full.context.repeatSend($0) },
            CostRow(id: "send.bare", base: "handle", goal: Goal(additions: 100)) {
                await off.context.repeatSend($0)
            },
            CostRow(id: "unobserved", base: "empty", goal: Goal(additions: 3)) { await Self.call(off.plain, $0) },
        ]
    }

    private static func call(_ client: any StatelessClient<CostAction>, _ calls: Int) async {
        for _ in 0..<calls { try? await client.process(.increment) }
    }

    /// Ten actions in each trace.
    private static func traced(_ client: any StatelessClient<CostAction>, _ calls: Int, _ telemetry: Telemetry?) async {
        for _ in 0..<(calls / 10) {
            await telemetry?.span("trace") { for _ in 0..<10 { try? await client.process(.increment) } }
        }
    }

    @inline(never)
    private static func nothing() async {}

    private static func monotonicTime() -> Int {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return time.tv_nsec
    }

    /// An atomic word with a cache line of its own.
    private final class Total: Sendable {
        private let before: (Int, Int, Int, Int, Int, Int, Int, Int) = (0, 0, 0, 0, 0, 0, 0, 0)
        private let total = Atomic<UInt64>(0)
        private let after: (Int, Int, Int, Int, Int, Int, Int, Int) = (0, 0, 0, 0, 0, 0, 0, 0)

        @inline(__always)
        func add() { total.wrappingAdd(1, ordering: .relaxed) }
    }

    /// The least that records an action: two readings of the clock and one claim, under which eight words are written.
    private final class Cell: @unchecked Sendable {
        // Unchecked because of the pointer: only the claimant writes to it.
        private let claim = Atomic<UInt64>(0)
        private let words = UnsafeMutablePointer<Int64>.allocate(capacity: 8)

        deinit { words.deallocate() }

        @inline(never)
        func record() {
            let start = TimeSource.live.now
            let end = TimeSource.live.now
            guard claim.exchange(1, ordering: .acquiring) == 0 else { return }
            for index in 0..<8 { words[index] &+= end.nanoseconds &- start.nanoseconds }
            claim.store(0, ordering: .releasing)
        }
    }
}
