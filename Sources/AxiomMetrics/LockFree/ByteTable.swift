// SPDX-License-Identifier: Apache-2.0

internal import Foundation
public import Synchronization

/// An element of a ``ByteTable``. The key never changes.
@usableFromInline
package protocol ByteKeyed: AnyObject, Sendable {
    /// The key of the object.
    var tableKey: [UInt8] { get }
}

/// A hash table of objects with byte strings as keys: open addressing with linear probing. Look-ups take no lock. The
/// owner makes sure that only one thread at a time changes the table.
///
/// It replaces `Dictionary` because a look-up has borrowed bytes, which a dictionary key would copy, and because a
/// dictionary cannot be read while another thread writes.
///
/// A look-up during a change sees the state before or after it. Removed objects and replaced memory are freed when no
/// look-up can still see them (see ``ReadEpochs``), at the latest by the next change or ``reclaim()`` after that.
@usableFromInline
package struct ByteTable<Element: ByteKeyed>: ~Copyable, @unchecked Sendable {
    // Unchecked because of the pointers: `slots` leads to atomics, and only the thread that makes changes accesses
    // `changes`.

    /// A slot for one object. `hash` is 0 until the slot is used and is written after `element`. It then never changes, so
    /// that probing continues past a slot whose object was removed.
    @usableFromInline
    package struct Slot: ~Copyable {
        @usableFromInline package let hash = Atomic<UInt64>(0)
        /// Retained; nil after the object was removed.
        @usableFromInline package let element = Atomic<Unmanaged<Element>?>(nil)

        init() {}
    }

    /// State that only changes access.
    private struct Changes {
        /// The slots that have ever been used, at most three quarters of all.
        var used = 0
        var count = 0
        /// Unlinked memory, in the order of the epochs.
        var retired: [Retired] = []
    }

    private enum Garbage {
        case element(Unmanaged<Element>)
        case slots(UnsafeMutablePointer<Slot>)
    }

    private struct Retired {
        let epoch: UInt64
        let garbage: Garbage
    }

    /// Random for each table, so that keys cannot be chosen to collide.
    @usableFromInline package let seed: UInt64
    private let epochs: ReadEpochs
    @usableFromInline package let readers: EpochReaders
    /// A header slot, whose `hash` is the number of slots minus 1, followed by the slots, whose number is a power of two.
    /// Changes store it (releasing) and retire the previous memory; look-ups load it (acquiring).
    @usableFromInline package let slots: Atomic<UnsafeMutablePointer<Slot>>
    private let changes: UnsafeMutablePointer<Changes>

    /// - Parameters:
    ///   - epochs: May be shared by several tables.
    ///   - seed: Of the hash of the keys.
    package init(_ epochs: ReadEpochs, seed: UInt64 = .random(in: .min ... .max)) {
        self.epochs = epochs
        readers = epochs.readers
        self.seed = seed
        slots = Atomic(Self.allocate(1))
        changes = .allocate(capacity: 1)
        changes.initialize(to: Changes())
    }

    deinit {
        // No look-up can run any more.
        forEachSlot { $0.pointee.element.load(ordering: .relaxed)?.release() }
        Self.free(slots.load(ordering: .relaxed))
        for retired in changes.pointee.retired { Self.free(retired.garbage) }
        changes.deinitialize(count: 1)
        changes.deallocate()
    }

    /// The hash of a key, never 0.
    @usableFromInline
    package func hash(_ key: UnsafeRawBufferPointer) -> UInt64 {
        ByteHash.hash(key, seed: seed) | 1
    }

    /// The object with this key. May be called from any thread at any time. Cost: probing, two atomic additions, and one
    /// retain of the returned object.
    @inlinable
    @inline(__always)
    package func find(_ key: UnsafeRawBufferPointer, hash: UInt64) -> Element? {
        find(key, hash: hash) { $0 }
    }

    /// The result of `read` for the object with this key, which saves the retain of the object. `read` must only return a
    /// property that does not change.
    @inlinable
    @inline(__always)
    package func find<Result>(_ key: UnsafeRawBufferPointer, hash: UInt64, _ read: (Element) -> Result) -> Result? {
        find(hash: hash, where: { Self.matches($0.tableKey, key) }, read)
    }

    /// The same for the object with this hash that satisfies `matches`, which must not run other code of the program.
    @inlinable
    @inline(__always)
    func find<Result>(hash: UInt64, where matches: (Element) -> Bool, _ read: (Element) -> Result) -> Result? {
        let reader = readers.enter()
        defer { EpochReaders.leave(reader) }
        let slots = slots.load(ordering: .acquiring)
        let mask = slots.pointee.hash.load(ordering: .relaxed)
        var index = hash &>> 32
        while true {
            let slot = slots + Int(truncatingIfNeeded: (index & mask) &+ 1)
            let found = slot.pointee.hash.load(ordering: .acquiring)
            if found == 0 { return nil }
            if found == hash, let element = slot.pointee.element.load(ordering: .acquiring),
                element._withUnsafeGuaranteedRef(matches)
            {
                return element._withUnsafeGuaranteedRef(read)
            }
            index &+= 1
        }
    }

    @inlinable
    @inline(__always)
    static func matches(_ own: [UInt8], _ other: UnsafeRawBufferPointer) -> Bool {
        own.withUnsafeBytes { own in
            guard own.count == other.count else { return false }
            guard let left = own.baseAddress, let right = other.baseAddress else { return true }
            return areEqual(left, right, own.count)
        }
    }

    @usableFromInline
    static func areEqual(_ left: UnsafeRawPointer, _ right: UnsafeRawPointer, _ count: Int) -> Bool {
        memcmp(left, right, count) == 0
    }
}

