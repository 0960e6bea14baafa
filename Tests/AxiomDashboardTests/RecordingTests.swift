// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomInstrumentation
import AxiomResilience
import AxiomTestSupport
import Foundation
import Testing

@testable import AxiomDashboard

/// Compares what readers are sent with a recording, so that a change of the code cannot change the format unnoticed. Set
/// AXIOM_RECORD to make a new recording, and read its difference.
@Suite("The format of snapshots and ticks")
struct RecordingTests {
    private static let recording = Repository.root.appending(path: "Tests/AxiomDashboardTests/Recordings/workshop.txt")

    /// A snapshot, 55 ticks and a snapshot of an application in which all kinds of rows but regressions occur.
    private func session() async throws -> [String] {
        var random = SplitMix64(seed: 20_261_122)
        // How long an action waits for its client is sampled.
        let workshop = try Workshop(["Saw", "Plane"], budgets: [.confirm("client_action"), .remove("actor_wait")])
        let clock = TimeSource.manual(workshop.time)
        try workshop.telemetry.watch(try Bulkhead("bench", clock: clock))
        try workshop.telemetry.watch(try Timeout("lunch", .seconds(3_600), clock: clock))
        workshop.tick()
        var lines = [workshop.dashboard.snapshot()]
        for second in 1...55 {
            if second == 30 { workshop.hire("Drill") }
            await workshop.bustle(&random, Int.random(in: 0..<6, using: &random))
            if second % 20 == 0 { await workshop.work(0, .broken) }
            workshop.tick()
        }
        lines += workshop.latestTicks(after: 1)
        lines.append(workshop.dashboard.snapshot())
        return lines.map { Self.stable(String(decoding: $0, as: UTF8.self)) }
    }

    /// The text without what differs from run to run (the process, its memory and CPU time, the dashboard's own cost), and
    /// without texts that are written elsewhere.
    private static func stable(_ text: String) -> String {
        text.replacing(/"(instance|about|note)":"[^"]*"/) { "\"\($0.output.1)\":\"\"" }
            .replacing(/"(promql|panels)":\{.*?\},/, with: "")
            .replacing(/"(memory|cpu|threads)":(\[[^\]]*\]|[^,}]*)/) { "\"\($0.output.1)\":0" }
            .replacing(/"(runtime|telemetry)":\[[^\]]*\],?/, with: "")
    }

    @Test("What readers are sent is byte for byte what was recorded", .timeLimit(.minutes(10)))
    func bytes() async throws {
        let lines = try await session()
        if ProcessInfo.processInfo.environment["AXIOM_RECORD"] != nil {
            try (lines.joined(separator: "\n") + "\n").write(to: Self.recording, atomically: true, encoding: .utf8)
        }
        let recorded = try String(contentsOf: Self.recording, encoding: .utf8).split(separator: "\n").map(String.init)
        try #require(lines.count == recorded.count)
        for (index, (line, old)) in zip(lines, recorded).enumerated() where line != old {
            let same = zip(line, old).prefix { $0 == $1 }.count
            func part(_ text: String) -> String { String(text.dropFirst(max(0, same - 120)).prefix(240)) }
            Issue.record("line \(index + 1), character \(same): \(part(line)) was \(part(old))")
        }
    }
}
