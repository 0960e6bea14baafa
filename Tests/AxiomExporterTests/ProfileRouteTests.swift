// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomExporter
import AxiomHTTP
import AxiomInstrumentation
import AxiomTestSupport
import Dispatch
import Foundation
import Testing

/// A profiler that answers with what it was asked.
private final class EchoProfiler: ProfileSource {
    /// Called before each answer, on the thread that reads the profile.
    private let onRead: @Sendable () -> Void
    /// Whether nothing was sampled.
    private let isEmpty: Bool

    init(isEmpty: Bool = false, _ onRead: @escaping @Sendable () -> Void = {}) {
        (self.isEmpty, self.onRead) = (isEmpty, onRead)
    }

    func profile(_ query: ProfileQuery) -> Profile {
        onRead()
        var profile = Profile(start: Instant(nanoseconds: 0), end: Instant(nanoseconds: 1), rate: 97)
        profile.samples = query.seconds * 1_000 + query.ago
        profile.frames = [Profile.Frame(.client, query.action ?? "Cart.add")]
        if !isEmpty { profile.stacks = [Profile.Stack(frames: [0])] }
        return profile
    }

    func file(of profile: Profile, format: String) -> [UInt8]? { Array("\(format) \(profile.samples / 1_000)".utf8) }
}

