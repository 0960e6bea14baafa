// SPDX-License-Identifier: Apache-2.0

#if Instrumented
import Axiom
import AxiomBase
import AxiomInstrumentation
import AxiomMetrics
import Foundation
import Testing

@Suite("The watch of the main actor", .timeLimit(.minutes(10)))
@MainActor
struct MainActorTests {
    private let time = ManualTime()

    /// An application whose main actor has answered a probe.
    private func watched() async throws -> FlightApp {
        let app = try await FlightApp.started(clock: .manual(time))
        app.telemetry.readings.mainActor.start()
        let watch = app.telemetry.readings.mainActor
        while watch.reading(since: Instant(nanoseconds: 0)).worstDelay == nil { await Task.yield() }
        return app
    }

    private func answers(_ app: FlightApp) -> UInt64 {
        app.telemetry.registry.collect().series("axiom_main_actor_delay_seconds")?.histogram?.count ?? 0
    }

    /// Lets the time of the next probe come, and waits for its answer.
    private func probe(_ app: FlightApp) async {
        let before = answers(app)
        await time.waitForSleepers(1)
        time.advance(by: MainActorWatch.interval)
        while answers(app) == before { await Task.yield() }
    }

    /// Holds the main actor for 300 ms of the manual time, while the watch runs.
    private nonisolated static func hold(_ time: ManualTime) -> Flag {
        let flag = Flag()
        Task.detached {
            for _ in 0..<7 {
                await time.waitForSleepers(1)
                time.advance(by: MainActorWatch.interval)
            }
            // The watch has ticked a last time when it sleeps again.
            await time.waitForSleepers(1)
            flag.set()
        }
        return flag
    }

    private func block() {
        let flag = Self.hold(time)
        while !flag.isSet {}
    }

    /// The only hang, once it has ended.
    private func onlyHang(_ app: FlightApp) async throws -> MainActorHang {
        let watch = app.telemetry.readings.mainActor
        while watch.reading(since: time.now).hangs.allSatisfy(\.isLasting) { await Task.yield() }
        let hangs = app.telemetry.readings.mainActor.reading(since: time.now).hangs
        #expect(hangs.count == 1)
        return try #require(hangs.first)
    }

    @Test("An action that holds the main actor is found, with its trace")
    func planted() async throws {
        let app = try await watched()
        await probe(app)
        var trace: TraceID?
        try await app.context().send(
            FlightAction { _ in
                trace = app.telemetry.currentSpan?.trace
                block()
            }
        )
        let hang = try await onlyHang(app)
        let culprit = try #require(hang.culprit)
        #expect(culprit.component == ComponentDescriptor(kind: .context, name: "FlightContext"))
        #expect(culprit.name == "run" && culprit.isSure)
        #expect(culprit.trace != nil && culprit.trace == trace)
        #expect((0.3...0.4).contains(hang.seconds), "\(hang.seconds)")
        app.telemetry.readings.mainActor.stop()
    }

    @Test("An action that holds it after a suspension is found by its spans, as the likely one")
    func afterSuspension() async throws {
        let app = try await watched()
        let (flying, bystander) = (try app.context(), try app.context())
        let gate = Flag()
        // Another action is suspended all the time, and ends later.
        async let other: Void = bystander.send(FlightAction { _ in while !gate.isSet { await Task.yield() } })
        await flying.send(
            FlightAction { context in
                try await context.leaf.process(LeafClient.Action(caseIndex: 0))
                block()
                try await context.leaf.process(LeafClient.Action(caseIndex: 1))
            }
        )
        let trace = app.telemetry.activity(latest: 10, of: [.contextAction]).first?.trace
        time.advance(by: .milliseconds(20))
        gate.set()
        await other
        let culprit = try #require(try await onlyHang(app).culprit)
        #expect(culprit.name == "run" && !culprit.isSure)
        #expect(culprit.trace == trace)
        app.telemetry.readings.mainActor.stop()
    }

    @Test("If nothing of Axiom ran, the hang says so, and names no innocent action that was suspended")
    func application() async throws {
        let app = try await watched()
        let context = try app.context()
        let gate = Flag()
        async let suspended: Void = context.send(
            FlightAction { context in
                let work = { @Sendable () async throws -> Void in while !gate.isSet { await Task.yield() } }
                try await context.leaf.process(LeafClient.Action(caseIndex: 0, work: work))
            }
        )
        await probe(app)
        block()
        gate.set()
        await suspended
        #expect(try await onlyHang(app).cause == .application)
        app.telemetry.readings.mainActor.stop()
    }