/// Changes. The owner makes sure that only one thread at a time calls these functions.
extension ByteTable {
    /// A removed object and the epoch of its removal.
    struct Withdrawn {
        var element: Element
        let epoch: UInt64
    }

    /// The number of objects.
    package var count: Int { changes.pointee.count }

    /// The number of objects and blocks of memory that wait until no look-up can see them.
    var retiredCount: Int { changes.pointee.retired.count }

    /// All objects, in no particular order.
    package var elements: [Element] {
        var elements: [Element] = []
        elements.reserveCapacity(count)
        forEachSlot { slot in
            if let element = slot.pointee.element.load(ordering: .relaxed) {
                elements.append(element.takeUnretainedValue())
            }
        }
        return elements
    }

    /// Stores an object whose key is not in the table. Amortised constant time.
    package func insert(_ element: Element, hash: UInt64) {
        if (changes.pointee.used + 1) * 4 > slotCount * 3 { rebuild() }
        Self.link(.passRetained(element), hash, slots.load(ordering: .relaxed))
        changes.pointee.used += 1
        changes.pointee.count += 1
    }

    /// Removes this object; false if it is not in the table.
    package func remove(_ element: Element) -> Bool {
        remove(element, hash: element.tableKey.withUnsafeBytes { hash($0) })
    }

    /// Removes this object, which was inserted with this hash; false if it is not in the table.
    func remove(_ element: Element, hash: UInt64) -> Bool {
        guard let slot = slot(of: element, hash) else { return false }
        if let removed = unlink(slot) { retire(.element(removed)) }
        reclaim()
        return true
    }

    /// Removes the objects that satisfy `isIdle` and to which the table has the only reference. Look-ups in progress may
    /// still find them.
    func withdrawUnreferenced(where isIdle: (Element) -> Bool) -> [Withdrawn] {
        var withdrawn: [Element] = []
        forEachSlot { slot in
            guard let element = slot.pointee.element.load(ordering: .relaxed),
                element._withUnsafeGuaranteedRef(isIdle), Self.isOnlyReference(element), let taken = unlink(slot)
            else { return }
            withdrawn.append(taken.takeRetainedValue())
        }
        guard !withdrawn.isEmpty else { return [] }
        let epoch = epochs.retire()
        return withdrawn.map { Withdrawn(element: $0, epoch: epoch) }
    }

    /// No look-up can still see objects that were withdrawn in this epoch or earlier.
    var settledEpoch: UInt64? { epochs.settled() }

    package func removeAll() {
        var removed: [Unmanaged<Element>] = []
        forEachSlot { slot in
            if let element = slot.pointee.element.load(ordering: .relaxed) { removed.append(element) }
        }
        replaceSlots(Self.allocate(1))
        changes.pointee.used = 0
        changes.pointee.count = 0
        for element in removed { retire(.element(element)) }
        reclaim()
    }

