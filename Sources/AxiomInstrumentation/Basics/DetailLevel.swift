// SPDX-License-Identifier: Apache-2.0

internal import AxiomMetrics

/// How much of the recorded data is on the page of metrics. It changes nothing on the dashboard and in reports. With more
/// detail each duration is also counted in more classic buckets.
public enum DetailLevel: Sendable, Hashable {
    /// What the rules, alerts and panels in `Dashboards` need: about a quarter of the samples of ``full``.
    case lean
    /// Also finer classic buckets, the histograms of single budgets, the series of each unconfirmed budget by component,
    /// and a series with the value 0 for each state and transition that a circuit breaker has not reached yet.
    case full
}

extension DetailLevel {
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
