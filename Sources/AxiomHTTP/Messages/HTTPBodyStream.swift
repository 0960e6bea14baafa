// SPDX-License-Identifier: Apache-2.0

/// A body that is produced while it is sent, with the type of its sequence erased.
struct HTTPBodyStream: Sendable {
    /// Hands every chunk to the closure, one at a time, and returns when the sequence ends.
    let produce: @Sendable (_ send: @Sendable ([UInt8]) async throws -> Void) async throws -> Void

    init<Chunks: AsyncSequence & Sendable>(_ chunks: Chunks) where Chunks.Element == [UInt8] {
        produce = { send in
            for try await chunk in chunks { try await send(chunk) }
        }
    }
}
