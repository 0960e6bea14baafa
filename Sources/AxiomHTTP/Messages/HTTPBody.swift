// SPDX-License-Identifier: Apache-2.0

/// Bytes that many responses may share and that the network sends from where they lie.
///
/// Making a body copies the bytes once, unless it shares the memory of somebody else; sending it copies nothing, however
/// often it is sent. A page that never changes is therefore made once and kept.
public final class HTTPBody: Sendable {
    /// Not written while anyone holds the body, which is what makes it safe to read from any thread: allocated and
    /// written by the initializer, or shared by an owner who has promised it.
    nonisolated(unsafe) private let storage: UnsafeRawBufferPointer
    /// Tells the owner of the storage that it is no longer used; nil when the body owns it.
    private let onRelease: (@Sendable () -> Void)?

    /// A body without bytes.
    public static let empty = HTTPBody([])

    /// Copies `bytes` into a body.
    public convenience init(_ bytes: [UInt8]) {
        self.init(copyOf: bytes)
    }

    /// Copies the bytes that `bytes` points to, which need to be valid during the call only.
    public convenience init(copying bytes: UnsafeRawBufferPointer) {
        self.init(copyOf: bytes)
    }

    /// Copies the UTF-8 of `text` into a body.
    public convenience init(_ text: String) {
        self.init(copyOf: text.utf8)
    }

    /// Makes a body of memory that somebody else owns, without copying it: for pages that are written into memory which
    /// is used again.
    ///
    /// - Parameters:
    ///   - bytes: What to send. It must stay where it is, and must not be written, until `onRelease` is called.
    ///   - onRelease: Called once, on any thread, when neither a response that is being sent nor anyone else holds the
    ///     body any longer: with a slow reader, long after the handler has returned. It should be quick.
    public init(sharing bytes: UnsafeRawBufferPointer, onRelease: @escaping @Sendable () -> Void) {
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
    public var count: Int { storage.count }

    /// A copy of the bytes.
    public var bytes: [UInt8] { Array(storage) }

    /// Lends the bytes to `body`; they are valid until it returns.
    public func withUnsafeBytes<Result: ~Copyable, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(storage)
    }

    /// Where the bytes lie: valid for as long as the caller keeps the body alive, and never to be written, although
    /// libmicrohttpd's type for it is not const.
    var address: UnsafeMutableRawPointer? { UnsafeMutableRawPointer(mutating: storage.baseAddress) }
}
