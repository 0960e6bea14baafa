// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomTestSupport
import Testing

@testable import Axiom

@Suite("Single flight", .timeLimit(.minutes(10)))
struct SingleFlightTests {
    private let flight = SingleFlight<Int, Int>("Loader")
    private let journal = Journal<String>()
    private let gate = Gate()

    /// Joins the work for key 1, which waits for the gate.
    private func caller(_ name: String) -> Task<Int, any Error> {
        Task { [flight, journal, gate] in
            journal.write(name)
            return try await flight.value(for: 1) {
                journal.write("work")
                await gate.wait()
                journal.write(Task.isCancelled ? "cancelled" : "done")
                return 42
            }
        }
    }

    /// Waits until so many callers wait for a value.
    private func wait(forCallers count: Int) async {
        while flight.callerCount != count { await Task.yield() }
    }

    @Test("Callers that come while the work is under way get its value; the next one begins it again (CLI-08)")
    func joined() async throws {
        let first = caller("a")
        await journal.wait(for: "work")
        let others = (0..<10).map { caller("b\($0)") }
        await wait(forCallers: 11)
        gate.open()
        #expect(try await first.value == 42)
        for other in others { #expect(try await other.value == 42) }
        #expect(journal.entries.count { $0 == "work" } == 1)
        #expect(flight.count == 0)
        #expect(try await flight.value(for: 1) { 7 } == 7)
    }

    @Test("A caller that is cancelled gets its answer at once and leaves the work to the others (CLI-08)")
    func oneLeaves() async throws {
        let (first, second) = (caller("a"), caller("b"))
        await wait(forCallers: 2)
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }
        #expect(flight.count == 1)
        gate.open()
        #expect(try await second.value == 42)
        #expect(journal.entries.last == "done")
    }

    @Test("The work is cancelled when the last caller has left, and a later caller begins other work (CLI-08)")
    func lastLeaves() async throws {
        let task = caller("a")
        await journal.wait(for: "work")
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(flight.count == 0)
        #expect(try await flight.value(for: 1) { 8 } == 8)
        gate.open()
        await journal.wait(for: "cancelled")
    }

    @Test("Work that outlives its callers goes on when the last one has left, and a later caller joins it (CAP-26)")
    func outlives() async throws {
        let flight = SingleFlight<Int, Int>(
            of: ComponentDescriptor(kind: .capability, name: "Camera"),
            outlivesCallers: true
        )
        let work: @Sendable () async throws -> Int = { [journal, gate] in
            journal.write("work")
            await gate.wait()
            return Task.isCancelled ? 0 : 42
        }
        let first = Task { try await flight.value(for: 1, work) }
        await journal.wait(for: "work")
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }
        #expect(flight.count == 1)
        let second = Task { try await flight.value(for: 1, work) }
        while flight.callerCount != 2 { await Task.yield() }
        gate.open()
        #expect(try await second.value == 42)
        #expect(journal.entries == ["work"] && flight.count == 0)
    }

    @Test("All callers get the error of the work, and a task that is already cancelled begins none (CLI-08)")
    func errors() async throws {
        let (first, second) = (gatedFailure(), gatedFailure())
        await wait(forCallers: 2)
        gate.open()
        await #expect(throws: SampleError("no")) { try await first.value }
        await #expect(throws: SampleError("no")) { try await second.value }
        let late = Task { [flight, journal] in
            withUnsafeCurrentTask { $0?.cancel() }
            return try await flight.value(for: 9) {
                journal.write("late work")
                return 0
            }
        }
        await #expect(throws: CancellationError.self) { try await late.value }
        #expect(!journal.entries.contains("late work"))
    }

    private func gatedFailure() -> Task<Int, any Error> {
        Task { [flight, gate] in
            try await flight.value(for: 2) {
                await gate.wait()
                throw SampleError("no")
            }
        }
    }

    @Test("Work that wants its own value is refused with the path instead of waiting for ever (CLI-12)")
    func selfWait() async throws {
        let flight = flight
        let error = await #expect(throws: LifecycleError.self) {
            _ = try await flight.value(for: 1) {
                try await flight.value(for: 2) { try await flight.value(for: 1) { 0 } }
            }
        }
        #expect(error?.code == .waitsForItself)
        #expect(
            error?.message.contains("single flight of the client Loader → single flight of the client Loader") == true
        )
        #expect(flight.count == 0)
    }

    @Test("Of two pieces of work that want each other's values, one is refused and both end (CLI-12)")
    func mutualWait() async throws {
        let both = Journal<Int>()
        let callers = [1, 2].map { key in
            Task { [flight] in
                try await flight.value(for: key) {
                    both.write(key)
                    await both.wait { Set($0) == [1, 2] }
                    return try await flight.value(for: 3 - key) { 0 }
                }
            }
        }
        for caller in callers { await #expect(throws: LifecycleError.self) { try await caller.value } }
        #expect(flight.count == 0)
    }

    @Test(
        "With 2,000 random callers on 4 keys that are cancelled at random, each gets a value or a cancellation (CLI-08)"
    )
    func random() async throws {
        let seed = TestSeed.drawn()
        var random = SeededGenerator(seed: seed)
        var tasks: [Task<Int, any Error>] = []
        for _ in 0..<2_000 {
            let (key, pauses) = (random.index(below: 4), random.index(below: 6))
            tasks.append(Task { [flight] in try await flight.value(for: key) { try await Self.work(key, pauses) } })
            if random.index(below: 3) == 0 { tasks[random.index(below: tasks.count)].cancel() }
            if random.index(below: 10) == 0 { await Task.yield() }
        }
        for task in tasks {
            switch await task.result {
            case .success(let value): #expect((0..<4).contains(value), "seed \(seed)")
            case .failure(let error): #expect(error is CancellationError, "seed \(seed): \(error)")
            }
        }
        #expect(flight.count == 0, "seed \(seed)")
    }

    private static func work(_ key: Int, _ pauses: Int) async throws -> Int {
        for _ in 0..<pauses {
            await Task.yield()
            try Task.checkCancellation()
        }
        return key
    }
}
