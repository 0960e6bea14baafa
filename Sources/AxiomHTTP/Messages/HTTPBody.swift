// SPDX-License-Identifier: Apache-2.0

/// Bytes that many responses may share and that the network sends from where they lie.
///
/// Making a body copies the bytes once; sending it copies nothing, however often it is sent. A page that never
/// changes is therefore made once and kept.
public final class HTTPBody: Sendable {
    /// Allocated and written by the initializer, freed by `deinit`, and never written in between: immutable while
    /// anyone holds the body, which is what makes it safe to read from any thread.
    nonisolated(unsafe) private let storage: UnsafeMutableRawBufferPointer

    /// A body without bytes.
    public static let empty = HTTPBody([])

    /// Copies `bytes` into a body.
    public init(_ bytes: [UInt8]) {
        storage = .allocate(byteCount: bytes.count, alignment: 1)
        storage.copyBytes(from: bytes)
    }

    /// Copies the bytes that `bytes` points to, which need to be valid during the call only.
    public init(copying bytes: UnsafeRawBufferPointer) {
        storage = .allocate(byteCount: bytes.count, alignment: 1)
        storage.copyMemory(from: bytes)
    }

    /// Copies the UTF-8 of `text` into a body.
    public convenience init(_ text: String) {
        self.init(Array(text.utf8))
    }

    deinit {
        storage.deallocate()
    }

    /// How many bytes the body has.
    public var count: Int { storage.count }

    /// A copy of the bytes.
    public var bytes: [UInt8] { Array(storage) }

    /// Where the bytes lie: valid for as long as the caller keeps the body alive, and never to be written.
    var address: UnsafeMutableRawPointer? { storage.baseAddress }
}
