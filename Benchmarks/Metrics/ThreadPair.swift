// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import Foundation
import Synchronization

/// Runs a body on the calling thread and on another at the same time. The other one waits between runs, so that no run
/// pays for a thread's start.
final class ThreadPair: Sendable {
    private struct Span {
        let start: Instant
        let nanoseconds: Int64
    }

    private struct State {
        var body: (@Sendable () -> Void)?
        var span: Span?
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
                let span = meetAndTime { body?() }
                state.withLock { $0.span = span }
                done.signal()
            }
        }
    }

    /// The first time that is measured in so many attempts: on a busy machine two threads often share a processor.
    func time(attempts: Int, _ body: @escaping @Sendable () -> Void) -> Int64? {
        for _ in 0..<attempts {
            if let time = time(body) { return time }
        }
        return nil
    }

    /// The nanoseconds of the thread that took longer; nil where the system let one begin long after the other, as then
    /// neither hindered the other.
    func time(_ body: @escaping @Sendable () -> Void) -> Int64? {
        arrived.store(0, ordering: .releasing)
        state.withLock { $0.body = body }
        ready.signal()
        let own = meetAndTime(body)
        done.wait()
        guard let other = state.withLock({ $0.span }) else { return nil }
        let late = abs(own.start.nanoseconds(since: other.start))
        guard late <= min(own.nanoseconds, other.nanoseconds) / 10 else { return nil }
        return max(own.nanoseconds, other.nanoseconds)
    }

    private func meetAndTime(_ body: () -> Void) -> Span {
        arrived.add(1, ordering: .acquiringAndReleasing)
        while arrived.load(ordering: .acquiring) < 2 {}
        let start = TimeSource.live.now
        body()
        return Span(start: start, nanoseconds: TimeSource.live.now.nanoseconds(since: start))
    }
}

private final class Semaphore: @unchecked Sendable {
    // Unchecked because Foundation's type is not marked; it is made for threads.
    private let semaphore = DispatchSemaphore(value: 0)
    func wait() { semaphore.wait() }
    func signal() { semaphore.signal() }
}
