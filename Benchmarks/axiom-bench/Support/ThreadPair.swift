// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// Runs a body on the calling thread and on another at the same time. The other one waits between runs, so that no run
/// pays for a thread's start; both begin when both have arrived.
final class ThreadPair: Sendable {
    /// What the other thread is to do; guarded by its lock.
    private let body = Mutex<(@Sendable () -> Void)?>(nil)
    private let arrived = Atomic<Int>(0)
    private let ready = Semaphore()
    private let done = Semaphore()

    init() {
        Thread.detachNewThread { [self] in
            while true {
                ready.wait()
                let body = body.withLock { $0 }
                meet()
                body?()
                done.signal()
            }
        }
    }

    /// Returns when both have done it.
    func run(_ work: @escaping @Sendable () -> Void) {
        arrived.store(0, ordering: .releasing)
        body.withLock { $0 = work }
        ready.signal()
        meet()
        work()
        done.wait()
    }

    private func meet() {
        arrived.add(1, ordering: .acquiringAndReleasing)
        while arrived.load(ordering: .acquiring) < 2 {}
    }
}

private final class Semaphore: @unchecked Sendable {
    // Unchecked because Foundation's type is not marked; it is made for threads.
    private let semaphore = DispatchSemaphore(value: 0)
    func wait() { semaphore.wait() }
    func signal() { semaphore.signal() }
}
