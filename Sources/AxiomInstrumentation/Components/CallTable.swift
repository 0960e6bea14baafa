// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import Synchronization

/// What is bound for each name of one capability's calls, by the number of the name.
///
/// A name gets its number at its first call: the first ``limit`` names one each, and all later ones share one. A call finds
/// the number by the address of its name, in a table that is read without a lock. Only a new address takes the
/// lock. A program has one address for each name that it writes, or a few.
final class CallTable<Bound: Sendable>: @unchecked Sendable {
    // Unchecked because of the pointers. A bound value is written once, under the lock, before a word with its number is
    // published.

    /// The most names, without that of all others.
    static var limit: Int { 32 }
    /// Later addresses take the lock for each call.
    private static var mostAddresses: Int { 192 }
    /// A word is an address and, in its lower bits, a number. The upper bits of an address are 0.
    private static var numberBits: UInt { 6 }

    private struct State {
        var numbers: [String: Int] = [:]
        var addresses = 0

        /// The name under which calls of this name are counted.
        func counted(_ text: String) -> String {
            numbers[text] == nil && numbers.count >= CallTable.limit ? ActionTable.otherAction : text
        }
    }

    private let state = Lock(State())
    /// The number of words minus 1, the address of the smaller table before this one, which calls may still read, and the
    /// words. Written under the lock.
    private let table = Atomic(CallTable.allocate(8, after: 0))
    private let bound: UnsafeMutablePointer<Bound>
    private let bind: @Sendable (String) -> Bound
    private let release: @Sendable (Bound) -> Void

    /// - Parameters:
    ///   - bind: Makes what is bound for a name. Called without a lock, because it may run code of users; more than once for
    ///     a name if several threads call it first at once.
    ///   - release: Takes back what was bound too often.
    init(
        _ bind: @escaping @Sendable (String) -> Bound,
        release: @escaping @Sendable (Bound) -> Void = { _ in }
    ) {
        (self.bind, self.release) = (bind, release)
        bound = .allocate(capacity: Self.limit + 1)
    }

    deinit {
        var last: UnsafeMutablePointer<Atomic<UInt>>? = table.load(ordering: .acquiring)
        while let table = last {
            last = UnsafeMutablePointer(bitPattern: table[1].load(ordering: .relaxed))
            table.deallocate()
        }
        bound.deinitialize(count: all.count)
        bound.deallocate()
    }

    @inline(__always)
    func number(of name: StaticString) -> Int {
        guard name.hasPointerRepresentation else { return add(name, at: nil) }
        let address = UInt(bitPattern: name.utf8Start)
        let word = find(address).word
        return word == 0 ? add(name, at: address) : Int(word & (1 << Self.numberBits &- 1))
    }

    /// What is bound for a number that ``number(of:)`` returned.
    @inline(__always)
    subscript(number: Int) -> Bound { bound[number] }

    /// The names and what is bound for them, in the order of their first calls.
    var all: [(name: String, bound: Bound)] {
        let numbers = state.withLock { $0.numbers }
        return numbers.sorted { $0.value < $1.value }.map { ($0.key, bound[$0.value]) }
    }

    /// The place of an address and its word, or the first free place and 0.
    @inline(__always)
    private func find(_ address: UInt) -> (place: UnsafeMutablePointer<Atomic<UInt>>, word: UInt) {
        Self.find(address, table.load(ordering: .acquiring))
    }

    @inline(__always)
    private static func find(
        _ address: UInt,
        _ table: UnsafeMutablePointer<Atomic<UInt>>
    ) -> (place: UnsafeMutablePointer<Atomic<UInt>>, word: UInt) {
        let mask = table.pointee.load(ordering: .relaxed)
        // The upper bits of the product depend on all bits of the address.
        var slot = UInt(truncatingIfNeeded: (UInt64(address) &* 0x9E37_79B9_7F4A_7C15) >> 56) & mask
        while true {
            let place = table + Int(bitPattern: slot &+ 2)
            // Acquiring, because what is bound for the number was written before.
            let word = place.pointee.load(ordering: .acquiring)
            if word == 0 || word >> numberBits == address { return (place, word) }
            slot = (slot &+ 1) & mask
        }
    }

    private static func allocate(_ slots: Int, after last: UInt) -> UnsafeMutablePointer<Atomic<UInt>> {
        let table = UnsafeMutablePointer<Atomic<UInt>>.allocate(capacity: slots + 2)
        table.initialize(to: Atomic(UInt(slots - 1)))
        (table + 1).initialize(to: Atomic(last))
        for slot in 0..<slots { (table + 2 + slot).initialize(to: Atomic(0)) }
        return table
    }

    /// Doubles the table if it is three quarters full. Called under the lock.
    private func grow(for addresses: Int) {
        let old = table.load(ordering: .relaxed)
        let slots = Int(old.pointee.load(ordering: .relaxed)) + 1
        guard addresses * 4 >= slots * 3 else { return }
        let larger = Self.allocate(2 * slots, after: UInt(bitPattern: old))
        for slot in 0..<slots {
            let word = old[slot + 2].load(ordering: .relaxed)
            if word != 0 { Self.find(word >> Self.numberBits, larger).place.pointee.store(word, ordering: .relaxed) }
        }
        table.store(larger, ordering: .releasing)
    }

    @inline(never)
    private func add(_ name: StaticString, at address: UInt?) -> Int {
        let number = number(of: CallName.text(name))
        guard let address, address >> (UInt(UInt.bitWidth) - Self.numberBits) == 0 else { return number }
        state.withLock { state in
            // Another thread may have added it, or taken the place.
            guard find(address).word == 0, state.addresses < Self.mostAddresses else { return }
            grow(for: state.addresses)
            state.addresses += 1
            find(address).place.pointee.store(address << Self.numberBits | UInt(number), ordering: .releasing)
        }
        return number
    }

    private func number(of text: String) -> Int {
        while true {
            let (known, name) = state.withLock { state in
                let name = state.counted(text)
                return (state.numbers[name], name)
            }
            if let known { return known }
            let value = bind(name)
            let added = state.withLock { state -> Int? in
                // Another thread may have bound the name, or the last of the numbers.
                guard state.numbers[name] == nil, state.counted(name) == name else { return nil }
                let number = state.numbers.count
                (bound + number).initialize(to: value)
                state.numbers[name] = number
                return number
            }
            if let added { return added }
            release(value)
        }
    }
}

enum CallName {
    /// A name without the parameters of a function: `load` for `load(_:)`. No name counts as one of the others.
    static func text(_ name: StaticString) -> String {
        let text = name.description
        guard !text.isEmpty else { return ActionTable.otherAction }
        let parameters = text.last == ")" ? text.lastIndex(of: "(") : nil
        return parameters.flatMap { $0 > text.startIndex ? String(text[..<$0]) : nil } ?? text
    }
}
