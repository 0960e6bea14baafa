// SPDX-License-Identifier: Apache-2.0

/// What came out for one metric of one benchmark. More verdicts may be added.
package struct FindingKind: Hashable, Sendable, Codable, CustomStringConvertible {
    package let description: String

    private init(_ description: String) {
        self.description = description
    }

    package init(from decoder: any Decoder) throws {
        description = try decoder.singleValueContainer().decode(String.self)
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }

    /// Not worse by the effect that matters.
    package static let ok = FindingKind("ok")
    /// Worse.
    package static let regression = FindingKind("regression")
    /// Better.
    package static let improvement = FindingKind("improvement")
    /// What was measured cannot tell.
    package static let inconclusive = FindingKind("inconclusive")
    /// What is there must not be compared.
    package static let incomparable = FindingKind("incomparable")
    /// Never judged.
    package static let information = FindingKind("info")
    /// Only in the current build.
    package static let added = FindingKind("added")
    /// Only in the baseline.
    package static let removed = FindingKind("removed")
    /// The benchmark is in both, and only the baseline has the metric.
    package static let lost = FindingKind("metric lost")
    /// A process of the benchmark ended, hung or failed.
    package static let crashed = FindingKind("crashed")

    /// Whether the metric was looked at with a result that means something.
    var isJudged: Bool { self == .ok || self == .regression || self == .improvement }
}

/// One metric of one benchmark, compared with its baseline.
package struct Finding: Hashable, Sendable {
    package var benchmark: String
    package var metric: Metric
    package var kind: FindingKind
    /// The medians, in the metric's unit.
    package var baseline: Double?
    package var current: Double?
    /// The relative change for the worse, 0.02 being 2 %, and the ends of its interval.
    package var change: Double?
    package var interval: ClosedRange<Double>?
    /// The p-value, adjusted for the others that were confirmed together.
    package var pValue: Double?
    /// The smallest change for the worse that would be found four times in five.
    package var detectable: Double?
    /// The pairs' logarithms of ratios, for plots.
    package var pairs: [Double] = []
    /// The finding in words.
    package var detail = ""

    package init(_ benchmark: String, _ metric: Metric, _ kind: FindingKind, _ detail: String = "") {
        self.benchmark = benchmark
        self.metric = metric
        self.kind = kind
        self.detail = detail
    }

    /// The same, an alarm being none: what was measured first did not look worse.
    var withoutAlarm: Finding {
        guard kind == .regression else { return self }
        var finding = self
        finding.kind = .inconclusive
        finding.detail = "looks worse in the second stage only"
        return finding
    }
}
