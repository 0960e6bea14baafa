// SPDX-License-Identifier: Apache-2.0

#if Instrumented
import AxiomBase
import Testing

@testable import Axiom

/// Keeps the values of all signals, by name and labels.
private final class SignalRecorder: Instrumentation {
    private struct Recorded: Signal {
        let key: String
        let values: Journal<(String, Double)>

        func add(_ amount: Int) { values.write((key, Double(amount))) }
        func set(_ value: Double) { values.write((key, value)) }
        func observe(nanoseconds: Int64) { values.write((key, Double(nanoseconds))) }
    }

    let bound = Journal<String>()
    private let values = Journal<(String, Double)>()

    func signal(_ family: SignalFamily, _ labels: [String]) -> (any Signal)? {
        let key = "\(family.name){\(labels.joined(separator: ","))}"
        bound.write(key)
        return Recorded(key: key, values: values)
    }

    func last(_ key: String) -> Double? { values.entries.last { $0.0 == key }?.1 }
    func count(_ key: String) -> Int { values.entries.count { $0.0 == key } }

    /// The label value whose series is 1.
    func present(_ prefix: String, _ labels: [String]) -> [String] {
        labels.filter { last("\(prefix),\($0)}") == 1 }
    }
}

@MainActor
@Suite("The signals of capabilities", .timeLimit(.minutes(10)))
struct CapabilitySignalTests {
    @Test("Levels, changes, their durations and permissions are recorded, each series bound once (CAP-17)")
    func signals() async throws {
        let recorder = SignalRecorder()
        let app = CameraApp(instrumentation: recorder)
        let levels = DegradationLevel.allCases.map { "\($0)" }
        try await app.orchestrator.start()
        #expect(recorder.present("axiom_capability_level{Camera", levels) == ["full"])
        #expect(recorder.last("axiom_capability_permission{camera,granted}") == 1)
        app.control.statuses.value?.report(.minimal)
        await until { app.orchestrator.degradation.worst == .minimal }
        #expect(recorder.present("axiom_capability_level{Camera", levels) == ["minimal"])
        #expect(recorder.present("axiom_capability_level{Analysis", levels) == ["limited"])
        for _ in 0..<3 { try await app.orchestrator.capabilityChanged(Camera.self, .serviceRestored) }
        app.control.set { ($0.refusesToStart, $0.permission) = (true, .denied) }
        try? await app.orchestrator.capabilityChanged(Camera.self, .serviceLost)
        #expect(recorder.count("axiom_capability_changes_total{Camera,serviceRestored,success}") == 3)
        #expect(recorder.count("axiom_capability_changes_total{Camera,serviceLost,failure}") == 1)
        #expect(recorder.count("axiom_capability_change_duration_seconds{Camera}") == 4)
        #expect(recorder.present("axiom_capability_level{Camera", levels) == ["unavailable"])
        let changes = recorder.bound.entries.filter { !$0.contains("permission") }
        #expect(Set(changes).count == changes.count)
        await app.orchestrator.shutdown()
    }
}
#endif
