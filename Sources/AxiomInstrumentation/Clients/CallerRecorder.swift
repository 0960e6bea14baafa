// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase
internal import AxiomMetrics
internal import Synchronization

/// The handles with which one caller of a client records its calls: how many begin and end is counted for each caller
/// apart, instead of once for all of them, so that it costs nothing to know who calls.
final class CallerRecorder: Sendable {
    /// nil for whoever was given the client without being known.
    let caller: ComponentDescriptor?
    private let actions: ActionRecorder
    private let wait: BudgetMeter?
    /// How many actions began, and how many ended, by the index of the action's case; the last for every other index. Two
    /// totals that only grow can be sharded; one that goes up and down would be the word on which all threads meet.
    ///
    /// An action is added to `began` before it is added to `ended`, and the fences keep that order for whoever reads
    /// `ended` first: the difference is never negative.
    private let began: HandleTable<Tally>
    private let ended: HandleTable<Tally>
    private let refused = Tally()
    private let failed = Tally()

    init(_ caller: ComponentDescriptor?, actions: ActionRecorder, wait: BudgetMeter?) {
        self.caller = caller
        self.actions = actions
        self.wait = wait
        began = HandleTable((0...actions.cases).map { _ in Tally() })
        ended = HandleTable((0...actions.cases).map { _ in Tally() })
    }

    @inline(__always)
    private func place(_ caseIndex: Int) -> Int {
        // One comparison: a negative index is a large one.
        Int(bitPattern: min(UInt(bitPattern: caseIndex), UInt(bitPattern: began.count &- 1)))
    }

    @inline(__always)
    func begin(caseIndex: Int) {
        began.use(at: place(caseIndex)) { $0.increment() }
    }

    @inline(__always)
    func end(caseIndex: Int, outcome: ActionOutcome, nanoseconds: Int64) {
        actions.record(caseIndex: caseIndex, outcome: outcome, nanoseconds: nanoseconds)
        atomicMemoryFence(ordering: .releasing)
        ended.use(at: place(caseIndex)) { $0.increment() }
        guard outcome == .failure else { return }
        atomicMemoryFence(ordering: .releasing)
        failed.increment()
    }

    /// Records how long an action waited for the client's actor.
    func waited(nanoseconds: Int64) {
        wait?.record(nanoseconds)
    }

    /// Counts an action that did not begin.
    func refuse(caseIndex: Int) {
        actions.refuse(caseIndex: caseIndex)
        refused.increment()
    }

    /// How many actions have begun and not ended, by the index of the action's case.
    var inFlight: [UInt64] {
        let ended = ended.handles.map(\.value)
        atomicMemoryFence(ordering: .acquiring)
        return zip(began.handles, ended).map { $0.value &- $1 }
    }

    /// The failures are read first: a call is added to them after it was added to those that ended.
    var counts: CallCounts {
        let failures = failed.value
        atomicMemoryFence(ordering: .acquiring)
        return CallCounts(calls: ended.handles.reduce(refused.value) { $0 &+ $1.value }, failures: failures)
    }
}
