// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomResilience
import AxiomTestSupport
import Testing

@testable import AxiomStorage

/// A plain model around a ``SaveMachine``: a state, a disk, and callers. It checks after each event what must hold.
private struct SaveHistory {
    struct Broken: Error {}

    enum Access {
        case none
        case starting
        case saving(UInt64)
        case lent(UInt64)
    }

    static let delay = Duration.milliseconds(100)

    var machine: SaveMachine
    var random: SeededGenerator
    var now = Instant(nanoseconds: 0)
    var current: UInt64 = 0
    var disk: UInt64 = 0
    /// When the call of `changed` for a revision happened, or was not needed.
    var announcedAt: [UInt64: Instant] = [:]
    var access = Access.none
    var wakeAt: Instant?
    /// Waiting callers with what they wait for; nil for a request.
    var waiting: [UInt64: UInt64?] = [:]
    var lastID: UInt64 = 0
    /// The flushes whose callers ignore errors.
    var ignoring: Set<UInt64> = []
    /// Changes whose call of `changed` has not happened yet.
    var unannounced: [UInt64] = []
    var streak = (failures: 0, shown: 0)
    var isFinishing = false
    var isClosed = false
    var problems: [String] = []

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
        let backoff = Backoff.exponential(base: .milliseconds(200), cap: .seconds(30), jitter: .equal)
        machine = SaveMachine(delay: Self.delay, backoff: backoff, seed: seed)
        carryOut(machine.open(stored: 0, current: 0, at: now))
    }

    mutating func run(_ steps: Int) {
        for _ in 0..<steps where problems.isEmpty {
            step()
            check()
        }
        if problems.isEmpty { drain() }
    }

    mutating func step() {
        switch random.index(below: 20) {
        case 0...5: change()
        case 6...7: announce()
        case 8...9: flush()
        case 10: leave()
        case 11...13: advance(by: .milliseconds(random.index(below: 150)))
        case 14: request()
        case 15: advance(by: .seconds(31))
        default: progress(failing: 3)
        }
        guard !isClosed, random.index(below: 300) == 0 else { return }
        if isFinishing {
            isClosed = true
            carryOut(machine.close())
        } else {
            (isFinishing, wakeAt) = (true, nil)
            carryOut(machine.finish())
        }
    }

    /// A change by an update. The call of `changed` follows at once or later, as with threads.
    mutating func change() {
        if case .lent = access { return }
        current += 1
        unannounced.append(current)
        if random.index(below: 4) > 0 { announce() }
    }

    mutating func announce() {
        guard !unannounced.isEmpty else { return }
        let revision = unannounced.remove(at: random.index(below: unannounced.count))
        announcedAt[revision] = now
        if !machine.isDirty { carryOut(machine.changed(to: revision, at: now)) }
    }

    mutating func flush() {
        lastID += 1
        waiting[lastID] = .some(current)
        let ignores = random.index(below: 2) == 0
        if ignores { ignoring.insert(lastID) }
        carryOut(machine.flush(SaveMachine.Flush(id: lastID, target: current, ignoresErrors: ignores)))
    }

    mutating func request() {
        lastID += 1
        waiting.updateValue(nil, forKey: lastID)
        carryOut(machine.request(lastID))
    }

    mutating func leave() {
        guard let id = waiting.keys.min(by: { ($0 &* 7919) % 31 < ($1 &* 7919) % 31 }) else { return }
        waiting[id] = nil
        if case .lent(id) = access { access = .none }
        carryOut(machine.leave(id, at: now))
    }

    mutating func advance(by duration: Duration) {
        now = now.advanced(by: duration)
        guard let time = wakeAt, time <= now else { return }
        wakeAt = nil
        carryOut(machine.awake(at: now))
    }

    /// The access in progress goes on by one step.
    mutating func progress(failing oneIn: Int) {
        switch access {
        case .none: break
        case .starting:
            let (isNeeded, effects) = machine.read(current, at: now)
            access = isNeeded ? .saving(current) : .none
            if !isNeeded, disk != current { problems.append("skipped a needed save") }
            carryOut(effects)
        case .saving(let revision): end(revision, failing: oneIn)
        case .lent(let id): endUse(id, failing: oneIn)
        }
    }

    private mutating func end(_ revision: UInt64, failing oneIn: Int) {
        access = .none
        guard oneIn > 0, random.index(below: oneIn) == 0 else {
            (disk, streak) = (revision, (0, 0))
            return carryOut(machine.saved(at: now))
        }
        if random.index(below: 2) == 0 { disk = revision }
        streak.failures += 1
        carryOut(machine.failed(Broken(), at: now))
    }

    private mutating func endUse(_ id: UInt64, failing oneIn: Int) {
        access = .none
        waiting[id] = nil
        guard oneIn > 0, random.index(below: 3) > 0 else { return carryOut(machine.leave(id, at: now)) }
        if random.index(below: oneIn) == 0 {
            streak.failures += 1
            streak.shown += 1
            // The draft may have reached the disk, where no published state has it.
            if random.index(below: 2) == 0 { disk = .max }
            return carryOut(machine.storingFailed(by: id, at: now))
        }
        current += 1
        (disk, streak) = (current, (0, 0))
        carryOut(machine.stored(current, by: id, at: now))
    }

    mutating func carryOut(_ effects: SaveMachine.Effects) {
        if let time = effects.wakeAt { wakeAt = time }
        if effects.startsSave { begin(.starting) }
        var thrown = false
        for (id, ending) in effects.ended { thrown = end(id, ending) || thrown }
        if thrown { streak.shown = max(1, streak.shown) }
        guard effects.report != nil else { return }
        streak.shown += 1
        if streak.shown > 1 { problems.append("reported a second time") }
    }

    private mutating func begin(_ next: Access) {
        if case .none = access {} else { problems.append("two accesses at once") }
        access = next
    }

    /// Returns whether a caller gets the error of a save.
    private mutating func end(_ id: UInt64, _ ending: SaveMachine.Ending) -> Bool {
        guard let target = waiting[id] else {
            problems.append("ended \(id), which does not wait")
            return false
        }
        switch (ending, target) {
        case (.done, let target?):
            waiting[id] = nil
            if disk < target || disk == .max { problems.append("flushed \(target), but the disk has \(disk)") }
        case (.done, nil): begin(.lent(id))
        case (.failed, _):
            waiting[id] = nil
            return !ignoring.contains(id)
        case (.notOpen, _):
            waiting[id] = nil
            if !isClosed { problems.append("not open") }
        case (.cancelled, _): problems.append("cancelled")
        }
        return false
    }

    mutating func check() {
        let isUnsaved = disk != current && unannounced.isEmpty
        if isUnsaved, case .none = access, !isFinishing {
            guard let wakeAt else { return problems.append("an unsaved change and no plan") }
            let first = announcedAt.filter { $0.key > disk }.values.min() ?? now
            if streak.failures == 0, wakeAt > max(now, first.advanced(by: Self.delay)) {
                problems.append("planned late")
            }
        }
        if case .none = access, !waiting.isEmpty { problems.append("a wait and no access") }
        if isUnsaved, !isClosed, machine.oldestUnsaved == nil, case .none = access { problems.append("no age") }
    }

    /// Without more changes and failures, everything is saved after one delay, and no wait is left.
    private mutating func drain() {
        while !unannounced.isEmpty { announce() }
        if isFinishing { flush() }
        for _ in 0..<200 where problems.isEmpty {
            progress(failing: 0)
            if case .none = access { advance(by: .seconds(31)) }
        }
        if case .none = access {} else { problems.append("an access does not end") }
        if !waiting.isEmpty { problems.append("a wait does not end") }
        if !isClosed, disk != current { problems.append("not saved at the end") }
        if !isFinishing, machine.oldestUnsaved != nil { problems.append("an age at the end") }
    }
}

@Suite("The plan of saves", .timeLimit(.minutes(10)))
struct SaveMachineModelTests {
    @Test("Random histories of changes, failures, flushes and cancellations agree with a plain model (PER-03)")
    func histories() {
        let seed = TestSeed.drawn()
        for number in 0..<TestScale.count(100_000) {
            var history = SaveHistory(seed: seed &+ UInt64(number))
            history.run(60)
            guard history.problems.isEmpty else {
                Issue.record("history \(number) of the seed \(seed): \(history.problems)")
                return
            }
        }
    }
}
