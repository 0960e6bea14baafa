// SPDX-License-Identifier: Apache-2.0

import AxiomBase
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

    @Test("No tick is longer than 4,096 bytes, whatever happens, and readers catch up when it is over")
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
            for tick in workshop.dashboard.latestTicks(after: viewer.seq) {
                longest = max(longest, tick.count)
                try viewer.apply(try JSONItem(tick))
            }
            if isStorm { #expect(viewer.behind > 0) }
        }
        #expect(longest <= TickWriter.limit)
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
        #expect(workshop.dashboard.latestTicks(after: viewer.seq).isEmpty)
        let update = workshop.dashboard.update(since: viewer.seq, instance: viewer.instance)
        let back = try Viewer(update)
        #expect(back.seq == viewer.seq + 120)
        #expect(back.rings["fine"]?.series["calls"]?.count == 121)
        workshop.tick()
        #expect(try ticks(workshop, back).count == 1)
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
