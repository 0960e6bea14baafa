// SPDX-License-Identifier: Apache-2.0

import AxiomBenchmarking
import Foundation

/// Benchmarks that do what tests of the command line need. The environment plants regressions: `SAMPLE_ALLOCATIONS` is
/// how often an iteration of `strings/allocate` allocates, and `SAMPLE_COUNTER` makes
/// `odd/fickle` change from process to process. `SAMPLE_GOALS` adds ``GoalBenchmarks``.
@main
struct SampleBenchmarks: BenchmarkProgram {
    static var suites: [BenchmarkSuite] {
        let more = number("SAMPLE_FUNCTIONS") == nil ? [] : [FunctionBenchmarks.suite]
        return [strings, odd] + (number("SAMPLE_GOALS") == nil ? [] : [GoalBenchmarks.suite]) + more
    }

    private static let strings = BenchmarkSuite("strings") { suite in
        suite.add("allocate", fixture: number("SAMPLE_ALLOCATIONS") ?? 1) { count, iterations in
            for _ in 0..<iterations {
                for index in 0..<count { blackHole([Int](repeating: index, count: opaque(100))) }
            }
        }
        suite.add("twice", options: .goal(.atMost(100, times: "strings/allocate"))) { iterations in
            for _ in 0..<iterations { blackHole([Int](repeating: 1, count: opaque(200))) }
        }
        suite.addAsync("yield") { iterations in
            for _ in 0..<iterations { await Task.yield() }
        }
        suite.add("sort", sizes: [100, 1_000], setUp: numbers) {
            numbers,
            iterations in
            for _ in 0..<iterations { blackHole(opaque(numbers).sorted()) }
        }
        suite.addValue("answer", unit: "bytes", kind: .exact, options: .goal(.atMost(50))) { 42 }
    }

    private static let odd = BenchmarkSuite("odd") { suite in
        suite.add("nothing") { _ in }
        var short = BenchmarkOptions()
        short.isBelowNanosecond = true
        suite.add("short", options: short) { _ in }
        if number("SAMPLE_CRASH") != nil {
            suite.add("crash") { _ in exit(9) }
        }
        if number("SAMPLE_NOTHING") != nil {
            suite.addValue("no-number", unit: "ms", options: .goal(.atMost(1, "a number < 1 ms"))) { .nan }
            suite.addValue("no-end", unit: "ms", options: .goal(.atMost(1, "an end < 1 ms"))) { exit(9) }
            suite.addUnmeasured("unmeasured", goal: .atMost(1, "no display < 1 ms"), reason: "n/a: no display")
        }
        if number("SAMPLE_EXTRA") != nil {
            suite.addValue("extra", unit: "bytes", kind: .exact) { 1 }
            var random = BenchmarkOptions()
            random.uncounted = "its counts are random"
            suite.add("uncounted", options: random) { iterations in
                for _ in 0..<iterations { blackHole([Int](repeating: 1, count: .random(in: 10...1_000))) }
            }
        }
        suite.addValue("fickle", unit: "bytes", kind: .exact) {
            Double(1 + timesCalled() % 2)
        }
    }

    /// How many processes have asked, counted in the file of the given path; 0 without one.
    static func timesCalled() -> Int {
        guard let path = ProcessInfo.processInfo.environment["SAMPLE_COUNTER"] else { return 0 }
        let before = FileManager.default.contents(atPath: path) ?? Data()
        _ = FileManager.default.createFile(atPath: path, contents: before + [0])
        return before.count
    }

    private static func numbers(_ size: Int, _: Int) -> [Int] {
        (0..<size).map { $0 &* 7_919 % size }
    }

    static func number(_ name: String) -> Int? {
        ProcessInfo.processInfo.environment[name].flatMap { Int($0) }
    }
}
