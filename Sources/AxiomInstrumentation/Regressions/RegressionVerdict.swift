// SPDX-License-Identifier: Apache-2.0

public import AxiomProfile

/// Whether one action of one component takes longer than in the baseline.
public struct RegressionVerdict: Hashable, Sendable, CustomStringConvertible {
    /// The name of the client or context.
    public let component: String
    /// The name of the action's case.
    public let action: String
    /// ok, regressed, insufficient or incomparable, with the reason.
    public let verdict: Verdict
    /// The results of the percentiles that could be judged.
    public let findings: [LiveFinding]
    /// How many current actions were compared: those of windows that have enough of them.
    public let requests: UInt64

    init(_ operation: TimedOperation, _ live: LiveVerdict?) {
        component = operation.component
        action = operation.action
        verdict = live?.verdict ?? Verdict(.insufficient, .notJudged)
        findings = live?.findings ?? []
        requests = live?.requests ?? 0
    }

    /// The action and the verdict, as `CartClient.addItem: regressed (slower): the 0.9 quantile grew by 11.2 %`.
    public var description: String { "\(component).\(action): \(verdict)" }
}
