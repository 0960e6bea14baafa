// SPDX-License-Identifier: Apache-2.0

import AxiomTestSupport
import Foundation
import Testing

@Suite("A running demo is controlled from outside", .timeLimit(.minutes(10)))
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

    @Test(
        "It starts and works in a login shell, whose limit of descriptors is 1,024, and also if it cannot raise that",
        arguments: ["-Sn 1024", "-n 1024"]
    )
    func descriptors(_ limit: String) async throws {
        let demo = try await DemoProcess(["--steps", "40"], limit: limit)
        try await demo.loadEnded()
        demo.program.signal()
        #expect(await demo.program.exitCode() == 0)
    }

    @Test("What users entered is shown to other machines only with a token, which the printed address has")
    func states() async throws {
        let open = ["--host", "0.0.0.0", "--allowed-host", "*", "--inspect-state", "--rate", "5"]
        let path = try BuildFolder().url.appending(path: "axiom-demo").path
        let demo = try RunningProgram(path, ["--port", "0"] + open)
        let address = try await demo.firstLine("its dashboard") { line in
            line.firstMatch(of: /dashboard: http:\/\/[^:]+:(\d+)\/\?token=(\w+)/).map { ($0.1, $0.2) }
        }
        let port = try #require(Int(address.0))
        #expect(try await HTTPExchange.perform("GET", "/api/state", port: port).status == 403)
        let allowed = try await HTTPExchange.perform("GET", "/api/state?token=\(address.1)", port: port)
        #expect(allowed.status == 200)
        demo.signal()
        #expect(await demo.exitCode() == 0)
    }

    @Test("A second demo at the port of another one ends with one line that names the port and the process that has it")
    func takenPort() async throws {
        let first = try await DemoProcess(["--rate", "5"])
        let port = try #require(first.exporter.split(separator: ":").last)
        let path = try BuildFolder().url.appending(path: "axiom-demo").path
        let second = try RunningProgram(path, ["--port", "\(port)"])
        #expect(await second.exitCode() != 0)
        #expect(second.output.contains("127.0.0.1:\(port) is already in use, by process "), "\(second.output)")
        #expect(second.output.contains("(axiom-demo)"), "\(second.output)")
        first.program.signal()
        #expect(await first.program.exitCode() == 0)
    }

    @Test("Two demos with one folder of databases and one of each file work, and leave whole files of one of them")
    func sharedFiles() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "axiom-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        func path(_ name: String) -> String { folder.appending(path: name).path }
        let options = [
            "--steps", "40", "--data-dir", path("data"), "--export", path("page.html"), "--budget-report",
            path("budgets.md"), "--record-scenario", path("scenario.swift"),
        ]
        let demos = try await [DemoProcess(options), DemoProcess(options)]
        for demo in demos {
            try await demo.loadEnded()
            demo.program.signal()
        }
        for demo in demos { #expect(await demo.program.exitCode() == 0, "\(demo.program.output)") }
        let page = try String(contentsOf: folder.appending(path: "page.html"), encoding: .utf8)
        #expect(page.hasPrefix("<!") && page.hasSuffix("</script>"))
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        #expect(names == ["budgets.md", "data", "page.html", "scenario.swift"])
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

    @Test(
        "SIGHUP reads the certificates again: broken ones are reported and not used",
        .enabled(if: ExternalTool.openssl.mayRun, Comment(rawValue: ExternalTool.openssl.installation)),
        .enabled(if: ExternalTool.curl.mayRun, Comment(rawValue: ExternalTool.curl.installation))
    )
    func certificates() async throws {
        let certificates = try await TestCertificates()
        try await certificates.issue("next", names: "IP:127.0.0.1", usage: "serverAuth")
        let web = try certificates.write(
            "tls_server_config:\n  cert_file: server.pem\n  key_file: server.key\n",
            to: "web.yml"
        )
        let demo = try await DemoProcess(["--web-config", web, "--rate", "5"])
        func answers() async throws -> Bool {
            let arguments = ["--silent", "--max-time", "60", "--cacert", certificates.path("ca.pem")]
            return try await ExternalTool.curl.run(arguments + ["\(demo.exporter)/healthz"]).output == "ok\n"
        }
        func reload(_ outcome: String) async throws {
            demo.program.signal(SIGHUP)
            try await demo.program.firstLine(outcome) { $0 == "SIGHUP: \(outcome)" ? () : nil }
            #expect(try await answers(), "\(outcome)")
        }
        #expect(try await answers())
        try certificates.write("nonsense", to: "server.key")
        try await reload("the certificates cannot be used; the last good ones stay")
        #expect(demo.program.output.contains("/server.key has no private key in PEM format"))
        try certificates.replace("server", by: "next")
        try await reload("the certificates were read again")
        demo.program.signal()
        #expect(await demo.program.exitCode() == 0)
    }

    @Test("POST /faults begins and ends faults of the server, and refuses another name")
    func faults() async throws {
        let demo = try await DemoProcess.counted(["--rate", "50"])
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
