// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import AxiomResilience

/// Decides when the state of a store is saved: pure, without tasks, clocks and storage.
///
/// At most one access to the storage is in progress. States are identified by their revision, the number of changes
/// that led to them. A save stores the state that is current when it begins, so a burst of changes is one save. A
/// failed save is repeated after a growing delay until one succeeds.
struct SaveMachine {
    private let delay: Duration
    private let backoff: Backoff
    private var generator: SeededGenerator
    private(set) var life = Life.unloaded
    private(set) var work = Work.idle
    /// The revision that is stored; nil if it is not known, as after a failed save. The initial state is 0.
    private(set) var stored: UInt64? = 0
    /// Whether there is a change that is in no save that has begun.
    private(set) var isDirty = false
    /// When the oldest such change happened.
    private var dirtySince: Instant?
    /// When the oldest change of the save in progress happened.
    private var savingSince: Instant?
    /// The failed saves since the last success.
    private var failures = 0
    /// Whether one of them was reported or thrown.
    private var isReported = false
    /// Whether only flushes save, because the shutdown has begun.
    private var isFinishing = false
    private var flushes: [Flush] = []
    private var requests: [ID] = []

    init(delay: Duration, backoff: Backoff, seed: UInt64) {
        self.delay = delay
        self.backoff = backoff
        generator = SeededGenerator(seed: seed)
    }

    /// When the oldest change happened that is not known to be stored; nil after the shutdown.
    var oldestUnsaved: Instant? {
        guard life != .closed else { return nil }
        return switch (savingSince, dirtySince) {
        case (let first?, let second?): min(first, second)
        case (let only, nil), (nil, let only): only
        }
    }

    /// Whether a timer is to wake the machine.
    var isWaiting: Bool {
        if case .waiting = work { true } else { false }
    }

    /// The number of waiting flushes and requests.
    var waiterCount: Int { flushes.count + requests.count }

    // MARK: Changes

    /// The stored revision is known from now on.
    ///
    /// - Parameters:
    ///   - stored: The revision of the stored state; nil if it has to be stored again.
    ///   - current: The revision of the current state.
    mutating func open(stored: UInt64?, current: UInt64, at now: Instant) -> Effects {
        guard life == .unloaded else { return Effects() }
        (life, self.stored) = (.open, stored)
        if stored == current {
            (isDirty, dirtySince) = (false, nil)
        } else {
            markDirty(at: now)
        }
        return proceed(at: now)
    }

    /// The state has this revision. Not needed while ``isDirty`` is true.
    mutating func changed(to revision: UInt64, at now: Instant) -> Effects {
        guard !isDirty, !isCovered(revision) else { return Effects() }
        markDirty(at: now)
        return work == .idle ? proceed(at: now) : Effects()
    }

    private mutating func markDirty(at now: Instant) {
        isDirty = true
        dirtySince = dirtySince ?? now
    }

    /// Whether this revision is stored, or a save that has begun stores it.
    private func isCovered(_ revision: UInt64) -> Bool {
        if let stored, revision <= stored { return true }
        if case .saving(let saving) = work { return revision <= saving }
        return false
    }

    // MARK: Saves

    /// The time of ``Effects/wakeAt`` has come. An earlier or an obsolete call does nothing.
    mutating func awake(at now: Instant) -> Effects {
        guard case .waiting(let time) = work, now >= time else { return Effects() }
        return start()
    }

    private mutating func start() -> Effects {
        work = .starting
        (savingSince, dirtySince, isDirty) = (oldestUnsaved, nil, false)
        return Effects(startsSave: true)
    }

    /// The state was read for a save and has this revision.
    ///
    /// - Returns: Whether it has to be stored. If not, the save has ended.
    mutating func read(_ revision: UInt64, at now: Instant) -> (isNeeded: Bool, Effects) {
        guard work == .starting else { return (false, Effects()) }
        work = .saving(revision)
        return stored == revision ? (false, saved(at: now)) : (true, Effects())
    }

    /// The save in progress succeeded.
    mutating func saved(at now: Instant) -> Effects {
        guard case .saving(let revision) = work else { return Effects() }
        savingSince = nil
        return succeed(with: revision, at: now)
    }

