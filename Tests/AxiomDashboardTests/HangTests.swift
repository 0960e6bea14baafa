// SPDX-License-Identifier: Apache-2.0

#if Instrumented
import Axiom
import AxiomBase
import AxiomTestSupport
import Testing

@testable import AxiomDashboard
@testable import AxiomInstrumentation

@Suite("Hangs of the main actor on the page", .timeLimit(.minutes(10)))
@MainActor
struct HangTests {
    private let workshop: Workshop
    private var watch: MainActorWatch { workshop.telemetry.readings.mainActor }

    init() async throws {
        workshop = try Workshop(["Saw"])
        watch.start()
        while watch.reading(since: Instant(nanoseconds: 0)).worstDelay == nil { await Task.yield() }
    }

    /// Holds the main actor while the watch ticks `ticks` times, as an action of a component if one is given.
    private func hold(ticks: Int, by component: ComponentDescriptor? = nil) async {
        let spans = component.flatMap { workshop.telemetry.spanProbe(for: $0, actions: ["cut"]) }
        let previous = spans?.enter(.action(0), .none)
        let (time, known) = (workshop.time, watch.reading(since: Instant(nanoseconds: 0)).hangs.count)
        let end = End()
        Task.detached {
            for _ in 0..<ticks {
                await time.waitForSleepers(1)
                time.advance(by: MainActorWatch.interval)
            }
            await time.waitForSleepers(1)
            end.isReached.withLock { $0 = true }
        }
        while !end.isReached.withLock({ $0 }) {}
        if let previous { spans?.leave(previous) }
        while watch.reading(since: time.now).hangs.count(where: { !$0.isLasting }) == known { await Task.yield() }
    }

    /// The text of the only problem of the main actor.
    private func problem() throws -> String {
        let found = try rows("problems").filter { $0["panel"]?.string == "hangs" }
        #expect(found.count == 1)
        return try #require(found.first?["text"]?.string)
    }

    private func rows(_ list: String) throws -> [[String: JSONItem]] {
        (try Viewer(workshop.dashboard.snapshot()).lists[list] ?? [:]).sorted { $0.key < $1.key }.map(\.value)
    }

    @Test("A hang is a row with its component and action, an event, and a problem for a minute")
    func named() async throws {
        await hold(ticks: 7, by: workshop.components[0])
        watch.stop()
        workshop.tick()
        let row = try #require(try rows("hangs").first)
        #expect(row["component"]?.number == 0)
        #expect(row["action"]?.string == "cut")
        #expect(row["sure"] == .flag(true) && row["lasts"] == .flag(false))
        #expect((0.3...0.4).contains(try #require(row["seconds"]?.number)))
        let problem = try #require(try rows("problems").first)
        #expect(problem["panel"]?.string == "hangs" && problem["kind"]?.string == "warn")
        let text = try #require(problem["text"]?.string)
        #expect(text.hasPrefix("Main actor was held for 3") && text.hasSuffix(" ms by Saw.cut"), "\(text)")
        let event = try #require(try rows("events").first { $0["kind"]?.string == "hang" })
        #expect(event["text"]?.string?.hasSuffix("by Saw.cut") == true)
        for _ in 0..<70 { workshop.tick() }
        #expect(try rows("problems").first?["ended"]?.number != nil)
        #expect(try rows("hangs").count == 1)
        #expect(try rows("events").count { $0["kind"]?.string == "hang" } == 1)
    }

    @Test("Hangs by the same action are one problem, and the chart has the longest delay of the second")
    func several() async throws {
        for _ in 0..<3 { await hold(ticks: 3, by: workshop.components[0]) }
        watch.stop()
        workshop.tick()
        let problem = try #require(try rows("problems").first)
        #expect(problem["text"]?.string?.hasPrefix("Main actor was held 3 times in 5 minutes, for ") == true)
        #expect(problem["text"]?.string?.hasSuffix(" ms at most, by Saw.cut") == true)
        let viewer = try Viewer(workshop.dashboard.snapshot())
        let delay = try #require(viewer.rings["fine"]?.series["delay"]?.last?.number)
        #expect(delay >= 0.1)
    }

    @Test("All hangs in five minutes are one problem, with shares, of the component that caused most of them")
    func shares() async throws {
        let saw = workshop.components[0]
        for _ in 0..<3 { await hold(ticks: 3, by: saw) }
        await hold(ticks: 5, by: ComponentDescriptor(kind: .context, name: "Sander"))
        await hold(ticks: 3)
        watch.stop()
        for _ in 0..<12 { workshop.tick() }
        let text = try problem()
        #expect(text.hasPrefix("Main actor was held 5 times in 5 minutes, for 2"), "\(text)")
        let end = ": 3 by Saw.cut, 1 by Sander.cut, 1 by code of the application outside of Axiom"
        #expect(text.hasSuffix(" ms at most" + end), "\(text)")
        #expect(try rows("problems").first?["component"]?.number == 0)
    }

    @Test("A hang of another operation joins the problem, which has its time and share ten seconds later")
    func joined() async throws {
        await hold(ticks: 3, by: workshop.components[0])
        workshop.tick()
        #expect(try problem().hasSuffix(" ms by Saw.cut"))
        await hold(ticks: 7, by: ComponentDescriptor(kind: .context, name: "Sander"))
        watch.stop()
        for _ in 0..<11 { workshop.tick() }
        let text = try problem()
        #expect(text.hasPrefix("Main actor was held 2 times in 5 minutes, for 3"), "\(text)")
        #expect(text.hasSuffix(": 1 by Sander.cut, 1 by Saw.cut"), "\(text)")
        for _ in 0..<60 { workshop.tick() }
        #expect(try rows("problems").first?["ended"]?.number != nil, "a minute after the last one")
    }

    @Test("If nothing of Axiom ran, the page says so, some seconds later")
    func unknown() async throws {
        await hold(ticks: 5)
        watch.stop()
        workshop.tick()
        #expect(try rows("problems").isEmpty, "an operation that held it may end later")
        for _ in 0..<5 { workshop.tick() }
        let text = try #require(try rows("problems").first?["text"]?.string)
        #expect(text.hasSuffix("by code of the application outside of Axiom"), "\(text)")
        #expect(try rows("hangs").first?["cause"]?.string == "nothing of Axiom ran: other code of the application")
    }

    @Test("The dashboard watches the main actor from its start to its end")
    func served() async throws {
        watch.stop()
        workshop.dashboard.start()
        workshop.dashboard.start()
        #expect(watch.isRunning)
        workshop.dashboard.stop()
        workshop.dashboard.stop()
        #expect(!watch.isRunning)
        var other: Dashboard? = Dashboard(telemetry: workshop.telemetry)
        other?.start()
        #expect(watch.isRunning)
        other = nil
        // Its sampler may hold it for a moment, while it reads when the next sample is due.
        await eventually { [watch] in !watch.isRunning }
    }
}

private final class End: Sendable {
    let isReached = Lock(false)
}
#endif
