// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import Synchronization

/// The state of a family's series besides the table.
struct SeriesState {
    /// The children in page order; nil after a child was added or removed.
    var sorted: SortedChildren?
    /// The overflow child; nil until it is needed.
    var overflowChild: Instrument?
    /// The refused look-ups; nil if there were none.
    var overflow: FamilyOverflow?
    /// Idle children that were removed from the table and that a look-up may still have found. They are on the page, and a
    /// look-up of their labels inserts them again.
    var expiring: [ByteTable<Instrument>.Withdrawn] = []
    /// The bytes of the labels of all children except the overflow child.
    var bytes = 0
    /// Incremented whenever a child is added or removed.
    var generation: UInt64 = 0

    /// Removes the overflow child, if this is it. The refused look-ups stay recorded.
    mutating func removeOverflow(_ child: Instrument) -> Bool {
        guard overflowChild === child else { return false }
        overflowChild = nil
        return true
    }

    mutating func changed() {
        sorted = nil
        generation &+= 1
    }
}

/// Addition and removal of series. All functions require the lock of the family's state.
extension FamilyStorage {
    /// All children, in no particular order.
    func allChildren(_ state: SeriesState) -> [Instrument] {
        table.elements + state.expiring.map(\.element) + (state.overflowChild.map { [$0] } ?? [])
    }

    /// The child with these labels. Makes it if it is new; returns the overflow child if the family is full, with a report
    /// for the first refusal.
    func present(
        _ labels: UnsafeBufferPointer<UInt8>,
        _ hash: UInt64,
        _ now: Int64,
        _ state: inout SeriesState
    ) -> (Instrument, FamilyOverflow?) {
        let found = table.find(UnsafeRawBufferPointer(labels), hash: hash) ?? putBack(labels, hash, &state)
        if let found {
            found.lastLookUp.store(now, ordering: .relaxed)
            return (found, nil)
        }
        if !labels.isEmpty {
            if areReserved(labels) { return (overflowChild(labels, &state), nil) }
            if let cause = isFull(for: labels.count, state) { return refuse(labels, cause, &state) }
        }
        let child = make(head(LabelSet(copying: labels)))
        child.lastLookUp.store(now, ordering: .relaxed)
        table.insert(child, hash: hash)
        state.bytes += labels.count
        state.changed()
        return (child, nil)
    }

    private func head(_ labels: LabelSet) -> SeriesHead {
        SeriesHead(labels: labels, created: context.clock.secondsSinceEpoch, context: context)
    }

    /// The limit that forbids a series whose labels have this many bytes; nil if there is room.
    private func isFull(for bytes: Int, _ state: SeriesState) -> FamilyOverflow.Cause? {
        if table.count + state.expiring.count >= definition.limits.series { return .series }
        return state.bytes + bytes > definition.limits.labelBytes ? .labelBytes : nil
    }

    /// Whether these are the labels of the overflow child.
    private func areReserved(_ labels: UnsafeBufferPointer<UInt8>) -> Bool {
        if let overflowLabels { return overflowLabels.matches(labels) }
        return LabelSet.overflow(of: LabelSet(copying: labels).pairs.map(\.name)).matches(labels)
    }

    /// Returns the overflow child and counts the refusal.
    private func refuse(
        _ labels: UnsafeBufferPointer<UInt8>,
        _ cause: FamilyOverflow.Cause,
        _ state: inout SeriesState
    ) -> (Instrument, FamilyOverflow?) {
        let isFirst = state.overflow == nil
        var overflow =
            state.overflow
            ?? FamilyOverflow(
                family: definition.name,
                limit: cause == .series ? definition.limits.series : definition.limits.labelBytes,
                cause: cause,
                first: String(decoding: labels.prefix(512), as: UTF8.self),
                time: context.clock.secondsSinceEpoch
            )
        overflow.refusals &+= 1
        state.overflow = overflow
        return (overflowChild(labels, &state), isFirst ? overflow : nil)
    }

    /// The overflow child. In an open family it has the label names of the first refused series.
    private func overflowChild(_ labels: UnsafeBufferPointer<UInt8>, _ state: inout SeriesState) -> Instrument {
        if let child = state.overflowChild { return child }
        let child = make(head(overflowLabels ?? .overflow(of: Self.overflowNames(labels))))
        state.overflowChild = child
        state.changed()
        return child
    }

    /// The label names of a refused series, or a single name if they are too long to keep.
    private static func overflowNames(_ labels: UnsafeBufferPointer<UInt8>) -> [String] {
        let names = LabelSet(copying: labels).pairs.map(\.name)
        return names.reduce(0) { $0 + $1.utf8.count } <= 2_048 ? names : ["overflow"]
    }

    /// Removes a child from the table or from the expiring children.
    func take(_ child: Instrument, _ state: inout SeriesState) -> Bool {
        if !table.remove(child, hash: child.labels.hash(seed: table.seed)) {
            guard let position = state.expiring.firstIndex(where: { $0.element === child }) else { return false }
            state.expiring.remove(at: position)
        }
        state.bytes -= child.labels.rendered.count
        return true
    }
}

/// Expiry of idle series.
extension FamilyStorage {
    /// Removes the children that were idle for as long as the definition says and to which the family has the only
    /// reference. A child that the program references stays, because the program may record into it without a look-up.
    ///
    /// A child is first removed from the table. It is released when no look-up that found it is in progress: immediately or
    /// in a later collection.
    func expire(_ state: inout SeriesState) {
        table.reclaim()
        guard let expiry = definition.idleExpiry else { return }
        let now = context.clock.now
        let isIdle = { (child: Instrument) in
            let last = Instant(nanoseconds: child.lastLookUp.load(ordering: .relaxed))
            return last.advanced(by: expiry) <= now
        }
        // The cached order retains the children too.
        if state.sorted?.children.contains(where: isIdle) != false || !state.expiring.isEmpty { state.sorted = nil }
        state.expiring += table.withdrawUnreferenced(where: isIdle)
        settle(&state, isIdle)
    }

    private func settle(_ state: inout SeriesState, _ isIdle: (Instrument) -> Bool) {
        guard !state.expiring.isEmpty, let settled = table.settledEpoch else { return }
        var waiting: [ByteTable<Instrument>.Withdrawn] = []
        while var candidate = state.expiring.popLast() {
            if candidate.epoch > settled {
                waiting.append(candidate)
            } else if isKnownUniquelyReferenced(&candidate.element), isIdle(candidate.element) {
                state.bytes -= candidate.element.labels.rendered.count
                state.changed()
            } else {
                insert(candidate.element)
            }
        }
        state.expiring = waiting
    }

    /// Inserts an expiring child with these labels into the table again.
    private func putBack(
        _ labels: UnsafeBufferPointer<UInt8>,
        _ hash: UInt64,
        _ state: inout SeriesState
    ) -> Instrument? {
        let position = state.expiring.firstIndex { $0.element.labels.matches(labels) }
        guard let position else { return nil }
        let child = state.expiring.remove(at: position).element
        table.insert(child, hash: hash)
        return child
    }

    private func insert(_ child: Instrument) {
        table.insert(child, hash: child.labels.hash(seed: table.seed))
    }
}
