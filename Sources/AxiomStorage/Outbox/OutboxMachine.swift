// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase
internal import DequeModule
internal import Foundation
internal import HeapModule

/// The changes of an outbox, and which of them is sent next. A pure state machine.
///
/// It decides a change of the storage as a ``Step``, and carries it out in memory with ``apply(_:)`` when the storage has
/// committed it. A step that the storage refused is undone with ``drop(_:)``. So memory never contains more than the storage:
/// after a crash, ``init(_:_:_:at:)`` finds what the committed steps left.
struct OutboxMachine: Sendable {
    enum Phase: Sendable, Hashable {
        /// Its first step is not committed.
        case appending
        case pending
        case sending
        case setAside(String)
    }

    struct Entry: Sendable {
        var change: PendingChange
        /// The place in the order, unique in this machine.
        let number: UInt64
        /// Where the storage has it.
        let storageKey: StorageKey
        /// When the change was appended.
        let since: Instant
        /// When it may be sent; ``since`` if it does not have to wait.
        var due: Instant
        /// When the first of its attempts failed; nil if none did. Unlike the time in the change, a wall clock that is set
        /// does not move it.
        var failing: Instant?
        var phase: Phase
        /// A step of it is not committed yet.
        var isChanging = false
    }

    /// The changes of one ordering key.
    struct KeyQueue: Sendable {
        /// In their order, without the changes that are set aside if those do not block the others.
        var numbers = Deque<UInt64>()
        var sending: UInt64?
        /// What was added to ``OutboxMachine/due`` last and may still be there: while the first change waits, every change of
        /// the queue offers it again.
        var offered: DueChange?
    }

    /// A change of the storage, and what it means.
    struct Step: Sendable, Hashable {
        enum Kind: Sendable, Hashable {
            case append
            case remove
            case replace(PendingChange, due: Instant, failing: Instant?, setAside: String?)
        }

        let number: UInt64
        let kind: Kind
        let change: StorageChange

        func hash(into hasher: inout Hasher) { hasher.combine(number) }
    }

    let name: String
    let options: OutboxOptions
    let keys: OutboxKeys
    /// The records that could not be read.
    private(set) var unreadable: [StorageKey] = []
    var entries: [UInt64: Entry] = [:]
    var queues: [String: KeyQueue] = [:]
    /// A change is not removed when it becomes something else: what is taken out is checked.
    var due = Heap<DueChange>()
    private var numbers: [UUID: UInt64] = [:]
    /// The numbers of all entries.
    private var order = Deque<UInt64>()
    private var last: UInt64 = 0
    private var bytes = 0
    private(set) var setAsideCount = 0

    init(_ name: String, _ options: OutboxOptions) {
        self.name = name
        self.options = options
        keys = OutboxKeys(name)
    }

    /// Continues with what a storage has.
    ///
    /// - Parameter records: The records by key; nil for one that is damaged.
    init(_ name: String, _ options: OutboxOptions, _ records: [(StorageKey, Data?)], at moment: Moment) {
        self.init(name, options)
        for (key, data) in records.sorted(by: { $0.0 < $1.0 }) {
            guard let place = keys.place(of: key) else {
                unreadable.append(key)
                continue
            }
            guard let record = data.flatMap({ OutboxRecord($0) }), numbers[record.id] == nil,
                place.id == nil || place.id == record.id
            else {
                last = max(last, place.number)
                unreadable.append(key)
                continue
            }
            // Two processes may have used one number.
            last = max(last + 1, place.number)
            restore(record, key, at: moment)
        }
    }

    /// Adds a record under the last number.
    private mutating func restore(_ record: OutboxRecord, _ key: StorageKey, at moment: Moment) {
        let number = last
        let since = moment.instant(record.madeAt, before: Self.highestAge, after: .zero)
        let due = record.notBefore.map { moment.instant($0, before: .zero, after: Self.longestWait) } ?? since
        let phase = record.setAside.map(Phase.setAside) ?? .pending
        var entry = Entry(change: record.change, number: number, storageKey: key, since: since, due: due, phase: phase)
        entry.failing = record.failingSince.map { moment.instant($0, before: Self.highestAge, after: .zero) }
        add(entry)
        if record.setAside != nil { setAsideCount += 1 }
        if record.setAside == nil || options.afterSetAside == .blockKey { enqueue(number) }
    }

    /// The counts of the changes whose append was committed.
    var status: OutboxStatus {
        var status = OutboxStatus(pending: -setAsideCount, setAside: setAsideCount, oldest: nil)
        status.pending += entries.count - appendingCount
        status.oldest = order.first.flatMap { entries[$0] }.flatMap { $0.phase == .appending ? nil : $0.since }
        return status
    }

    private var appendingCount = 0

    func entry(_ id: UUID) -> Entry? { numbers[id].flatMap { entries[$0] } }

