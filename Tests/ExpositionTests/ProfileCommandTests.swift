// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomExporter
import AxiomHTTP
import AxiomInstrumentation
import AxiomTestSupport
import Foundation
import Testing

/// A profiler in whose last minutes a client ran for as many samples as the range has seconds.
private final class SteadyProfiler: ProfileSource {
    /// A profile of the oldest range waits for it.
    let continues = DispatchSemaphore(value: 0)

    func profile(_ query: ProfileQuery) -> Profile {
        if query.ago == 840 { continues.wait() }
        var profile = Profile(start: Instant(nanoseconds: 0), end: Instant(nanoseconds: 60_000_000_000), rate: 97)
        profile.frames = [Profile.Frame(.client, query.action ?? "Cart.add"), Profile.Frame(.function, "hash")]
        if query.ago > 600 { profile.end = profile.start }
        guard query.ago == 0, query.action != "Cart.ad" else { return profile }
        var stack = Profile.Stack(frames: [0, 1])
        (stack.samples, stack.processor) = (query.seconds, Int64(query.seconds) * 10_309_278)
        profile.stacks = [stack]
        profile.samples = query.seconds
        return profile
    }

    func file(of profile: Profile, format: String) -> [UInt8]? { nil }
}

@Suite("axiom-dashboard profile", .timeLimit(.minutes(10)))
struct ProfileCommandTests {
    private static func run(_ arguments: [String]) async throws -> Command.Output {
        try await Command.run(try BuildFolder().url.appending(path: "axiom-dashboard").path, ["profile"] + arguments)
    }

    private static func body(_ path: String, of address: String) async throws -> Data {
        let port = try #require(URL(string: address)?.port)
        return Data(try await HTTPExchange.perform("GET", path, port: port).body)
    }

    /// Runs while an exporter serves a profile; its address is the argument.
    private func serving(
        profiler: SteadyProfiler? = SteadyProfiler(),
        _ body: (String) async throws -> Void
    ) async throws {
        let telemetry = try Telemetry()
        if let profiler { #expect(telemetry.attach(profiler)) }
        telemetry.span("Cart.add") {}
        let exporter = try Exporter(
            telemetry: telemetry,
            configuration: HTTPServerConfiguration(port: 0),
            dashboard: DashboardOptions(token: "s3cret")
        )
        try exporter.start()
        try await body("http://127.0.0.1:\(try #require(exporter.port))")
        await exporter.stop()
    }

    @Test("It prints the hottest operations and functions of the range")
    func text() async throws {
        try await serving { address in
            let run = try await Self.run([address, "--token", "s3cret", "--seconds", "40", "--action", "Bank.pay"])
            #expect(run.status == 0 && run.errors == "")
            #expect(run.output.contains("40 samples at 97 Hz") && run.output.contains("100 % ± 5 %"))
            #expect(run.output.contains("Bank.pay\n") && run.output.contains("hash\n"))
        }
    }

    @Test("Each format goes to standard output or into a file; a saved JSON has the same table and files as the server")
    func files() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "axiom-profile-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let saved = folder.appending(path: "saved.json").path
        try await serving { address in
            let json = try await Self.run([address, "--token", "s3cret", "--format", "json", "-o", saved])
            #expect(json.status == 0 && json.output == "")
            for format in ["text", "pprof", "collapsed", "speedscope"] {
                let online = try await Self.run([address, "--token", "s3cret", "--format", format])
                let file = folder.appending(path: format).path
                let offline = try await Self.run([saved, "--format", format, "--output", file])
                #expect(online.status == 0 && offline.status == 0 && !online.output.isEmpty, "\(format)")
                #expect(format != "collapsed" || online.output == "Cart.add;hash 60\n")
                let written = try Data(contentsOf: URL(filePath: file))
                #expect(format != "collapsed" || written == Data(online.output.utf8))
                #expect(!written.isEmpty)
            }
            // The JSON of a page is that of its profile.
            let page = folder.appending(path: "page.html")
            try await Self.body("/export.html?token=s3cret", of: address).write(to: page)
            let inPage = try await Self.run([page.path, "--format", "json"])
            #expect(inPage.status == 0 && inPage.output.hasPrefix("{\"schema\":\"axiom/profile\""))
        }
    }

