// SPDX-License-Identifier: Apache-2.0

internal import AxiomMetrics

extension Buckets {
    /// The bucket bounds of every duration that Axiom measures, in seconds. Each latency budget of the framework is a
    /// bound, so the histogram gives the exact share of operations within it.
    static let axiomLatency: Buckets = [1e-6, 1e-5, 1e-4, 0.001, 0.005, 0.008, 0.01, 0.016, 0.05, 0.3, 1]

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
