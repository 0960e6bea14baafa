// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import AxiomInstrumentation
import AxiomMetrics
import AxiomTestSupport
import Foundation

@testable import AxiomDashboard

/// An application under a clock that the test moves, and its dashboard.
final class Workshop {
    enum Job: Action {
        case quick, slow, broken

        static var caseNames: [String] { ["quick", "slow", "broken"] }
        var caseIndex: Int {
            switch self {
            case .quick: 0
            case .slow: 1
            case .broken: 2
            }
        }
    }

    struct Broken: Error {}

    /// Takes the time that its job takes, by the manual clock.
    actor Worker: StatelessClient {
        let time: ManualTime

        init(_ time: ManualTime) {
            self.time = time
        }

        func process(_ job: Job) throws {
            switch job {
            case .quick: time.advance(by: .microseconds(70))
            case .slow: time.advance(by: .milliseconds(30))
            case .broken: throw Broken()
            }
        }
    }

    let time = ManualTime(secondsSinceEpoch: 1_700_000_000)
    let telemetry: Telemetry
    let dashboard: Dashboard
    private(set) var workers: [any StatelessClient<Job>] = []
    private(set) var components: [ComponentDescriptor] = []
    private var instances: [ComponentInstance] = []
    private var lastInstance: UInt64 = 0
    /// What was done, by component and job.
    private(set) var done: [String: [Int]] = [:]

    init(_ names: [String], appName: String = "Workshop", budgets: [BudgetRule] = []) throws {
        telemetry = try Telemetry(
            logsErrors: false,
            budgets: budgets,
            onBudgetViolation: { _ in },
            detail: .full,
            clock: .manual(time)
        )
        dashboard = Dashboard(telemetry: telemetry, name: appName)
        for name in names { hire(name) }
    }

    func hire(_ name: String) {
        let client = ComponentDescriptor(kind: .client, name: name)
        components.append(client)
        telemetry.registered(client, module: "")
        workers.append(observed(Worker(time), client))
        begin(client)
        if components.count > 1 {
            telemetry.resolved(ComponentDependency(from: client, to: components[components.count - 2]))
        }
    }

    /// The client as the contexts of a type hold it.
    func observed<C: StatelessClient>(
        _ client: C,
        _ component: ComponentDescriptor,
        calledBy caller: ComponentDescriptor? = nil
    ) -> any StatelessClient<C.ActionType> {
        let probe = telemetry.clientProbe(for: component, of: C.self, calledBy: caller)
        let breakers = telemetry.clientBreakers(for: component, of: C.self)
        return ObservedClient(client, component, probe: probe, clock: .manual(time), breakers: breakers)
    }

    func work(_ worker: Int, _ job: Job) async {
        done[components[worker].name, default: [0, 0, 0]][job.caseIndex] += 1
        do {
            try await workers[worker].process(job)
        } catch {
            let component = components[worker]
            telemetry.ended(EndedError(error, origin: component, boundary: component))
        }
    }

    func begin(_ component: ComponentDescriptor) {
        lastInstance += 1
        let instance = ComponentInstance(id: lastInstance, component: component, createdAt: time.now)
        instances.append(instance)
        telemetry.created(instance)
    }

    func end(_ random: inout SplitMix64) {
        guard let index = instances.indices.randomElement(using: &random) else { return }
        let instance = instances.remove(at: index)
        telemetry.destroyed(instance, lifetime: time.now.nanoseconds(since: instance.createdAt))
    }

    /// Does this and that.
    func bustle(_ random: inout SplitMix64, _ jobs: Int) async {
        for _ in 0..<jobs {
            let job = [Job.quick, .quick, .quick, .slow, .broken].randomElement(using: &random) ?? .quick
            await work(Int.random(in: workers.indices, using: &random), job)
        }
        if Int.random(in: 0..<3, using: &random) == 0, let some = components.randomElement(using: &random) {
            begin(some)
        }
        if Int.random(in: 0..<4, using: &random) == 0 { end(&random) }
    }

    /// Lets the next second of the clock come, and takes its sample.
    func tick() {
        let second: Int64 = 1_000_000_000
        time.advance(by: .nanoseconds(second - time.now.nanoseconds % second))
        dashboard.sample()
    }

    /// The ticks after `seq`, as they were sent; none if one of them is no longer kept.
    func latestTicks(after seq: Int) -> [[UInt8]] {
        dashboard.buffer.ticks(after: seq)?.map { Array($0.json) } ?? []
    }

    /// The bytes of the rings of the charts, and of as many heat maps as there can be, with all their columns.
    var historyLimit: Int {
        let history = dashboard.state.withLock { $0.model.history }
        let column = MemoryLayout<LatencyColumn?>.stride + 32 + 4 * (CoarseBuckets.latency.bounds.count + 1)
        let maps = (HeatMaps.capacity + 1) * 180 * column
        return (history.fine.capacity + history.coarse.capacity) * MemoryLayout<Point?>.stride + maps
    }
}
