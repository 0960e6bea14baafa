// SPDX-License-Identifier: Apache-2.0

/// One benchmark: a name, how it is measured, and what makes its body in the process that measures it.
package struct Benchmark: Sendable {
    /// Runs the body so many times between the meter's start and stop, with what must be done before and after.
    package typealias Body = (_ iterations: Int, _ meter: Meter) throws -> Void

    /// What is measured.
    package enum Work: Sendable {
        /// A body. Made once in each process, where its fixtures are made too.
        case body(@Sendable () throws -> Body)
        /// A value, measured once in each process.
        case value(Metric, @Sendable () throws -> Double)
        /// Something that is wanted and cannot be measured, with the reason.
        case nothing(String)
    }

    /// The name with the suite's and the size, as `strings/sort?n=1000`.
    package let id: String
    package let suite: String
    package let options: BenchmarkOptions
    package let work: Work
    /// The size of the work, for a benchmark that has several.
    package let size: Int?
    package let file: String
    package let line: Int

    /// The name without the size.
    package var family: String {
        String(id.prefix { $0 != "?" })
    }

    /// The metric that the benchmark defines itself.
    package var ownMetric: Metric? {
        guard case .value(let metric, _) = work else { return nil }
        return metric
    }
}
