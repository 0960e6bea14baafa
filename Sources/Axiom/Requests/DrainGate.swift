// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import Synchronization

/// Counts the calls that are under way. After it is closed, no call enters, and a task can wait until all calls have left.
///
/// The gate begins closed. What is inside when it closes stays inside until it leaves.
final class DrainGate: Sendable {
    /// Bit 63 is set while the gate is closed; the other bits count what is inside, and attempts that are about to be
    /// refused.
    ///
    /// Invariants, held by "Nothing enters after the drain" and "The last attempt that is refused" in DrainGateTests:
    /// - An attempt enters only if its addition finds bit 63 clear. After `close()` no addition does, so a closed gate that
    ///   was seen empty stays empty until `open()`.
    /// - Whoever changes the word to "closed and 0" resumes the waiters: the last that leaves, `close()`, or the last refused
    ///   attempt. The last one may leave while a refused attempt is counted, and does not see 0 then.
    private let word = Atomic<UInt64>(DrainGate.closed)
    /// The waits that have not ended. Each is added only while the word, read under the lock, is not "closed and 0", so the
    /// change to that value comes later and finds it.
    private let waiters = Lock<[OneShot<Void>]>([])

    private static let closed: UInt64 = 1 << 63

    /// Enters. Whoever has entered calls ``leave()`` once.
    ///
    /// A closed gate is seen by a read, without an addition: attempts that keep coming do not delay a waiter.
    ///
    /// - Returns: False if the gate is closed.
    func enter() -> Bool { word.load(ordering: .acquiring) & Self.closed == 0 && attempt() }

    /// Enters, by one addition. If the gate has closed since it was read, takes the addition back.
    ///
    /// - Parameter refused: Called while the refused attempt is counted, for tests.
    func attempt(refused: () -> Void = {}) -> Bool {
        guard word.wrappingAdd(1, ordering: .acquiring).oldValue & Self.closed != 0 else { return true }
        refused()
        leave()
        return false
    }

    /// Leaves. What the caller did before is visible to a waiter that this resumes.
    func leave() {
        resumeWaiters(ifDrained: word.wrappingSubtract(1, ordering: .acquiringAndReleasing).newValue)
    }

    /// Lets all enter. A task that waits goes on waiting until the gate is closed again and nothing is inside.
    func open() { word.bitwiseAnd(~Self.closed, ordering: .acquiringAndReleasing) }

    /// Lets nothing enter any more.
    func close() {
        resumeWaiters(ifDrained: word.bitwiseOr(Self.closed, ordering: .acquiringAndReleasing).newValue)
    }

    /// How many are inside. While the gate closes, this may include attempts that are about to be refused.
    var inside: Int { Int(word.load(ordering: .acquiring) & ~Self.closed) }

    /// Waits until the gate is closed and nothing is inside, or the task is cancelled.
    func waitUntilEmpty() async {
        let waiter = OneShot<Void>()
        let isDrained = waiters.withLock { waiters in
            if word.load(ordering: .acquiring) == Self.closed { return true }
            waiters.append(waiter)
            return false
        }
        if isDrained { return }
        await waiter.value(ifCancelled: ())
        waiters.withLock { waiters in waiters.removeAll { $0 === waiter } }
    }

    private func resumeWaiters(ifDrained changed: UInt64) {
        guard changed == Self.closed else { return }
        // The gate may have been opened, and waiters may have come, since the word changed.
        let drained = waiters.withLock { waiters -> [OneShot<Void>] in
            guard word.load(ordering: .acquiring) == Self.closed else { return [] }
            defer { waiters = [] }
            return waiters
        }
        for waiter in drained { waiter.settle(()) }
    }
}
