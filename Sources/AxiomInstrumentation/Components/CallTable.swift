// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import Synchronization

/// What is bound for each name of one capability's calls, by the number of the name.
///
/// A name gets its number at its first call: the first ``limit`` names one each, and all later ones share one. A call finds
/// the number by the address of its name, in a table that is read without a lock: some 2 ns. Only a new address takes the
/// lock. A program has one address for each name that it writes, or a few.
final class CallTable<Bound: Sendable>: @unchecked Sendable {
    // Unchecked because of the pointers. A bound value is written once, under the lock, before a word with its number is
    // published.

    /// The most names, without that of all others.
    static var limit: Int { 32 }
    private static var slots: Int { 256 }
    /// Later addresses take the lock for each call.
    private static var mostAddresses: Int { 192 }
    /// A word is an address and, in its lower bits, a number. The upper bits of an address are 0.
    private static var numberBits: UInt { 6 }

    private struct State {
        var numbers: [String: Int] = [:]
        var addresses = 0
    }

    private let state = Lock(State())
    private let words: UnsafeMutablePointer<Atomic<UInt>>
    private let bound: UnsafeMutablePointer<Bound>
    private let bind: @Sendable (String) -> Bound

    /// - Parameter bind: Makes what is bound for a name. Called once for each name, under the lock of the table.
    init(_ bind: @escaping @Sendable (String) -> Bound) {
        self.bind = bind
        words = .allocate(capacity: Self.slots)
        for slot in 0..<Self.slots { (words + slot).initialize(to: Atomic(0)) }
        bound = .allocate(capacity: Self.limit + 1)
    }

    deinit {
        words.deinitialize(count: Self.slots)
        words.deallocate()
        bound.deinitialize(count: all.count)
        bound.deallocate()
    }

    /// The number of a name.
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

    /// The slot of an address and its word, or the first free slot and 0.
    @inline(__always)
    private func find(_ address: UInt) -> (slot: Int, word: UInt) {
        // The upper bits of the product depend on all bits of the address.
        var slot = Int(truncatingIfNeeded: (UInt64(address) &* 0x9E37_79B9_7F4A_7C15) >> 56)
        while true {
            // Acquiring, because what is bound for the number was written before.
            let word = words[slot].load(ordering: .acquiring)
            if word == 0 || word >> Self.numberBits == address { return (slot, word) }
            slot = (slot &+ 1) & (Self.slots &- 1)
        }
    }

    @inline(never)
    private func add(_ name: StaticString, at address: UInt?) -> Int {
        let text = CallName.text(name)
        return state.withLock { state in
            let number = number(of: text, &state)
            guard let address, address >> (UInt(UInt.bitWidth) - Self.numberBits) == 0,
                state.addresses < Self.mostAddresses
            else { return number }
            // Another thread may have added it, or taken the slot.
            let (slot, word) = find(address)
            guard word == 0 else { return number }
            state.addresses += 1
            words[slot].store(address << Self.numberBits | UInt(number), ordering: .releasing)
            return number
        }
    }

    private func number(of text: String, _ state: inout State) -> Int {
        if let known = state.numbers[text] { return known }
        let isFull = state.numbers.count >= Self.limit
        let name = isFull ? ActionTable.otherAction : text
        if isFull, let other = state.numbers[name] { return other }
        let number = state.numbers.count
        (bound + number).initialize(to: bind(name))
        state.numbers[name] = number
        return number
    }
}

/// The names of calls.
enum CallName {
    /// A name without the parameters of a function: `load` for `load(_:)`.
    static func text(_ name: StaticString) -> String {
        let text = name.description
        let short = text.prefix { $0 != "(" }
        return short.isEmpty ? text : String(short)
    }
}
