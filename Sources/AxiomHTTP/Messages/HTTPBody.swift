// SPDX-License-Identifier: Apache-2.0

/// Immutable bytes that responses share and that are sent without another copy.
///
/// To serve a page that never changes, create its body once and use it in every response.
package final class HTTPBody: Sendable {
    /// Not written during the lifetime of the body, so any thread may read it. Either the initializer allocated and wrote
    /// it, or its owner guarantees it.
    nonisolated(unsafe) private let storage: UnsafeRawBufferPointer
    /// Returns the storage to its owner; nil if the body owns it.
    private let onRelease: (@Sendable () -> Void)?

    /// Copies `bytes` into a body.
    package convenience init(_ bytes: [UInt8]) {
        self.init(copyOf: bytes)
    }

    /// Copies the bytes that `bytes` points to.
    package convenience init(copying bytes: UnsafeRawBufferPointer) {
        self.init(copyOf: bytes)
    }

    /// Copies the UTF-8 of `text` into a body.
    package convenience init(_ text: String) {
        self.init(copyOf: text.utf8)
    }

    /// Creates a body of memory that the caller owns, without a copy: for buffers that are reused.
    ///
    /// - Parameters:
    ///   - bytes: The bytes. The memory must be neither moved nor written before the call of `onRelease`.
    ///   - onRelease: Called once, on any thread, when the last reference to the body is gone: with a slow reader, long
    ///     after the handler has returned. It should be quick.
    package init(sharing bytes: UnsafeRawBufferPointer, onRelease: @escaping @Sendable () -> Void) {
        storage = bytes
        self.onRelease = onRelease
    }

    private init(copyOf bytes: some Collection<UInt8>) {
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
        memory.copyBytes(from: bytes)
        storage = UnsafeRawBufferPointer(memory)
        onRelease = nil
    }

    deinit {
        if let onRelease { onRelease() } else { storage.deallocate() }
    }

    /// How many bytes the body has.
    package var count: Int { storage.count }

    /// A copy of the bytes.
    package var bytes: [UInt8] { Array(storage) }

    /// Calls `body` with the bytes, which are valid until it returns.
    package func withUnsafeBytes<Result: ~Copyable, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(storage)
    }

    /// The address of the bytes, valid for the lifetime of the body. They must not be written, although libmicrohttpd's
    /// type is not const.
    var address: UnsafeMutableRawPointer? { UnsafeMutableRawPointer(mutating: storage.baseAddress) }
}
