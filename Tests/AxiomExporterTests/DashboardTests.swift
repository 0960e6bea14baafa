// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import AxiomDashboard
import AxiomExporter
import AxiomHTTP
import AxiomInstrumentation
import AxiomMetrics
import AxiomMetricsExporter
import AxiomTestSupport
import Foundation
import Testing

@Suite("The dashboard over HTTP")
struct DashboardTests {
    private static let paths = [
        "/", "/api/snapshot", "/api/snapshot?since=1&instance=x", "/api/snapshot?version=2", "/api/activity",
        "/api/activity?limit=5&failures=1", "/api/traces", "/export.html", "/codes", "/api/diagnosis",
        "/profile.js",
    ]

    @Test("Every path answers, is not cached, and allows nothing", arguments: paths)
    func headers(_ path: String) async throws {
        try await Exporter.serving { port in
            let response = try await HTTPExchange.perform("GET", path, port: port)
            #expect(response.status == 200)
            #expect(response["Cache-Control"] == "no-store")
            #expect(response["X-Content-Type-Options"] == "nosniff")
            #expect(response["Referrer-Policy"] == "no-referrer")
            #expect(response["Access-Control-Allow-Origin"] == nil)
            if !path.hasPrefix("/api"), path != "/profile.js" {
                let policy = try #require(response["Content-Security-Policy"])
                let allowed = path == "/codes" ? "base-uri 'none'" : "script-src 'sha256-"
                #expect(policy.hasPrefix("default-src 'none'; \(allowed)"))
                #expect(policy.hasSuffix("frame-ancestors 'none'"))
                #expect(!policy.contains("unsafe"))
            }
        }
    }

    @Test(
        "A diagnosis is JSON, or Markdown for those who ask for it",
        arguments: [
            ("", "application/json"), ("*/*", "application/json"), ("application/json, text/plain", "application/json"),
            ("text/markdown", "text/markdown; charset=utf-8"), ("text/plain;q=0.9", "text/markdown; charset=utf-8"),
        ]
    )
    func diagnosis(_ accepted: String, _ type: String) async throws {
        try await Exporter.serving { port in
            let headers: KeyValuePairs = ["Accept": accepted]
            let response = try await HTTPExchange.perform("GET", "/api/diagnosis", port: port, headers: headers)
            #expect(response.status == 200 && response["Content-Type"] == type)
            let isMarkdown = type.hasPrefix("text")
            #expect(response.text.contains(isMarkdown ? ": no problems\n" : #""schema":"axiom/diagnosis""#))
            #expect(response.text.utf8.count <= 2_048)
        }
    }

