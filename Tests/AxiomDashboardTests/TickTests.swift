// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomInstrumentation
import AxiomTestSupport
import Foundation
import Testing

@testable import AxiomDashboard

@Suite("Ticks")
struct TickTests {
    /// The ticks after the latest one of `viewer`.
    private func ticks(_ workshop: Workshop, _ viewer: Viewer) throws -> [JSONItem] {
        let update = try JSONItem(workshop.dashboard.update(since: viewer.seq, instance: viewer.instance)).object
        try #require(update["schema"] == .text("axiom/ticks"))
        return update["ticks"]?.list ?? []
    }

    @Test("A snapshot and the ticks after it make the next snapshot", arguments: [1, 2] as [UInt64])
    func replay(_ seed: UInt64) async throws {
        var random = SplitMix64(seed: seed)
        let workshop = try Workshop(["Saw", "Plane", "Lathe"])
        workshop.tick()
        var viewer = try Viewer(workshop.dashboard.snapshot())
        for second in 1...75 {
            if second == 40 { workshop.hire("Drill") }
            await workshop.bustle(&random, Int.random(in: 0..<6, using: &random))
            workshop.tick()
            for tick in try ticks(workshop, viewer) { try viewer.apply(tick) }
            guard viewer.behind == 0, second % 3 == 0 else { continue }
            let fresh = try Viewer(workshop.dashboard.snapshot())
            #expect(viewer.differences(from: fresh) == [])
        }
        #expect(viewer.behind == 0)
    }

    @Test(
        "Readers follow a wall clock that is set: a snapshot and the ticks after it still make the next snapshot",
        .timeLimit(.minutes(10)),
        arguments: [-86_400, -30, 3_600, 10 * 31_557_600, -1_700_000_000]
    )
    func setClock(step: Double) async throws {
        var random = SplitMix64(seed: 5)
        let workshop = try Workshop(["Saw", "Plane"])
        workshop.tick()
        var viewer = try Viewer(workshop.dashboard.snapshot())
        for second in 1...60 {
            if second == 20 { workshop.time.stepWallClock(by: step) }
            if second == 40 { workshop.time.stepWallClock(by: -step) }
            await workshop.bustle(&random, Int.random(in: 0..<6, using: &random))
            workshop.tick()
            let fresh = try Viewer(workshop.dashboard.snapshot())
            let new = try ticks(workshop, viewer)
            // As the page does: it needs a snapshot when the clock went back.
            if new.contains(where: { ($0.object["at"]?.number ?? 0) < viewer.at - 2 }) {
                viewer = fresh
            } else {
                for tick in new { try viewer.apply(tick) }
            }
            // Sparks have no times: a page that was open at a step forward may have one point more, until it is loaded again.
            let differences = viewer.differences(from: fresh).filter { !$0.contains(" spark: ") }
            #expect(differences == [], "second \(second)")
            let captured = try JSONItem(workshop.dashboard.snapshot()).object["capturedAt"]
            guard case .value(let at) = captured else {
                Issue.record("\(String(describing: captured))")
                continue
            }
            let now = TimeSource.manual(workshop.time).secondsSinceEpoch
            #expect(abs(Double(at) - now) <= 3, "second \(second): \(at) at \(now)")
        }
        let page = try DashboardFile.render(workshop.dashboard.exportedSnapshot(), from: "a.json")
        #expect(!page.isEmpty)
    }

    #if Instrumented
    /// The rows of components and actions, without what the reader continues by itself.
    private func rows(_ viewer: Viewer) -> [String: [String: JSONItem]] {
        var rows: [String: [String: JSONItem]] = [:]
        for list in ["components", "calls"] {
            for (id, row) in viewer.lists[list] ?? [:] { rows["\(list) \(id)"] = row.filter { $0.key != "spark" } }
        }
        return rows
    }

    @Test(
        "With 1,000 components that are all called each second, no row is older than two ticks",
        .timeLimit(.minutes(10))
    )
    func thousand() async throws {
        let workshop = try Workshop((0..<1_000).map { "Feature\($0)Client" })
        func work() async {
            for worker in workshop.components.indices { await workshop.work(worker, .quick) }
            workshop.tick()
        }
        await work()
        var viewer = try Viewer(workshop.dashboard.snapshot())
        var states = [rows(viewer)]
        var (oldest, largest) = (0, 0)
        for _ in 1...8 {
            await work()
            for tick in workshop.dashboard.buffer.ticks(after: viewer.seq) ?? [] {
                largest = max(largest, tick.size)
                try viewer.apply(try JSONItem(Array(tick.json)))
            }
            states.insert(rows(try Viewer(workshop.dashboard.snapshot())), at: 0)
            let mine = rows(viewer)
            #expect(mine.count == 4_000)
            #expect(mine.filter { states[0][$0.key] != states[1][$0.key] }.count >= 1_000, "they change")
            let ages = mine.map { name, row in states.firstIndex { $0[name] == row } ?? states.count }
            oldest = max(oldest, ages.max() ?? 0)
            #expect(viewer.ages.values.allSatisfy { $0 <= 2 }, "\(viewer.ages)")
        }
        #expect(oldest <= 2)
        #expect(largest <= TickWriter.compressedLimit)
        print("1,000 components: oldest row \(oldest) ticks, largest tick \(largest) bytes")
    }

