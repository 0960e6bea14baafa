// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Axiom
import Foundation
import Testing

@testable import axiom_demo

@Suite("The configuration file of the demo", .timeLimit(.minutes(10)))
@MainActor
struct ConfigurationFileTests {
    private func run(_ text: String, _ body: (DemoRun) async throws -> Void) async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "axiom-demo-\(UUID()).json")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data(text.utf8).write(to: file)
        try await body(try DemoRun(.parse(["--config", file.path])))
    }

    @Test("Its settings and flags are in force when the shop has started (ORC-15)")
    func applied() async throws {
        try await run(#"{"network": {"timeout": 0.5}, "flags": {"tax-notice": true}}"#) { run in
            try await run.start()
            #expect(run.orchestrator.flags[.taxNotice])
            let context = try run.orchestrator.makeContext(CheckoutContext.self)
            #expect(CheckoutView(context: context).body.hasPrefix("Checkout, 0 orders placed, taxes included"))
            try await run.shutdown()
        }
    }

    @Test("A setting out of its range keeps the shop from starting")
    func invalid() async throws {
        try await run(#"{"network": {"timeout": 0}}"#) { run in
            let error = await #expect(throws: ConfigurationError.self) { try await run.start() }
            #expect(error?.message.contains("network.timeout is \"0\"") == true)
            try await run.shutdown()
        }
    }
}
