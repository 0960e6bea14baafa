// SPDX-License-Identifier: Apache-2.0

internal import Foundation
public import Synchronization

/// What a ``ByteTable`` holds. The key never changes.
@usableFromInline
package protocol ByteKeyed: AnyObject, Sendable {
    /// The bytes under which the object is found.
    var tableKey: [UInt8] { get }
}

/// Objects by the bytes of their keys: open addressing with linear probing. Look-ups take no lock; the owner lets one
/// thread at a time make changes.
///
/// Not a `Dictionary`, because a look-up has only borrowed bytes, which a key would have to copy, and because a
/// dictionary cannot be read while another thread writes.
///
/// A look-up that runs beside a change finds the state before or after it. What is taken out, and the memory from which
/// the table has grown, is freed when no look-up is left that could have seen it (see ``ReadEpochs``): at the latest when
/// the next change or ``reclaim()`` after that runs.
@usableFromInline
package struct ByteTable<Element: ByteKeyed>: ~Copyable, @unchecked Sendable {
    // Unchecked because of the pointers: `slots` leads to atomics, and `changes` is touched by the owner's one thread.

    /// A place for an object. `hash` is 0 until it is used, and is written after `element`; from then on it stays, so that
    /// a slot whose object was taken out still leads on to those that were stored beyond it.
    @usableFromInline
    package struct Slot: ~Copyable {
        @usableFromInline package let hash = Atomic<UInt64>(0)
        /// Retained; nil once it was taken out.
        @usableFromInline package let element = Atomic<Unmanaged<Element>?>(nil)

        init() {}
    }

    /// What only changes touch.
    private struct Changes {
        /// The slots that have ever been used, at most three quarters.
        var used = 0
        var count = 0
        /// What was unlinked, in the order of the epochs.
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

    /// Random for each table: a program that chooses keys cannot choose which of them collide.
    @usableFromInline package let seed: UInt64
    private let epochs: ReadEpochs
    @usableFromInline package let readers: EpochReaders
    /// The slots, a power of two, behind a first one whose `hash` is their number minus 1. Stored by changes (releasing),
    /// loaded by look-ups (acquiring); the memory before is retired.
    @usableFromInline package let slots: Atomic<UnsafeMutablePointer<Slot>>
    private let changes: UnsafeMutablePointer<Changes>

    /// Makes an empty table.
    ///
    /// - Parameter epochs: May be shared by tables that are read alike.
    package init(_ epochs: ReadEpochs, seed: UInt64 = .random(in: .min ... .max)) {
        self.epochs = epochs
        readers = epochs.readers
        self.seed = seed
        slots = Atomic(Self.allocate(1))
        changes = .allocate(capacity: 1)
        changes.initialize(to: Changes())
    }

    deinit {
        // Nothing can look up any more.
        forEachSlot { $0.pointee.element.load(ordering: .relaxed)?.release() }
        Self.free(slots.load(ordering: .relaxed))
        for retired in changes.pointee.retired { Self.free(retired.garbage) }
        changes.deinitialize(count: 1)
        changes.deallocate()
    }

    /// The hash of a key, never 0.
    @usableFromInline
    package func hash(_ key: UnsafeRawBufferPointer) -> UInt64 {
        LabelHash.hash(key, seed: seed) | 1
    }

    /// The object with this key. From any thread, at any time. Cost: two atomic additions beside the probing, and the
    /// reference to the object that is returned.
    @inlinable
    @inline(__always)
    package func find(_ key: UnsafeRawBufferPointer, hash: UInt64) -> Element? {
        find(key, hash: hash) { $0 }
    }

    /// What `read` takes from the object with this key: less than a reference to the object itself may cost. `read` must
    /// do nothing but return a property that does not change.
    @inlinable
    @inline(__always)
    package func find<Result>(_ key: UnsafeRawBufferPointer, hash: UInt64, _ read: (Element) -> Result) -> Result? {
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
                element._withUnsafeGuaranteedRef({ Self.matches($0.tableKey, key) })
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

/// Changes. Only one thread at a time, as the owner sees to.
extension ByteTable {
    /// An object that was taken out, and when.
    struct Withdrawn {
        var element: Element
        let epoch: UInt64
    }

    /// The number of objects.
    package var count: Int { changes.pointee.count }

    /// How many objects and blocks of memory wait until no look-up can see them.
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

    /// Stores an object whose key is not in the table yet. Amortised constant time.
    package func insert(_ element: Element, hash: UInt64) {
        if (changes.pointee.used + 1) * 4 > slotCount * 3 { rebuild() }
        Self.place(.passRetained(element), hash, slots.load(ordering: .relaxed))
        changes.pointee.used += 1
        changes.pointee.count += 1
    }

    /// Takes exactly this object out of the table; false when it is not there.
    package func remove(_ element: Element) -> Bool {
        guard let slot = element.tableKey.withUnsafeBytes({ slot(of: element, hash($0)) }) else { return false }
        if let removed = takeOut(slot) { retire(.element(removed)) }
        reclaim()
        return true
    }

    /// Takes out the objects that satisfy `isIdle` and to which the table has the only reference. A look-up that is under
    /// way may still find them.
    func withdrawUnreferenced(where isIdle: (Element) -> Bool) -> [Withdrawn] {
        var withdrawn: [Element] = []
        forEachSlot { slot in
            guard let element = slot.pointee.element.load(ordering: .relaxed),
                element._withUnsafeGuaranteedRef(isIdle), Self.isOnlyReference(element), let taken = takeOut(slot)
            else { return }
            withdrawn.append(taken.takeRetainedValue())
        }
        guard !withdrawn.isEmpty else { return [] }
        let epoch = epochs.retire()
        return withdrawn.map { Withdrawn(element: $0, epoch: epoch) }
    }

    /// What was withdrawn up to this epoch, including itself, can be seen by no look-up any more.
    var settledEpoch: UInt64? { epochs.settled() }

    /// Takes out all objects.
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

    /// Frees what no look-up can see any more.
    package func reclaim() {
        guard !changes.pointee.retired.isEmpty, let settled = epochs.settled() else { return }
        let end = changes.pointee.retired.firstIndex { $0.epoch > settled } ?? changes.pointee.retired.endIndex
        let garbage = changes.pointee.retired[..<end]
        changes.pointee.retired.removeFirst(end)
        for retired in garbage { Self.free(retired.garbage) }
    }

    private var slotCount: Int {
        Self.count(slots.load(ordering: .relaxed))
    }

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

    /// Unlinks an object, which the caller releases.
    private func takeOut(_ slot: UnsafeMutablePointer<Slot>) -> Unmanaged<Element>? {
        changes.pointee.count -= 1
        return slot.pointee.element.exchange(nil, ordering: .acquiringAndReleasing)
    }

    /// Makes room for twice the objects; drops the traces of those that were taken out.
    private func rebuild() {
        var size = 8
        while size < (count + 1) * 2 { size *= 2 }
        let fresh = Self.allocate(size)
        var used = 0
        forEachSlot { slot in
            guard let element = slot.pointee.element.load(ordering: .relaxed) else { return }
            Self.place(element, slot.pointee.hash.load(ordering: .relaxed), fresh)
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

    /// Links an object whose key is not there; one slot at least is free.
    private static func place(_ element: Unmanaged<Element>, _ hash: UInt64, _ slots: UnsafeMutablePointer<Slot>) {
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

    /// Empty slots, as many as a power of two says.
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
