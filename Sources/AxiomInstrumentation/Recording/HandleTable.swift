// SPDX-License-Identifier: Apache-2.0

/// Handles that are found by an index and used in place, without counting references.
///
/// An array retains what it hands out and releases it after use: two atomic operations on the handle's own count, which
/// cost more than what most handles are used for, and on which all threads that use the handle would meet.
///
/// In this module, which is optimized as a whole: from another one it was not specialized, and recording took twice as long.
struct HandleTable<Handle: AnyObject & Sendable>: Sendable {
    /// Keeps the handles alive for as long as the table is.
    private let owners: [Handle]
    /// The handles of `owners`, in the same order.
    private let references: [Unmanaged<Handle>]

    /// Takes the handles.
    init(_ handles: [Handle]) {
        owners = handles
        references = handles.map { Unmanaged.passUnretained($0) }
    }

    /// The handles, to be kept: in their order.
    var handles: [Handle] { owners }

    /// How many there are.
    var count: Int { references.count }

    /// Uses the handle at `index`, which must be less than ``count`` and not negative.
    ///
    /// - Parameter body: May use the handle until it returns, and not keep it.
    @inline(__always)
    func use(at index: Int, _ body: (Handle) -> Void) {
        withExtendedLifetime(owners) { references[index]._withUnsafeGuaranteedRef(body) }
    }
}
