// SPDX-License-Identifier: Apache-2.0

#if Instrumented
import Axiom
import AxiomBase
import AxiomInstrumentation
import AxiomTestSupport

@testable import AxiomDashboard

/// Calls of the client Trips, which calls Gateway, which calls Vault, recorded with durations that a test chooses.
final class RecordedCalls {
    /// A call, with times in milliseconds.
    struct Call {
        var at: Double
        var own = 5.0
        /// The screen that sends it.
        var caller = 0
        var instance: UInt64 = 1
        var gateway: Double?
        var vault = 0.0
        /// What repetitions in Gateway take, each with the wait before it.
        var retries: [Double] = []
        /// The wait for the main actor.
        var wait = 0.0
        /// The wait for a connection of the pool reports.
        var pool = 0.0
        /// What Cache takes that is called at the same time as Gateway.
        var cache: Double?
        var error: (any Error)?
    }

    let telemetry: Telemetry
    let dashboard: Dashboard
    private let prefix: String
    private let time = ManualTime(secondsSinceEpoch: 1_700_000_000)

    /// - Parameter prefix: What stands before each name.
    init(_ calls: [Call], prefix: String = "") throws {
        telemetry = try Telemetry(
            logsErrors: false,
            onBudgetViolation: { _ in },
            flightRecorder: FlightRecorderOptions(memory: 16 << 20),
            clock: .manual(time)
        )
        dashboard = Dashboard(telemetry: telemetry, name: "Recorded")
        self.prefix = prefix
        for call in calls { record(call) }
    }

    private func record(_ call: Call) {
        let screen = probe(.context, "Screen\(call.caller)", ["open"])
        span(screen, .contextAction, .action(0), at: call.at, under: .none) { root, start in
            span(probe(.client, "Trips", ["load"]), .clientAction, .action(0), at: start, under: root, call) {
                own,
                start in
                var reached = start + call.own
                if call.wait > 0 {
                    reached = span(screen, .mainActorWait, .kind, at: reached, under: own) { $1 + call.wait }
                }
                if call.pool > 0 {
                    let reports = probe(.capability, "Reports")
                    reached = span(reports, .wait, .call("pool reports"), at: reached, under: own) { $1 + call.pool }
                }
                let cached = call.cache.map { cache in
                    span(probe(.capability, "Cache"), .capabilityCall, .call("get"), at: reached, under: own) {
                        $1 + cache
                    }
                }
                guard let time = call.gateway else { return max(reached, cached ?? 0) }
                let gateway = probe(.capability, "Gateway")
                let end = span(gateway, .capabilityCall, .call("fetch"), at: reached, under: own) { context, start in
                    let vault = probe(.capability, "Vault")
                    let end = span(vault, .capabilityCall, .call("key"), at: start, under: context) { $1 + call.vault }
                    return call.retries.reduce(end + time) { end, time in
                        span(gateway, .retryAttempt, .kind, at: end + time / 2, under: context) { $1 + time / 2 }
                    }
                }
                return max(end, cached ?? 0)
            }
        }
    }

    private func probe(_ kind: ComponentKind, _ name: String, _ actions: [String] = []) -> any SpanProbe {
        let component = ComponentDescriptor(kind: kind, name: prefix + name)
        telemetry.registered(component, module: "")
        return telemetry.spanProbe(for: component, actions: actions.map { prefix + $0 })!
    }

    /// - Returns: When it ends, as `body` says.
    @discardableResult
    private func span(
        _ probe: any SpanProbe,
        _ kind: SpanKind,
        _ name: SpanRecord.Name,
        at start: Double,
        under parent: SpanContext,
        _ call: Call? = nil,
        _ body: (SpanContext, Double) -> Double
    ) -> Double {
        func nanoseconds(_ time: Double) -> Int64 { Int64((time * 1e6).rounded()) }
        let begin = Instant(nanoseconds: time.now.nanoseconds + nanoseconds(start))
        let open = probe.begin(kind, name, at: begin, under: parent)
        let end = body(open.context, start)
        let record = SpanRecord(
            kind,
            name,
            instance: call?.instance ?? 0,
            start: begin,
            nanoseconds: nanoseconds(end) - nanoseconds(start),
            outcome: call?.error == nil ? .success : .failure,
            error: call?.error
        )
        probe.end(open, record)
        return end
    }

    /// The answer of the dashboard.
    func answer(_ component: String = "Trips", action: String? = nil) throws -> [String: JSONItem] {
        try JSONItem(dashboard.explanation(of: component, action)).object
    }

    var explanation: Explanation {
        let name = prefix + "Trips"
        let operations = telemetry.readings.knownSpans?.operations(5_000) { component, _ in component == name } ?? []
        return Explanation(operations) { Double($0.nanoseconds) / 1e9 }
    }
}
#endif
