// SPDX-License-Identifier: Apache-2.0

#if Instrumented
import Axiom
import AxiomBase
import AxiomInstrumentation
import AxiomResilience
import AxiomTestSupport

@testable import AxiomDashboard

/// An application that runs what a test plans, under a clock that the test moves, and its dashboard.
final class TracedApp: Sendable {
    /// One operation and what it does.
    struct Plan: Sendable {
        enum Who: Sendable {
            /// Named work.
            case named(String)
            /// An action of the client with this index.
            case client(Int, Int)
        }

        enum End: Sendable {
            case success, late, broken, cancelled
        }

        let who: Who
        var nanoseconds: Int64 = 1_000
        var end = End.success
        var steps: [Plan] = []
    }

    enum Fault: Error {
        case late, broken
    }

    struct Job: Action {
        let caseIndex: Int
        let work: @Sendable () async throws -> Void

        static let caseNames = ["cut", "sand", "glue"]
    }

    actor Worker: StatelessClient {
        func process(_ job: Job) async throws { try await job.work() }
    }

    let time: ManualTime
    let telemetry: Telemetry
    let dashboard: Dashboard
    let components: [ComponentDescriptor]
    private let clients: [any StatelessClient<Job>]
    private let performedCount = Lock(0)

    /// The number of operations that have begun.
    var performed: Int { performedCount.withLock { $0 } }

    /// - Parameter names: Of the clients. Each other one binds spans.
    init(_ names: [String] = ["Saw", "Sander", "Glue"], memory: Int = 4 << 20) throws {
        let time = ManualTime(secondsSinceEpoch: 1_700_000_000)
        let clock = TimeSource.manual(time)
        let telemetry = try Telemetry(
            logsErrors: false,
            onBudgetViolation: { _ in },
            flightRecorder: FlightRecorderOptions(memory: memory),
            clock: clock
        )
        let components = names.map { ComponentDescriptor(kind: .client, name: $0) }
        clients = components.enumerated().map { index, component in
            telemetry.registered(component, module: "")
            let probe = telemetry.clientProbe(for: component, of: Worker.self, calledBy: nil)
            let spans = telemetry.spanProbe(for: component, actions: Job.caseNames).map {
                ClientSpans($0, instance: UInt64(index + 1), binds: index % 2 == 0)
            }
            let breakers = telemetry.clientBreakers(for: component, of: Worker.self)
            return ObservedClient(
                Worker(),
                component,
                probe: probe,
                clock: clock,
                breakers: breakers,
                spans: spans
            )
        }
        dashboard = Dashboard(telemetry: telemetry, name: "Traced")
        (self.time, self.telemetry, self.components) = (time, telemetry, components)
    }

    /// Runs a plan. An operation whose step fails continues, unless it has the same end.
    func run(_ plan: Plan) async throws {
        switch plan.who {
        case .named(let name): try await telemetry.span(name) { try await self.perform(plan) }
        case .client(let index, let action):
            try await clients[index].process(Job(caseIndex: action) { try await self.perform(plan) })
        }
    }

    private func perform(_ plan: Plan) async throws {
        performedCount.withLock { $0 += 1 }
        time.advance(by: .nanoseconds(plan.nanoseconds))
        for step in plan.steps {
            do {
                try await run(step)
            } catch Fault.late where plan.end == .late {
                throw Fault.late
            } catch {}
        }
        switch plan.end {
        case .success: break
        case .late: throw Fault.late
        case .broken: throw Fault.broken
        case .cancelled: throw Cancellation.onPurpose
        }
    }

    /// Runs a plan below named work.
    ///
    /// - Returns: The trace.
    func trace(_ name: String = "root", _ steps: [Plan] = [], end: Plan.End = .success) async -> TraceID? {
        let id = Lock<TraceID?>(nil)
        try? await telemetry.span(name) {
            id.withLock { $0 = telemetry.currentSpan?.trace }
            try await perform(Plan(who: .named(name), end: end, steps: steps))
        }
        return id.withLock { $0 }
    }
}

extension TracedApp.Plan {
    /// A plan of at most `depth` levels below the first.
    static func random(_ random: inout SplitMix64, clients: Int = 3, depth: Int = 3) -> Self {
        let isNamed = Int.random(in: 0..<4, using: &random) == 0
        let end: End =
            [.success, .success, .success, .success, .late, .broken, .cancelled].randomElement(using: &random)
            ?? .success
        let count = depth == 0 ? 0 : Int.random(in: 0..<4, using: &random)
        return TracedApp.Plan(
            who: isNamed
                ? .named(["parse", "Über<b>", "store"].randomElement(using: &random) ?? "")
                : .client(Int.random(in: 0..<clients, using: &random), Int.random(in: 0..<3, using: &random)),
            nanoseconds: Int64.random(in: 0..<20_000_000, using: &random),
            end: end,
            steps: (0..<count).map { _ in .random(&random, clients: clients, depth: depth - 1) }
        )
    }
}

extension Dashboard {
    /// The answer to a query with these parameters.
    func activity(_ parameters: [String: String] = [:]) throws -> [String: JSONItem] {
        try JSONItem(activity(try ActivityQuery { parameters[$0] })).object
    }

    /// The activities of that answer.
    func activities(_ parameters: [String: String] = [:]) throws -> [[String: JSONItem]] {
        try activity(parameters)["activity"]?.list.map(\.object) ?? []
    }

    /// A trace; nil if it is not known.
    func traceItem(_ id: TraceID?) throws -> [String: JSONItem]? {
        try id.flatMap(trace).map { try JSONItem($0).object }
    }
}
#endif
