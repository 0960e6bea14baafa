// SPDX-License-Identifier: Apache-2.0

import Axiom
import Foundation
import Testing

@Suite("Versions")
struct VersionTests {
    @Test("Versions are ordered by their numbers, and a negative number counts as 0 (VER-01)")
    func order() {
        let ordered = [Version(0, 9, 9), Version(1, 2, 3), Version(1, 2, 10), Version(1, 10, 0), Version(2, 0, 0)]
        #expect(ordered.reversed().sorted() == ordered)
        #expect(Version(-1, 2, -3) == Version(0, 2, 0))
    }

    @Test("A version is coded as its text; what follows the numbers is ignored")
    func coding() throws {
        let data = try JSONEncoder().encode([Version(1, 2, 3)])
        #expect(String(decoding: data, as: UTF8.self) == #"["1.2.3"]"#)
        for text in ["1.2.3", "1.2.3-rc.1", "1.2.3+build.7", "1.2.3-rc.1+x"] {
            #expect(try JSONDecoder().decode([Version].self, from: Data("[\"\(text)\"]".utf8)) == [Version(1, 2, 3)])
        }
    }

    @Test(
        "A text without three numbers is no version",
        arguments: ["", "1", "1.2", "1.2.3.4", "1..3", "a.b.c", "-1.2.3"]
    )
    func invalid(text: String) {
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode([Version].self, from: Data("[\"\(text)\"]".utf8))
        }
    }
}
