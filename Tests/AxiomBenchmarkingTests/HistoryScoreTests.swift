// SPDX-License-Identifier: Apache-2.0

import AxiomTestSupport
import Foundation
import Testing

@Suite("history-score", .timeLimit(.minutes(10)))
struct HistoryScoreTests {
    private func run(_ arguments: [String]) async throws -> Command.Output {
        try await Command.run(BuildFolder().url.appending(path: "history-score").path, arguments)
    }

    /// A folder as a clone of the Turing Change Point Dataset.
    private func write(_ series: [String: [Double?]], _ annotations: String, _ folder: SampleProgram) throws {
        for (name, values) in series {
            let raw = values.map { $0.map { "\($0)" } ?? "null" }.joined(separator: ", ")
            let text =
                "{\"name\": \"\(name)\", \"n_obs\": \(values.count), \"n_dim\": 1, \"series\": [{\"raw\": [\(raw)]}]}"
            try folder.write(text, "datasets/\(name)/\(name).json")
        }
        try folder.write(annotations, "annotations.json")
    }

    @Test("Scores are those of the examples that the Turing benchmark publishes")
    func published() async throws {
        let folder = try SampleProgram()
        defer { folder.remove() }
        let step = (0..<45).map { (index: Int) -> Double in index < 10 ? 1 + 0.01 * Double(index % 2) : 2 }
        // Nothing is found in equal numbers: 0.8 and 0.8189; and 10 in the step: 0.9091 and 0.7954.
        try write(
            ["equal": [Double](repeating: 1, count: 45), "step": step, "gap": [1, nil, 2]],
            """
            {"equal": {"1": [], "2": [10], "3": [40]}, "step": {"1": [], "2": [10], "3": [40]},
             "gap": {"1": []}, "absent": {"1": [3]}}
            """,
            folder
        )
        let output = try await run([folder.folder.path, "--runs", "0", "--verbose"])
        #expect(output.status == 0, "\(output.errors)")
        let lines = output.output.split(separator: "\n")
        #expect(lines.first == "annotated: 2 series; left out: absent, gap")
        #expect(lines.contains("  equal, none: F1 0.800, covering 0.819, 0 found"), "\(output.output)")
        for method in ["Pettitt", "e-divisive", "e-divisive, correlation"] {
            #expect(lines.contains("  step, \(method): F1 0.909, covering 0.795, 1 found"), "\(output.output)")
        }
    }

    @Test("Every kind of generated series has a line for each method, and the same numbers again by its seed")
    func generated() async throws {
        let arguments = ["--runs", "1", "--seed", "5", "--level", "0.05"]
        let output = try await run(arguments)
        #expect(output.status == 0, "\(output.errors)")
        #expect(output.output.split(separator: "\n").count == 1 + 10 * 3, "\(output.output)")
        #expect(output.output.contains("spikes, e-divisive: something in "))
        #expect(try await run(arguments).output == output.output)
    }

    @Test(
        "Wrong use exits with 64, and the message names it",
        arguments: [
            (["--runs", "20000"], "--runs is 20000"), (["--level", "0.5"], "--level is 0.5"),
            (["/dev"], "annotations.json in /dev"),
        ]
    )
    func wrongUse(_ arguments: [String], _ words: String) async throws {
        let output = try await run(arguments)
        #expect(output.status == 64 && output.errors.contains(words), "\(output.errors)")
    }
}
