// SPDX-License-Identifier: Apache-2.0

/// The instruments of a family by the bytes of their labels: open addressing with linear probing.
///
/// Not a `Dictionary`, because a look-up has only borrowed bytes in its hand, which a key would have to copy.
struct ChildTable {
    private struct Slot {
        var hash: UInt64
        var child: Instrument?
        /// A slot whose child was removed still leads on to those that were stored beyond it.
        var wasUsed: Bool { hash != 0 }
    }

    /// Random for each table: who chooses label values cannot choose which of them collide.
    private let seed: UInt64
    /// A power of two of slots, of which at most three quarters have been used.
    private var slots: [Slot] = []
    private var used = 0
    /// The number of children.
    private(set) var count = 0

    init(seed: UInt64 = .random(in: .min ... .max)) {
        self.seed = seed
    }

    /// All children, in no particular order.
    var children: [Instrument] {
        slots.compactMap(\.child)
    }

    /// The hash of rendered labels, never 0.
    func hash(_ labels: UnsafeBufferPointer<UInt8>) -> UInt64 {
        LabelHash.hash(UnsafeRawBufferPointer(labels), seed: seed) | 1
    }

    /// The child with these labels.
    func find(_ labels: UnsafeBufferPointer<UInt8>, hash: UInt64) -> Instrument? {
        guard let index = index(of: labels, hash: hash) else { return nil }
        return slots[index].child
    }

    /// Stores a child whose labels are not in the table yet. Amortised constant time.
    mutating func insert(_ child: Instrument, hash: UInt64) {
        if (used + 1) * 4 > slots.count * 3 { grow() }
        place(child, hash: hash)
        count += 1
    }

    /// Takes exactly this child out of the table; false when it is not there.
    mutating func remove(_ child: Instrument) -> Bool {
        let found = child.labels.rendered.withUnsafeBufferPointer { index(of: $0, hash: hash($0)) }
        guard let found, slots[found].child === child else { return false }
        slots[found].child = nil
        count -= 1
        return true
    }

    /// Takes out the children that satisfy `isIdle` and that nobody but the table holds.
    mutating func removeUnreferenced(where isIdle: (Instrument) -> Bool) -> [ObjectIdentifier] {
        var removed: [ObjectIdentifier] = []
        for index in slots.indices {
            guard let child = slots[index].child.map(ObjectIdentifier.init),
                slots[index].child.map(isIdle) == true, isKnownUniquelyReferenced(&slots[index].child)
            else { continue }
            slots[index].child = nil
            removed.append(child)
        }
        count -= removed.count
        return removed
    }

    private func index(of labels: UnsafeBufferPointer<UInt8>, hash: UInt64) -> Int? {
        guard !slots.isEmpty else { return nil }
        return slots.withUnsafeBufferPointer { slots in
            let mask = slots.count - 1
            var index = Int(truncatingIfNeeded: hash >> 32) & mask
            while slots[index].wasUsed {
                if slots[index].hash == hash, let child = slots[index].child, child.labels.matches(labels) {
                    return index
                }
                index = (index + 1) & mask
            }
            return nil
        }
    }

    private mutating func place(_ child: Instrument, hash: UInt64) {
        let mask = slots.count - 1
        var index = Int(truncatingIfNeeded: hash >> 32) & mask
        while slots[index].wasUsed { index = (index + 1) & mask }
        slots[index] = Slot(hash: hash, child: child)
        used += 1
    }

    /// Makes room for twice the children; drops the traces of removed ones.
    private mutating func grow() {
        var size = 8
        while size < (count + 1) * 2 { size *= 2 }
        let old = slots
        slots = Array(repeating: Slot(hash: 0, child: nil), count: size)
        used = 0
        for slot in old {
            if let child = slot.child { place(child, hash: slot.hash) }
        }
    }
}
