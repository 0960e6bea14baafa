// SPDX-License-Identifier: Apache-2.0

#if Instrumented
import Axiom
import AxiomBase
import AxiomMetrics
import AxiomResilience
import Testing

@testable import AxiomInstrumentation

/// What a run of a call throws, and so what the capability does about it.
private enum Flaw: String, Error, CaseIterable {
    case again, spare, nothing, fatal
}

private protocol Well: Sendable {}
private protocol Tank: Sendable {}
private struct Spare: Well, Tank {}

private func remedy(_ error: any Error) -> CapabilityRecovery {
    switch error as? Flaw {
    case .again: .retry(attempts: 3, backoff: .none)
    case .spare: .fallback(Spare())
    case .nothing: .ignore
    case .fatal, nil: .propagate
    }
}

private actor DeepWell: Capability, Well {
    nonisolated let identity: ComponentIdentity

    init(_ scope: borrowing CapabilityScope) { identity = scope.identity }

    static func recovery(for error: any Error) -> CapabilityRecovery { remedy(error) }
}

/// A capability that calls another one.
private actor RoofTank: Capability, Tank {
    nonisolated let identity: ComponentIdentity

    init(_ scope: borrowing CapabilityScope, _ found: Found) throws {
        identity = scope.identity
        let well = try scope.capability((any Well).self)
        found.add("RoofTank", well: well, tank: nil)
    }

    static func recovery(for error: any Error) -> CapabilityRecovery { remedy(error) }
}

private enum Nothing: Action { case nothing }

private actor Gardener: StatelessClient, Component {
    nonisolated let identity: ComponentIdentity

    init(_ scope: borrowing ClientScope, _ found: Found) throws {
        identity = scope.identity
        found.add("Gardener", well: try scope.capability((any Well).self), tank: try scope.capability((any Tank).self))
    }

    func process(_ action: Nothing) {}
}

private actor Cook: StatelessClient, Component {
    nonisolated let identity: ComponentIdentity

    init(_ scope: borrowing ClientScope, _ found: Found) throws {
        identity = scope.identity
        found.add("Cook", well: try scope.capability((any Well).self), tank: try scope.capability((any Tank).self))
    }

    func process(_ action: Nothing) {}
}

/// The references of the components of a test.
private final class Found: Sendable {
    struct References {
        var wells: [String: CapabilityRef<any Well>] = [:]
        var tanks: [String: CapabilityRef<any Tank>] = [:]
    }

    private let references = Lock(References())

    func add(_ name: String, well: CapabilityRef<any Well>?, tank: CapabilityRef<any Tank>?) {
        references.withLock { ($0.wells[name], $0.tanks[name]) = (well, tank) }
    }

    var all: References { references.withLock { $0 } }
}

/// What a model expects, and what calls did.
private struct CallLedger: Equatable {
    var outcomes: [String: Int] = [:]
    var edges: [String: Int] = [:]
    var failures: [String: Int] = [:]
    var recoveries: [String: Int] = [:]
    var retries: [String: Int] = [:]
    var durations: [String: Int] = [:]

    mutating func call(_ from: String, _ to: String, _ name: String, _ outcome: ActionOutcome) {
        outcomes["\(to) \(name) \(outcome.rawValue)", default: 0] += 1
        edges["\(from) \(to)", default: 0] += 1
        if outcome == .failure || outcome == .rejected { failures["\(from) \(to)", default: 0] += 1 }
        if outcome != .rejected { durations["\(to) \(name)", default: 0] += 1 }
    }
}

/// One call: what its runs throw in their order, and how it ends.
private struct Plan: Sendable {
    let flaws: [Flaw]
    let isCancelled: Bool
    let outcome: ActionOutcome
    let remedy: CapabilityRemedy?
    let retries: Int

    init(_ random: inout SeededGenerator, isAbsent: Bool) {
        flaws = (0..<random.index(below: 4)).map { _ in Flaw.allCases[random.index(below: 4)] }
        isCancelled = random.index(below: 6) == 0
        if isAbsent || isCancelled {
            // Without an instance nothing runs, and the cancellation is not noticed.
            outcome = isAbsent ? .rejected : .cancelled
            remedy = isAbsent ? .propagate : nil
            retries = 0
            return
        }
        var (run, retries, remedy, outcome) = (0, 0, CapabilityRemedy?.none, ActionOutcome.success)
        while run < flaws.count, outcome == .success {
            let flaw = flaws[run]
            run += 1
            if remedy == .fallback {
                (remedy, outcome) = (.propagate, .failure)
            } else if flaw == .again, retries < 2 {
                (retries, remedy) = (retries + 1, .retry)
            } else if flaw == .spare {
                remedy = .fallback
            } else if flaw == .nothing {
                remedy = .ignore
                break
            } else {
                (remedy, outcome) = (.propagate, .failure)
            }
        }
        (self.retries, self.remedy, self.outcome) = (retries, remedy, outcome)
    }

