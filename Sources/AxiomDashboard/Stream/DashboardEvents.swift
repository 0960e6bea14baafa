// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// The stream of server-sent events for one reader: send each element as it is.
public struct DashboardEvents: AsyncSequence, Sendable {
    /// Takes the ticks one after the other, as fast as the reader asks for them.
    public final class AsyncIterator: AsyncIteratorProtocol {
        private let buffer: ReplayBuffer
        private var seq: Int
        private var hasBegun = false
        private var hasEnded = false
        private let isLost: Bool

        init(_ buffer: ReplayBuffer, after seq: Int, isLost: Bool) {
            self.buffer = buffer
            self.seq = seq
            self.isLost = isLost
            buffer.entered()
        }

        deinit {
            buffer.left()
        }

        /// The next event; nil after the end, or when the task was cancelled.
        public func next() async -> [UInt8]? {
            guard hasBegun else {
                hasBegun = true
                return Array("retry: 1000\n\n".utf8) + (isLost ? DashboardEvents.reset : [])
            }
            guard !hasEnded else { return nil }
            switch await buffer.next(after: seq) {
            case .event(let bytes, let seq):
                self.seq = seq
                return bytes
            case .lost(let seq):
                self.seq = seq
                return DashboardEvents.reset
            case .ended(let bytes):
                hasEnded = true
                return bytes
            case nil: return nil
            }
        }
    }

    fileprivate static let reset = Array("event: reset\ndata: {}\n\n".utf8)

    let buffer: ReplayBuffer
    let seq: Int
    /// Whether the reader must fetch a snapshot first, because it has the ticks of another run.
    let isLost: Bool

    /// Begins to read.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(buffer, after: seq, isLost: isLost)
    }
}
