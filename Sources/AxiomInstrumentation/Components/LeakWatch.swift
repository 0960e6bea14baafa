// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase

/// Finds components that should have ended: at each scrape and report, and when the threshold of an unmounted component
/// ends. So a leak is also reported if nothing scrapes.
final class LeakWatch: Sendable {
    /// Instances of one type that have become suspects.
    struct Leak: Sendable, Hashable {
        let component: ComponentDescriptor
        /// How many have become suspects since the last time.
        let found: Int
        /// How many are suspects now; at least `found`.
        let suspects: Int
    }

    private let census: ComponentCensus
    private let clock: TimeSource
    /// Whether a task waits for the next deadline. Guarded by its lock, which is held while the census is queried for
    /// that deadline: an instance is unmounted in the census before ``expect(_:)`` takes the lock.
    private let isWaiting = Lock(false)

    init(_ census: ComponentCensus, clock: TimeSource) {
        self.census = census
        self.clock = clock
    }

    /// The new leaks since the last call.
    func newLeaks() -> [Leak] { census.newLeaks() }

    /// How many components of a type were created.
    func created(_ component: ComponentDescriptor) -> UInt64 { census.created(component) }

    /// How many living components of each name should have ended.
    var suspects: [String: UInt64] {
        Dictionary(census.rows.map { ($0.component.name, UInt64($0.leakSuspects)) }, uniquingKeysWith: +)
    }

    /// Calls `action` when the threshold of the unmounted instances ends. Only one task waits at a time; it ends when
    /// no unmounted instance is left to wait for.
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
