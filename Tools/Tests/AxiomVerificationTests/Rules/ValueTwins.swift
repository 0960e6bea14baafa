// SPDX-License-Identifier: Apache-2.0

import AxiomVerification

extension RuleTwinTests {
    static let valueTwins: [Twin] = [
        // One owner for each state.
        Twin(
            rule: "state-shared",
            line: "var state: PriceState { store.state }",
            bad: "var state: CartState { store.state }",
            mark: "actor ⟦PriceClient"
        ),
        Twin(rule: "state-shared", line: "static let shared = Registry()", bad: "static let ⟦shared = PriceState()"),
        Twin(rule: "state-shared", line: "var launches = 0", bad: "nonisolated(unsafe) var ⟦prices = PriceState()"),
        Twin(rule: "state-shared", line: "var launches = 0", bad: "nonisolated(unsafe) var ⟦prices: PriceState?"),
        Twin(
            rule: "state-shared",
            line: "var launches = 0",
            bad: "struct ⟦OrderState: OwnedState {}",
            severity: .warning
        ),
        // A state is a value.
        Twin(
            rule: "state-reference",
            line: "var cents = 0\n}",
            bad: "var cents = 0; var owner: ⟦Registry?\n}",
            isFixable: true
        ),
        Twin(rule: "state-reference", line: "var cents = 0\n}", bad: "var cents = 0; var format: ⟦NumberFormatter\n}"),
        Twin(
            rule: "state-reference",
            line: "var cents = 0\n}",
            bad: "var cents = 0; var done: ⟦(@Sendable () -> Void)?\n}"
        ),
        Twin(rule: "state-reference", line: "var note = \"\"", bad: "var note: ⟦[Line: AnyObject] = [:]"),
        Twin(
            rule: "state-reference",
            line: "struct PriceState: OwnedState {",
            bad: "final class ⟦PriceState: OwnedState {",
            isFixable: true
        ),
        // Each stored property counts.
        Twin(
            rule: "state-manual-equality",
            line: "left.lines == right.lines && left.note == right.note",
            bad: "left.lines == right.lines",
            mark: "static func ⟦==",
            isFixable: true,
            severity: .warning
        ),
        // An action is a value.
        Twin(rule: "action-reference", line: "case add(Line)", bad: "case add(⟦Registry)"),
        Twin(rule: "action-reference", line: "case add(Line)", bad: "case add(⟦@Sendable () -> Void)"),
        Twin(
            rule: "action-reference",
            line: "let article: String",
            bad: "var ⟦article: String",
            isFixable: true
        ),
        Twin(
            rule: "case-names-mismatch",
            line: "static let caseNames = [\"add\", \"clear\"]",
            bad: "static let ⟦caseNames = [\"clear\", \"add\"]",
            isFixable: true
        ),
        Twin(
            rule: "case-names-mismatch",
            line: "case .clear: 1",
            bad: "case .clear: 2",
            mark: "static let ⟦caseNames",
            isFixable: true
        ),
        Twin(
            rule: "case-names-mismatch",
            line: "case clear\n",
            bad: "case clear, remove\n",
            mark: "static let ⟦caseNames",
            isFixable: true
        ),
    ]
}
