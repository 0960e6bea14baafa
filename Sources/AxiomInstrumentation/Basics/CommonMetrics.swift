// SPDX-License-Identifier: Apache-2.0

public import Axiom
public import AxiomMetrics

/// The `axiom_build_info` metric, which identifies the running build.
struct BuildInfo {
    static let name = "axiom_build_info"

    static let version = Axiom.version.description

    #if Instrumented
    static let isInstrumented = true
    #else
    static let isInstrumented = false
    #endif

    #if DEBUG
    static let configuration = "debug"
    #else
    static let configuration = "release"
    #endif

    #if compiler(>=6.4)
    static let swift = "6.4 or later"
    #elseif compiler(>=6.3)
    static let swift = "6.3"
    #else
    static let swift = "6.2"
    #endif

    let revision: String

    func register(in registry: Registry) throws(MetricsError) {
        try registry.info(
            Self.name,
            help: "Which build runs; instrumented is false when the package trait Instrumented was off.",
            [
                "version": Self.version,
                "swift": Self.swift,
                "revision": revision,
                "instrumented": Self.isInstrumented.labelValue,
            ]
        )
    }
}

extension Buckets {
    /// The bounds of durations, in seconds: at least eight for each factor of ten from 1 ms to 10 s, with 50 ms. Each is at
    /// most 1.34 times the one below it, so `histogram_quantile` is at most 34 % too high, and 26 % too low, whatever the
    /// distribution. Native histograms have finer ones.
    static let axiomLatency: Buckets = [
        0.001, 0.00133, 0.00178, 0.00237, 0.00316, 0.00422, 0.00562, 0.0075,
        0.01, 0.013, 0.017, 0.022, 0.029, 0.038, 0.05, 0.063, 0.08,
        0.1, 0.133, 0.178, 0.237, 0.316, 0.422, 0.562, 0.75,
        1, 1.33, 1.78, 2.37, 3.16, 4.22, 5.62, 7.5, 10,
    ]

    /// The bounds of durations on a full page, in seconds. Each latency budget of the framework is a bound too, so the page
    /// gives the exact share of operations within it.
    static let axiomFullLatency = Buckets(
        ([1e-6, 1e-5, 1e-4, 0.005, 0.008, 0.016, 0.3] + axiomLatency.upperBounds).sorted()
    )

    /// The bounds of memory, in bytes: powers of four from 64 B to 1 GB, and the budgets of the specification.
    static let axiomMemory: Buckets = [
        64, 256, 512, 1_024, 4_096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304, 10_485_760, 52_428_800, 268_435_456,
        1_073_741_824,
    ]

    /// Bounds of component lifetimes, in seconds: from a very short presentation to a day. They are finest in the range
    /// of a typical visit to a screen.
    static let axiomLifetime: Buckets = [
        0.001, 0.01, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 300, 1800, 3600, 14_400, 86_400,
    ]
}

extension ExponentialBucketing {
    /// The native buckets of durations and sizes: bounds grow by 9 %, and by 19 % for values that differ by more than a
    /// factor of 1,000,000. A histogram takes 1.3 kB.
    static let axiomDistribution = ExponentialBucketing(schema: 3, maximumBuckets: 160)
}

// The framework's own enums as label values: the pages show their raw values.
extension ComponentKind: LabelValue {}
extension ActionOutcome: LabelValue {}
extension LifecyclePhase: LabelValue {}
extension ErrorSeverity: LabelValue {}
extension RecoveryReport.Outcome: LabelValue {}

/// How much of the recorded data is on the page of metrics. It changes nothing on the dashboard and in reports. With more
/// detail each duration is also counted in more classic buckets.
public enum DetailLevel: Sendable, Hashable {
    /// What the rules, alerts and panels in `Dashboards` need: about a quarter of the samples of ``full``.
    case lean
    /// Also finer classic buckets, the histograms of single budgets, the series of each unconfirmed budget by component,
    /// and a series with the value 0 for each state and transition that a circuit breaker has not reached yet.
    case full

    /// Durations: native histograms, with classic buckets for scrapers that do not take these.
    ///
    /// - Parameters:
    ///   - buckets: The classic buckets on a full page.
    ///   - lean: Those on a lean page; none if it is empty.
    func durations(
        _ buckets: Buckets = .axiomFullLatency,
        lean: Buckets = .axiomLatency
    ) -> MetricRecipe<ExponentialHistogram> {
        .exponentialHistogram(.axiomDistribution, buckets: self == .full ? buckets : lean)
    }
}