    /// The committed entries in their order.
    var committed: [Entry] { order.compactMap { entries[$0] }.filter { $0.phase != .appending } }

    // MARK: Steps

    /// Reserves room for a change.
    ///
    /// - Throws: ``OfflineError`` if the outbox is full or has the id already; an `EncodingError`.
    mutating func append(_ change: PendingChange, at moment: Moment) throws -> Step {
        guard numbers[change.id] == nil else { throw OfflineError.duplicate(change.id, in: name) }
        guard entries.count < options.maximumChanges else {
            throw OfflineError.full(name, "\(options.maximumChanges) changes")
        }
        guard change.bytes <= options.maximumBytes - bytes else {
            throw OfflineError.full(name, "\(options.maximumBytes) bytes")
        }
        let data = try OutboxRecord(change).data
        last += 1
        let key = keys[last, change.id]
        let (now, number) = (moment.now, last)
        add(Entry(change: change, number: number, storageKey: key, since: now, due: now, phase: .appending))
        appendingCount += 1
        return Step(number: number, kind: .append, change: .put(key, data))
    }

    /// Removes a change that the server accepted or that is no longer needed; nil if there is none.
    mutating func remove(_ id: UUID) -> Step? {
        guard let number = numbers[id], let entry = entries[number] else { return nil }
        entries[number]?.isChanging = true
        return Step(number: number, kind: .remove, change: .remove(entry.storageKey))
    }

    /// Changes the content or the state of a change; nil if there is none.
    ///
    /// - Parameters:
    ///   - wait: How long it is not sent.
    ///   - reason: Why it is set aside; nil to send it.
    mutating func replace(
        _ id: UUID,
        after wait: Duration = .zero,
        setAside reason: String? = nil,
        at moment: Moment,
        _ modify: (inout PendingChange) -> Void
    ) throws -> Step? {
        guard let number = numbers[id], let entry = entries[number] else { return nil }
        var change = entry.change(at: moment)
        modify(&change)
        let failing = change.failingSince == nil ? nil : entry.failing ?? moment.now
        let isDelayed = wait > .zero && reason == nil
        let due = isDelayed ? moment.now.advanced(by: min(wait, Self.longestWait)) : entry.since
        let record = OutboxRecord(change, notBefore: isDelayed ? moment.wall(due) : nil, setAside: reason)
        let step = Step(
            number: number,
            kind: .replace(change, due: due, failing: failing, setAside: reason),
            change: .put(entry.storageKey, try record.data)
        )
        entries[number]?.isChanging = true
        return step
    }

    /// Carries out a step that the storage has committed.
    mutating func apply(_ step: Step) {
        guard var entry = entries[step.number] else { return }
        switch step.kind {
        case .append:
            appendingCount -= 1
            entries[step.number]?.phase = .pending
            enqueue(step.number)
        case .remove: removeEntry(entry)
        case .replace(let change, let due, let failing, let reason):
            bytes += change.bytes - entry.change.bytes
            entry.change = change
            (entry.due, entry.failing) = (due, failing)
            entry.isChanging = false
            settle(entry, setAside: reason)
        }
    }

    /// Undoes a step that the storage refused.
    mutating func drop(_ step: Step) {
        guard let entry = entries[step.number] else { return }
        entries[step.number]?.isChanging = false
        if step.kind == .append {
            appendingCount -= 1
            forget(entry)
        } else {
            offerHead(of: entry.change.key)
        }
    }

    private mutating func settle(_ new: Entry, setAside reason: String?) {
        var entry = new
        let wasAside = if case .setAside = entry.phase { true } else { false }
        entry.phase = reason.map(Phase.setAside) ?? .pending
        entries[entry.number] = entry
        setAsideCount += (reason == nil ? 0 : 1) - (wasAside ? 1 : 0)
        let key = entry.change.key
        if queues[key]?.sending == entry.number { queues[key]?.sending = nil }
        if options.afterSetAside == .letPass, (reason != nil) != wasAside {
            if wasAside { return enqueue(entry.number) }
            dequeue(entry.number, key)
        }
        offerHead(of: key)
    }

    private mutating func removeEntry(_ entry: Entry) {
        if case .setAside = entry.phase { setAsideCount -= 1 }
        forget(entry)
        dequeue(entry.number, entry.change.key)
        offerHead(of: entry.change.key)
    }

    private mutating func add(_ entry: Entry) {
        entries[entry.number] = entry
        numbers[entry.change.id] = entry.number
        order.insert(ascending: entry.number)
        bytes += entry.change.bytes
    }

    private mutating func forget(_ entry: Entry) {
        entries[entry.number] = nil
        numbers[entry.change.id] = nil
        order.remove(entry.number)
        bytes -= entry.change.bytes
    }
}