    @Test("A server that accepts and never answers is an error when the timeout has passed")
    func silence() async throws {
        let profiler = SteadyProfiler()
        try await serving(profiler: profiler) { address in
            defer { profiler.continues.signal() }
            let run = try await Self.run([address, "--token", "s3cret", "--ago", "840", "--timeout", "1"])
            #expect(run.status == 2 && run.errors.contains("does not answer: no answer came within 1 s."))
        }
    }

    @Test("Nothing sampled is 1; no answer, no profiler and a file without a profile are 2; wrong arguments are 64")
    func codes() async throws {
        let empty = FileManager.default.temporaryDirectory.appending(path: "axiom-profile-\(UUID()).json")
        defer { try? FileManager.default.removeItem(at: empty) }
        try await serving { address in
            let nothing = try await Self.run([address, "--token", "s3cret", "--ago", "60"])
            #expect(nothing.status == 1 && nothing.output == "" && nothing.errors.contains("--ago"))
            let action = try await Self.run([address, "--token", "s3cret", "--ago", "60", "--action", "Cart.add"])
            #expect(action.status == 1 && action.errors.contains("Nothing of Cart.add was sampled"))
            for format in ["text", "pprof"] {
                let options = ["--token", "s3cret", "--action", "Cart.ad", "--format", format]
                let unknown = try await Self.run([address] + options)
                let text = "--action is \"Cart.ad\": it is not known, or no longer; known are Cart.add."
                #expect(unknown.status == 64 && unknown.output == "")
                #expect(unknown.errors.contains(text), "\(unknown.errors)")
            }
            let forgotten = try await Self.run([address, "--token", "s3cret", "--ago", "700"])
            #expect(forgotten.status == 1 && forgotten.errors.contains("No samples are held from before"))
            // Options that choose a range are not for files.
            try await Self.body("/api/profile?format=json&ago=60&token=s3cret", of: address).write(to: empty)
            let saved = try await Self.run([empty.path])
            #expect(saved.status == 1 && saved.errors.contains("has no samples") && !saved.errors.contains("--ago"))
            let secret = try await Self.run([address])
            #expect(secret.status == 2 && secret.errors.contains("give its --token"))
        }
        try await serving(profiler: nil) { address in
            let none = try await Self.run([address, "--token", "s3cret"])
            #expect(none.status == 2 && none.errors.contains("Profiler.start(telemetry)"))
        }
        for (arguments, status, text) in [
            (["http://127.0.0.1:1"], 2, "http://127.0.0.1:1 does not answer"),
            (["/none.json"], 2, "/none.json cannot be read"),
            (["/"], 2, "/ cannot be read: it is a folder"),
            ([Repository.root.appending(path: "Package.swift").path], 2, "/Package.swift is not JSON"),
            (["http://127.0.0.1:1", "--seconds", "61"], 64, "--seconds is \"61\": give a whole number from 1 to 60"),
            (["http://127.0.0.1:1", "--ago", "841"], 64, "--ago is \"841\": give a whole number from 0 to 840"),
            (["127.0.0.1:1"], 2, "or give an address with http://"),
            (["localhost:1", "--ago", "60"], 64, "or give an address with http://"),
            (["a.json", "--action", "Cart.add"], 64, "--action is for an address"),
            (["a.json", "--token", "t"], 64, "--token is for an address"),
            (["a.json", "-o", ""], 64, "--output is empty"),
            ([""], 64, "The target is empty"), (["a.json", "--format", "svg"], 64, "svg"),
            ([], 64, "Missing expected argument"),
        ] as [([String], Int32, String)] {
            let run = try await Self.run(arguments)
            #expect(run.status == status && run.errors.contains(text), "\(arguments): \(run.errors)")
        }
    }
}
