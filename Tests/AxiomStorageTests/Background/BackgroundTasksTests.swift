// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import AxiomResilience
import AxiomTestSupport
import Testing

@testable import AxiomStorage

@Suite("Background tasks", .timeLimit(.minutes(10)))
@MainActor
struct BackgroundTasksTests {
    private struct Failed: Error {}

    @Test("A task runs once, or again after each interval, at background priority (BGT-01, BGT-02)")
    func runs() async throws {
        let world = try await BackgroundWorld()
        let log = Journal<String>()
        try await world.tasks.schedule("once") { log.write("once") }
        await eventually { await world.tasks.scheduled.isEmpty }
        try await world.tasks.schedule("often", every: .seconds(60)) {
            log.write("often \(Task.currentPriority == .background)")
        }
        for _ in 0..<2 {
            await world.time.waitForSleepers(1)
            world.time.advance(by: .seconds(59))
            world.time.advance(by: .seconds(1))
        }
        await world.time.waitForSleepers(1)
        #expect(log.entries == ["once", "often true", "often true", "often true"])
        #expect(await world.tasks.isScheduled("often"))
        await world.orchestrator.shutdown()
        #expect(world.time.sleeperCount == 0)
    }

    @Test("Scheduling a name again cancels its task, waits for its end, and only then starts the new one (BGT-01)")
    func replace() async throws {
        let world = try await BackgroundWorld()
        let log = Journal<String>()
        let (begun, gate) = (OneShot<Void>(), OneShot<Void>())
        try await world.tasks.schedule("sync", every: .seconds(1)) {
            log.write("old begins")
            begun.settle(())
            await gate.value
            log.write("old ends, cancelled: \(Task.isCancelled)")
        }
        await begun.value
        let second = Task {
            try await world.tasks.schedule("sync") { log.write("withdrawn") }
        }
        await eventually { await world.tasks.counts.waiting == 1 }
        let third = Task {
            try await world.tasks.schedule("sync") { log.write("new") }
            log.write("scheduled")
        }
        await eventually { await world.tasks.counts.withdrawn == 1 }
        #expect(log.entries == ["old begins"])
        gate.settle(())
        try await second.value
        try await third.value
        await eventually { await world.tasks.scheduled.isEmpty }
        #expect(log.entries.prefix(2) == ["old begins", "old ends, cancelled: true"])
        #expect(Set(log.entries.dropFirst(2)) == ["new", "scheduled"])
        let counts = await world.tasks.counts
        #expect(counts.scheduled == 3 && counts.started == 2 && counts.ended == 2 && counts.withdrawn == 1)
        await world.orchestrator.shutdown()
    }

    @Test("Cancelling one task or all waits for their ends, and a cancelled wait between runs ends at once (BGT-01)")
    func cancel() async throws {
        let world = try await BackgroundWorld()
        for name in ["a", "b", "c"] { try await world.tasks.schedule(name, every: .seconds(60)) {} }
        await world.time.waitForSleepers(3)
        #expect(try await world.tasks.cancel("b"))
        #expect(try await world.tasks.cancel("b") == false)
        #expect(await world.tasks.scheduled == ["a", "c"])
        await world.tasks.cancelAll()
        #expect(await world.tasks.scheduled.isEmpty && world.time.sleeperCount == 0)
        try await world.tasks.schedule("a", every: .seconds(60)) {}
        #expect(await world.tasks.isScheduled("a"), "cancelAll() does not end the capability")
        await world.orchestrator.shutdown()
    }

    @Test("If a replacement throws, its task does not run, also if the old task ends at the limit (BGT-01)")
    func endsAtLimit() async throws {
        for round in 0..<PoolModelTests.count(20_000) {
            let world = try await BackgroundWorld()
            let (begun, gate, ran) = (OneShot<Void>(), OneShot<Void>(), Journal<Int>())
            try await world.tasks.schedule("stuck") {
                begun.settle(())
                await gate.value
            }
            await begun.value
            let (tasks, time) = (world.tasks, world.time)
            let replacement = Task.detached { try await tasks.schedule("stuck") { ran.write(1) } }
            await time.waitForSleepers(1)
            let clock = Task.detached { time.advance(by: .seconds(5)) }
            gate.settle(())
            await clock.value
            let isScheduled = (try? await replacement.value) != nil
            await eventually { await tasks.scheduled.isEmpty }
            await world.orchestrator.shutdown()
            guard ran.entries.isEmpty == isScheduled else { continue }
            Issue.record("round \(round): threw: \(!isScheduled), ran: \(!ran.entries.isEmpty)")
            return
        }
    }

