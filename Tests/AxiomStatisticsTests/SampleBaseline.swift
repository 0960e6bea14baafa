// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import Foundation

@testable import AxiomStatistics

extension BaselineFile {
    /// A file in which every member has something.
    static func sample() throws -> BaselineFile {
        var file = BaselineFile()
        file.tool.version = "1.2.3"
        file.createdAt = "2026-01-31T12:00:00Z"
        file.name = "main \"ü\u{1f600}\""
        file.source.sha = "0123abcd"
        file.source.isDirty = true
        file.build.flags = ["-O", "-wmo"]
        file.fingerprint = .current()
        file.environment.variables = ["SWIFT_DETERMINISTIC_HASHING": "1", "A": ""]
        file.counters["instructions"] = CounterBackend()
        file.counters["instructions"]?.backend = "unavailable"
        file.counters["instructions"]?.why = "perf_event_open: ENOENT"
        file.design.seed = 12_345_678
        file.design.minimumEffect = ["wall": 0.02]
        file.benchmarks = [benchmark("Hash/insert?n=1000", seed: 1), benchmark("Sort", seed: 2)]
        file.liveProfiles = [try profile()]
        try file.accept(at: "2026-02-01T00:00:00Z", by: "someone", reason: "first numbers")
        return file
    }

    private static func benchmark(_ id: String, seed: UInt64) -> BenchmarkRecord {
        var generator = SeededGenerator(seed: seed)
        var record = BenchmarkRecord()
        record.id = id
        var wall = RecordedMetric()
        wall.unit = "ns/iter"
        wall.relativeFloor = 0.02
        wall.percentiles = [50, 99]
        record.metrics = ["wall": wall, "mallocs": RecordedMetric()]
        record.runs = (0..<3).map { process in
            let wall = (0..<5).map { _ in 100 + generator.normal() }
            return ProcessRun(process: process, start: "", samples: ["wall": wall, "mallocs": [3, 3]])
        }
        record.floor = MeasuredFloor()
        return record
    }

    private static func profile() throws -> LiveProfile {
        var generator = SeededGenerator(seed: 3)
        let windows = (0..<4).map { number in
            var durations = ExponentialHistogramData(schema: 5) ?? ExponentialHistogramData()
            for _ in 0..<50 { durations?.record(abs(generator.normal()) * 0.01) }
            durations?.record(0)
            return durations.map { ProfileWindow(start: 1_700_000_000 + Double(number) * 10, durations: $0) }
        }
        return LiveProfile(operation: "process/Cart/add", group: "Cart", windows: windows.compactMap(\.self))
    }
}

/// The text of a file with the checksum that its contents have.
func resealed(_ text: String) throws -> String {
    guard case .object(let members) = try JSON(parsing: Array(text.utf8)) else { return text }
    let rest = members.filter { $0.name != "sha256" }
    let sum = SHA256Digest.hex(JSONWriter.canonical(.object(rest)))
    return JSONWriter.text(.object(rest + [JSON.Member("sha256", .string(sum))]), lines: [])
}

/// A folder of a test's own, which goes away with this value.
final class TemporaryFolder {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "axiom-profile-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
    }

    /// The path of a file in the folder.
    func path(_ name: String) -> String {
        url.appending(path: name).path
    }

    /// The names of all files, sorted.
    var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: url.path).sorted() }
    }
}
