// SPDX-License-Identifier: Apache-2.0

/// Something that is measured of every benchmark, or of one.
struct Metric: Hashable, Sendable, CustomStringConvertible {
    /// The name, as in `--metrics` and in reports.
    let name: String
    /// The unit of one measurement, as `ns/iter`.
    let unit: String
    /// How it is compared.
    let kind: MetricPrecision
    /// Whether less is better.
    let isLowerBetter: Bool

    init(_ name: String, unit: String, kind: MetricPrecision, isLowerBetter: Bool = true) {
        self.name = name
        self.unit = unit
        self.kind = kind
        self.isLowerBetter = isLowerBetter
    }

    var description: String { name }

    /// Time on the clock, without the overhead of the harness.
    static let wall = Metric("wall", unit: "ns/iter", kind: .noisy)
    /// Processor time of all threads.
    static let cpu = Metric("cpu", unit: "ns/iter", kind: .noisy)
    /// Instructions in user mode.
    static let instructions = Metric("instructions", unit: "1/iter", kind: .nearExact)
    /// The number of allocations.
    static let allocations = Metric("allocations", unit: "1/iter", kind: .exact)
    /// The number of allocated bytes.
    static let bytes = Metric("bytes", unit: "B/iter", kind: .exact)
    /// How often the Swift runtime retained an object.
    static let retains = Metric("retains", unit: "1/iter", kind: .exact)
    /// How often the Swift runtime released an object.
    static let releases = Metric("releases", unit: "1/iter", kind: .exact)
    /// The peak resident size of the process.
    static let peakRSS = Metric("peak-rss", unit: "B", kind: .sampled)
    /// Page faults of a process.
    static let faults = Metric("faults", unit: "1", kind: .information)
    /// Voluntary and involuntary context switches.
    static let switches = Metric("context-switches", unit: "1", kind: .information)
    /// Operations a second.
    static let throughput = Metric("throughput", unit: "iter/s", kind: .information, isLowerBetter: false)
    /// What a benchmark of a value returned, in its own unit.
    static let value = Metric("value", unit: "1", kind: .noisy)

    /// All metrics that `--metrics` accepts.
    static let all: [Metric] = [
        .wall, .cpu, .instructions, .allocations, .bytes, .retains, .releases, .peakRSS, .faults, .switches,
        .throughput, .value,
    ]

    static let counts: Set<Metric> = [.allocations, .bytes, .retains, .releases, .instructions]

    /// The metrics that are judged by default. Instructions only if the processor counts them: valgrind takes a second
    /// for each.
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

/// How exact the numbers of a metric are, which determines how two of them are compared. More kinds may be added.
public struct MetricPrecision: Hashable, Sendable {
    /// The name, as in baseline files.
    package let name: String

    private init(_ name: String) { self.name = name }

    /// The same in every run, such as allocations: one more is worse.
    public static let exact = MetricPrecision("exact")
    /// The same up to 0.1 %, such as instructions: 0.2 % more is worse.
    package static let nearExact = MetricPrecision("near_exact")
    /// Times: compared in pairs of processes, by the signed-rank test.
    public static let noisy = MetricPrecision("noisy")
    /// Sizes of the process: compared as times are, with a larger least effect.
    package static let sampled = MetricPrecision("sampled")
    /// Shown as an explanation, and never judged.
    public static let information = MetricPrecision("info")

    /// The kind with a name from a file; nil if there is none.
    init?(named name: String) {
        let known: [MetricPrecision] = [.exact, .nearExact, .noisy, .sampled, .information]
        guard let kind = known.first(where: { $0.name == name }) else { return nil }
        self = kind
    }
}
