// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import Foundation
import Synchronization

/// Runs a body on the calling thread and on another at the same time. The other one waits between runs, so that no run
/// pays for a thread's start.
final class ThreadPair: Sendable {
    private struct State {
        var body: (@Sendable () -> Void)?
        var nanoseconds: Int64 = 0
    }

    private let state = Mutex(State())
    private let ready = Semaphore()
    private let arrived = Atomic<Int>(0)
    private let done = Semaphore()

    init() {
        Thread.detachNewThread { [self] in
            while true {
                ready.wait()
                let body = state.withLock { $0.body }
                let time = meetAndTime { body?() }
                state.withLock { $0.nanoseconds = time }
                done.signal()
            }
        }
    }

    /// The nanoseconds of the thread that took longer, from the moment at which both were there.
    func time(_ body: @escaping @Sendable () -> Void) -> Int64 {
        arrived.store(0, ordering: .releasing)
        state.withLock { $0.body = body }
        ready.signal()
        let own = meetAndTime(body)
        done.wait()
        return max(own, state.withLock { $0.nanoseconds })
    }

    private func meetAndTime(_ body: () -> Void) -> Int64 {
        arrived.add(1, ordering: .acquiringAndReleasing)
        while arrived.load(ordering: .acquiring) < 2 {}
        let start = TimeSource.live.now
        body()
        return TimeSource.live.now.nanoseconds(since: start)
    }
}

private final class Semaphore: @unchecked Sendable {
    // Unchecked because Foundation's type is not marked; it is made for threads.
    private let semaphore = DispatchSemaphore(value: 0)
    func wait() { semaphore.wait() }
    func signal() { semaphore.signal() }
}