@Suite("Profiles over HTTP", .timeLimit(.minutes(10)))
struct ProfileRouteTests {
    private func serving(
        _ profiler: EchoProfiler? = EchoProfiler(),
        token: String? = nil,
        _ body: (Telemetry, _ port: Int) async throws -> Void
    ) async throws {
        let telemetry = try Telemetry()
        if let profiler { #expect(telemetry.attach(profiler)) }
        let exporter = try Exporter(
            telemetry: telemetry,
            configuration: HTTPServerConfiguration(port: 0),
            dashboard: DashboardOptions(token: token)
        )
        try await exporter.serving { try await body(telemetry, $0) }
        if let profiler { telemetry.detach(profiler) }
    }

    private func serving(
        _ profiler: EchoProfiler? = EchoProfiler(),
        token: String? = nil,
        _ body: (_ port: Int) async throws -> Void
    ) async throws {
        try await serving(profiler, token: token) { try await body($1) }
    }

    private func json(_ response: HTTPExchange.Response) throws -> [String: Any] {
        #expect(response["Content-Type"] == "application/json" && response["Cache-Control"] == "no-store")
        return try #require(try JSONSerialization.jsonObject(with: Data(response.body)) as? [String: Any])
    }

    @Test("The parameters reach the profiler, and the answer is JSON for browsers and curl")
    func parameters() async throws {
        try await serving { port in
            let path = "/api/profile?seconds=7&ago=5&action=Cart.add"
            for accept in ["*/*", "application/json", "text/html, application/*;q=0.8"] {
                let response = try await HTTPExchange.perform("GET", path, port: port, headers: ["Accept": accept])
                let profile = try json(response)
                #expect(response.status == 200 && profile["samples"] as? Int == 7_005)
                let frames = try #require(profile["frames"] as? [[String: Any]])
                #expect(frames.map { $0["name"] as? String } == ["Cart.add"] && response["Content-Disposition"] == nil)
            }
            let whole = try await HTTPExchange.perform("GET", "/api/profile?format=json", port: port)
            #expect(try json(whole)["samples"] as? Int == 60_000)
        }
    }

    @Test("The other formats have their types and names of files, and pprof needs no format")
    func formats() async throws {
        try await serving { port in
            for (path, type, name, body) in [
                ("?seconds=9", "application/octet-stream", "axiom-profile.pb", "pprof 9"),
                ("?format=pprof", "application/octet-stream", "axiom-profile.pb", "pprof 60"),
                ("?format=collapsed", "text/plain; charset=utf-8", nil, "collapsed 60"),
                ("?format=speedscope", "application/json", "axiom-profile.speedscope.json", "speedscope 60"),
            ] as [(String, String, String?, String)] {
                let response = try await HTTPExchange.perform("GET", "/api/profile\(path)", port: port)
                #expect(response.status == 200 && response.text == body && response["Content-Type"] == type)
                #expect(response["Content-Disposition"] == name.map { "attachment; filename=\"\($0)\"" })
                #expect(response["X-Content-Type-Options"] == "nosniff" && response["Cache-Control"] == "no-store")
            }
        }
    }

    @Test(
        "A parameter that is not permitted, unknown or given twice is 400 with its name and what is permitted, in JSON",
        arguments: [
            ("seconds=0", "seconds", "is \"0\": give a whole number from 1 to 60"),
            ("seconds=61", "seconds", "from 1 to 60"), ("seconds=abc", "seconds", "is \"abc\": give a whole number"),
            ("seconds=1e9", "seconds", "is \"1e9\""), ("seconds=", "seconds", "is \"\""),
            ("seconds=-1", "seconds", "is \"-1\""), ("seconds=1.5", "seconds", "is \"1.5\""),
            ("seconds=99999999999999999999", "seconds", "from 1 to 60"), ("ago=841", "ago", "from 0 to 840"),
            ("ago=-1", "ago", "from 0 to 840"), ("trace=x", "trace", "32 hexadecimal digits"),
            ("trace=", "trace", "32 hexadecimal digits"),
            ("format=svg", "format", "give one of json, pprof, collapsed, speedscope"),
            ("format=", "format", "give one of"), ("format=JSON", "format", "give one of"),
            ("second=5", "second", "is \"5\": there is no such parameter"),
            ("second=5", "second", "; there are seconds, ago, action, trace, format."),
            ("Seconds=5", "Seconds", "no such parameter"), ("from=9&to=3", "from", "no such parameter"),
            ("=5", "", "no such parameter"), ("seconds", "seconds", "is \"\""),
            ("seconds=5&seconds=6", "seconds", "is \"6\": give it once"),
            ("action=A&action=A", "action", "give it once"),
        ]
    )
    func refusals(_ query: String, _ name: String, _ text: String) async throws {
        try await serving { port in
            let response = try await HTTPExchange.perform("GET", "/api/profile?\(query)", port: port)
            let error = try json(response)
            #expect(response.status == 400 && error["parameter"] as? String == name)
            #expect((error["error"] as? String)?.contains(text) == true, "\(error)")
        }
    }

    @Test(
        "An action that is not known is 404 in each format, and named with those that are, at most ten, the nearest first",
        arguments: ["json", "pprof", "collapsed", "speedscope"]
    )
    func unknown(_ format: String) async throws {
        try await serving(EchoProfiler(isEmpty: true)) { telemetry, port in
            func refusal(_ action: String) async throws -> String {
                let path = "/api/profile?format=\(format)&action=\(action)"
                let response = try await HTTPExchange.perform("GET", path, port: port)
                let error = try json(response)
                #expect(response.status == 404 && error["parameter"] as? String == "action")
                return error["error"] as? String ?? ""
            }
            let early = try await refusal("Cart.ad")
            #expect(early == "action is \"Cart.ad\": no action has run yet.")
            for name in ["Cart.add", "Cart.addAll", "Cart.remove"] + (0..<20).map({ "import \($0)" }) {
                telemetry.span(name) {}
            }
            let near = try await refusal("cart.ad")
            #expect(near.hasPrefix("action is \"cart.ad\": it is not known, or no longer; known are Cart.add, "))
            #expect(near.hasSuffix(" and 13 others.") && near.components(separatedBy: ", ").count == 11)
            let empty = try await refusal("")
            #expect(empty.hasPrefix("action is \"\": it is not known, or no longer; known are "))
            // Whatever the name is, the answer is JSON.
            _ = try await refusal("%22%5C%E2%80%AE")
        }
    }

    @Test("A known action without samples in the range is an empty profile", arguments: ["json", "pprof", "collapsed"])
    func quiet(_ format: String) async throws {
        try await serving(EchoProfiler(isEmpty: true)) { telemetry, port in
            telemetry.span("Cart.add") {}
            let path = "/api/profile?format=\(format)&action=Cart.add"
            let response = try await HTTPExchange.perform("GET", path, port: port)
            #expect(response.status == 200)
        }
    }

    @Test("A trace that is not known is 404; one without samples is an empty profile")
    func traces() async throws {
        try await serving(EchoProfiler(isEmpty: true)) { telemetry, port in
            telemetry.span("Cart.add") {}
            let known = try #require(telemetry.activity(latest: 1).first?.trace)
            #expect(try await HTTPExchange.perform("GET", "/api/profile?trace=\(known)", port: port).status == 200)
            let path = "/api/profile?trace=00000000000000000000000000000001"
            let response = try await HTTPExchange.perform("GET", path, port: port)
            let error = try json(response)
            #expect(response.status == 404 && error["parameter"] as? String == "trace")
            #expect((error["error"] as? String)?.contains("not known, or no longer") == true)
        }
    }

    @Test("Without a profiler it is 404, and says how to start one")
    func none() async throws {
        try await serving(nil) { port in
            let response = try await HTTPExchange.perform("GET", "/api/profile", port: port)
            #expect(response.status == 404)
            let error = try json(response)
            #expect((error["error"] as? String)?.contains("Profiler.start(telemetry)") == true)
        }
    }

    @Test("It needs the dashboard's token, and pages of other servers get nothing")
    func access() async throws {
        try await serving(token: "s3cret") { port in
            let foreign: KeyValuePairs = ["Authorization": "Bearer s3cret", "Origin": "http://evil.example"]
            let bearer: KeyValuePairs = ["Authorization": "Bearer s3cret"]
            let none: KeyValuePairs<String, String> = [:]
            for (fields, status) in [(none, 403), (bearer, 200), (foreign, 403)] {
                let path = "/api/profile?format=json"
                let response = try await HTTPExchange.perform("GET", path, port: port, headers: fields)
                #expect(response.status == status)
            }
        }
    }

    @Test("One is read at a time; meanwhile others are 429, and the page, the health and the metrics are answered")
    func one() async throws {
        let (began, ends) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let profiler = EchoProfiler {
            began.signal()
            ends.wait()
        }
        try await serving(profiler) { port in
            async let first = HTTPExchange.perform("GET", "/api/profile?format=json", port: port)
            await Self.signal(of: began)
            let second = try await HTTPExchange.perform("GET", "/api/profile?format=pprof", port: port)
            #expect(second.status == 429 && second["Retry-After"] == "1")
            let error = try json(second)
            #expect((error["error"] as? String)?.contains("Try again") == true)
            for path in ["/", "/api/snapshot", "/healthz", "/metrics"] {
                #expect(try await HTTPExchange.perform("GET", path, port: port).status == 200, "\(path)")
            }
            for _ in 0..<2 { ends.signal() }
            #expect(try await first.status == 200)
            #expect(try await HTTPExchange.perform("GET", "/api/profile?format=json", port: port).status == 200)
        }
    }

    @Test("A client that goes away frees the place once its profile is read")
    func gone() async throws {
        let (began, ends) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let profiler = EchoProfiler {
            began.signal()
            ends.wait()
        }
        try await serving(profiler) { port in
            let url = "http://127.0.0.1:\(port)/api/profile"
            _ = try await Command.run("/usr/bin/env", ["curl", "-s", "--max-time", "3", "-o", "/dev/null", url])
            await Self.signal(of: began)
            let path = "/api/profile?format=json"
            #expect(try await HTTPExchange.perform("GET", path, port: port).status == 429)
            // For this one, and for those that follow.
            for _ in 0..<3 { ends.signal() }
            while try await HTTPExchange.perform("GET", path, port: port).status == 429 { await Task.yield() }
            #expect(try await HTTPExchange.perform("GET", path, port: port).status == 200)
        }
    }

    @Test("It is answered when every thread of Swift's pool is blocked")
    func blockedPool() async throws {
        let telemetry = try Telemetry()
        let profiler = EchoProfiler()
        #expect(telemetry.attach(profiler))
        let exporter = try Exporter(telemetry: telemetry, configuration: HTTPServerConfiguration(port: 0))
        try exporter.start()
        let port = try #require(exporter.port)
        let (blocked, ends) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let status = await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                let count = ProcessInfo.processInfo.activeProcessorCount
                for _ in 0..<count * 2 {
                    Task.detached {
                        blocked.signal()
                        Self.wait(for: ends)
                    }
                }
                for _ in 0..<count { blocked.wait() }
                let url = "http://127.0.0.1:\(port)/api/profile?seconds=1"
                let curl = Process()
                let output = Pipe()
                curl.executableURL = URL(filePath: "/usr/bin/env")
                curl.arguments = ["curl", "-s", "--max-time", "20", "-w", "%{http_code}", "-o", "/dev/null", url]
                curl.standardOutput = output
                try? curl.run()
                let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
                for _ in 0..<count * 2 { ends.signal() }
                continuation.resume(returning: text)
            }
        }
        #expect(status == "200")
        await exporter.stop()
    }

    private static func wait(for semaphore: DispatchSemaphore) { semaphore.wait() }

    /// Returns after a signal, without blocking a thread of Swift's pool.
    private static func signal(of semaphore: DispatchSemaphore) async {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                semaphore.wait()
                continuation.resume()
            }
        }
    }
}