    @Test("A tick says how old the rows are that have no room, and these are sent first")
    func overload() async throws {
        let workshop = try Workshop((0..<60).map { "Client\($0)" })
        let (telemetry, clock) = (workshop.telemetry, TimeSource.manual(workshop.time))
        var model = DashboardModel(telemetry.registry, telemetry.readings, "Workshop", clock)
        var delta = DeltaEncoder()
        var (oldest, seen) = (0, Set<Int>())
        for seq in 1...60 {
            for worker in workshop.components.indices { await workshop.work(worker, .quick) }
            workshop.tick()
            let points = model.sample()
            model.rebuild()
            var writer = TickWriter(seq: seq, at: Double(seq), points, limit: 3_000)
            writer.fill(&delta, model.lists, headers: [:], columns: [])
            #expect(writer.json.count <= 3_000)
            if seq <= 20 { #expect(writer.behind > 0) }
            oldest = max(oldest, writer.ages.values.max() ?? 0)
            let tick = try JSONItem(writer.json).object
            #expect(tick["ages"]?.object["components"]?.number == writer.ages[.components].map(Double.init))
            for row in tick["rows"]?.object["components"]?.list ?? [] {
                seen.insert(Int(row.object["id"]?.number ?? -1))
            }
        }
        #expect((10...60).contains(oldest))
        #expect(seen.count == 60)
    }
    #endif

    @Test("No tick is longer than 32 kB compressed, whatever happens, and readers catch up when it is over")
    func storm() async throws {
        let names = (0..<60).map { "\(HostileName.all[$0 % HostileName.all.count])\($0)" }
        let workshop = try Workshop(names)
        workshop.tick()
        var viewer = try Viewer(workshop.dashboard.snapshot())
        var longest = 0
        for second in 1...105 {
            let isStorm = second <= 25
            if isStorm {
                for worker in names.indices { await workshop.work(worker, worker % 2 == 0 ? .broken : .slow) }
            }
            workshop.tick()
            // A reader of the stream, for whom ticks go on.
            _ = workshop.dashboard.events()
            for tick in workshop.dashboard.buffer.ticks(after: viewer.seq) ?? [] {
                longest = max(longest, tick.size)
                try viewer.apply(try JSONItem(Array(tick.json)))
            }
        }
        #expect(longest <= TickWriter.compressedLimit)
        #expect(viewer.behind == 0)
        let differences = viewer.differences(from: try Viewer(workshop.dashboard.snapshot()))
        #expect(differences.isEmpty, "\(differences.map { $0.prefix(200) }.prefix(10))")
    }

    @Test("Without readers no tick is made, and a reader that comes back gets the snapshot")
    func idle() async throws {
        let workshop = try Workshop(["Saw"])
        workshop.tick()
        let viewer = try Viewer(workshop.dashboard.snapshot())
        for _ in 0..<59 { workshop.tick() }
        #expect(try ticks(workshop, viewer).count == 59)
        for _ in 0..<61 { workshop.tick() }
        #expect(workshop.latestTicks(after: viewer.seq).isEmpty)
        let update = workshop.dashboard.update(since: viewer.seq, instance: viewer.instance)
        let back = try Viewer(update)
        #expect(back.seq == viewer.seq + 120)
        #expect(back.rings["fine"]?.series["calls"]?.count == 121)
        workshop.tick()
        #expect(try ticks(workshop, back).count == 1)
    }

    @Test("The buffer keeps the latest ticks in a bounded number of bytes, and the newest always")
    func bytes() throws {
        let buffer = ReplayBuffer()
        var random = SplitMix64(seed: 7)
        func noise(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8.random(in: 32...126, using: &random) } }
        for seq in 1...100 { buffer.add(seq: seq, ReplayBuffer.Tick(seq: seq, json: noise(100_000))) }
        let kept = try #require((1...100).first { buffer.ticks(after: $0) != nil })
        #expect((75...85).contains(kept))
        buffer.add(seq: 101, ReplayBuffer.Tick(seq: 101, json: noise(6_000_000)))
        #expect(buffer.ticks(after: 100)?.count == 1)
        #expect(buffer.ticks(after: 99) == nil)
    }

    @Test("A reader of another run, and one that is ahead, get the snapshot")
    func otherRuns() throws {
        let workshop = try Workshop(["Saw"])
        workshop.tick()
        let viewer = try Viewer(workshop.dashboard.snapshot())
        for (seq, instance) in [(viewer.seq, "other"), (viewer.seq + 1, viewer.instance), (-5, viewer.instance)] {
            #expect(try Viewer(workshop.dashboard.update(since: seq, instance: instance)).seq == viewer.seq)
        }
    }
}

/// Names that try to be something else.
enum HostileName {
    static let all = [
        "<script>alert(1)</script>", "</script><script>alert(1)</script>", "\"><svg onload=alert(1)>", "{{script}}",
        "<!--", "مرحبا", "\u{202E}evil", "a\u{0}b\u{1B}", "line\nbreak\r\t", "\\\"quoted\\\"", "__proto__",
        "\u{2028}\u{2029}", String(repeating: "N", count: 20_000), String(repeating: "\u{1}", count: 3_000), "👩‍👩‍👧‍👦",
    ]
}
