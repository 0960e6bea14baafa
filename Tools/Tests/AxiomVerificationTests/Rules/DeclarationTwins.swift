// SPDX-License-Identifier: Apache-2.0

import AxiomVerification

extension RuleTwinTests {
    static let declarationTwins: [Twin] = [
        Twin(
            rule: "unchecked-sendable",
            line: "struct PriceState: OwnedState {",
            bad: "struct PriceState: OwnedState, ⟦@unchecked Sendable {",
            severity: .warning
        ),
        Twin(
            rule: "main-actor-missing",
            line: "@MainActor\n@Observable\nfinal class PriceContext {",
            bad: "\n@Observable\nfinal class ⟦PriceContext {",
            isFixable: true,
            program: TwinProgram.withLateContext
        ),
        Twin(
            rule: "final-missing",
            line: "final class PriceContext: Context {",
            bad: "class ⟦PriceContext: Context {",
            isFixable: true,
            severity: .warning
        ),
        Twin(
            rule: "component-name-clash",
            line: "var launches = 0",
            bad: "enum Old { actor ⟦Clock: Capability { nonisolated let identity: ComponentIdentity } }",
            severity: .warning
        ),
        Twin(
            rule: "suppression-unused",
            line: "var launches = 0",
            bad: "⟦// axiom:ignore final-missing nobody inherits",
            isFixable: true
        ),
        Twin(
            rule: "suppression-without-reason",
            line: "final class PriceContext: Context {",
            bad: "class PriceContext: Context {  ⟦// axiom:ignore final-missing",
            isFixable: true
        ),
    ]
}
