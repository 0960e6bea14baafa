// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomMetrics
public import AxiomStatistics

/// Whether one action of one component takes longer than in the baseline.
public struct RegressionVerdict: Hashable, Sendable, CustomStringConvertible {
    /// The name of the client or context.
    public let component: String
    /// The name of the action's case.
    public let action: String
    /// ok, regressed, insufficient or incomparable, with the reason.
    public let verdict: Verdict
    /// The results of the percentiles that could be judged.
    package let findings: [LiveFinding]
    /// How many current actions were compared: those of windows that have enough of them.
    package let requests: UInt64
    /// In which functions it spends what it takes longer, as one sentence; nil if that is not known.
    package let functions: String?

    /// - Parameter isKnown: Whether the application has the operation.
    init(_ operation: TimedOperation, _ live: LiveVerdict?, _ functions: String? = nil, isKnown: Bool = true) {
        (component, action, self.functions) = (operation.component, operation.action, functions)
        let found = live?.verdict ?? Verdict(.insufficient, .notJudged)
        let unknown = "this application has no \(operation.name) so far: it has another name, or was removed"
        let isUnknown = !isKnown && found.reason == .tooFewWindows
        verdict = isUnknown ? Verdict(.insufficient, .unknownOperation, unknown) : found
        findings = live?.findings ?? []
        requests = live?.requests ?? 0
    }

    /// The action and the verdict, as `CartClient.addItem: regressed (slower): the 0.9 quantile grew by 11.2 %`.
    public var description: String { "\(component).\(action): \(verdict)" + (functions.map { "; \($0)" } ?? "") }
}

/// One action of one component, as a recorded and judged operation.
struct TimedOperation: Hashable, Sendable {
    /// The name in profiles, the same in every process: `process/CartClient/addItem`.
    let name: String
    let component: String
    let action: String

    init(_ component: ComponentDescriptor, _ action: String) {
        // Clients process actions, contexts receive them. Both may have an action of that name, but no name is both.
        let verb = component.kind == .client ? "process" : component.kind == .request ? "request" : "send"
        name = "\(verb)/\(component.name)/\(action)"
        self.component = component.name
        self.action = action
    }

    /// The operation of a profile. This application need not have its component.
    init(_ profile: LiveProfile) {
        name = profile.operation
        component = profile.group
        action = profile.operation.split(separator: "/").last.map(String.init) ?? profile.operation
    }
}

/// The families of verdicts, filled at each scrape.
struct RegressionFamilies {
    private var active = CollectedFamily.gauge(
        "axiom_regression_active",
        help: "1 while a percentile of an action's duration is judged to have grown since the baseline.",
        labels: "component",
        "action",
        "percentile"
    )
    private var ratio = CollectedFamily.gauge(
        "axiom_regression_ratio",
        help: "A percentile of an action's duration over the baseline's; NaN while it cannot be judged.",
        labels: "component",
        "action",
        "percentile"
    )

    private var blind = CollectedFamily.gauge(
        "axiom_regression_blind",
        help: "1 while an action's durations follow something, such as load, so that only gross growth can be judged.",
        labels: "component",
        "action"
    )

    /// The families that have a series.
    var all: [CollectedFamily] { [active, ratio, blind].filter { !$0.isEmpty } }

    mutating func add(_ operation: TimedOperation, _ percentiles: [Double], _ verdict: LiveVerdict?) {
        let isBlind = verdict?.verdict.reason == .autocorrelation
        blind.add(isBlind ? 1 : 0, operation.component, operation.action)
        for percentile in percentiles {
            let finding = verdict?.findings.first { $0.percentile == percentile }
            let labels = [operation.component, operation.action, Self.name(of: percentile)]
            active.add(finding?.isRegressed == true ? 1 : 0, labelValues: labels)
            ratio.add(finding?.ratio ?? .nan, labelValues: labels)
        }
    }

    /// The name of a percentile: `p50` for 0.5, `p99.9` for 0.999.
    static func name(of percentile: Double) -> String {
        let percent = (percentile * 1e8).rounded() / 1e6
        return Int(exactly: percent).map { "p\($0)" } ?? "p\(percent)"
    }
}
