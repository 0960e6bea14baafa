// SPDX-License-Identifier: Apache-2.0

public import Synchronization

/// The children of a family all of whose labels are enums with known cases: a table with a place for each combination,
/// so that a look-up is an index and hashes nothing.
///
/// A case is known by the byte that represents it in memory, which the table's maker has asked of every case.
final class DenseChildren: @unchecked Sendable {
    // Unchecked because of the pointers: they are written in `init` only, but for `table`, which is atomic.

    /// The most combinations for which a table is made.
    static let maximumCount = 4_096

    /// For each label one more than the largest byte that represents one of its cases.
    private let sizes: UnsafeMutablePointer<Int>
    /// The children, retained for the life of this object; nil where bytes stand for no case.
    private let table: UnsafeMutablePointer<Unmanaged<Instrument>?>
    /// Cleared for good when a child is removed: from then on children are looked up by their labels.
    private let isValid: UnsafeMutablePointer<Atomic<Bool>>
    private let count: Int

    /// Asks `child` for the child of every combination of the cases.
    init(_ labels: [EnumeratedLabel], child: ([String]) -> Instrument) {
        let sizes = labels.map { label in Int(label.cases.map(\.byte).max() ?? 0) + 1 }
        self.sizes = .allocate(capacity: sizes.count)
        self.sizes.initialize(from: sizes, count: sizes.count)
        count = sizes.reduce(1, *)
        table = .allocate(capacity: count)
        table.initialize(repeating: nil, count: count)
        isValid = .allocate(capacity: 1)
        isValid.initialize(to: Atomic(true))
        fill(labels[...], place: 0, values: [], child)
    }

    deinit {
        for place in 0..<count { table[place]?.release() }
        table.deallocate()
        sizes.deallocate()
        isValid.deinitialize(count: 1)
        isValid.deallocate()
    }

    /// Makes all look-ups from now on go by the labels.
    func invalidate() {
        isValid.pointee.store(false, ordering: .relaxed)
    }

    /// What a look-up needs, without a reference that would have to be counted.
    var index: DenseIndex {
        DenseIndex(sizes: UnsafePointer(sizes), table: UnsafePointer(table), isValid: isValid)
    }

    private func fill(
        _ labels: ArraySlice<EnumeratedLabel>,
        place: Int,
        values: [String],
        _ child: ([String]) -> Instrument
    ) {
        guard let label = labels.first else {
            table[place] = .passRetained(child(values))
            return
        }
        for (byte, value) in label.cases {
            let next = place * sizes[labels.startIndex] + Int(byte)
            fill(labels.dropFirst(), place: next, values: values + [value], child)
        }
    }
}

/// The way into a ``DenseChildren``, which must outlive it.
@usableFromInline
struct DenseIndex: @unchecked Sendable {
    // Unchecked because of the pointers, whose memory does not change but for the atomic.
    @usableFromInline let sizes: UnsafePointer<Int>
    @usableFromInline let table: UnsafePointer<Unmanaged<Instrument>?>
    @usableFromInline let isValid: UnsafeMutablePointer<Atomic<Bool>>
}

/// The cases of a label's type, where they are known: it is `CaseIterable` and takes at most one byte, as enums without
/// associated values do.
struct EnumeratedLabel: Sendable {
    /// The type, which alone gives the bytes their meaning.
    let type: ObjectIdentifier
    /// The byte that represents each case, and the label value that it stands for.
    let cases: [(byte: UInt8, value: String)]

    /// nil when the type's cases are not known.
    init?<Value: LabelValue>(_ type: Value.Type) {
        guard MemoryLayout<Value>.size <= 1, let enumerable = type as? any (CaseIterable & LabelValue).Type else {
            return nil
        }
        self.type = ObjectIdentifier(type)
        cases = Self.cases(of: enumerable)
        if cases.isEmpty { return nil }
    }

    private static func cases<Value: CaseIterable & LabelValue>(of type: Value.Type) -> [(byte: UInt8, value: String)] {
        type.allCases.map { (labelByte($0), $0.labelValue) }
    }
}

/// The byte that represents a value of a type that takes at most one; 255 for other types.
@inlinable
@inline(__always)
func labelByte<Value>(_ value: Value) -> UInt8 {
    if MemoryLayout<Value>.size == 1 { return unsafeBitCast(value, to: UInt8.self) }
    return MemoryLayout<Value>.size == 0 ? 0 : 255
}