    /// Makes the call.
    func run<C: Sendable>(_ ref: CapabilityRef<C>, _ name: Int) async {
        let runs = Lock(0)
        let call = Task {
            if isCancelled { withUnsafeCurrentTask { $0?.cancel() } }
            try await ref.call(Self.names[name]) { _ in
                try Task.checkCancellation()
                let run = runs.withLock { runs in
                    runs += 1
                    return runs - 1
                }
                await Task.yield()
                if run < flaws.count { throw flaws[run] }
            }
        }
        _ = try? await call.value
    }

    static let names: [StaticString] = ["fill", "drain(_:)", "measure"]
    static let texts = ["fill", "drain", "measure"]
}

@MainActor
@Suite("What is recorded of the calls of capabilities", .timeLimit(.minutes(10)))
struct CapabilityCallTests {
    private let telemetry: Telemetry
    private let orchestrator: Orchestrator
    private let found = Found()

    init() throws {
        telemetry = try Telemetry()
        orchestrator = Orchestrator(instrumentation: telemetry)
        let found = found
        orchestrator.register(DeepWell.self, as: (any Well).self) { DeepWell($0) }
        orchestrator.register(RoofTank.self, as: (any Tank).self) { try RoofTank($0, found) }
        orchestrator.register(Gardener.self) { try Gardener($0, found) }
        orchestrator.register(Cook.self) { try Cook($0, found) }
    }

    @Test("Random calls of several components are counted as a model counts them", arguments: 0..<6)
    func model(seed: Int) async throws {
        try await orchestrator.start()
        let references = found.all
        var expected = CallLedger()
        for isAbsent in [false, true] {
            if isAbsent { try telemetry.readings.developerActions.perform(.takeAway("DeepWell", for: .seconds(600))) }
            await withTaskGroup { group in
                for task in 0..<12 {
                    var random = SeededGenerator(seed: UInt64(seed), stream: UInt64(task + (isAbsent ? 100 : 0)))
                    let caller = ["Gardener", "Cook", "RoofTank"][random.index(below: 3)]
                    for _ in 0..<25 {
                        let usesWell = caller == "RoofTank" || random.index(below: 2) == 0
                        let name = random.index(below: 3)
                        let plan = Plan(&random, isAbsent: isAbsent && usesWell)
                        expected.add(plan, from: caller, to: usesWell ? "DeepWell" : "RoofTank", Plan.texts[name])
                        group.addTask {
                            if usesWell, let well = references.wells[caller] { await plan.run(well, name) }
                            if !usesWell, let tank = references.tanks[caller] { await plan.run(tank, name) }
                        }
                    }
                }
            }
        }
        #expect(recorded() == expected, "seed \(seed)")
        for name in ["DeepWell", "RoofTank"] {
            #expect(metrics.value("axiom_capability_calls_in_flight", ["capability": name]) == 0, "seed \(seed)")
        }
        #expect(telemetry.readings.actionsInFlight.values.allSatisfy { $0.isEmpty })
        await orchestrator.shutdown()
    }

    private var metrics: Snapshot { telemetry.registry.collect() }

    /// What the telemetry counted. Zeros are left out.
    private func recorded() -> CallLedger {
        var ledger = CallLedger()
        func read(_ family: String, _ labels: String...) -> [String: Int] {
            var counts: [String: Int] = [:]
            for series in metrics.family("axiom_capability_" + family).map(Array.init) ?? [] where series.value > 0 {
                counts[labels.map { series.labels[$0] }.joined(separator: " "), default: 0] += Int(series.value)
            }
            return counts
        }
        ledger.outcomes = read("calls_total", "capability", "call", "outcome")
        ledger.durations = read("call_duration_seconds", "capability", "call")
        ledger.recoveries = read("recoveries_total", "capability", "kind")
        ledger.retries = read("retries_total", "capability")
        for (edge, counts) in telemetry.readings.traffic {
            let name = "\(edge.from.name) \(edge.to.name)"
            if counts.calls > 0 { ledger.edges[name] = Int(counts.calls) }
            if counts.failures > 0 { ledger.failures[name] = Int(counts.failures) }
        }
        return ledger
    }