    @Test(
        "What explains slow calls is asked for by a known component",
        arguments: [("", ""), ("?component=", ""), ("?component=%3Cb%3E", #"\u003cb>"#)]
    )
    func explanation(_ query: String, _ name: String) async throws {
        try await Exporter.serving { port in
            let response = try await HTTPExchange.perform("GET", "/api/explanation" + query, port: port)
            #expect(response.status == 404 && response["Content-Type"] == "application/json")
            #expect(response.text.contains(#"component is \"\#(name)\": no component"#))
            #expect(response.text.contains(#""parameter":"component""#))
        }
    }

    @Test("A request from another server's page is refused, whatever its path", arguments: paths + ["/api/stream"])
    func origins(_ path: String) async throws {
        try await Exporter.serving { port in
            for origin in ["http://evil.example", "null", "http://127.0.0.1:1", "http://localhost:\(port)", "file://"] {
                let response = try await HTTPExchange.perform("GET", path, port: port, headers: ["Origin": origin])
                #expect(response.status == 403)
                #expect(!response.text.contains("axiom/snapshot"))
            }
            guard path != "/api/stream" else { return }
            let own = try await HTTPExchange.perform(
                "GET",
                path,
                port: port,
                headers: ["Origin": "http://127.0.0.1:\(port)"]
            )
            #expect(own.status == 200)
        }
    }

    @Test(
        "With a token, nothing of the dashboard is shown without it; metrics and health are",
        arguments: paths + ["/api/stream"]
    )
    func token(_ path: String) async throws {
        let exporter = try Exporter(
            telemetry: Telemetry(),
            configuration: HTTPServerConfiguration(port: 0),
            dashboard: DashboardOptions(token: "s3cret")
        )
        try exporter.start()
        let port = try #require(exporter.port)
        for wrong in ["", "token=", "token=S3cret", "token=s3cre", "token=s3crets", "token=s3crets3cret", "t=s3cret"] {
            let query = path.contains("?") ? "&\(wrong)" : "?\(wrong)"
            #expect(try await HTTPExchange.perform("GET", path + query, port: port).status == 403)
        }
        if path != "/api/stream" {
            let query = path.contains("?") ? "&token=s3cret" : "?token=s3cret"
            #expect(try await HTTPExchange.perform("GET", path + query, port: port).status == 200)
        }
        for open in ["/metrics", "/healthz", "/readyz"] {
            #expect(try await HTTPExchange.perform("GET", open, port: port).status == 200)
        }
        await exporter.stop()
    }

    @Test("The errors of a group that does not exist are answered 404 with a reason; a page of another server gets 403")
    func unknownErrors() async throws {
        try await Exporter.serving { port in
            for id in ["0", "-1", "x", "99999999999999999999"] {
                let response = try await HTTPExchange.perform("GET", "/api/errors/\(id)", port: port)
                #expect(response.status == 404)
                #expect(response["Content-Type"] == "application/json")
                #expect(response["Cache-Control"] == "no-store")
                #expect(response.text.contains("\"error\""))
            }
            let foreign = try await HTTPExchange.perform(
                "GET",
                "/api/errors/0",
                port: port,
                headers: ["Origin": "http://evil.example"]
            )
            #expect(foreign.status == 403)
        }
    }

    @Test("The script of the profile is not in the page")
    func profileScript() async throws {
        try await Exporter.serving { port in
            let page = try await HTTPExchange.perform("GET", "/", port: port)
            let script = try await HTTPExchange.perform("GET", "/profile.js", port: port)
            #expect(script["Content-Type"] == "text/javascript; charset=utf-8")
            #expect(Array(script.body) == Dashboard.profileScript)
            #expect(!page.text.contains(script.text))
        }
    }

    @Test("The page of the error codes has the meaning of each code under its anchor, and nothing else")
    func codes() async throws {
        try await Exporter.serving { port in
            let page = try await HTTPExchange.perform("GET", "/codes", port: port)
            #expect(page["Content-Type"] == "text/html; charset=utf-8")
            let anchors = page.text.matches(of: /<h2 id="(\w+)">(\w+)<\/h2><p>([^<]+)<\/p>/)
            #expect(anchors.map(\.output.1) == anchors.map(\.output.2))
            #expect(anchors.map { String($0.output.1) } == ErrorCatalog.entries.map(\.code.rawValue))
            for (found, entry) in zip(anchors, ErrorCatalog.entries) where !entry.meaning.contains("'") {
                #expect(found.output.3.hasPrefix(entry.meaning))
            }
        }
    }

    @Test("The links for browsers without JavaScript contain the token too", arguments: ["s3cret", "a&b \"ü/%+"])
    func linkWithToken(_ token: String) async throws {
        let exporter = try Exporter(
            telemetry: Telemetry(),
            configuration: HTTPServerConfiguration(port: 0),
            dashboard: DashboardOptions(token: token)
        )
        try exporter.start()
        let port = try #require(exporter.port)
        let given = try #require(token.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
        let page = try await HTTPExchange.perform("GET", "/?token=\(given)", port: port).text
        let link = try #require(page.firstMatch(of: /<a href="(export[^"]*)"/)?.output.1)
        #expect(try await HTTPExchange.perform("GET", "/\(link)", port: port).status == 200)
        await exporter.stop()
    }

    @Test("Without a dashboard nothing is sampled and its paths are not found; metrics and health are served")
    func none() async throws {
        let exporter = try Exporter(
            telemetry: Telemetry(),
            configuration: HTTPServerConfiguration(port: 0),
            dashboard: DashboardOptions(isServed: false)
        )
        try exporter.start()
        let port = try #require(exporter.port)
        for path in Self.paths + ["/api/stream"] {
            #expect(try await HTTPExchange.perform("GET", path, port: port).status == 404)
        }
        for open in ["/metrics", "/healthz", "/readyz"] {
            #expect(try await HTTPExchange.perform("GET", open, port: port).status == 200)
        }
        await exporter.stop()
    }

    @Test("An empty token is a clear error")
    func emptyToken() {
        let error = #expect(throws: HTTPServerError.self) {
            try Exporter(telemetry: Telemetry(), dashboard: DashboardOptions(token: ""))
        }
        #expect(error?.message.contains("token") == true)
    }

    @Test("The dashboard cannot change anything", arguments: ["POST", "PUT", "DELETE", "PATCH"])
    func readOnly(_ method: String) async throws {
        try await Exporter.serving { port in
            for path in Self.paths {
                let response = try await HTTPExchange.perform(method, path, port: port)
                #expect(response.status == 405)
                #expect(response["Allow"] == "GET, HEAD")
            }
        }
    }

    @Test("The stream sends a tick each second, and says when the exporter stops")
    func stream() async throws {
        let exporter = try Exporter(telemetry: Telemetry(), configuration: HTTPServerConfiguration(port: 0))
        try exporter.start()
        let port = try #require(exporter.port)
        let (ticks, heard) = AsyncStream<Void>.makeStream()
        let reading = Task {
            defer { heard.finish() }
            return try await HTTPExchange.perform("GET", "/api/stream", port: port) { received in
                if Self.ticks(String(decoding: received, as: UTF8.self)) >= 2 { heard.finish() }
            }
        }
        for await _ in ticks {}
        await exporter.stop()
        let response = try await reading.value
        #expect(response["Content-Type"] == "text/event-stream")
        // A proxy must neither buffer nor compress it: nginx would pass events on every eleven seconds.
        #expect(response["Cache-Control"] == "no-store, no-transform")
        #expect(response["X-Accel-Buffering"] == "no")
        let text = response.text
        #expect(text.contains("retry: 1000"))
        #expect(Self.ticks(text) >= 2)
        #expect(text.contains("event: end"))
    }

    @Test("A snapshot and the update since then belong together")
    func since() async throws {
        try await Exporter.serving { port in
            let first = try await Self.json("/api/snapshot", port)
            let (seq, instance) = (first["seq"] as? Int ?? -1, first["instance"] as? String ?? "")
            try await Loopback.wait(for: "a sample") { try await Self.seq(port) > seq }
            let update = try await Self.json("/api/snapshot?since=\(seq)&instance=\(instance)", port)
            #expect(update["schema"] as? String == "axiom/ticks")
            #expect((update["ticks"] as? [[String: Any]])?.first?["seq"] as? Int == seq + 1)
            let other = try await Self.json("/api/snapshot?since=\(seq)&instance=other", port)
            #expect(other["schema"] as? String == "axiom/snapshot")
            let odd = try await Self.json("/api/snapshot?since=NaN", port)
            #expect(odd["schema"] as? String == "axiom/snapshot")
        }
    }

    @Test("The page is sent compressed to clients that accept gzip, and leaves 2 kB of room within 40 kB")
    func compression() async throws {
        try await Exporter.serving { port in
            let plain = try await HTTPExchange.perform("GET", "/", port: port)
            let small = try await HTTPExchange.perform("GET", "/", port: port, headers: ["Accept-Encoding": "gzip"])
            #expect(small["Content-Encoding"] == "gzip")
            #expect(plain["Content-Encoding"] == nil)
            #expect(plain.body.count <= 100_000)
            // Without the tables, whose size depends on the moment, so that each revision of the page has one size.
            let fixed = plain.text.replacing(/<noscript>[\s\S]*?<\/noscript>/, with: "")
            #expect(fixed.utf8.count < plain.body.count)
            let size = try #require(Gzip.compress(HTTPBody(Array(fixed.utf8)), isSmallest: true)).count
            print("The page without its tables: \(size) bytes")
            #expect(size <= 38_000)
            #expect(small.body.count - size <= 600)
        }
    }

    @Test("If the names of an application are long, the page has shorter tables or none, and still comes in 40 kB")
    func longNames() async throws {
        var random = SplitMix64(seed: TestSeed.drawn())
        var rows: Set<Int> = []
        for length in [2, 100, 400, 20_000] {
            let telemetry = try Telemetry()
            for _ in 0..<4 {
                // Random letters hardly shrink.
                let letters = (0..<length).map { _ in UInt8.random(in: 65...90, using: &random) }
                let client = ComponentDescriptor(kind: .client, name: String(decoding: letters, as: UTF8.self))
                telemetry.registered(client, module: "")
                telemetry.created(ComponentInstance(id: 1, component: client, createdAt: TimeSource.live.now))
            }
            let exporter = try Exporter(telemetry: telemetry, configuration: HTTPServerConfiguration(port: 0))
            try exporter.start()
            let port = try #require(exporter.port)
            let small = try await HTTPExchange.perform("GET", "/", port: port, headers: ["Accept-Encoding": "gzip"])
            #expect(small.body.count <= 40_000, "names of \(length) letters")
            let plain = try await HTTPExchange.perform("GET", "/", port: port).text
            rows.insert(plain.components(separatedBy: "<tr><th><bdi>").count - 1)
            await exporter.stop()
        }
        #expect(rows.contains(0) && rows.contains(3), "\(rows)")
    }

    private static func ticks(_ text: String) -> Int {
        text.components(separatedBy: "event: tick").count - 1
    }

    private static func json(_ path: String, _ port: Int) async throws -> [String: Any] {
        let data = try await Loopback.get("http://127.0.0.1:\(port)\(path)")
        return try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    }

    private static func seq(_ port: Int) async throws -> Int {
        try await json("/api/snapshot", port)["seq"] as? Int ?? -1
    }
}
