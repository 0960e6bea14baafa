// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import AxiomBase
import AxiomHTTP
import AxiomInstrumentation
import AxiomMetrics
import AxiomTestSupport
import Foundation
import Testing

@testable import axiom_demo

@Suite("The command line", .timeLimit(.minutes(10)))
struct CommandTests {
    @Test("All options are understood")
    func options() throws {
        let command = try DemoCommand.parse([
            "--port", "0", "--duration", "20s", "--linger", "500ms", "--rate", "12.5", "--seed", "7", "--faults",
            "storm", "--data-dir", "/tmp/x", "--host", "::", "--allowed-host", "shop", "--allowed-host",
            "10.0.0.7:9464",
        ])
        #expect(command.port == 0)
        #expect(command.host == "::" && command.allowedHosts == ["shop", "10.0.0.7:9464"])
        #expect(command.duration == .seconds(20))
        #expect(command.linger == .milliseconds(500))
        #expect(command.rate == 12.5)
        #expect(command.seed == 7)
        #expect(command.faults == .storm)
        #expect(command.bound == .duration(.seconds(20)))
        #expect(command.dataDir == "/tmp/x")
    }

    @Test("Without options the demo runs until a signal")
    func defaults() throws {
        let command = try DemoCommand.parse([])
        #expect(command.port == 9464 && command.host == "127.0.0.1" && command.allowedHosts.isEmpty)
        #expect(command.duration == nil && command.steps == nil)
        #expect(command.bound == .none)
        #expect(command.linger == .zero)
        #expect(command.rate == 50)
        #expect(command.seed == 1)
        #expect(command.faults == .none)
        #expect(command.dataDir == nil)
        #expect(command.dashboard)
    }

    @Test("The shop runs without a profiler that is switched off or cannot start, as with a manual clock")
    func withoutProfiler() async throws {
        let telemetry = try Telemetry(clock: .manual(ManualTime()))
        for options in [["--no-profile"], []] {
            #expect(await (try DemoCommand.parse(options)).startProfiler(telemetry) == nil)
        }
        #expect(telemetry.readings.profiler == nil)
    }

