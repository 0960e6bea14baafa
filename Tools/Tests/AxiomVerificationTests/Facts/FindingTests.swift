// SPDX-License-Identifier: Apache-2.0

import AxiomSyntax
import AxiomVerification
import Testing

@Suite("Findings")
struct FindingTests {
    @Test("Findings are in order of path, place and rule, whatever the order in which rules add them")
    func order() {
        let text = SourceText(path: "B.swift", bytes: Array("a\nb\n".utf8))
        let other = SourceText(path: "A.swift", bytes: Array("a\nb\n".utf8))
        func finding(_ rule: RuleID, in text: SourceText, at offset: Int) -> Finding {
            Finding(rule: rule, severity: .error, at: text.span(offset..<offset + 1), message: "m", identity: "i")
        }
        let expected = [
            finding("z", in: other, at: 2), finding("a", in: text, at: 0), finding("b", in: text, at: 0),
            finding("a", in: text, at: 2),
        ]
        var findings = Findings()
        for finding in expected.reversed() { findings.add(finding) }
        #expect(findings.sorted() == expected)
    }
}
