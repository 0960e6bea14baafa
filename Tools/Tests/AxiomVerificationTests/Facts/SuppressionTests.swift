// SPDX-License-Identifier: Apache-2.0

import AxiomSyntax
import AxiomVerification
import Testing

@Suite("Comments that accept findings")
struct SuppressionTests {
    private func cart(above: String = "", behind: String = "") -> String {
        """
        import Axiom
        \(above)
        @MainActor
        class CartContext: Context {\(behind)
            nonisolated let identity: ComponentIdentity
        }
        """
    }

    @Test("A comment accepts the findings of its line, or of the declaration below", arguments: [true, false])
    func accepts(isAbove: Bool) {
        let comment = "// axiom:ignore final-missing the old screens inherit from it"
        let verdict = judge(isAbove ? cart(above: comment) : cart(behind: "  " + comment))
        #expect(verdict.findings.isEmpty)
        #expect(verdict.accepted.map(\.reason) == ["the old screens inherit from it"])
        #expect(verdict.exitCode == 0)
    }

    @Test("A comment for another rule accepts nothing, and is unused")
    func otherRule() {
        let verdict = judge(cart(above: "// axiom:ignore blocks-main for a reason"))
        #expect(verdict.findings.map(\.rule) == ["suppression-unused", "final-missing"])
    }

    @Test("A comment for a rule that does not run is not unused; one for a rule that does not exist is")
    func rules() {
        let comment = "// axiom:ignore capability-is-leaf later"
        #expect(judge(cart(above: comment)).findings.map(\.rule) == ["final-missing"])
        #expect(judge("// axiom:ignore no-such-rule later\nlet a = 1\n").findings.map(\.rule) == ["suppression-unused"])
    }

    @Test("Text of a string or a documentation comment is no comment of this kind")
    func strings() {
        let text = "let a = \"// axiom:ignore final-missing x\"\n/// axiom:ignore final-missing x\nlet b = 1\n"
        #expect(judge(text).findings.isEmpty)
    }
}

@Suite("Numbers of files")
struct FileMetricsTests {
    @Test("TL-V4: components, the depth of their dependencies, and the share without errors")
    func metrics() throws {
        let metrics = try #require(judge(TwinProgram.text).metrics.first)
        #expect(metrics.componentCount == 7)
        // CartView, CartContext, CartClient, and HTTPNetwork below the protocol Network, which is no component.
        #expect(metrics.dependencyDepth == 4)
        #expect(metrics.compliance == 1)
        let bad = try TwinProgram.text.replacingOnce("private let limit = 10", with: "private var user: CartClient?")
        #expect(judge(bad).metrics.first?.compliance == 6.0 / 7)
    }

    @Test("A file that does not parse is named with the place of the first error")
    func unreadable() throws {
        let verdict = judge("import Axiom\nstruct {\n")
        #expect(verdict.unreadableFiles.first?.location.start.line == 2)
        #expect(verdict.exitCode == 3)
    }
}
