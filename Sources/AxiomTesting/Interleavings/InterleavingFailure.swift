// SPDX-License-Identifier: Apache-2.0

public import AxiomBase

/// A run of ``withInterleavings(_:seed:limit:maximumSteps:checkingReplay:sourceLocation:_:)`` failed. The message names
/// the seed.
public struct InterleavingFailure: MessageError, CustomStringConvertible {
    /// Why the run failed.
    ///
    /// The texts of `waits` name the operations of Axiom and the sleeps of manual times that had not ended. Other waits,
    /// such as for a continuation, are not known.
    public enum Cause: Sendable {
        /// The body threw an error.
        case error(any Error)
        /// So many expectations of the body failed. They were reported before.
        case issues(Int)
        /// The body waited for something that none of its tasks does. Nothing could run for the limit.
        case nothingRuns(limit: Duration, waits: [String])
        /// The body took more steps than allowed.
        case tooManySteps(maximum: Int, waits: [String])
        /// A second run with the seed took another schedule. The first difference was at this step, from 0.
        case differs(step: Int)
    }

    /// The seed of the run.
    public let seed: UInt64
    /// The number of the run, from 1.
    public let run: Int
    /// The number of runs that were intended.
    public let count: Int
    /// Why it failed.
    public let cause: Cause
    let taken: Schedule

    /// The name of the environment variable that repeats one seed.
    static var variable: String { "AXIOM_INTERLEAVING_SEED" }
    /// A message lists so many waits and so many of the last steps.
    private static var longestList: Int { 10 }

    /// The tasks in the order in which they ran; see ``Interleaving/schedule``.
    public var schedule: String { taken.text }

    /// The seed, what happened, and how to repeat the run.
    public var message: String {
        "Interleaving \(run) of \(count), with the seed \(seed), \(event) after \(Self.count(taken.steps.count, "step")) of "
            + "\(Self.count(taken.tasks, "task")). \(waits)\(lastSteps)\(remedy) To repeat it, set \(Self.variable)=\(seed) in the "
            + "environment or call withInterleavings(1, seed: \(seed))."
    }

    private static func count(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }

    private var event: String {
        switch cause {
        case .error(let error): "threw an error (\(String(clause: error)))"
        case .issues(let count): "failed \(Self.count(count, "expectation"))"
        case .nothingRuns(let limit, _): "could not go on for \(limit)"
        case .tooManySteps(let maximum, _): "took more than \(maximum) steps and was ended"
        case .differs(let step): "took another schedule when it was repeated, from step \(step),"
        }
    }

    private var waits: String {
        switch cause {
        case .error, .issues, .differs: return ""
        case .nothingRuns(_, let waits), .tooManySteps(_, let waits):
            guard !waits.isEmpty else { return "No operation of Axiom and no sleep of a manual time is under way. " }
            let others = waits.count - Self.longestList
            let list = waits.prefix(Self.longestList).joined(separator: "; ")
            return "Under way: \(list)\(others > 0 ? " and \(others) more" : ""). "
        }
    }

    private var lastSteps: String {
        guard !taken.steps.isEmpty else { return "" }
        return "The last steps were of \(taken.text(ofLast: Self.longestList)). "
    }

    private var remedy: String {
        switch cause {
        case .error, .issues: "Another order of the same tasks may pass."
        case .nothingRuns:
            "The body waits for something that none of its tasks does: a manual clock that does not advance, a "
                + "continuation that is not resumed, or work that takes longer outside of its tasks."
        case .tooManySteps: "A task may wait in a loop, for example for a clock that does not advance."
        case .differs:
            "Something outside of the schedule takes part: Task { } in the code under test, a thread, a real clock, or "
                + "the order of a Set or a Dictionary."
        }
    }
}
