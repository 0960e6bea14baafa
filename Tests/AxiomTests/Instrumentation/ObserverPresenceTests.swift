// SPDX-License-Identifier: Apache-2.0

import AxiomTestSupport
import Foundation
import Testing

@Suite(
    "The trait Instrumented in the object files",
    .enabled(if: ExternalTool.nm.mayRun, Comment(rawValue: ExternalTool.nm.installation))
)
struct ObserverPresenceTests {
    /// The symbol of the stored property through which the framework calls its observer: the offset of
    /// `InstrumentationPort.observer`.
    private static let property = "19InstrumentationPortC8observer"

    /// How many object files of the framework define it. One file at a time: given several, `nm` prints their names as
    /// well.
    private func definitions() async throws -> Int {
        let objects = try BuildFolder().contents(of: "Axiom.build").filter { $0.pathExtension == "o" }
        try #require(!objects.isEmpty)
        var count = 0
        for object in objects {
            let symbols = try await ExternalTool.nm.run([object.path])
            try #require(symbols.status == 0, "\(symbols.errors)")
            count += symbols.output.split(separator: "\n").count { $0.contains(Self.property) && $0.hasSuffix("Wvd") }
        }
        return count
    }

    #if Instrumented
    @Test("With the trait, the framework keeps its observer")
    func present() async throws {
        #expect(try await definitions() > 0)
    }
    #else
    @Test("Without the trait, the framework does not even store an observer")
    func absent() async throws {
        #expect(try await definitions() == 0)
    }
    #endif
}
