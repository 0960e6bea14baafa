// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import AxiomBase

@Suite("A lock that detects reentry", .timeLimit(.minutes(10)))
struct ReentrancyDetectingLockTests {
    /// A number that only the lock protects.
    private final class Guarded: @unchecked Sendable {
        let lock = ReentrancyDetectingLock()
        var number = 0
    }

    @Test("A thread cannot take the lock twice, and can take it again after it was released")
    func reentry() {
        let lock = ReentrancyDetectingLock()
        for _ in 0..<3 {
            let (isTaken, isTakenTwice) = (lock.lock(), lock.lock())
            #expect(isTaken && !isTakenTwice)
            lock.unlock()
        }
    }

    /// Runs `body` in `count` threads and waits for all of them.
    private func inThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) -> DispatchGroup {
        let group = DispatchGroup()
        for number in 0..<count {
            group.enter()
            Thread {
                body(number)
                group.leave()
            }.start()
        }
        return group
    }

    @Test("Another thread waits for the lock and is not taken for the one that has it")
    func exclusion() {
        let guarded = Guarded()
        let isTaken = guarded.lock.lock()
        #expect(isTaken)
        let others = inThreads(1) { _ in
            guard guarded.lock.lock() else { return }
            guarded.number *= 2
            guarded.lock.unlock()
        }
        guarded.number = 21
        guarded.lock.unlock()
        others.wait()
        #expect(guarded.number == 42)
    }

    @Test("Threads that wait in the kernel all get their turn, and no addition is lost")
    func contention() {
        let (guarded, rounds) = (Guarded(), 2_000)
        inThreads(8) { number in
            for round in 0..<rounds {
                guard guarded.lock.lock() else { return }
                let before = guarded.number
                // The others find the lock taken and wait for it.
                if (round + number).isMultiple(of: 50) { sched_yield() }
                guarded.number = before + 1
                guarded.lock.unlock()
            }
        }.wait()
        #expect(guarded.number == 8 * rounds)
    }
}
