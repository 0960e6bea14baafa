// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import AxiomTesting
import Dispatch
import Foundation
import Testing

@Suite("Interleavings that cannot end (TL-T22, 28)", .timeLimit(.minutes(10)))
struct HangTests {
    private let limit = Duration.milliseconds(50)

    @Test("A sleep that nobody ends is reported with its instant and with the operation of Axiom that waits for it")
    func manualTime() async throws {
        let failure = await failure {
            try await withInterleavings(3, seed: 5, limit: limit) { _ in
                let time = ManualTime()
                let clock = TimeSource.manual(time)
                time.advance(by: .seconds(2))
                let activation = TurnSubject(.activate, of: ComponentDescriptor(kind: .client, name: "TeaClient"))
                let limit = WaitLimit(activation, name: "activation", .seconds(60), clock: clock)
                try await withLimit(concurrently: limit) { try await clock.sleep(for: .seconds(30)) }
            }
        }
        let message = try #require(failure?.message)
        #expect(message.contains("Interleaving 1 of 3, with the seed 5, could not go on for 0.05 seconds after"))
        #expect(message.contains("Under way: activate of the client TeaClient; "))
        #expect(message.contains("a sleep until second 32.0 of a manual time, which is at second 2.0"))
        #expect(message.contains("The body waits for something that none of its tasks does"))
        print(message)
    }

    @Test("A main actor that something else occupies for longer than the limit does not end a run")
    func occupiedMainActor() async throws {
        try await withInterleavings(3, limit: .milliseconds(5)) { _ in
            await withCheckedContinuation { continuation in
                // The run has a turn between two hops, and watches the limit after 32 of them.
                Self.hop(40) {
                    let expired = DispatchSemaphore(value: 0)
                    DispatchQueue.global().asyncAfter(deadline: .now() + 0.02) { expired.signal() }
                    DispatchQueue.main.async { expired.wait() }
                    DispatchQueue.main.async { continuation.resume() }
                }
            }
        }
    }

    /// Calls `end` after some turns of the main queue.
    private static func hop(_ count: Int, then end: @escaping @Sendable () -> Void) {
        DispatchQueue.main.async { count > 0 ? hop(count - 1, then: end) : end() }
    }

    @Test("Threads that something else occupies for longer than the limit, after the body has ended, do not end a run")
    func occupiedThreads() async throws {
        try await withInterleavings(1, limit: .milliseconds(5)) { _ in
            for _ in 0..<2 * ProcessInfo.processInfo.activeProcessorCount { Task.detached { usleep(20_000) } }
        }
    }

    @Test("A continuation that nobody resumes is reported, although the body ignores its cancellation")
    func continuation() async throws {
        let failure = await failure {
            try await withInterleavings(3, limit: limit) { _ in
                await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
            }
        }
        let message = try #require(failure?.message)
        #expect(
            message.contains(
                "No operation of Axiom and no sleep of a manual time is under way. The last steps were of 1."
            )
        )
    }

    @Test("A loop without an end is reported and cancelled", arguments: [true, false])
    func endlessLoop(obeysCancellation: Bool) async throws {
        let failure = await failure {
            try await withInterleavings(3, maximumSteps: 1_000) { _ in
                while !(obeysCancellation && Task.isCancelled) { await Task.yield() }
            }
        }
        #expect(failure?.message.contains("took more than 1000 steps and was ended after") == true)
    }

    @Test("A failed expectation fails the run and is reported itself")
    func issue() async throws {
        let found = Lock<InterleavingFailure?>(nil)
        await withKnownIssue {
            do {
                try await withInterleavings(3) { run in
                    #expect(run.seed != 2)
                }
            } catch let failure as InterleavingFailure {
                found.withLock { $0 = failure }
            }
        }
        let failure = try #require(found.withLock { $0 })
        #expect(
            failure.message == """
                Interleaving 2 of 3, with the seed 2, failed 1 expectation after 1 step of 1 task. The last steps were of 1. \
                Another order of the same tasks may pass. To repeat it, set AXIOM_INTERLEAVING_SEED=2 in the environment or \
                call withInterleavings(1, seed: 2).
                """
        )
        #expect("\(failure)" == failure.message)
    }

    @Test("A body whose schedule depends on something outside is found by a second run of its seed")
    func differs() async {
        let runs = Lock(0)
        let failure = await failure {
            try await withInterleavings(3, checkingReplay: true) { _ in
                let run = runs.withLock { runs in
                    runs += 1
                    return runs
                }
                for _ in 0..<run { await Task.yield() }
            }
        }
        #expect(
            failure?.message == """
                Interleaving 1 of 3, with the seed 1, took another schedule when it was repeated, from step 3, after 5 steps of \
                1 task. The last steps were of 1 1 1 1 1. Something outside of the schedule takes part: Task { } in the code under \
                test, a thread, a real clock, or the order of a Set or a Dictionary. To repeat it, set \
                AXIOM_INTERLEAVING_SEED=1 in the environment or call withInterleavings(1, seed: 1).
                """
        )
    }

    @Test("The cancellation of the calling task ends the body")
    func cancellation() async throws {
        let task = Task {
            try await withInterleavings(3, limit: .seconds(60)) { _ in
                while !Task.isCancelled { await Task.yield() }
            }
        }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }
}