    @Test("A visit has a link or a screen, and perhaps a folder; without its options there is none")
    func visit() throws {
        #expect(try !DemoCommand.parse([]).hasVisitor)
        let link = try DemoCommand.parse(["--open", "shop://product/7", "--state-dir", "/tmp/x"])
        #expect(link.hasVisitor && link.open == "shop://product/7" && link.stateDir == "/tmp/x")
        let screen = try DemoCommand.parse(["--screen", "sign-in"])
        #expect(screen.hasVisitor && screen.screen == .signIn(returnTo: nil))
        for route in ShopRoute.samples { #expect(try DemoCommand.parse(["--screen", route.name]).screen == route) }
        #expect(try DemoCommand.parse(["--state-dir", "x"]).hasVisitor)
    }

    @Test("Each option to push is a target; without them nothing is pushed")
    func pushes() throws {
        let telemetry = try Telemetry()
        #expect(try DemoCommand.parse([]).pushes.pusher(of: telemetry, instance: "a") == nil)
        let options = [
            "--push-gateway", "http://127.0.0.1:9091", "--remote-write", "http://127.0.0.1:9090/api/v1/write", "--otlp",
            "http://127.0.0.1:4318/", "--textfile", "/tmp/shop.prom", "--push-interval", "2s",
            "--remote-write-version", "2",
        ]
        let pushes = try DemoCommand.parse(options).pushes
        #expect(pushes.pushInterval == .seconds(2) && pushes.remoteWriteVersion != nil)
        #expect(try pushes.pusher(of: telemetry, instance: "a") != nil)
        let family = telemetry.registry.collect().families.first { $0.definition.name == "axiom_push_queue_bytes" }
        #expect(family?.count == 5)
    }

    @Test("A web configuration file that cannot be used ends the command with its line and the remedy")
    func webConfiguration() throws {
        #expect(try DemoCommand.parse([]).webConfig == nil)
        let folder = FileManager.default.temporaryDirectory.appending(path: "axiom-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "web.yml").path
        func message() -> String {
            do {
                return try DemoCommand.parse(["--web-config", file]).webConfig ?? ""
            } catch {
                return DemoCommand.message(for: error)
            }
        }
        #expect(message() == "--web-config: \(file): cannot read \(file): No such file or directory; check the path.")
        try "\nbasic_auth_users:\n  ann: secret\n".write(toFile: file, atomically: true, encoding: .utf8)
        #expect(
            message().hasPrefix("--web-config: \(file):3: basic_auth_users: the hash of the user ann is no bcrypt hash")
        )
        #expect(!message().contains("secret"))
        try "axiom: {scrape_token: 0123456789abcdef}\n".write(toFile: file, atomically: true, encoding: .utf8)
        #expect(message() == file)
        #expect(throws: (any Error).self) { try DemoCommand.parse(["--web-config", ""]) }
    }

    @Test("An option that is given twice has its last value: Scripts/demo gives one, and its user another")
    func lastValue() throws {
        #expect(try DemoCommand.parse(["--faults", "mild", "--duration", "20s", "--faults", "none"]).faults == .none)
    }

    @Test("The load can end after a number of steps, and the metrics stay available")
    func steps() throws {
        let command = try DemoCommand.parse(["--steps", "500", "--linger", "2s"])
        #expect(command.bound == .steps(500))
        #expect(command.linger == .seconds(2))
    }

    @Test(
        "A wrong option is named, with the allowed values",
        arguments: [
            (["--port", "70000"], "--port is 70000; 0 to 65535"),
            (["--host", ""], "--host is empty"),
            (["--host", "0.0.0.0"], "name the values of the header Host to answer with --allowed-host"),
            (["--rate", "0"], "--rate is 0.0; 0.01 to 100000"),
            (["--rate", "1e-300"], "--rate is 1e-300; 0.01 to 100000"),
            (["--rate", "nan"], "--rate is nan; 0.01 to 100000"),
            (["--duration", "20"], "such as 500ms, 20s, 2m or 1h"),
            (["--duration", "-1s"], "duration"),
            (["--duration", "99999999999s"], "such as 500ms"),
            (["--duration", "0s"], "--duration is zero"),
            (["--linger", "3s"], "--linger follows the end of --duration or --steps"),
            (["--steps", "0"], "--steps is 0; 1 or more"),
            (["--steps", "5", "--duration", "5s"], "--duration and --steps both end the load"),
            (["--faults", "heavy"], "'none', 'mild' or 'storm'"),
            (["--seed", "x"], "--seed"),
            (["--data-dir", ""], "--data-dir is empty"),
            (["--export", "/tmp/x.html", "--no-dashboard"], "leave out --no-dashboard"),
            (["--budget-report", ""], "--budget-report is empty"),
            (["--budget-report", "/nonexistent/b.md"], "/nonexistent is no folder that can be written to"),
            (["--open", "shop://basket"], "shop://basket has no known destination. The links are shop://home, "),
            (["--open", "shop://product/9"], "shop://product/9 has no known destination"),
            (["--open", "cart"], "'cart' is invalid for '--open <link>'"),
            (["--screen", "kart"], "'kart' is invalid for '--screen <name>': the screens are shop, home, "),
            (["--open", "shop://cart", "--screen", "cart"], "--open and --screen both name a screen"),
            (["--state-dir", ""], "--state-dir is empty"),
            (["--push-gateway", "127.0.0.1:9091"], "--push-gateway: The URL of an endpoint cannot be used: "),
            (
                ["--remote-write", "ftp://h/w"],
                "--remote-write: The URL of an endpoint cannot be used: its scheme is ftp"
            ),
            (
                ["--otlp", "http://u:secret@h:4318"],
                "--otlp: The URL of an endpoint cannot be used: it contains a user"
            ),
            (["--otlp", "http://h:4318/v1/metrics"], "--otlp has the path /v1/metrics; leave it out"),
            (["--otlp", "http://h/otlp/v1/traces"], "--otlp has the path /otlp/v1/traces; leave /v1/traces out"),
            (["--textfile", "/tmp/shop.txt"], "--textfile: \"/tmp/shop.txt\" is not read by node_exporter"),
            (["--textfile", "/nonexistent/shop.prom"], "/nonexistent is no folder that can be written to"),
            (["--push-interval", "1s"], "--push-interval needs --push-gateway, --remote-write, --otlp or --textfile"),
            (
                ["--textfile", "/tmp/a.prom", "--push-interval", "5ms"],
                "'5ms' is invalid for '--push-interval <push-interval>': 100ms to 24h are allowed"
            ),
            (["--remote-write-version", "2"], "--remote-write-version needs --remote-write; add it"),
            (
                ["--remote-write", "http://h/w", "--remote-write-version", "3"],
                "'3' is invalid for '--remote-write-version <remote-write-version>': 1 and 2 are allowed"
            ),
            (["--frob"], "--frob"),
        ]
    )
    func mistakes(_ arguments: [String], _ complaint: String) {
        do {
            _ = try DemoCommand.parse(arguments)
            Issue.record("\(arguments) was accepted")
        } catch {
            #expect(DemoCommand.fullMessage(for: error).contains(complaint))
            #expect(DemoCommand.exitCode(for: error) == .validationFailure)
        }
    }

    @Test(
        "SIGINT and SIGTERM end the demo in order, with exit code 0 and the ledger written",
        arguments: [SIGINT, SIGTERM]
    )
    func signals(_ signal: CInt) async throws {
        let folder = try TestFolder()
        let ledger = folder.path + "/ledger.json"
        let process = Process()
        process.executableURL = Bundle.main.executableURL?.deletingLastPathComponent().appending(path: "shop-oracle")
        process.arguments = ["--port", "0", "--faults", "storm", "--rate", "200", "--ledger", ledger]
        let output = Pipe()
        process.standardOutput = output
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            process.terminationHandler = { _ in continuation.resume() }
            do {
                try process.run()
            } catch {
                continuation.resume(throwing: error)
                return
            }
            // It handles signals before it prints its first line.
            _ = output.fileHandleForReading.availableData
            kill(process.processIdentifier, signal)
        }
        #expect(process.terminationReason == .exit)
        #expect(process.terminationStatus == 0)
        try Self.expectComplete(ledger)
        try folder.remove()
    }