    @Test("A task that ignores its cancellation is named after the limit, and its replacement never starts (BGT-01)")
    func overdue() async throws {
        let world = try await BackgroundWorld()
        let log = Journal<String>()
        let (begun, gate) = (OneShot<Void>(), OneShot<Void>())
        try await world.tasks.schedule("stuck") {
            begun.settle(())
            await gate.value
        }
        await begun.value
        let replacement = Task { try await world.tasks.schedule("stuck") { log.write("replacement") } }
        await world.time.waitForSleepers(1)
        world.time.advance(by: .seconds(5))
        let error = await #expect(throws: BackgroundTaskError.self) { try await replacement.value }
        #expect(error?.code == .backgroundTaskOverdue && error?.message.contains("\"stuck\"") == true)
        let cancelled = Task { try await world.tasks.schedule("stuck") { log.write("cancelled") } }
        await world.time.waitForSleepers(1)
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        let canceller = Task { try await world.tasks.cancel("stuck") }
        await world.time.waitForSleepers(1)
        world.time.advance(by: .seconds(5))
        await #expect(throws: BackgroundTaskError.self) { try await canceller.value }
        gate.settle(())
        await eventually { await world.tasks.counts.ended == 1 }
        #expect(log.entries.isEmpty)
        await world.orchestrator.shutdown()
    }

    @Test("An error of a run ends at the boundary of the orchestrator, and the next run waits longer (BGT-01)")
    func failures() async throws {
        let values = SignalValues()
        let world = try await BackgroundWorld(values)
        let log = Journal<Int64>()
        let time = world.time
        try await world.tasks.schedule("prices", every: .seconds(10)) {
            log.write(time.now.nanoseconds / 1_000_000_000)
            if log.entries.count <= 4 { throw Failed() }
        }
        // The distances: 10 s, and after consecutive failures 1, 2, 4 and at most 4 s more.
        for distance in [11, 12, 14, 14, 10] as [Int64] {
            await time.waitForSleepers(1)
            time.advance(by: .seconds(distance - 1))
            time.advance(by: .seconds(1))
        }
        await time.waitForSleepers(1)
        #expect(log.entries == [0, 11, 23, 37, 51, 61])
        #expect(world.orchestrator.errorBoundary.count == 4)
        #expect(world.orchestrator.errorBoundary.history.allSatisfy { $0.error is Failed })
        #if Instrumented
        #expect(values["axiom_background_task_runs_total prices failure"] == 4)
        #expect(values["axiom_background_task_runs_total prices success"] == 2)
        #expect(values["axiom_background_task_runs_total prices cancelled"] == 0)
        #expect(values["axiom_background_task_duration_seconds prices"] == 6)
        #endif
        await world.orchestrator.shutdown()
    }

    @Test("A body can cancel or replace its own task without waiting for itself (BGT-01)")
    func itself() async throws {
        let world = try await BackgroundWorld()
        let (tasks, log) = (world.tasks, Journal<String>())
        try await tasks.schedule("self", every: .seconds(1)) {
            try await tasks.schedule("self") {
                log.write("second")
                try await tasks.cancel("self")
                await tasks.cancelAll()
                log.write("cancelled: \(Task.isCancelled)")
            }
            log.write("first goes on")
        }
        await eventually { await tasks.counts.ended == 2 }
        #expect(log.entries == ["first goes on", "second", "cancelled: true"])
        await world.orchestrator.shutdown()
        let errors = world.orchestrator.errorBoundary
        #expect(errors.count == 0, "\(errors.history.map { "\($0.error)" })")
    }

    @Test("The shutdown of the application ends all tasks, and later ones are refused (BGT-02)")
    func shutdown() async throws {
        let world = try await BackgroundWorld()
        let watch = OverlapWatch()
        let time = world.time
        for number in 0..<20 {
            try await world.tasks.schedule("task \(number)", every: .seconds(1)) {
                watch.enter("\(number)")
                defer { watch.leave("\(number)") }
                try await TimeSource.manual(time).sleep(for: .seconds(3_600))
            }
        }
        await time.waitForSleepers(20)
        await world.orchestrator.shutdown()
        let counts = await world.tasks.counts
        #expect(watch.now == 0 && counts.running == 0 && counts.started == counts.ended && counts.ended == 20)
        #expect(await world.tasks.isAvailable == false)
        let error = await #expect(throws: BackgroundTaskError.self) { try await world.tasks.schedule("late") {} }
        #expect(error?.code == .backgroundTasksEnded)
        #expect(world.orchestrator.errorBoundary.count == 0, "a cancelled run is no error")
    }

    @Test("A task without a name or with an interval of zero is refused (BGT-01)")
    func invalid() async throws {
        let world = try await BackgroundWorld()
        for (name, interval) in [("", Duration?.none), ("a", .zero), ("a", .seconds(-1))] {
            let error = await #expect(throws: BackgroundTaskError.self) {
                try await world.tasks.schedule(name, every: interval) {}
            }
            #expect(error?.code == .invalidBackgroundTask)
        }
        #expect(await world.tasks.counts.scheduled == 0)
        await world.orchestrator.shutdown()
    }
}
