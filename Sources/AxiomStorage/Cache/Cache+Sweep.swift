// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import Synchronization

/// The task of a cache that removes values without a request when they have expired.
final class CacheSweeper: Sendable {
    /// Whether the task exists. Sequentially consistent: a task that ends clears it and then looks for values once more, and
    /// who stores a value looks at it afterwards, so one of them sees the other.
    private let isPlanned = Atomic(false)
    private let task = Lock<Task<Void, Never>?>(nil)

    var isIdle: Bool { !isPlanned.load(ordering: .sequentiallyConsistent) }

    /// - Returns: Whether the caller has to make the task.
    func begin() -> Bool { isIdle && !isPlanned.exchange(true, ordering: .sequentiallyConsistent) }

    func run(_ task: Task<Void, Never>) { self.task.withLock { $0 = task } }

    /// The task ends.
    func stop() { isPlanned.store(false, ordering: .sequentiallyConsistent) }

    /// The cache is released.
    func end() { task.withLock { $0.take() }?.cancel() }
}

extension Cache {
    /// Makes sure that the values are removed when they have expired. Costs one atomic read if a task does that already.
    func planSweep() {
        guard keptLifetime < .max, sweeper.begin() else { return }
        let first = nextSweep(after: clock.now.nanoseconds)
        sweeper.run(
            Task.detached(executorPreference: inheritedExecutor) { [weak self, clock] in
                var next = first
                while let instant = next, (try? await clock.sleep(until: instant)) != nil { next = self?.sweep() }
            }
        )
    }

    /// Removes what has expired, in steps, so that no reader waits long.
    ///
    /// - Returns: When to sweep again; nil if there is nothing to remove.
    private func sweep() -> Instant? {
        let now = clock.now.nanoseconds
        while true {
            let removed = machine.change { $0.removeExpired(maximum: 256, at: now) }
            guard !removed.isEmpty else { break }
            signals?.add(entries: -removed.count)
            signals?.add(removals: removed.map(\.reason))
        }
        if let next = plannedSweep { return next }
        sweeper.stop()
        // A value may have been stored before the stop.
        guard let next = plannedSweep, sweeper.begin() else { return nil }
        return next
    }

    private var plannedSweep: Instant? {
        machine.read { machine, _ in machine.oldest }.flatMap(nextSweep)
    }

    /// When to remove a value that was stored at a time: a tenth of its lifetime after its end, so that one sweep removes
    /// many. Nil for never.
    private func nextSweep(after storedAt: Int64) -> Instant? {
        let (end, overflow) = storedAt.addingReportingOverflow(keptLifetime)
        let (instant, isFar) = end.addingReportingOverflow(max(1_000_000, keptLifetime / 10))
        return overflow || isFar ? nil : Instant(nanoseconds: instant)
    }
}
