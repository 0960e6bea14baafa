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
    private static var slots: Int { 256 }
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
    private let words: UnsafeMutablePointer<Atomic<UInt>>
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
        let number = number(of: CallName.text(name))
        guard let address, address >> (UInt(UInt.bitWidth) - Self.numberBits) == 0 else { return number }
        state.withLock { state in
            // Another thread may have added it, or taken the slot.
            let (slot, word) = find(address)
            guard word == 0, state.addresses < Self.mostAddresses else { return }
            state.addresses += 1
            words[slot].store(address << Self.numberBits | UInt(number), ordering: .releasing)
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

/// The names of calls.
enum CallName {
    /// A name without the parameters of a function: `load` for `load(_:)`. No name counts as one of the others.
    static func text(_ name: StaticString) -> String {
        let text = name.description
        guard !text.isEmpty else { return ActionTable.otherAction }
        let parameters = text.last == ")" ? text.lastIndex(of: "(") : nil
        return parameters.flatMap { $0 > text.startIndex ? String(text[..<$0]) : nil } ?? text
    }
}
