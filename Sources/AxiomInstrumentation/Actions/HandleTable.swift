// SPDX-License-Identifier: Apache-2.0

/// Handles that are looked up by index and used in place, without reference counting.
///
/// An array retains an element that it returns, and releases it after use. These two atomic operations on the handle's
/// own count cost more than most uses of a handle, and all threads that use the handle would contend for it.
///
/// It is in this module, which is optimized as a whole: in another module it was not specialized, and recording took
/// twice as long.
struct HandleTable<Handle: AnyObject & Sendable>: Sendable {
    /// Keeps the handles alive as long as the table exists.
    private let owners: [Handle]
    /// The handles of `owners`, in the same order.
    private let references: [Unmanaged<Handle>]

    /// Makes a table of the handles.
    init(_ handles: [Handle]) {
        owners = handles
        references = handles.map { Unmanaged.passUnretained($0) }
    }

    /// The handles in their order, for callers that keep them.
    var handles: [Handle] { owners }

    /// The number of handles.
    var count: Int { references.count }

    /// Uses the handle at `index`, which must be less than ``count`` and not negative.
    ///
    /// - Parameter body: Must not keep the handle after it returns.
    @inline(__always)
    func use(at index: Int, _ body: (Handle) -> Void) {
        withExtendedLifetime(owners) { references[index]._withUnsafeGuaranteedRef(body) }
    }
}
