// SPDX-License-Identifier: Apache-2.0

#if Instrumented
import Axiom
import AxiomBase
import Foundation
import Testing

@testable import AxiomDashboard
@testable import AxiomInstrumentation
@testable import AxiomStatistics

@Suite("Regressions on the page")
struct RegressionRowTests {
    private static let words = "of 12 ms more per call, 9 ms (75 %, at least 60 %) are in parse(_:)"

    private func reading(_ verdict: Verdict, _ functions: String? = nil) -> VerdictReading {
        let findings = [0.5, 0.99].map {
            LiveFinding(
                percentile: $0,
                ratio: $0 < 0.9 ? 1.5 : 1.01,
                standardError: 0.01,
                adjustedP: 0,
                isRegressed: verdict.kind == .regressed && $0 < 0.9
            )
        }
        let live = LiveVerdict(
            operation: "process/Cart/add",
            verdict: verdict,
            findings: verdict.kind == .regressed ? findings : []
        )
        let operation = TimedOperation(ComponentDescriptor(kind: .client, name: "Cart"), "add")
        return VerdictReading(
            verdict: RegressionVerdict(operation, live, functions),
            percentiles: [0.5, 0.99],
            baseline: [0.024, 0.1]
        )
    }

    private func reasons(_ reading: VerdictReading) -> [String] {
        var (observed, ids) = (Observation(), RowIDs())
        observed.verdicts = [reading]
        return RegressionRow.rows(observed, &ids).map(\.reason)
    }

    @Test("The row of the percentile that became slower says in which functions")
    func functions() {
        let slower = Verdict(.regressed, .slower, "the 0.5 quantile grew by 50 %")
        #expect(reasons(reading(slower, Self.words)) == ["slower: \(Self.words)", "slower"])
        #expect(reasons(reading(slower)) == ["slower", "slower"])
    }

    @Test("What must not be compared, and what the application does not have, says why")
    func incomparable() {
        let machine = Verdict(.incomparable, .fingerprint, "cpu_model was A and is B")
        #expect(reasons(reading(machine)) == .init(repeating: "fingerprint: cpu_model was A and is B", count: 2))
        let few = Verdict(.insufficient, .tooFewWindows, "3 windows with 20 requests or more, 30 are needed")
        #expect(reasons(reading(few)) == ["too few windows", "too few windows"])
    }

    @Test("Its problem has the sentence, and so has the diagnosis")
    func problem() throws {
        let workshop = try Workshop(["Cart"])
        workshop.tick()
        var observed = Observation()
        observed.verdicts = [reading(Verdict(.regressed, .slower), Self.words)]
        let history = workshop.dashboard.state.withLock { $0.model.history }
        let moment = ObservedMoment(
            observed: observed,
            history: history,
            components: ComponentIndex(),
            trends: []
        )
        let text = "Cart.add p50 is 1.5× its baseline: \(Self.words)"
        #expect(moment.problems.map(\.text).contains(text))
        let rows: [String: Any] = [
            "schema": "axiom/snapshot", "version": 1, "capturedAt": 1_700_000_100.0, "app": ["name": "Shop"],
            "components": [[String: Any]](),
            "problems": [
                ["id": 1, "kind": "bad", "panel": "components", "text": "Cart is slow", "since": 1_700_000_000],
                ["id": 2, "kind": "bad", "panel": "regressions", "text": text, "since": 1_700_000_000, "cause": 1],
            ],
        ]
        let snapshot = Array(try JSONSerialization.data(withJSONObject: rows))
        #expect(try Diagnosis(snapshot, from: "test").markdown().contains("- effect: \(text)\n"))
    }
}
#endif
