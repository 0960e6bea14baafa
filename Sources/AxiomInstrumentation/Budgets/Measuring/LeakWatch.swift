// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase

/// Finds components that should have ended: at each scrape and report, and when the time of an unmounted component is
/// over. So a leak is reported too where nothing scrapes.
final class LeakWatch: Sendable {
    /// Instances of one type that have become suspects.
    struct Leak: Sendable, Hashable {
        let component: ComponentDescriptor
        /// How many have become suspects since the last time.
        let found: Int
        /// How many are suspects now, and at least `found`.
        let suspects: Int
    }

    private let census: ComponentCensus
    private let clock: TimeSource
    /// Whether a task waits for the next time-out. Guarded by its lock, under which the census is asked whether there is
    /// one to wait for: an instance is unmounted in the census before ``expect(_:)`` takes the lock.
    private let isWaiting = Lock(false)

    init(_ census: ComponentCensus, clock: TimeSource) {
        self.census = census
        self.clock = clock
    }

    /// What has leaked since the last time.
    func look() -> [Leak] { census.newLeaks() }

    /// How many components of a type were made.
    func created(_ component: ComponentDescriptor) -> UInt64 { census.created(component) }

    /// How many components of each name should have ended and live.
    var suspects: [String: UInt64] {
        Dictionary(census.rows.map { ($0.component.name, UInt64($0.leakSuspects)) }, uniquingKeysWith: +)
    }

    /// Calls `action` when the time of what is unmounted now is over. One task waits at a time; it ends when nothing
    /// unmounted lives on.
    func expect(_ action: @escaping @Sendable () -> Void) {
        let isFirst = isWaiting.withLock { isWaiting in
            defer { isWaiting = true }
            return !isWaiting
        }
        guard isFirst else { return }
        Task.detached(priority: .utility) { [weak self, clock] in
            while let due = self?.nextDeadline() {
                do {
                    try await clock.sleep(for: max(.zero, due.duration(since: clock.now)))
                } catch {
                    return
                }
                action()
            }
        }
    }

    private func nextDeadline() -> Instant? {
        isWaiting.withLock { isWaiting in
            let due = census.nextLeakDeadline
            if due == nil { isWaiting = false }
            return due
        }
    }
}
