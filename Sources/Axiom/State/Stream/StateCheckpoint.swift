// SPDX-License-Identifier: Apache-2.0

/// The position of a subscriber in the states of a client. It outlasts an iteration: the next iteration continues
/// behind the last state that was acknowledged.
///
/// ```swift
/// let checkpoint = client.stateStream.checkpoint()
/// // Repeat this loop after an error or a cancellation.
/// for try await order in checkpoint.states {
///     try await ledger.write(order)
/// }
/// ```
/// A state is acknowledged when the loop requests the next one. If the body of the loop throws, is cancelled or leaves
/// with `break`, its state is not acknowledged: if it is critical, the next iteration begins with it.
///
/// **What is kept.** While a checkpoint exists, the store keeps the critical states after it, up to 1,000. Beyond that
/// it drops the oldest. An iteration that resumes after that throws ``ErrorCode/criticalStatesLost`` once, with their
/// number in ``StateError/lost``; the iteration after it continues with the states that are left. Other states are not
/// kept: after the critical ones comes the current state, unless it was acknowledged.
public final class StateCheckpoint<S: OwnedState>: Sendable {
    private let storage: StateStorage<S>
    fileprivate let reader: StateReader

    fileprivate init(_ stream: StateStream<S>, after version: StateVersion?) {
        storage = stream.storage
        reader = StateReader(storage, after: version)
    }

    /// The version of the last state that was acknowledged; nil if none was.
    public var version: StateVersion? { reader.acknowledged }

    /// Acknowledges the state of `version` and all before it, in addition to what an iteration acknowledges. An earlier
    /// version has no effect.
    public func acknowledge(_ version: StateVersion) { reader.acknowledge(version) }

    /// The states behind this position. Iterate over it from one task at a time.
    public var states: States { States(checkpoint: self) }

    fileprivate func subscribe() -> (StateCursor<S>, lost: UInt64) {
        storage.subscribe(at: reader, by: nil)
    }

    /// The states behind a checkpoint: first the critical ones that were not acknowledged, then the current one, then
    /// each change, as ``StateStream`` describes.
    public struct States: AsyncSequence, Sendable {
        /// A state of the client.
        public typealias Element = S
        /// The subscriber stalled, resumed too late, or called its iterator concurrently.
        public typealias Failure = StateError

        fileprivate let checkpoint: StateCheckpoint

        /// Subscribes at the position of the checkpoint.
        public func makeAsyncIterator() -> AsyncIterator {
            let (cursor, lost) = checkpoint.subscribe()
            return AsyncIterator(checkpoint: checkpoint, cursor: cursor, lost: lost)
        }
    }

    /// One iteration from a checkpoint. Use it from one task at a time.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let checkpoint: StateCheckpoint
        fileprivate let cursor: StateCursor<S>
        fileprivate var lost: UInt64
        /// The version of the state that the caller processes.
        private var delivered: StateVersion?

        fileprivate init(checkpoint: StateCheckpoint, cursor: StateCursor<S>, lost: UInt64) {
            (self.checkpoint, self.cursor, self.lost) = (checkpoint, cursor, lost)
        }

        /// Acknowledges the state that the previous call returned, then waits for the next one. Returns nil at the end
        /// or if the task is cancelled.
        ///
        /// - Throws: ``StateError``.
        public mutating func next(
            isolation actor: isolated (any Actor)? = #isolation
        ) async throws(StateError) -> S? {
            if let version = delivered.take() { checkpoint.acknowledge(version) }
            if lost > 0 {
                defer { lost = 0 }
                throw .criticalStatesLost(S.self, lost)
            }
            guard let snapshot = try await cursor.take(.one, isolation: actor)?.latest else { return nil }
            delivered = snapshot.version
            return snapshot.state(as: S.self)
        }
    }
}

extension StateStream {
    /// A position in this stream that begins with the current state, and keeps the critical states from now on.
    public func checkpoint() -> StateCheckpoint<S> { StateCheckpoint(self, after: nil) }

    /// A position in this stream behind `version`, such as one that an earlier ``StateCheckpoint/version`` returned.
    ///
    /// The store keeps critical states only while a checkpoint or an observing context needs them. If it no longer has
    /// all critical states since `version`, the first iteration throws ``ErrorCode/criticalStatesLost``.
    ///
    /// - Parameter version: A version of the same store. A later one than the current one counts as the current one.
    public func checkpoint(after version: StateVersion) -> StateCheckpoint<S> {
        StateCheckpoint(self, after: version)
    }
}
