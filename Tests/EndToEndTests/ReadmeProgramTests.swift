// SPDX-License-Identifier: Apache-2.0

import AxiomTestSupport
import Foundation
import Testing

#if Instrumented
@Suite("The README's first program", .timeLimit(.minutes(10)))
struct ReadmeProgramTests {
    private static let address = "http://127.0.0.1:9464"

    @Test("It compiles unchanged, prints the documented lines, and serves the documented sample")
    func runs() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "axiom-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let source = folder.appending(path: "main.swift")
        var (text, port) = (try Self.blocks().prefix(2).joined(), 9464)
        while await Self.isTaken(port) {
            // If another program uses the port, the test adds a line that chooses another port.
            port = Int.random(in: 20_000..<30_000)
            let line = "    configuration: HTTPServerConfiguration(port: \(port)),\n"
            text = "import AxiomHTTP\n" + (try Self.blocks().prefix(2).joined())
            text.replace("    telemetry: telemetry,\n", with: "    telemetry: telemetry,\n" + line)
        }
        try Data(text.utf8).write(to: source)
        let program = folder.appending(path: "program").path
        let built = try await Compiler().link(source.path, into: program)
        try #require(built.status == 0 && built.errors.isEmpty, "\(built.errors)")

        // One at a time has the port: Scripts/try-new and Scripts/try-tutorial wait for the same lock. Line by line, as on a
        // terminal: the C library writes to a pipe only when its buffer is full.
        let lock = "/tmp/axiom-port-9464.lock"
        let run = try RunningProgram(
            "/usr/bin/flock",
            ["--no-fork", "--timeout", "300", lock, "/usr/bin/stdbuf", "-oL", program]
        )
        defer { run.signal(SIGKILL) }
        try await run.firstLine("the empty cart") { $0 == "In the cart: []" ? () : nil }
        try await run.firstLine("the tea") { $0 == "In the cart: [tea]" ? () : nil }
        let promised = try #require(try Self.promisedSample())
        try await Loopback.wait(for: promised) {
            try await Loopback.text("http://127.0.0.1:\(port)/metrics").contains(promised + "\n")
        }
    }

    @Test("The products that the page on getting started names exist")
    func products() throws {
        let page = try Self.text("Documentation/getting-started.md")
        let manifest = try Self.text("Package.swift")
        let section = try #require(
            page.components(separatedBy: "## Depend on it").last?.components(separatedBy: "\n## ").first
        )
        let names = Set(section.matches(of: /`(Axiom[A-Za-z]*)`/).map { String($0.1) })
        #expect(names.count > 6)
        for name in names { #expect(manifest.contains("\"\(name)\""), "\(name)") }
        for name in section.matches(of: /\.product\(name: "(\w+)"/).map({ String($0.1) }) {
            #expect(manifest.contains(".library(name: \"\(name)\""), "\(name)")
        }
    }

    private static func isTaken(_ port: Int) async -> Bool {
        (try? await Loopback.text("http://127.0.0.1:\(port)/healthz")) != nil
    }

    private static func text(_ file: String) throws -> String {
        try String(contentsOf: Repository.root.appending(path: file), encoding: .utf8)
    }

    private static func blocks() throws -> [String] {
        try text("README.md").components(separatedBy: "```swift\n").dropFirst().compactMap {
            $0.components(separatedBy: "```").first
        }
    }

    /// The sample that the README shows.
    private static func promisedSample() throws -> String? {
        try text("README.md").firstMatch(of: /\/metrics says `(axiom_context_actions_total[^`]*)`/).map { String($0.1) }
    }
}
#endif
