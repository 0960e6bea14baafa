// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// The stream of server-sent events for one reader: each element is to be sent as it is.
public struct DashboardEvents: AsyncSequence, Sendable {
    /// Takes the ticks one after the other, at the reader's pace.
    public final class AsyncIterator: AsyncIteratorProtocol {
        private let board: TickBoard
        private var seq: Int
        private var hasBegun = false
        private var hasEnded = false
        private let isLost: Bool

        init(_ board: TickBoard, after seq: Int, isLost: Bool) {
            self.board = board
            self.seq = seq
            self.isLost = isLost
            board.entered()
        }

        deinit {
            board.left()
        }

        /// The next event; nil after the end, or when the task was cancelled.
        public func next() async -> [UInt8]? {
            guard hasBegun else {
                hasBegun = true
                return Array("retry: 1000\n\n".utf8) + (isLost ? DashboardEvents.reset : [])
            }
            guard !hasEnded else { return nil }
            switch await board.news(after: seq) {
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

    let board: TickBoard
    let seq: Int
    /// Whether the reader must fetch a snapshot first, because it was of another run.
    let isLost: Bool

    /// Begins to read.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(board, after: seq, isLost: isLost)
    }
}