    @Test("A rendering and the closure of an observation are found too")
    func observation() async throws {
        let app = try await watched()
        let context = try app.context()
        await probe(app)
        let blocked = Flag()
        context.observe(context.counter) { [time] context, state in
            guard state.value == 1 else { return }
            let flag = Self.hold(time)
            while !flag.isSet {}
            blocked.set()
        }
        try await context.counter.process(.add)
        while !blocked.isSet { await Task.yield() }
        let culprit = try #require(try await onlyHang(app).culprit)
        #expect(culprit.name == "observe" && culprit.component.name == "FlightContext" && culprit.isSure)
        app.telemetry.readings.mainActor.stop()
    }

    @Test("While the main actor is held, another thread learns by what")
    func lasting() async throws {
        let app = try await watched()
        await probe(app)
        let (time, telemetry) = (time, app.telemetry)
        let found = Found()
        try await app.context().send(
            FlightAction { _ in
                let done = Flag()
                Task.detached {
                    while !done.isSet {
                        await time.waitForSleepers(1)
                        guard let hang = telemetry.readings.mainActor.reading(since: time.now).hangs.last else {
                            time.advance(by: MainActorWatch.interval)
                            continue
                        }
                        found.hang.withLock { $0 = hang }
                        done.set()
                    }
                }
                while !done.isSet {}
            }
        )
        let hang = try #require(found.hang.withLock { $0 })
        #expect(hang.isLasting && hang.culprit?.name == "run")
        #expect(hang.culprit?.trace == nil, "its span has not ended")
        app.telemetry.readings.mainActor.stop()
    }

    @Test("A healthy application has no hang; each probe is one delay of the histogram")
    func healthy() async throws {
        let app = try await watched()
        let context = try app.context()
        for _ in 0..<40 {
            await context.send(FlightAction { try await $0.leaf.process(LeafClient.Action(caseIndex: 0)) })
            await probe(app)
        }
        #expect(app.telemetry.readings.mainActor.reading(since: Instant(nanoseconds: 0)).hangs.isEmpty)
        let metrics = app.telemetry.registry.collect()
        #expect(answers(app) == 41)
        #expect(metrics.total("axiom_main_actor_hangs_total") == 0)
        app.telemetry.readings.mainActor.stop()
    }

    /// Measures the cost of the watch with the live clock; the documentation of the dashboard has the figure.
    @Test(
        "What it costs (printed)",
        .enabled(if: ProcessInfo.processInfo.environment["AXIOM_MEASURE"] != nil, "set AXIOM_MEASURE=1")
    )
    func cost() async throws {
        let app = try await FlightApp.started()
        func spent() async throws -> Double {
            let before = app.telemetry.registry.collect().value("process_cpu_seconds_total") ?? 0
            try await Task.sleep(for: .seconds(3))
            return (app.telemetry.registry.collect().value("process_cpu_seconds_total") ?? 0) - before
        }
        let without = try await spent()
        app.telemetry.readings.mainActor.start()
        let with = try await spent()
        app.telemetry.readings.mainActor.stop()
        print("watch of the main actor:", (with - without) / 3, "of a processor; alone", without / 3)
    }

    @Test("It stops with the last dashboard, and then asks nothing")
    func stops() async throws {
        let app = try await watched()
        let watch = app.telemetry.readings.mainActor
        watch.start()
        watch.stop()
        #expect(watch.isRunning)
        await probe(app)
        watch.stop()
        #expect(!watch.isRunning)
        watch.stop()
        while time.sleeperCount > 0 { await Task.yield() }
        let before = answers(app)
        time.advance(by: .seconds(10))
        #expect(time.sleeperCount == 0)
        // It can begin again. Its probe is answered after any that it should not have sent.
        watch.start()
        await time.waitForSleepers(1)
        while answers(app) == before { await Task.yield() }
        #expect(answers(app) == before + 1)
        watch.stop()
    }
}

/// What another thread has read.
private final class Found: Sendable {
    let hang = Lock<MainActorHang?>(nil)
}
#endif