    @Test("A call and its span are named after the function, or as given, and each retry is a span below it")
    func names() async throws {
        try await orchestrator.start()
        let well = try #require(found.all.wells["Cook"])
        try await well.call { _ in }
        try await well.call("given") { _ in }
        let runs = Lock(0)
        try await well.call("retried") { _ in
            let run = runs.withLock { runs in
                runs += 1
                return runs
            }
            if run < 3 { throw Flaw.again }
        }
        #expect(
            Set(recorded().outcomes.keys) == [
                "DeepWell names success", "DeepWell given success", "DeepWell retried success",
            ]
        )
        let spans = telemetry.activity(latest: 10, of: [.capabilityCall, .retryAttempt])
        let calls = spans.filter { $0.kind == .capabilityCall }
        #expect(Set(calls.map(\.name)) == ["names", "given", "retried"])
        let retried = try #require(calls.first { $0.name == "retried" })
        let attempts = spans.filter { $0.kind == .retryAttempt }
        #expect(attempts.map(\.outcome) == [.success, .failure])
        #expect(attempts.allSatisfy { $0.parent == retried.id && $0.component?.name == "DeepWell" })
        await orchestrator.shutdown()
    }

    @Test("A call without an instance is rejected, takes no time, and its span is rejected too, and kept")
    func rejected() async throws {
        try await orchestrator.start()
        await orchestrator.shutdown()
        let well = try #require(found.all.wells["Cook"])
        await #expect(throws: CapabilityError.self) { try await well.call { _ in } }
        #expect(recorded().outcomes == ["DeepWell rejected rejected": 1])
        #expect(recorded().durations.isEmpty)
        #expect(telemetry.activity(latest: 1, of: [.capabilityCall]).map(\.outcome) == [.rejected])
        #expect(telemetry.readings.knownSpans?.keptRoots.contains { $0.kind == .capabilityCall } == true)
    }

    @Test("Answers are counted by their kind, and a cancelled one is none")
    func answers() async throws {
        try await orchestrator.start()
        let (well, cache) = (try #require(found.all.wells["Gardener"]), CapabilityCache<Int>())
        func answer(_ flaw: Flaw?) async throws {
            _ = try await well.answer(orCached: cache) { _ in
                if let flaw { throw flaw }
                return 1
            }
        }
        try await answer(.fatal)
        for _ in 0..<3 { try await answer(nil) }
        for _ in 0..<2 { try await answer(.fatal) }
        let cancelled = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            _ = try await well.answer("cancelled", orCached: cache) { _ in
                try Task.checkCancellation()
                return 1
            }
        }
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        for (kind, count) in [("fresh", 3.0), ("cached", 2), ("empty", 1)] {
            let labels = ["capability": "DeepWell", "kind": kind]
            #expect(metrics.value("axiom_capability_answers_total", labels) == count, "\(kind)")
        }
        #expect(
            recorded().outcomes == [
                "DeepWell answer success": 3, "DeepWell answer failure": 3, "DeepWell cancelled cancelled": 1,
            ]
        )
        await orchestrator.shutdown()
    }

    @Test("While a call runs it is in flight under its name, and the telemetry without spans counts it too")
    func inFlight() async throws {
        let telemetry = try Telemetry(flightRecorder: .off)
        let (orchestrator, found) = (Orchestrator(instrumentation: telemetry), Found())
        orchestrator.register(DeepWell.self, as: (any Well).self) { DeepWell($0) }
        orchestrator.register(RoofTank.self, as: (any Tank).self) { try RoofTank($0, found) }
        try await orchestrator.start()
        let well = try #require(found.all.wells["RoofTank"])
        try await well.call("busy") { _ in
            #expect(telemetry.readings.actionsInFlight["DeepWell"] == ["busy": 1])
        }
        #expect(telemetry.readings.actionsInFlight["DeepWell"] == [:])
        let labels = ["capability": "DeepWell", "call": "busy", "outcome": "success"]
        #expect(telemetry.registry.collect().value("axiom_capability_calls_total", labels) == 1)
        await orchestrator.shutdown()
    }
}

extension CallLedger {
    mutating func add(_ plan: Plan, from caller: String, to capability: String, _ name: String) {
        call(caller, capability, name, plan.outcome)
        if plan.retries > 0 { retries[capability, default: 0] += plan.retries }
        if let remedy = plan.remedy { recoveries["\(capability) \(remedy.rawValue)", default: 0] += 1 }
    }
}
#endif
