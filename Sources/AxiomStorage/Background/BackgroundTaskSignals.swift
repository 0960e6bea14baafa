// SPDX-License-Identifier: Apache-2.0

internal import Axiom

/// The signals of background tasks, bound when a name is scheduled first.
struct BackgroundTaskSignals: Sendable {
    static let runs = SignalFamily(
        "axiom_background_task_runs_total",
        .counter,
        help: "Runs of background tasks that ended, by outcome: success, failure, cancelled.",
        labels: ["task", "outcome"]
    )
    static let duration = SignalFamily(
        "axiom_background_task_duration_seconds",
        .seconds,
        help: "Duration of the runs of background tasks, whatever their outcome.",
        labels: ["task"]
    )

    enum Outcome: String, Sendable, CaseIterable {
        case success
        case failure
        /// The run threw an error after its task was cancelled.
        case cancelled
    }

    /// The signals of one task.
    struct Bound: Sendable {
        fileprivate let runs: [Outcome: any Signal]
        fileprivate let duration: (any Signal)?

        func ended(_ outcome: Outcome, nanoseconds: Int64) {
            runs[outcome]?.add(1)
            duration?.observe(nanoseconds: nanoseconds)
        }
    }

    /// Further names share the label `other`.
    static let maximumNames = 100

    private let identity: ComponentIdentity
    private var bound: [String: Bound] = [:]

    init(_ identity: ComponentIdentity) { self.identity = identity }

    subscript(name: String) -> Bound {
        mutating get {
            let label = bound[name] != nil || bound.count < Self.maximumNames ? name : "other"
            if let known = bound[label] { return known }
            let new = bind(label)
            bound[label] = new
            return new
        }
    }

    private func bind(_ label: String) -> Bound {
        let runs: [Outcome: any Signal] = Self.runs.signals(after: [label], identity.signal)
        for signal in runs.values { signal.add(0) }
        return Bound(runs: runs, duration: identity.signal(Self.duration, [label]))
    }
}
