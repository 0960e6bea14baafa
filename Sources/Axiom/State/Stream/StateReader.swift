// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// The position of one subscriber in the critical states of a store. It outlasts the subscriptions of the subscriber,
/// and keeps the critical states after it in the journal of the store.
final class StateReader: Sendable {
    let fanout: StateFanout
    private let id: UInt64
    /// The last state that the subscriber processed; nil if it has processed none. Never goes back.
    private let position: Lock<StateVersion?>
    /// The number of the critical states that preceded the reader.
    private let opened: UInt64

    /// Makes a reader at `version`, or at the current version.
    ///
    /// - Parameter version: The version that the subscriber has processed. Nil: it has processed none, and starts with
    ///   the current state.
    init(_ fanout: StateFanout, after version: StateVersion? = nil) {
        self.fanout = fanout
        position = Lock(version)
        (id, opened) = fanout.openReader(after: version)
    }

    deinit { fanout.closeReader(id) }

    /// The last state that the subscriber processed; nil if it has processed none.
    var acknowledged: StateVersion? { position.withLock { $0 } }

    /// Notes that the subscriber has processed the state of `version` and all before it.
    func acknowledge(_ version: StateVersion) {
        let isCritical = position.withLock { position -> Bool in
            if let position, position >= version { return false }
            defer { position = version }
            return version.criticals > position?.criticals ?? opened
        }
        if isCritical { fanout.acknowledge(id, through: version.criticals) }
    }

    /// The critical states that the subscriber has not acknowledged. Requires the lock of the fan-out.
    func missed() -> CriticalJournal<AnyStateSnapshot>.Missed { fanout.missed(by: id) }
}
