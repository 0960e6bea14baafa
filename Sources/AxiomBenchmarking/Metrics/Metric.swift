// SPDX-License-Identifier: Apache-2.0

/// Something that is measured of every benchmark, or of one.
public struct Metric: Hashable, Sendable, CustomStringConvertible {
    /// The name, as in `--metrics` and in reports.
    public let name: String
    /// The unit of one measurement, as `ns/iter`.
    public let unit: String
    /// How it is compared.
    public let kind: MetricKind
    /// Whether less is better.
    public let isLowerBetter: Bool

    /// Makes a metric. Those of your own are measured by ``BenchmarkSuite/addValue(_:unit:kind:isLowerBetter:options:file:line:_:)``.
    public init(_ name: String, unit: String, kind: MetricKind, isLowerBetter: Bool = true) {
        self.name = name
        self.unit = unit
        self.kind = kind
        self.isLowerBetter = isLowerBetter
    }

    /// The name.
    public var description: String { name }

    /// Time on the clock, without what the harness itself takes.
    public static let wall = Metric("wall", unit: "ns/iter", kind: .noisy)
    /// Time that the process had a processor, of all its threads.
    public static let cpu = Metric("cpu", unit: "ns/iter", kind: .noisy)
    /// Instructions in user mode.
    public static let instructions = Metric("instructions", unit: "1/iter", kind: .nearExact)
    /// How often memory was asked for.
    public static let allocations = Metric("allocations", unit: "1/iter", kind: .exact)
    /// How many bytes of memory were asked for.
    public static let bytes = Metric("bytes", unit: "B/iter", kind: .exact)
    /// How often the Swift runtime retained an object.
    public static let retains = Metric("retains", unit: "1/iter", kind: .exact)
    /// How often the Swift runtime released an object.
    public static let releases = Metric("releases", unit: "1/iter", kind: .exact)
    /// The largest part of memory that the process ever had.
    public static let peakRSS = Metric("peak-rss", unit: "B", kind: .sampled)
    /// Page faults of a process.
    public static let faults = Metric("faults", unit: "1", kind: .information)
    /// How often a process lost its processor, whether it waited or was made to.
    public static let switches = Metric("context-switches", unit: "1", kind: .information)
    /// Operations a second.
    public static let throughput = Metric("throughput", unit: "iter/s", kind: .information, isLowerBetter: false)
    /// What a benchmark of a value returned, in a unit of its own.
    public static let value = Metric("value", unit: "1", kind: .noisy)

    /// All that can be asked for.
    public static let all: [Metric] = [
        .wall, .cpu, .instructions, .allocations, .bytes, .retains, .releases, .peakRSS, .faults, .switches,
        .throughput, .value,
    ]

    /// What is counted of every benchmark.
    static let counts: Set<Metric> = [.allocations, .bytes, .retains, .releases, .instructions]

    /// What is judged unless told otherwise. Instructions only where the processor counts them: under valgrind they
    /// take a second each.
    static let standard: [Metric] = [.wall, .cpu, .instructions, .allocations, .bytes, .peakRSS, .value]

    /// The metrics of the names in a list with commas.
    ///
    /// - Throws: ``BenchmarkError`` that names what is unknown and what is known.
    static func parse(_ list: String) throws(BenchmarkError) -> [Metric] {
        var metrics: [Metric] = []
        for name in list.split(separator: ",") {
            guard let metric = all.first(where: { $0.name == name }) else {
                let known = all.map(\.name).joined(separator: ", ")
                throw BenchmarkError(.usage, "there is no metric \"\(name)\": choose from \(known)")
            }
            metrics.append(metric)
        }
        guard !metrics.isEmpty else { throw BenchmarkError(.usage, "--metrics is empty: name at least one") }
        return metrics
    }
}
