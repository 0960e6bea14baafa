// SPDX-License-Identifier: Apache-2.0

import AxiomTestSupport
import Foundation
import Testing

/// Compiles the sink as a module of its own and a client of it, both optimised, as a release build does. A debug build shows
/// nothing: its functions are opaque by themselves.
@Suite(
    "What is measured is not optimised away",
    .enabled(if: ExternalTool.swiftc.mayRun, "swiftc is missing: it comes with Swift, whose folder must be in PATH")
)
struct SinkTests {
    @Test(
        "Twice the work and twice the iterations take longer, for each kind of value, and the sink costs less than an addition",
        .timeLimit(.minutes(10))
    )
    func kinds() async throws {
        let lines = try await printed().split(separator: "\n").map { $0.split(separator: "\t") }
        let rows = lines.filter { $0[0] == "row" }
        #expect(rows.count == 22)
        for row in rows {
            let (work, iterations) = (try #require(Double(row[2])), try #require(Double(row[3])))
            #expect(work > 1.5, "\(row[1]): twice the work takes \(work) times as long")
            #expect(iterations > 1.5, "\(row[1]): twice the iterations take \(iterations) times as long")
        }
        let costs = lines.filter { $0[0] == "cost" }
        #expect(costs.count == 7)
        for cost in costs {
            let additions = try #require(Double(cost[2]))
            #expect(additions < 1, "\(cost[1]): a sink takes \(additions) atomic additions")
        }
    }

    /// What the client prints: for each kind of value the time of twice the work and of twice the iterations over that of the
    /// work; then what a sink alone takes, in atomic additions.
    private func printed() async throws -> String {
        let folder = FileManager.default.temporaryDirectory.appending(path: "axiom-sink-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        func path(_ name: String) -> String { folder.appending(path: name).path }
        let sources = Repository.root.appending(path: "Sources")
        let header = sources.appending(path: "CAxiomProcess/include/CAxiomProcess.h").path
        let map = "module CAxiomProcess { header \"\(header)\" export * }"
        try map.write(toFile: path("module.modulemap"), atomically: true, encoding: .utf8)
        let client = Repository.root.appending(path: "Tests/AxiomBenchmarkingTests/SinkClient.swift").path
        let common = ["-O", "-wmo", "-swift-version", "6", "-parse-as-library", "-I", folder.path]
        let module =
            [
                "-module-name", "AxiomBenchmarking", "-emit-module", "-emit-module-path",
                path("AxiomBenchmarking.swiftmodule"),
            ]
            + ["-c", "-o", path("Sink.o"), "-enable-upcoming-feature", "InternalImportsByDefault"]
            + [sources.appending(path: "AxiomBenchmarking/Suites/Sink.swift").path]
        try await compile(common + module)
        try await compile(common + [client, path("Sink.o"), "-o", path("client")])
        let output = try await Command.run(path("client"), [])
        #expect(output.status == 0, "\(output.errors)")
        return output.output
    }

    private func compile(_ arguments: [String]) async throws {
        let output = try await ExternalTool.swiftc.run(arguments)
        try #require(output.status == 0, "\(output.errors)")
    }
}
