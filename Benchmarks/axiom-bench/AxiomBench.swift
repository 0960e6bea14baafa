// SPDX-License-Identifier: Apache-2.0

import AxiomBenchmarking

/// The benchmarks of this repository.
@main
struct AxiomBench: BenchmarkProgram {
    static var suites: [BenchmarkSuite] {
        [
            FloorSuite.suite, MetricsSuite.suite, MemorySuite.suite, ExpositionSuite.suite, SwiftMetricsSuite.suite,
            InstrumentationSuite.suite, ResilienceSuite.suite, FrameworkSuite.suite,
            DeepLinkSuite.suite, CacheSuite.suite, PoolSuite.suite, OutboxSuite.suite, StorageSuite.suite,
            PushSuite.suite, DashboardSuite.suite, ScaleSuite.suite,
        ]
    }
}