    private static func expectComplete(_ file: String) throws {
        struct Ledger: Decodable {
            struct Upstream: Decodable { let faults: Int }
            let alive: [String: Int]
            let clients: [String: [String: Int]]
            let upstream: Upstream
            let errors: Int
            let recovered: Int
            let cancelled: Int
            let rejections: [String: Int]
        }
        let ledger = try JSONDecoder().decode(Ledger.self, from: Data(contentsOf: URL(fileURLWithPath: file)))
        #expect(ledger.alive.values.allSatisfy { $0 == 0 })
        #expect(ledger.upstream.faults == ledger.errors + ledger.recovered + ledger.cancelled)
        let rejected = ledger.clients.values.reduce(0) { $0 + $1["rejected", default: 0] }
        #expect(rejected == ledger.rejections.values.reduce(0, +))
    }

    @Test("A start that fails ends the demo with its error and exit code 1, and leaves no temporary folder")
    func failedStarts() async throws {
        let server = try HTTPServer(routes: [])
        try server.start()
        let port = try #require(server.port)
        let cases = [
            (["--port", "\(port)"], "\(port) is already in use"),
            (["--port", "0", "--data-dir", "/proc/axiom"], "The required capability SQLiteStorage"),
        ]
        for (arguments, complaint) in cases {
            let folder = try TestFolder()
            let process = Process()
            process.executableURL = Bundle.main.executableURL?.deletingLastPathComponent().appending(path: "axiom-demo")
            process.arguments = arguments
            // The rest is kept: a program of a build with coverage has the path of its profile there.
            process.environment = ProcessInfo.processInfo.environment.merging(["TMPDIR": folder.path]) { $1 }
            let errors = Pipe()
            process.standardError = errors
            process.standardOutput = FileHandle.nullDevice
            try process.run()
            let output = try errors.fileHandleForReading.readToEnd() ?? Data()
            process.waitUntilExit()
            #expect(process.terminationReason == .exit && process.terminationStatus == 1)
            #expect(String(decoding: output, as: UTF8.self).contains(complaint))
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
            try folder.remove()
        }
        await server.stop()
    }

    /// The number of starts: 250 times AXIOM_TEST_SCALE, or 25 without it.
    private static let starts = max(10, TestScale.count(250, usual: 0.1))

    /// Starts the demo, and ends it by a SIGTERM after a delay; without one, when it has written its address.
    ///
    /// - Returns: The time from the start to the signal; its exit code, or nil if it ended by the effect of the signal.
    private static func ended(after delay: Duration?) async throws -> (Duration, Int32?) {
        let path = try BuildFolder().url.appending(path: "axiom-demo").path
        let start = ContinuousClock.now
        let demo = try RunningProgram(path, ["--port", "0", "--no-dashboard"])
        if let delay {
            try await Task.sleep(until: start + delay, clock: .continuous)
        } else {
            _ = try await demo.firstLine("its address") { $0.hasPrefix("metrics: ") ? true : nil }
        }
        let time = ContinuousClock.now - start
        demo.signal(SIGTERM)
        let code = await demo.exitCode()
        return (time, demo.endedBySignal && code == SIGTERM ? nil : code)
    }

    @Test("A SIGTERM at any time after the start ends the demo, in order or by its default effect")
    func earlySignals() async throws {
        // How long a start takes on this machine now.
        let (length, code) = try await Self.ended(after: nil)
        #expect(code == 0)
        let seed = TestSeed.drawn()
        var random = SeededGenerator(seed: seed, stream: 0)
        var orderly = 0
        for start in 0..<Self.starts {
            let share = Double.random(in: 0...1.2, using: &random)
            let (delay, code) = try await Self.ended(after: length * share)
            #expect(code ?? 0 == 0, "start \(start), \(delay) of \(length), seed \(seed)")
            if code != nil { orderly += 1 }
        }
        print("\(orderly) of \(Self.starts) starts ended in order")
    }
}