    /// Frees the retired memory that no look-up can still see.
    package func reclaim() {
        guard !changes.pointee.retired.isEmpty, let settled = epochs.settled() else { return }
        let end = changes.pointee.retired.firstIndex { $0.epoch > settled } ?? changes.pointee.retired.endIndex
        let garbage = changes.pointee.retired[..<end]
        changes.pointee.retired.removeFirst(end)
        for retired in garbage { Self.free(retired.garbage) }
    }

    private var slotCount: Int { Self.count(slots.load(ordering: .relaxed)) }

    private func forEachSlot(_ body: (UnsafeMutablePointer<Slot>) -> Void) {
        let slots = slots.load(ordering: .relaxed)
        for index in 1...Self.count(slots) { body(slots + index) }
    }

    private func slot(of element: Element, _ hash: UInt64) -> UnsafeMutablePointer<Slot>? {
        let slots = slots.load(ordering: .relaxed)
        let mask = UInt64(Self.count(slots) - 1)
        var index = hash >> 32
        while true {
            let slot = slots + Int((index & mask) + 1)
            if slot.pointee.hash.load(ordering: .relaxed) == 0 { return nil }
            let found = slot.pointee.element.load(ordering: .relaxed)
            if let found, found.toOpaque() == Unmanaged.passUnretained(element).toOpaque() { return slot }
            index &+= 1
        }
    }

    /// Unlinks an object, which the caller must release.
    private func unlink(_ slot: UnsafeMutablePointer<Slot>) -> Unmanaged<Element>? {
        changes.pointee.count -= 1
        return slot.pointee.element.exchange(nil, ordering: .acquiringAndReleasing)
    }

    /// Replaces the slots by ones with room for twice the objects and without slots of removed objects.
    private func rebuild() {
        var size = 8
        while size < (count + 1) * 2 { size *= 2 }
        let fresh = Self.allocate(size)
        var used = 0
        forEachSlot { slot in
            guard let element = slot.pointee.element.load(ordering: .relaxed) else { return }
            Self.link(element, slot.pointee.hash.load(ordering: .relaxed), fresh)
            used += 1
        }
        changes.pointee.used = used
        replaceSlots(fresh)
        reclaim()
    }

    private func replaceSlots(_ fresh: UnsafeMutablePointer<Slot>) {
        let old = slots.exchange(fresh, ordering: .acquiringAndReleasing)
        retire(.slots(old))
    }

    private func retire(_ garbage: Garbage) {
        changes.pointee.retired.append(Retired(epoch: epochs.retire(), garbage: garbage))
    }

    private static func isOnlyReference(_ element: Unmanaged<Element>) -> Bool {
        var word = element.toOpaque()
        return withUnsafeMutablePointer(to: &word) { word in
            word.withMemoryRebound(to: Element.self, capacity: 1) { isKnownUniquelyReferenced(&$0.pointee) }
        }
    }

    /// Links an object whose key is not in `slots`. At least one slot must be free.
    private static func link(_ element: Unmanaged<Element>, _ hash: UInt64, _ slots: UnsafeMutablePointer<Slot>) {
        let mask = UInt64(count(slots) - 1)
        var index = hash >> 32
        while (slots + Int((index & mask) + 1)).pointee.hash.load(ordering: .relaxed) != 0 { index &+= 1 }
        let slot = slots + Int((index & mask) + 1)
        slot.pointee.element.store(element, ordering: .releasing)
        slot.pointee.hash.store(hash, ordering: .releasing)
    }

    private static func count(_ slots: UnsafeMutablePointer<Slot>) -> Int {
        Int(slots.pointee.hash.load(ordering: .relaxed)) + 1
    }

    /// Empty slots; `size` is a power of two.
    private static func allocate(_ size: Int) -> UnsafeMutablePointer<Slot> {
        let slots = UnsafeMutablePointer<Slot>.allocate(capacity: size + 1)
        for index in 0...size { (slots + index).initialize(to: Slot()) }
        slots.pointee.hash.store(UInt64(size - 1), ordering: .relaxed)
        return slots
    }

    private static func free(_ slots: UnsafeMutablePointer<Slot>) {
        slots.deinitialize(count: count(slots) + 1)
        slots.deallocate()
    }

    private static func free(_ garbage: Garbage) {
        switch garbage {
        case .element(let element): element.release()
        case .slots(let slots): free(slots)
        }
    }
}
