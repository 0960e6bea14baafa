// SPDX-License-Identifier: Apache-2.0

import AxiomSyntax
import Testing

@Suite("Source text")
struct SourceTextTests {
    @Test("Lines end at LF, CRLF and CR; columns count bytes", arguments: ["\n", "\r\n", "\r"])
    func lines(end: String) {
        let text = SourceText(path: "A.swift", bytes: Array("let a = 1\(end)let é = 2\(end)".utf8))
        #expect(text.lineCount == 3)
        #expect(text.line(2) == "let é = 2")
        #expect(text.position(of: 0) == .init(line: 1, column: 1))
        let second = 9 + end.utf8.count
        #expect(text.position(of: second + 6) == .init(line: 2, column: 7))
        #expect(text.position(of: 1_000).line == 3)
    }
}
