// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomStatistics
import AxiomTestSupport
import Foundation
import Testing

@testable import AxiomBenchmarking

@Suite("History")
struct HistoryTests {
    /// Numbers around levels, each for so many files.
    private func series(_ levels: [(Double, Int)], deviation: Double, seed: UInt64) -> [Double] {
        var generator = SeededGenerator(seed: seed)
        return levels.flatMap { level, count in
            (0..<count).map { _ in level * (1 + deviation * generator.normal()) }
        }
    }

    @Test("Two shifts are found at their positions, and their sizes lie in their intervals")
    func moves() throws {
        let values = series([(100, 20), (110, 20), (95, 20)], deviation: 0.01, seed: 3)
        let found = ChangePoints(level: 0.01).find(values)
        #expect(found.map(\.index) == [20, 40])
        let shifts = try found.map { try #require($0.shift) }
        #expect(shifts[0].contains(log(1.1)) && shifts[1].contains(log(95.0 / 110)))
    }

    @Test("Without a shift, shifts are found at most at the rate of the level")
    func falseAlarms() {
        var alarms = 0
        for seed in 0..<400 as Range<UInt64> {
            // Skewed, as times are.
            let values = series([(1, 24)], deviation: 0.3, seed: seed).map { exp($0) }
            if !ChangePoints(level: 0.05, seed: seed + 10_000).find(values).isEmpty { alarms += 1 }
        }
        // 20 are expected; more than 36 has a probability of less than 0.0003.
        #expect(alarms <= 36)
        #expect(alarms > 0)
    }

    @Test("A spike is no shift, and equal numbers have none")
    func spike() {
        var values = series([(100, 30)], deviation: 0.01, seed: 1)
        values[15] = 1_000
        #expect(ChangePoints(level: 0.01).find(values).isEmpty)
        #expect(ChangePoints(level: 0.01).find([Double](repeating: 1, count: 50)).isEmpty)
        #expect(ChangePoints(level: 0.01).find([]).isEmpty)
    }

    @Test("The stated minimum length is exact")
    func leastLength() throws {
        let least = try #require(ChangePoints.leastLength(of: 30, level: 0.01))
        #expect(least >= EnergySplit.leastSide && least < 10)
        func isFound(_ length: Int) -> Bool {
            let values = series([(100, length), (110, 30 - length)], deviation: 0.001, seed: 9)
            return ChangePoints(level: 0.01).find(values).contains { $0.index == length }
        }
        #expect(isFound(least) && !isFound(least - 1))
        #expect(ChangePoints.leastLength(of: 5, level: 0.01) == nil)
    }

    /// Files of 30 days; the benchmark `slower` takes a tenth more from the 16th on, and allocates once more.
    private func save(_ sample: SampleProgram) throws -> [String] {
        let times = series([(100, 15), (110, 15)], deviation: 0.01, seed: 5)
        let same = series([(100, 30)], deviation: 0.01, seed: 6)
        return try (0..<30).map { day in
            // Names in another order than days.
            let path = sample.path("file-\(99 - day).json")
            let slower = record("suite/slower", wall: times[day], allocations: day < 15 ? 4 : 5)
            try file(day, [record("suite/same", wall: same[day], allocations: 4), slower]).save(to: path)
            return path
        }
    }

    private func file(_ day: Int, _ benchmarks: [BenchmarkRecord]) -> BaselineFile {
        var file = BaselineFile()
        file.name = "day-\(day)"
        let date = "\(day < 9 ? "0" : "")\(day < 30 ? day + 1 : day - 29)"
        file.createdAt = day < 30 ? "2026-10-\(date)T00:00:00Z" : "2026-11-0\(date)T00:00:00Z"
        file.benchmarks = benchmarks
        return file
    }

    private func record(_ id: String, wall: Double, allocations: Double) -> BenchmarkRecord {
        var (time, count) = (RecordedMetric(), RecordedMetric())
        (time.unit, time.kind) = ("ns/iter", "noisy")
        (count.unit, count.kind) = ("1/iter", "exact")
        var record = BenchmarkRecord()
        record.id = id
        record.metrics = ["wall": time, "allocations": count]
        record.runs = [ProcessRun(process: 0, start: "", samples: ["wall": [wall], "allocations": [allocations]])]
        return record
    }

    @Test("The command names each shift with its size and the first file, and nothing else")
    func command() async throws {
        let sample = try SampleProgram()
        defer { sample.remove() }
        let files = try save(sample)
        for (metric, words) in [("wall", "suite/slower wall +"), ("allocations", "suite/slower allocations +25.00 %")] {
            let output = try await sample.run(["history"] + files.shuffled() + ["--metric", metric])
            #expect(output.status == 0, "\(output.errors)")
            let moved = output.output.split(separator: "\n").filter { $0.hasPrefix("moved: ") }
            #expect(moved.count == 1, "\(output.output)")
            #expect(moved.first?.contains(words) == true)
            #expect(moved.first?.contains("since day-15 (2026-10-16T00:00:00Z") == true)
        }
        let same = try await sample.run(["history", "--filter", "same"] + files)
        #expect(same.output.contains("no wall moved") && same.output.contains("at most 1 %"))
        let few = try await sample.run(["history"] + files.prefix(3))
        #expect(few.output.contains("3 files are too few"))
    }

    @Test("A damaged file in the folder of baselines is named and left out; one that is named is an error")
    func damagedFile() async throws {
        let sample = try SampleProgram()
        defer { sample.remove() }
        try sample.write("", "package/Package.swift")
        let folder = sample.path("package/Benchmarks/baselines")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        var generator = SeededGenerator(seed: TestSeed.drawn())
        let damaged = "\(folder)/file-90.json"
        for path in try save(sample) {
            let target = "\(folder)/\(URL(filePath: path).lastPathComponent)"
            var bytes = Array(try Data(contentsOf: URL(filePath: path)))
            if target == damaged { bytes[generator.index(below: bytes.count)] ^= 1 << UInt8(generator.index(below: 7)) }
            try Data(bytes).write(to: URL(filePath: target))
        }
        let output = try await sample.run(["history", "--package-path", sample.path("package")])
        #expect(output.status == 0, "\(output.errors)")
        #expect(output.output.contains("day-10 ") && !output.output.contains("day-9 "), "\(output.output)")
        #expect(output.errors.contains(damaged) && output.errors.split(separator: "\n").count == 1, "\(output.errors)")
        #expect(output.output.contains("moved: suite/slower wall +"), "\(output.output)")
        let named = try await sample.run(["history", damaged])
        #expect(named.status == 4 && named.errors.contains(damaged), "\(named.errors)")
    }

    @Test("Files of another machine are separated and are no shift")
    func otherMachine() throws {
        let sample = try SampleProgram()
        defer { sample.remove() }
        var files = try save(sample).map { try BaselineFile.load(from: $0) }
        for index in 0..<15 { files[index].fingerprint.mustMatch.processor = "another" }
        let history = SavedHistory(files, metric: "wall")
        #expect(history.comparable.count == 15)
        #expect(history.series(["suite/slower"], alpha: 0.01, seed: 1).flatMap(\.moves).isEmpty)
    }

    @Test("Numbers that depend on their neighbours are seldom taken for a shift, and a shift of such numbers is found")
    func correlated() {
        func errors(_ seed: UInt64) -> [Double] {
            var generator = SeededGenerator(seed: seed)
            var last = 0.0
            return (0..<40).map { _ in
                last = 0.5 * last + 0.01 * generator.normal()
                return last
            }
        }
        func share(_ expectsCorrelation: Bool, step: Double) -> Int {
            (0..<20 as Range<UInt64>).count { seed in
                let values = errors(seed).enumerated().map { 1 + $1 + ($0 < 20 ? 0 : step) }
                let finder = ChangePoints(level: 0.01, seed: seed, expectsCorrelation: expectsCorrelation)
                let found = finder.find(values).map(\.index)
                return step > 0 ? found.contains { abs($0 - 20) <= 2 } : !found.isEmpty
            }
        }
        // The first test alone takes many of them for a shift.
        #expect(share(false, step: 0) > share(true, step: 0) + 2)
        #expect(share(true, step: 0) <= 6)
        #expect(share(true, step: 0.08) >= 16)
    }

    @Test("A level that lasts for a few files and returns is found at both ends, also where it is short")
    func shortLevel() {
        let values = series([(100, 40), (106, 6), (100, 40)], deviation: 0.01, seed: 11)
        #expect(ChangePoints(level: 0.01).find(values).map(\.index) == [40, 46])
    }

    @Test("What returned to the old level within a few files went away, and is no shift; --all lists it")
    func wentAway() async throws {
        let sample = try SampleProgram()
        defer { sample.remove() }
        let times = series([(100, 14), (110, 6), (100, 15)], deviation: 0.01, seed: 5)
        let files = try times.enumerated().map { day, time in
            let path = sample.path("file-\(day).json")
            let gone = record("suite/gone", wall: time, allocations: (20..<22).contains(day) ? 5 : 4)
            try file(day, [gone, record("suite/stays", wall: 100, allocations: day < 10 ? 4 : 5)]).save(to: path)
            return path
        }
        let page = sample.path("history.html")
        let short = try await sample.run(["history", "--html", page] + files)
        #expect(
            short.output.contains("no wall moved") && !short.output.contains("suite/gone wall +"),
            "\(short.output)"
        )
        #expect(short.output.contains("went away: 1 whose old level returned within a few files; --all lists them"))
        let all = try await sample.run(["history", "--all"] + files)
        let line = try #require(
            all.output.split(separator: "\n").first { $0.hasPrefix("went away: ") },
            "\(all.output)"
        )
        #expect(
            line.contains("suite/gone wall +") && line.contains("since day-14 (") && line.contains(" until day-20 (")
        )
        let counts = try await sample.run(["history", "--all", "--metric", "allocations"] + files)
        #expect(counts.output.contains("moved: suite/stays allocations +25.00 % since day-10"), "\(counts.output)")
        #expect(counts.output.contains("went away: suite/gone allocations +25.00 % since day-20"), "\(counts.output)")
        #expect(!counts.output.contains("moved: suite/gone"))
        let html = try String(contentsOfFile: page, encoding: .utf8)
        #expect(
            html.components(separatedBy: "<svg ").count == 3 && html.components(separatedBy: "<circle ").count == 71
        )
        #expect(html.contains(", went away</text>") && html.contains("wall, ns/iter</text>"))
        #expect(html.contains(">2026-10-01</text>") && html.contains("color-scheme:dark"))
        #expect(!html.contains("nan") && !html.contains("inf"))
    }

    @Test("--html that cannot be written is an error before the search")
    func unwritablePage() async throws {
        let sample = try SampleProgram()
        defer { sample.remove() }
        let output = try await sample.run(["history", "--html", sample.folder.path])
        #expect(output.status == 2 && output.errors.contains("--html: ") && output.errors.contains("is a folder"))
    }
}
