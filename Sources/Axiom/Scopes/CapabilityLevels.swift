// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// The level of a capability over time: first now, then after every change.
///
/// ```swift
/// for await level in network.levels { store.update { $0.networkLevel = level } }
/// ```
/// Each iterator is a separate subscription. A slow subscriber gets only the newest level: levels that were replaced
/// before it took them are left out, and so is a level equal to the one that it took last. The sequence ends when the
/// application is shut down, and when the iterating task is cancelled.
public struct CapabilityLevels: AsyncSequence, Sendable {
    /// A level.
    public typealias Element = DegradationLevel
    /// A subscription does not fail.
    public typealias Failure = Never

    private let levels: Broadcast<DegradationLevel>

    init(_ levels: Broadcast<DegradationLevel>) {
        self.levels = levels
    }

    /// Begins a subscription.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(levels.stream())
    }

    /// One subscription. Use it from one task at a time.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private var levels: AsyncStream<DegradationLevel>.Iterator
        private var last: DegradationLevel?

        fileprivate init(_ levels: AsyncStream<DegradationLevel>) {
            self.levels = levels.makeAsyncIterator()
        }

        /// The newest level if it differs from the last one; waits for it.
        public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async -> DegradationLevel? {
            while !Task.isCancelled, let level = await levels.next(isolation: actor) {
                guard level != last else { continue }
                last = level
                return level
            }
            return nil
        }
    }
}
