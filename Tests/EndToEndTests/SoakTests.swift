// SPDX-License-Identifier: Apache-2.0

import AxiomTestSupport
import Foundation
import Testing

#if Instrumented
@Suite(
    "Scripts/soak",
    // At speed 20 a scrape may take 50 ms, so the run that must pass has the machine for itself.
    .serialized,
    .timeLimit(.minutes(10)),
    .enabled(if: ExternalTool.prometheus.mayRun, Comment(rawValue: ExternalTool.prometheus.installation)),
    .enabled(if: ExternalTool.faketime.mayRun, Comment(rawValue: ExternalTool.faketime.installation))
)
struct SoakTests {
    private static let python = ExternalTool(
        installation: "python3 is missing: apt-get install python3",
        path: ExternalTool.find("python3")
    )

    /// What is planted, how long the run is, and how its failure is reported.
    private static let plants = [
        (plant: "ledger", minutes: "0.8", failure: "FAILED  counts: faults of the upstream"),
        (plant: "leak", minutes: "0.8", failure: "FAILED  growth: heap in use"),
        (plant: "connections", minutes: "0.8", failure: "FAILED  growth: descriptors"),
        (plant: "alert", minutes: "1.6", failure: "fired, and no outage explains it"),
    ]

    @Test("An alert too few makes a run of seconds fail")
    func silence() async throws {
        let result = try await soak(["--minutes", "0.2", "--speed", "20", "--plant", "silence"])
        #expect(result.status == 1, "\(result.output)\(result.errors)")
        for alert in ["AxiomErrorBudgetBurn long=\"1h\"", "AxiomCircuitOpen"] {
            let failure = "FAILED  alerts: \(alert) did not fire during outage 1"
            #expect(result.output.contains(failure), "\(result.output)\(result.errors)")
        }
        #expect(result.output.hasSuffix("FAILED\n"))
    }

    @Test("A short run with its rules 20 times as fast passes: counts, growth, alerts")
    func passes() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "axiom-\(UUID().uuidString).txt")
        defer { try? FileManager.default.removeItem(at: file) }
        // Long enough for a whole outage, whose alert has half of it after the restart of Prometheus.
        let result = try await soak(["--minutes", "2", "--speed", "20", "--keep", file.path])
        #expect(result.status == 0, "\(result.output)\(result.errors)")
        #expect(result.output.hasSuffix("PASSED\n"), "\(result.output)")
        #expect(result.output.contains(/Counts: \d+ compared, 0 differ/))
        for what in ["SIGHUPs", "steps of the wall clock", "restarts of Prometheus", "visits of dashboard readers"] {
            #expect(result.output.contains(what), "\(what)")
        }
        let kills = result.output.components(separatedBy: "Prometheus was killed and started again").count - 1
        #expect(result.output.contains(", \(kills) of them after SIGKILL"), "\(result.output)")
        #expect(try String(contentsOf: file, encoding: .utf8) == result.output)
    }

    @Test("Lines about missed budgets are counted, others printed; only a demo with processors is blamed for delays")
    func missedBudgets() async throws {
        expectEmpty(try await RuleCheck.findings("soak_lines.py", with: Self.python))
    }

    @Test("A count that is wrong, sizes that grow and an alert too many make a run fail")
    func planted() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (plant, minutes, failure) in Self.plants {
                group.addTask {
                    let result = try await soak(["--minutes", minutes, "--speed", "20", "--plant", plant])
                    #expect(result.status == 1, "\(plant): \(result.output)\(result.errors)")
                    #expect(result.output.contains(failure), "\(plant): \(result.output)\(result.errors)")
                    #expect(result.output.hasSuffix("FAILED\n"))
                }
            }
            try await group.waitForAll()
        }
    }

    @Test(
        "A wrong option exits with 2 and is named",
        arguments: [
            (["--minutes", "0"], "--minutes"), (["--plant", "bomb"], "bomb"), (["--demo", "/nowhere"], "/nowhere"),
            (["--keep", "/nowhere/soak.txt"], "/nowhere/soak.txt"), (["--colour"], "--colour"),
            (["--actions", "5"], "--actions is 5"),
        ]
    )
    func wrongOption(arguments: [String], message: String) async throws {
        let result = try await Self.python.run([Self.script] + arguments)
        #expect(result.status == 2)
        #expect(result.errors.contains("usage: soak") && result.errors.contains(message), "\(result.errors)")
    }

    private static let script = Repository.root.appending(path: "Scripts/soak").path

    private func soak(_ arguments: [String]) async throws -> Command.Output {
        let demo = try BuildFolder().url.appending(path: "shop-oracle").path
        return try await Self.python.run([Self.script, "--demo", demo] + arguments)
    }
}

extension ExternalTool {
    /// Changes the wall clock of a program. Debian keeps the library in a folder for the processor.
    fileprivate static let faketime = ExternalTool(
        installation: "libfaketime is missing: apt-get install libfaketime",
        path: ((try? FileManager.default.contentsOfDirectory(atPath: "/usr/lib")) ?? [])
            .map { "/usr/lib/\($0)/faketime/libfaketime.so.1" }
            .first { FileManager.default.fileExists(atPath: $0) }
    )
}
#endif
