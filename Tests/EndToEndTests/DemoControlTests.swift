// SPDX-License-Identifier: Apache-2.0

import AxiomTestSupport
import Foundation
import Testing

@Suite("A running demo is controlled from outside", .timeLimit(.minutes(5)))
struct DemoControlTests {
    @Test("SIGHUP reads a changed configuration; the demo runs on")
    func reload() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "axiom-\(UUID().uuidString).json")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data(#"{"network": {"timeout": 1.5}}"#.utf8).write(to: file)
        let demo = try await DemoProcess(["--config", file.path, "--rate", "5"])
        try Data(#"{"network": {"timeout": 1.25}}"#.utf8).write(to: file, options: .atomic)
        demo.program.signal(SIGHUP)
        // The demo also checks the file each second, and may have found the change before.
        try await demo.program.firstLine("its reload") { line in
            line == "SIGHUP: the configuration is applied, generation 2"
                || line == "SIGHUP: the configuration is unchanged, generation 2" ? () : nil
        }
        demo.program.signal(SIGHUP)
        try await demo.program.firstLine("the second one") { line in
            line == "SIGHUP: the configuration is unchanged, generation 2" ? () : nil
        }
        demo.program.signal()
        #expect(await demo.program.exitCode() == 0)
    }

    @Test("SIGHUP without a configuration file says so; the demo runs on")
    func nothingToReload() async throws {
        let demo = try await DemoProcess(["--rate", "5"])
        demo.program.signal(SIGHUP)
        try await demo.program.firstLine("its answer") { line in
            line == "SIGHUP: there is no --config file to read again" ? () : nil
        }
        demo.program.signal()
        #expect(await demo.program.exitCode() == 0)
    }

    @Test("POST /faults begins and ends faults of the server, and refuses another name")
    func faults() async throws {
        let demo = try await DemoProcess(["--rate", "50"])
        let port = try #require(URL(string: demo.upstream)?.port)
        #expect(try await Loopback.text("\(demo.upstream)/faults") == "none\n")
        let refused = try await HTTPExchange.perform("POST", "/faults", port: port, body: "heavy")
        #expect(refused.status == 400)
        #expect(refused.text == "The body is \"heavy\"; send one of none, mild, storm.\n")
        #expect(try await demo.ledger().upstream.stormyRequests == 0)
        let accepted = try await HTTPExchange.perform("POST", "/faults", port: port, body: "storm\n")
        #expect(accepted.status == 200 && accepted.text == "storm\n")
        try await Loopback.wait(for: "a fault") { try await demo.ledger().upstream.faults > 0 }
        _ = try await HTTPExchange.perform("POST", "/faults", port: port, body: "none")
        let stormy = try await demo.ledger().upstream
        try await Loopback.wait(for: "50 requests without a fault") {
            try await demo.ledger().upstream.requests > stormy.requests + 50
        }
        #expect(try await demo.ledger().upstream.stormyRequests == stormy.stormyRequests)
        demo.program.signal()
        #expect(await demo.program.exitCode() == 0)
    }
}
