// SPDX-License-Identifier: Apache-2.0

import AxiomTestSupport
import Foundation
import Testing

@Suite(
    "The trait Instrumented in the object files",
    .enabled(if: ExternalTool.nm.mayRun, Comment(rawValue: ExternalTool.nm.installation))
)
struct HooksPresenceTests {
    /// How many symbols of the framework's object files name `Hooks`. One file at a time: given several, `nm` prints
    /// their names as well, and one of them is `Hooks.swift.o`.
    private func hookSymbols() async throws -> Int {
        let objects = try BuildFolder().contents(of: "Axiom.build").filter { $0.pathExtension == "o" }
        try #require(!objects.isEmpty)
        var count = 0
        for object in objects {
            let symbols = try await ExternalTool.nm.run([object.path])
            try #require(symbols.status == 0, "\(symbols.errors)")
            count += symbols.output.split(separator: "\n").count { $0.contains("Hooks") }
        }
        return count
    }

    #if Instrumented
    @Test("With the trait, the framework calls its hooks")
    func present() async throws {
        #expect(try await hookSymbols() > 0)
    }
    #else
    @Test("Without the trait, no symbol of the framework names a hook")
    func absent() async throws {
        #expect(try await hookSymbols() == 0)
    }
    #endif
}
