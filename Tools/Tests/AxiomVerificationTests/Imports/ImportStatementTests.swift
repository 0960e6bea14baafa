// SPDX-License-Identifier: Apache-2.0

import AxiomSyntax
import AxiomVerification
import Testing

@Suite("Imports of a file")
struct ImportStatementTests {
    private func imports(_ source: String) -> [ImportStatement] {
        ImportStatement.all(in: SourceText(path: "A.swift", bytes: Array(source.utf8)))
    }

    @Test("Attributes, access levels, kinds and submodules are read (TL-V7)")
    func forms() {
        let found = imports(
            """
            import Foundation
            @testable import Axiom
            @preconcurrency public import Logging
            import struct Foundation.Date
            @_spi(Testing) @_exported import `default`
            internal import CoreMetrics.Gauge
            """
        )
        #expect(found.map(\.module) == ["Foundation", "Axiom", "Logging", "Foundation", "default", "CoreMetrics"])
        #expect(found.map(\.attributes) == [[], ["testable"], ["preconcurrency"], [], ["_spi", "_exported"], []])
        #expect(found.map(\.access) == [nil, nil, "public", nil, nil, "internal"])
        #expect(found.map(\.kind) == [nil, nil, nil, "struct", nil, nil])
        #expect(found.map(\.submodules) == [[], [], [], ["Date"], [], ["Gauge"]])
        #expect(found.map(\.span.start.line) == [1, 2, 3, 4, 5, 6])
        #expect(found[1].span.start.column == 1 && found[1].span.end.column == 23)
    }

    @Test("Conditional imports have their conditions, also those of the other clauses (TL-V7)")
    func conditions() {
        let found = imports(
            """
            #if canImport(Darwin)
            import Darwin
            #elseif canImport(Glibc)
            import Glibc
            #else
            #if os(Windows)
            import ucrt
            #endif
            #endif
            import Foundation
            """
        )
        #expect(found.map(\.module) == ["Darwin", "Glibc", "ucrt", "Foundation"])
        #expect(found[0].conditions == ["canImport(Darwin)"])
        #expect(found[1].conditions == ["!(canImport(Darwin)) && canImport(Glibc)"])
        #expect(found[2].conditions == ["!(canImport(Darwin)) && !(canImport(Glibc))", "os(Windows)"])
        #expect(!found[3].isConditional)
    }

    @Test(
        "Words in comments and texts are no imports (TL-V7)",
        arguments: [
            "// import A\n/* import B\n import C */ let a = 1",
            "let a = \"\"\"\nimport A\n\"\"\"", "func important() { let import_ = 1 }", "#\"import A\"#", "",
        ]
    )
    func noImports(source: String) {
        #expect(imports(source).isEmpty)
    }

    @Test("An import at the end, on two lines, with a byte order mark or with CRLF is found (TL-V7)")
    func places() {
        #expect(imports("struct A {}\nimport\n  struct\n  B.C").map(\.module) == ["B"])
        let marked = imports("\u{FEFF}import A\r\nimport B\r\n")
        #expect(marked.map(\.module) == ["A", "B"])
        #expect(marked.map(\.span.start.line) == [1, 2])
        #expect(imports("import").isEmpty)
        #expect(imports("import A; import B").map(\.module) == ["A", "B"])
    }
}
