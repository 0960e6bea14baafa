// SPDX-License-Identifier: Apache-2.0

public import Synchronization

/// The children of a family whose labels are all enums with known cases: a table with one entry per combination, so that
/// a look-up indexes an array instead of hashing.
///
/// The index of a case is the byte that represents it in memory.
final class DenseChildren: @unchecked Sendable {
    // Unchecked because of the pointers: their memory is written only in `init`, except for `isValid`, which is atomic.

    /// The most entries of a table.
    static let maximumCount = 4_096

    /// For each label the largest byte that represents one of its cases, plus 1.
    private let sizes: UnsafeMutablePointer<Int>
    /// The children, retained by this object; nil for bytes that represent no case.
    private let table: UnsafeMutablePointer<Unmanaged<Instrument>?>
    /// Cleared when a child is removed and never set again; children are then looked up by their labels.
    private let isValid: UnsafeMutablePointer<Atomic<Bool>>
    private let count: Int

    /// Calls `child` for every combination of the cases.
    init(_ labels: [EnumeratedLabel], child: ([String]) -> Instrument) {
        let sizes = labels.map { label in Int(label.cases.map(\.byte).max() ?? 0) + 1 }
        self.sizes = .allocate(capacity: sizes.count)
        self.sizes.initialize(from: sizes, count: sizes.count)
        count = sizes.reduce(1, *)
        table = .allocate(capacity: count)
        table.initialize(repeating: nil, count: count)
        isValid = .allocate(capacity: 1)
        isValid.initialize(to: Atomic(true))
        fill(labels[...], index: 0, values: [], child)
    }

    deinit {
        for index in 0..<count { table[index]?.release() }
        table.deallocate()
        sizes.deallocate()
        isValid.deinitialize(count: 1)
        isValid.deallocate()
    }

    /// Makes all further look-ups use the labels.
    func invalidate() {
        isValid.pointee.store(false, ordering: .relaxed)
    }

    /// The part for look-ups, without a counted reference.
    var index: DenseIndex {
        DenseIndex(sizes: UnsafePointer(sizes), table: UnsafePointer(table), isValid: isValid)
    }

    private func fill(
        _ labels: ArraySlice<EnumeratedLabel>,
        index: Int,
        values: [String],
        _ child: ([String]) -> Instrument
    ) {
        guard let label = labels.first else {
            table[index] = .passRetained(child(values))
            return
        }
        for (byte, value) in label.cases {
            let next = index * sizes[labels.startIndex] + Int(byte)
            fill(labels.dropFirst(), index: next, values: values + [value], child)
        }
    }
}

/// Looks up children in a ``DenseChildren``, which must outlive it.
@usableFromInline
struct DenseIndex: @unchecked Sendable {
    // Unchecked because of the pointers, whose memory does not change except for the atomic.
    @usableFromInline let sizes: UnsafePointer<Int>
    @usableFromInline let table: UnsafePointer<Unmanaged<Instrument>?>
    @usableFromInline let isValid: UnsafeMutablePointer<Atomic<Bool>>
}
