// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import AxiomBenchmarking
import AxiomDashboard
import AxiomInstrumentation

/// What a second of the dashboard costs: the tick of an ordinary second, and of each tenth one, in which a step of the
/// history closes and the detectors compare with the last hour.
enum DashboardSuite {
    static let suite = BenchmarkSuite("dashboard") { suite in
        for count in [20, 500] {
            suite.addValue("tick.\(count)-components", unit: "us") { try times(count).tick }
            suite.addValue("tick.tenth.\(count)-components", unit: "us") { try times(count).tenth }
        }
    }

    /// The first deciles of twenty minutes of ticks, in microseconds, after ten minutes.
    private static func times(_ count: Int) throws -> (tick: Double, tenth: Double) {
        let application = try ObservedApplication(components: count)
        var (ticks, tenths) = ([Double](), [Double]())
        for second in 0..<1_800 {
            application.work()
            let start = TimeSource.live.now
            application.tick()
            let time = TimeSource.live.now.seconds(since: start) * 1e6
            if second < 600 { continue }
            if second % 10 == 0 { tenths.append(time) } else { ticks.append(time) }
        }
        return (decile(ticks), decile(tenths))
    }

    private static func decile(_ times: [Double]) -> Double { times.sorted()[times.count / 10] }
}

/// Clients with two actions each, half of which call a capability, on a manual clock.
private final class ObservedApplication {
    private actor Worker: StatelessClient {
        enum Job: Axiom.Action {
            case load
            case save
            static let caseNames = ["load", "save"]
            var caseIndex: Int { self == .load ? 0 : 1 }
        }

        func process(_ job: Job) {}
    }

    private let time = ManualTime(secondsSinceEpoch: 1_700_000_000)
    private let telemetry: Telemetry
    private let dashboard: Dashboard
    private var clients: [any ClientProbe] = []
    private var capabilities: [any CapabilityProbe] = []
    private var second: Int64 = 0

    /// - Parameter components: How many; a tenth of them are capabilities.
    init(components: Int) throws {
        telemetry = try Telemetry(clock: .manual(time))
        dashboard = Dashboard(telemetry: telemetry, name: "Bench")
        let capability = (0..<components / 10).map { ComponentDescriptor(kind: .capability, name: "Capability\($0)") }
        for number in 0..<components - capability.count {
            let client = ComponentDescriptor(kind: .client, name: "Client\(number)")
            let target = capability[number % capability.count]
            telemetry.registered(client, module: "Bench")
            telemetry.resolved(ComponentDependency(from: client, to: target))
            guard let probe = telemetry.clientProbe(for: client, of: Worker.self, calledBy: nil),
                let capabilityProbe = telemetry.capabilityProbe(for: target, calledBy: client)
            else { continue }
            clients.append(probe)
            capabilities.append(capabilityProbe)
        }
    }

    /// Two calls of each client in a second, of 1 to 2 ms.
    func work() {
        for (number, client) in clients.enumerated() {
            let capability = capabilities[number]
            let call = capability.number(of: "run")
            let nanoseconds = 1_000_000 + (second &* 7_919 &+ Int64(number) &* 104_729) % 1_000_000
            for index in 0..<2 {
                client.began(caseIndex: index)
                capability.began(call)
                capability.ended(call, outcome: .success, nanoseconds: nanoseconds)
                client.ended(caseIndex: index, outcome: .success, nanoseconds: nanoseconds)
            }
        }
    }

    func tick() {
        second += 1
        time.advance(by: .seconds(1))
        dashboard.sample()
    }
}
