// SPDX-License-Identifier: Apache-2.0

/// The stream of server-sent events for one reader: send each element as it is.
package struct DashboardEvents: AsyncSequence, Sendable {
    /// Takes the ticks one after the other, as fast as the reader asks for them.
    package final class AsyncIterator: AsyncIteratorProtocol {
        private let buffer: ReplayBuffer
        private var seq: Int
        private var hasBegun = false
        private var hasEnded = false
        private let isLost: Bool
        /// nil for a stream that is not compressed.
        private var compressor: StreamCompressor?

        init(_ buffer: ReplayBuffer, after seq: Int, isLost: Bool, isCompressed: Bool) {
            self.buffer = buffer
            self.seq = seq
            self.isLost = isLost
            compressor = isCompressed ? StreamCompressor() : nil
            buffer.entered()
        }

        deinit {
            buffer.left()
        }

        /// The next event; nil after the end, or when the task was cancelled.
        package func next() async -> [UInt8]? {
            guard hasBegun else {
                hasBegun = true
                return part(Array("retry: 1000\n\n".utf8) + (isLost ? DashboardEvents.reset : []))
            }
            guard !hasEnded else { return nil }
            switch await buffer.next(after: seq) {
            case .event(let tick):
                seq = tick.seq
                return part(tick.event, compressed: tick.block)
            case .lost(let seq):
                self.seq = seq
                return part(DashboardEvents.reset)
            case .ended(let bytes):
                hasEnded = true
                return part(bytes).map { $0 + (compressor?.trailer ?? []) }
            case nil: return nil
            }
        }

        /// The bytes as this reader gets them; nil, which ends the stream, if zlib could not allocate memory.
        private func part(_ bytes: [UInt8], compressed block: [UInt8]? = nil) -> [UInt8]? {
            compressor == nil ? bytes : compressor?.part(bytes, compressed: block)
        }
    }

    fileprivate static let reset = Array("event: reset\ndata: {}\n\n".utf8)

    let buffer: ReplayBuffer
    let seq: Int
    /// Whether the reader must fetch a snapshot first, because it has the ticks of another run.
    let isLost: Bool
    let isCompressed: Bool

    /// Begins to read.
    package func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(buffer, after: seq, isLost: isLost, isCompressed: isCompressed)
    }
}
