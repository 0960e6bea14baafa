// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomMetrics

/// The handles of one component's actions, bound in advance: recording is an array look-up and a few atomic adds.
struct ActionRecorder: Sendable {
    /// The families that actions of one kind of component are recorded in.
    struct Families: Sendable {
        let actions: Family<Counter, String, String, ActionOutcome>
        let durations: Family<Histogram, String, String>
    }

    private struct Handles: Sendable {
        let success: Counter
        let failure: Counter
        let cancelled: Counter
        let rejected: Counter
        let duration: Histogram

        init(_ component: String, _ action: String, _ families: Families) {
            success = families.actions(component, action, .success)
            failure = families.actions(component, action, .failure)
            cancelled = families.actions(component, action, .cancelled)
            rejected = families.actions(component, action, .rejected)
            duration = families.durations(component, action)
        }

        func counter(of outcome: ActionOutcome) -> Counter {
            switch outcome {
            case .success: success
            case .failure: failure
            case .cancelled: cancelled
            case .rejected: rejected
            }
        }
    }

    /// What an action is called whose index lies outside of its type's case names.
    static let otherAction = "other"

    private let component: String
    private let families: Families
    /// By the index of the action's case.
    private let cases: [Handles]

    init<A: Action>(_ component: String, actions: A.Type, _ families: Families) {
        self.component = component
        self.families = families
        cases = A.caseNames.map { Handles(component, $0, families) }
    }

    func record(caseIndex: Int, outcome: ActionOutcome, nanoseconds: Int64) {
        // A type may give any index; the series for those that are wrong is made when the first one comes.
        let handles =
            cases.indices.contains(caseIndex)
            ? cases[caseIndex] : Handles(component, Self.otherAction, families)
        handles.counter(of: outcome).increment()
        handles.duration.observe(nanoseconds: nanoseconds)
    }
}