    private mutating func succeed(with revision: UInt64, at now: Instant) -> Effects {
        (stored, failures, isReported) = (revision, 0, false)
        let ended = flushes.filter { $0.target <= revision }.map { ($0.id, Ending.done) }
        flushes.removeAll { $0.target <= revision }
        var effects = proceed(at: now)
        effects.ended += ended
        return effects
    }

    /// The save in progress failed.
    mutating func failed(_ error: any Error, at now: Instant) -> Effects {
        guard case .saving(let revision) = work else { return Effects() }
        let ended = flushes.filter { $0.target <= revision }
        flushes.removeAll { $0.target <= revision }
        // Not known, because a storage may fail after the value has reached the disk.
        stored = nil
        (dirtySince, savingSince, isDirty) = (oldestUnsaved ?? now, nil, true)
        failures += 1
        let isThrown = ended.contains { !$0.ignoresErrors }
        let report = isReported || isThrown ? nil : error
        isReported = true
        var effects = proceed(at: now)
        effects.ended += ended.map { ($0.id, Ending.failed(error)) }
        effects.report = report
        return effects
    }

    /// Begins what comes next after an access to the storage, or changes the plan while there is none.
    private mutating func proceed(at now: Instant) -> Effects {
        work = .idle
        guard life == .open else { return Effects() }
        if !requests.isEmpty {
            let request = requests.removeFirst()
            work = .lent(request)
            return Effects(ended: [(request, .done)])
        }
        if !flushes.isEmpty { return start() }
        guard isDirty, !isFinishing else { return Effects() }
        let time = failures == 0 ? max(now, (dirtySince ?? now).advanced(by: delay)) : now.advanced(by: retryDelay())
        work = .waiting(until: time)
        return Effects(wakeAt: time)
    }

    private mutating func retryDelay() -> Duration {
        backoff.delay(beforeRetry: failures - 1, using: &generator)
    }

    // MARK: - Flushes and requests

    /// Waits until a state of this revision, or of a later one, is stored. Begins a save at once if none is in progress.
    mutating func flush(_ flush: Flush) -> Effects {
        if let stored, flush.target <= stored { return Effects(ended: [(flush.id, .done)]) }
        guard life == .open else { return Effects(ended: [(flush.id, .notOpen(life))]) }
        flushes.append(flush)
        switch work {
        case .idle, .waiting: return start()
        case .starting, .saving, .lent: return Effects()
        }
    }

    /// Waits for exclusive use of the storage.
    mutating func request(_ id: ID) -> Effects {
        guard life == .open else { return Effects(ended: [(id, .notOpen(life))]) }
        switch work {
        case .idle, .waiting:
            work = .lent(id)
            return Effects(ended: [(id, .done)])
        case .starting, .saving, .lent:
            requests.append(id)
            return Effects()
        }
    }

    /// A flush or a request no longer waits, or gives its exclusive use back without a change.
    mutating func leave(_ id: ID, at now: Instant) -> Effects {
        flushes.removeAll { $0.id == id }
        requests.removeAll { $0 == id }
        return work == .lent(id) ? proceed(at: now) : Effects()
    }

    /// A request stored the state, which has this revision now, and gives its exclusive use back.
    mutating func stored(_ revision: UInt64, by id: ID, at now: Instant) -> Effects {
        guard work == .lent(id) else { return Effects() }
        (isDirty, dirtySince) = (false, nil)
        return succeed(with: revision, at: now)
    }

    /// A request could not store a state, throws the error, and gives its exclusive use back. The stored revision is
    /// not known, so the current state is stored again.
    mutating func storingFailed(by id: ID, at now: Instant) -> Effects {
        guard work == .lent(id) else { return Effects() }
        (stored, isReported) = (nil, true)
        failures += 1
        markDirty(at: now)
        return proceed(at: now)
    }

    /// The shutdown has begun: from now on only flushes save, so that each of its attempts is one save.
    mutating func finish() -> Effects {
        isFinishing = true
        if case .waiting = work { work = .idle }
        return Effects()
    }

    /// Ends all waits. No save begins from now on; one in progress may still end.
    mutating func close() -> Effects {
        life = .closed
        if case .waiting = work { work = .idle }
        let ended = flushes.map(\.id) + requests
        (flushes, requests) = ([], [])
        return Effects(ended: ended.map { ($0, .notOpen(.closed)) })
    }
}
