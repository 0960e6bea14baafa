// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomMetrics
internal import Synchronization

/// The handles of one client.
final class ClientRecorder: Sendable {
    let client: ComponentDescriptor
    private let actions: ActionRecorder
    /// How many actions began, and how many ended. Two totals that only grow can be sharded; one that goes up and down
    /// would be the word on which all threads meet.
    ///
    /// An action is added to `began` before it is added to `ended`, and the fences keep that order for whoever reads
    /// `ended` first: the difference is never negative.
    private let began = Tally()
    private let ended = Tally()
    /// Times how long an action waits for its client, of some; nil where that budget is not measured.
    private let wait: BudgetMeter?

    init(_ client: ComponentDescriptor, actions: ActionRecorder, wait: BudgetMeter?) {
        self.wait = wait
        self.client = client
        self.actions = actions
    }

    /// How many actions have begun and not ended.
    var inFlight: UInt64 {
        let ended = ended.value
        atomicMemoryFence(ordering: .acquiring)
        return began.value &- ended
    }

    @inline(__always)
    func begin() {
        began.increment()
    }

    @inline(__always)
    func end(caseIndex: Int, outcome: ActionOutcome, nanoseconds: Int64) {
        actions.record(caseIndex: caseIndex, outcome: outcome, nanoseconds: nanoseconds)
        atomicMemoryFence(ordering: .releasing)
        ended.increment()
    }

    /// Records how long an action would have waited for the client's actor.
    func waited(nanoseconds: Int64) {
        wait?.record(nanoseconds)
    }

    /// Counts an action that did not begin.
    func refuse(caseIndex: Int) {
        actions.refuse(caseIndex: caseIndex)
    }
}
