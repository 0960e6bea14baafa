// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// A program that measures, compares and gates benchmarks: the whole command line, with suites of your own.
///
/// ```swift
/// @main
/// struct MyBenchmarks: BenchmarkProgram {
///     static var suites: [BenchmarkSuite] { [strings, parser] }
/// }
/// ```
///
/// `swift run -c release MyBenchmarks --baseline main` then builds the revision `main` beside the present one, runs
/// both in turns, and exits with 1 when something got worse.
public protocol BenchmarkProgram {
    /// The suites. Read once in each process: declaring must be cheap.
    static var suites: [BenchmarkSuite] { get }
}

extension BenchmarkProgram {
    /// Runs the command line. Synchronous on purpose: an asynchronous main would put its actor between a body and what
    /// it awaits, and valgrind cannot run one.
    public static func main() {
        let arguments = Array(CommandLine.arguments.dropFirst())
        exit(Program(suites: suites).run(arguments).rawValue)
    }
}
