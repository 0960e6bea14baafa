// SPDX-License-Identifier: Apache-2.0

import AxiomInstrumentation
import AxiomMetrics
import AxiomMetricsExporter
import AxiomTLS
import AxiomTestSupport
import Testing

@testable import AxiomExporter
@testable import AxiomHTTP

@Suite("Who may read the dashboard", .timeLimit(.minutes(10)))
struct DashboardAccessTests {
    private static let token = "s3cret/+&"
    private static let encoded = "s3cret%2F%2B%26"

    private func serving(_ body: (_ port: Int) async throws -> Void) async throws {
        try await Exporter.serving(dashboard: DashboardOptions(token: Self.token), body)
    }

    @Test("A browser exchanges the token in the address for a cookie, and then needs no token in any address")
    func exchange() async throws {
        try await serving { port in
            let opened = try await HTTPExchange.perform(
                "GET",
                "/?token=\(Self.encoded)",
                port: port,
                headers: ["Accept": "text/html,application/xhtml+xml,*/*;q=0.8"]
            )
            #expect(opened.status == 303 && opened["Location"] == "./" && opened["Cache-Control"] == "no-store")
            let cookie = try #require(opened["Set-Cookie"])
            #expect(cookie == "axiom-dashboard-\(port)=\(Self.encoded); HttpOnly; SameSite=Strict")
            let pair = try #require(cookie.split(separator: ";").first.map(String.init))
            for path in ["/", "/api/snapshot", "/api/traces", "/export.html", "/codes", "/profile.js"] {
                let headers: KeyValuePairs = ["Cookie": "other=1; \(pair); last=2", "Accept": "text/html"]
                let response = try await HTTPExchange.perform("GET", path, port: port, headers: headers)
                #expect(response.status == 200, "\(path)")
                #expect(!response.text.contains(Self.encoded) && !response.text.contains(Self.token), "\(path)")
            }
        }
    }

    @Test("Other cookies, and those of another port, open nothing; neither does a wrong token get one")
    func wrongCookies() async throws {
        try await serving { port in
            let name = "axiom-dashboard-\(port)"
            for cookie in [
                "", name, "\(name)=", "\(name)=s3cret", "\(name)=\(Self.encoded)x", "axiom-dashboard-1=\(Self.encoded)",
                "axiom-dashboard=\(Self.encoded)", "x\(name)=\(Self.encoded)", "\(name)=x=\(Self.encoded)",
            ] {
                let headers: KeyValuePairs = ["Cookie": cookie.isEmpty ? "a=b" : cookie]
                let response = try await HTTPExchange.perform("GET", "/", port: port, headers: headers)
                #expect(response.status == 403, "\(cookie)")
            }
            let headers: KeyValuePairs = ["Accept": "text/html"]
            let wrong = try await HTTPExchange.perform("GET", "/?token=wrong", port: port, headers: headers)
            #expect(wrong.status == 403 && wrong["Set-Cookie"] == nil)
        }
    }

    @Test("A program sends the token as a bearer, or in the query as before, and gets no redirect")
    func programs() async throws {
        try await serving { port in
            for (value, status) in [
                ("Bearer \(Self.token)", 200), ("bearer   \(Self.token)", 200), ("Bearer \(Self.token)x", 403),
                ("Bearer", 403), ("Basic \(Self.token)", 403), (Self.token, 403),
            ] {
                let headers: KeyValuePairs = ["Authorization": value]
                let response = try await HTTPExchange.perform("GET", "/api/snapshot", port: port, headers: headers)
                #expect(response.status == status, "\(value)")
            }
            #expect(try await HTTPExchange.perform("GET", "/?token=\(Self.encoded)", port: port).status == 200)
        }
    }

    @Test("Over TLS the cookie is for TLS only")
    func secure() {
        let request = HTTPRequest(
            path: "/",
            query: [HTTPRequest.QueryItem(name: "token", value: "a")],
            headers: ["Accept": "text/html", "Host": "[::1]:9464"]
        )
        let access = DashboardAccess(token: "a", isEncrypted: true)
        #expect(
            access.exchange(request)?.headers["Set-Cookie"]
                == "axiom-dashboard-9464=a; HttpOnly; SameSite=Strict; Secure"
        )
        #expect(DashboardAccess(token: nil).exchange(request) == nil)
    }

    @Test("What users entered is not shown to other machines without a token or credentials, and the error says so")
    func openToOthers() throws {
        var open = HTTPServerConfiguration(host: "0.0.0.0", port: 0, allowedHosts: ["*"])
        let rebound = HTTPServerConfiguration(port: 0, allowedHosts: ["*"])
        let named = HTTPServerConfiguration(host: "::", port: 0, allowedHosts: ["metrics.internal"])
        let options = [DashboardOptions(inspectsState: true), DashboardOptions(recordsPayloads: true)]
        for (option, name) in zip(options, ["inspectsState", "recordsPayloads"]) {
            for configuration in [open, rebound, named] {
                let error = #expect(throws: HTTPServerError.self) { try option.validate(for: configuration) }
                #expect(error?.code == .invalidConfiguration)
                #expect(error?.message.contains(name) == true && error?.message.contains("token") == true)
            }
            for host in ["127.0.0.1", "127.1.2.3", "localhost", "::1"] {
                try option.validate(for: HTTPServerConfiguration(host: host, port: 0, allowedHosts: ["a.internal"]))
            }
            var guarded = option
            guarded.token = "a"
            try guarded.validate(for: open)
            (guarded.token, guarded.isServed) = (nil, false)
            try guarded.validate(for: open)
        }
        open.authentication = HTTPAuthentication()
        try options[0].validate(for: open)
        #expect(throws: HTTPServerError.self) {
            _ = try Exporter(telemetry: Telemetry(), configuration: rebound, dashboard: options[0])
        }
    }

    @Test("A message for the log has no character of a client that changes how the log is shown")
    func printable() async throws {
        let reports = Journal<String>()
        let registry = Registry()
        let exporter = try MetricsExporter(
            registry,
            HTTPServerConfiguration(port: 0),
            false,
            { .ready },
            { reports.write($0) },
            routes: [.get("/{name}") { _ in throw CancellationError() }]
        )
        try exporter.start()
        let port = try #require(exporter.port)
        let marks = ["%C2%9B31m", "%E2%80%AE", "%E2%81%A6", "%E2%80%A8", "%C2%85"]
        for mark in marks {
            #expect(try await HTTPExchange.perform("GET", "/a\(mark)b", port: port).status == 500)
        }
        await exporter.stop()
        #expect(reports.entries.count == marks.count)
        #expect(reports.entries.first?.contains("/a\\u{9b}31mb") == true)
        for report in reports.entries {
            #expect(report.unicodeScalars.allSatisfy { $0.isASCII }, "\(report)")
        }
    }

    @Test("A page of another site cannot make the dashboard work by loading its paths; a link from it can open them")
    func foreignPages() async throws {
        try await Exporter.serving { port in
            for (site, mode, status) in [
                ("cross-site", "no-cors", 403), ("cross-site", "cors", 403), ("Cross-Site", "no-cors", 403),
                ("cross-site", "navigate", 200), ("same-origin", "cors", 200), ("none", "navigate", 200),
            ] {
                let headers: KeyValuePairs = ["Sec-Fetch-Site": site, "Sec-Fetch-Mode": mode]
                let response = try await HTTPExchange.perform("GET", "/api/traces", port: port, headers: headers)
                #expect(response.status == status, "\(site) \(mode)")
            }
        }
    }
}
