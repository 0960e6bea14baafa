// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomStatistics
import Foundation
import Testing

@testable import AxiomBenchmarking

@Suite("A baseline of benchmarks and of an application")
struct LiveBaselineTests {
    /// A file of one benchmark, or of one operation.
    private func save(_ name: String, in sample: SampleProgram, isLive: Bool, processor: String? = nil) throws -> String
    {
        var file = BaselineFile()
        file.fingerprint = .current()
        if let processor { file.fingerprint.mustMatch.processor = processor }
        if isLive {
            file.liveProfiles = [LiveProfile(operation: "process/Cart/add", group: "Cart")]
        } else {
            var record = BenchmarkRecord()
            record.id = "s/\(name)"
            file.benchmarks = [record]
        }
        let path = sample.path("\(name).json")
        try file.save(to: path)
        return path
    }

    private func accept(_ path: String, from: String, _ options: [String] = []) -> AxiomBenchmarking.ExitStatus {
        SuiteProgram(suites: []).run(["baseline", "accept", path, "--reason", "r", "--from", from] + options)
    }

    @Test("Accepting takes the operations of a recorded application into the file, and keeps them later")
    func accepted() throws {
        let sample = try SampleProgram()
        defer { sample.remove() }
        let path = sample.path("main.json")
        let live = try save("live", in: sample, isLive: true)
        let (first, second) = (try save("one", in: sample, isLive: false), try save("two", in: sample, isLive: false))
        #expect(accept(path, from: first, ["--live", live]) == .success)
        for (from, id) in [(first, "s/one"), (second, "s/two")] {
            #expect(accept(path, from: from) == .success)
            let file = try BaselineFile.load(from: path)
            #expect(file.benchmarks.map(\.id) == [id])
            #expect(file.liveProfiles.map(\.operation) == ["process/Cart/add"])
        }
        // Those of another machine are not comparable with what is measured here.
        let foreign = try save("foreign", in: sample, isLive: false, processor: "another")
        #expect(accept(path, from: foreign) == .success)
        #expect(try BaselineFile.load(from: path).liveProfiles.isEmpty)
    }

    @Test("A file without operations, and one of another machine, are refused before anything is written")
    func refused() throws {
        let sample = try SampleProgram()
        defer { sample.remove() }
        let (path, from) = (sample.path("main.json"), try save("one", in: sample, isLive: false))
        let foreign = try save("foreign", in: sample, isLive: true, processor: "another")
        for live in [from, foreign, sample.path("none.json")] {
            #expect(accept(path, from: from, ["--live", live]) == .baseline)
            #expect(!FileManager.default.fileExists(atPath: path))
        }
    }
}
