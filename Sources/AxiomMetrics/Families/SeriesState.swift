// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import Synchronization

/// What a family knows of its series beside the table of them.
struct SeriesState {
    /// The children in the order of the page; nil since a child came or went.
    var sorted: SortedChildren?
    /// The child for what there is no room for; nil until it is needed.
    var overflowChild: Instrument?
    /// What was refused; nil while nothing was.
    var overflow: FamilyOverflow?
    /// Idle children that are out of the table, until no look-up can have found them. They are on the page, and a look-up
    /// of their labels puts them back.
    var expiring: [ByteTable<Instrument>.Withdrawn] = []
    /// The bytes of the labels of all children but the overflow child.
    var bytes = 0
    /// Grows with every child that comes or goes.
    var generation: UInt64 = 0

    /// Forgets the overflow child, if this is it; what was refused stays known.
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

/// How series come and go. All of this runs under the lock of the family's state.
extension FamilyStorage {
    /// All children, in no particular order.
    func allChildren(_ state: SeriesState) -> [Instrument] {
        table.elements + state.expiring.map(\.element) + (state.overflowChild.map { [$0] } ?? [])
    }

    /// The child with these labels, made when it is new; the overflow child when there is no room for it, with what is to
    /// be reported when it is the first that was refused.
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

    /// Which limit leaves no room for a series whose labels have so many bytes; nil when there is room.
    private func isFull(for bytes: Int, _ state: SeriesState) -> FamilyOverflow.Cause? {
        if table.count + state.expiring.count >= definition.limits.series { return .series }
        return state.bytes + bytes > definition.limits.labelBytes ? .labelBytes : nil
    }

    /// Whether these are labels of the overflow child.
    private func areReserved(_ labels: UnsafeBufferPointer<UInt8>) -> Bool {
        if let overflowLabels { return overflowLabels.matches(labels) }
        return LabelSet.overflow(of: LabelSet(copying: labels).pairs.map(\.name)).matches(labels)
    }

    /// Sends a look-up to the overflow child and counts it.
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

    /// The overflow child. Where label names are open, it has those of the series for which it is first needed.
    private func overflowChild(_ labels: UnsafeBufferPointer<UInt8>, _ state: inout SeriesState) -> Instrument {
        if let child = state.overflowChild { return child }
        let child = make(head(overflowLabels ?? .overflow(of: Self.overflowNames(labels))))
        state.overflowChild = child
        state.changed()
        return child
    }

    /// The names of a refused series' labels; one name when they are too long to be kept for good.
    private static func overflowNames(_ labels: UnsafeBufferPointer<UInt8>) -> [String] {
        let names = LabelSet(copying: labels).pairs.map(\.name)
        return names.reduce(0) { $0 + $1.utf8.count } <= 2_048 ? names : ["overflow"]
    }

    /// Takes a child out of the table, or out of those that expire.
    func take(_ child: Instrument, _ state: inout SeriesState) -> Bool {
        if !table.remove(child) {
            guard let position = state.expiring.firstIndex(where: { $0.element === child }) else { return false }
            state.expiring.remove(at: position)
        }
        state.bytes -= child.labels.rendered.count
        return true
    }
}

/// Expiry of idle series.
extension FamilyStorage {
    /// Drops the children to which the family has the only reference and that were not looked up for as long as the
    /// definition says. A program that holds a child may record into it at any time without a look-up, so that it stays.
    ///
    /// A child is first taken out of the table and dropped when no look-up that found it there is under way: at once,
    /// or in a later collection.
    func expire(_ state: inout SeriesState) {
        table.reclaim()
        guard let expiry = definition.idleExpiry else { return }
        let now = context.clock.now
        let isIdle = { (child: Instrument) in
            let last = Instant(nanoseconds: child.lastLookUp.load(ordering: .relaxed))
            return last.advanced(by: expiry) <= now
        }
        // The cached order holds the children too.
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

    /// Puts an idle child with these labels back into the table.
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
        let hash = child.labels.rendered.withUnsafeBytes { table.hash($0) }
        table.insert(child, hash: hash)
    }
}
