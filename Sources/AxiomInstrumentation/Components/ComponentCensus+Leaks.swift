// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase

// Components that should have ended are found at each scrape and report, and when the threshold of an unmounted component
// ends. So a leak is also reported if nothing scrapes.
extension ComponentCensus {
    /// Instances of one type that have become suspects.
    struct Leak: Sendable, Hashable {
        let component: ComponentDescriptor
        /// How many have become suspects since the last time.
        let found: Int
        /// How many are suspects now; at least `found`.
        let suspects: Int
    }

    /// How many living components of each name should have ended.
    var suspects: [String: UInt64] {
        Dictionary(rows.map { ($0.component.name, UInt64($0.leakSuspects)) }, uniquingKeysWith: +)
    }

    /// Calls `action` when the threshold of the unmounted instances ends. Only one task waits at a time; it ends when
    /// no unmounted instance is left to wait for.
    func expectLeaks(_ action: @escaping @Sendable () -> Void) {
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
            let due = nextLeakDeadline
            if due == nil { isWaiting = false }
            return due
        }
    }
}
