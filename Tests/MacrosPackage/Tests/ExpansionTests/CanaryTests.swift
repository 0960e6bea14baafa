// SPDX-License-Identifier: Apache-2.0

import Testing

@Suite("The comparison of expansions")
struct CanaryTests {
    @Test("It fails for a wrong expansion, a missing diagnostic and a wrong fix")
    func canary() {
        withKnownIssue {
            assertMacro("@AxiomState struct A {}", expansion: "struct A {}")
        }
        withKnownIssue {
            assertMacro("@AxiomState class A {}")
        }
        withKnownIssue {
            assertMacro("@AxiomState struct A {}", diagnostics: [Expected(.stateReference, 1, 1, "No")])
        }
    }
}
