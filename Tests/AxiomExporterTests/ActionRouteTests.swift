// SPDX-License-Identifier: Apache-2.0

#if Instrumented
import Axiom
import AxiomExporter
import AxiomHTTP
import AxiomInstrumentation
import AxiomSampleApp
import AxiomTestSupport
import Foundation
import Testing

@Suite("Actions over HTTP", .timeLimit(.minutes(10)))
@MainActor
struct ActionRouteTests {
    private nonisolated static let paths = ["/api/actions/breaker", "/api/actions/fault", "/api/actions/capability"]
    private nonisolated static let allowed = DashboardOptions(token: "s3cret", allowsActions: true)
    private nonisolated static let fault =
        #"{"component":"TillClient","set":"errors","value":1,"seconds":60}"#

    /// Serves an application.
    private func serving(
        _ options: DashboardOptions,
        _ body: (_ port: Int, _ app: SampleApp) async throws -> Void
    ) async throws {
        let app = try await SampleApp.started()
        let configuration = HTTPServerConfiguration(port: 0)
        let exporter = try Exporter(telemetry: app.telemetry, configuration: configuration, dashboard: options)
        try await exporter.serving { try await body($0, app) }
        #expect(app.telemetry.readings.developerActions.inForce.isEmpty)
    }

    private func post(
        _ path: String,
        _ port: Int,
        _ headers: KeyValuePairs<String, String> = ["Content-Type": "application/json"],
        body: String = ActionRouteTests.fault
    ) async throws -> HTTPExchange.Response {
        try await HTTPExchange.perform("POST", path, port: port, headers: headers, body: body)
    }

    @Test("They are off by default: 404 in JSON that names the option", arguments: paths)
    func off(_ path: String) async throws {
        #expect(!DashboardOptions().allowsActions)
        for options in [DashboardOptions(), DashboardOptions(token: "s3cret")] {
            try await serving(options) { port, app in
                for response in [
                    try await post("\(path)?token=s3cret", port),
                    try await HTTPExchange.perform("GET", "/api/actions?token=s3cret", port: port),
                ] {
                    #expect(response.status == 404 && response["Content-Type"] == "application/json")
                    #expect(response.text.contains("DashboardOptions(allowsActions: true)"))
                }
                #expect(app.telemetry.readings.developerActions.uses.isEmpty)
            }
        }
    }

    @Test("Without a token the exporter is not made, and the error names the remedy")
    func noToken() throws {
        let telemetry = try Telemetry(onBudgetViolation: { _ in })
        let error = #expect(throws: HTTPServerError.self) {
            try Exporter(telemetry: telemetry, dashboard: DashboardOptions(allowsActions: true))
        }
        #expect(error?.code == .invalidConfiguration)
        #expect(error?.message.contains("token") == true)
    }

    @Test("A request needs the token, and a browser a page of this server", arguments: paths)
    func forgery(_ path: String) async throws {
        try await serving(Self.allowed) { port, app in
            let own = "http://127.0.0.1:\(port)"
            let json = "application/json"
            let refused: [(String, KeyValuePairs<String, String>)] = [
                ("", ["Content-Type": json]), ("", ["Content-Type": json, "Origin": own]),
                ("", ["Content-Type": json, "Cookie": "token=s3cret", "Authorization": "Basic s3cret"]),
                ("", ["Content-Type": json, "Authorization": "Bearer wrong"]),
                ("", ["Origin": "http://evil.example", "Content-Type": json, "Authorization": "Bearer s3cret"]),
                ("?token=wrong", ["Content-Type": json]),
                ("?token=s3cret", ["Content-Type": json, "Origin": "http://evil.example"]),
                ("?token=s3cret", ["Content-Type": json, "Origin": "null"]),
                ("?token=s3cret", ["Content-Type": json, "Origin": own, "Sec-Fetch-Site": "cross-site"]),
                ("?token=s3cret", ["Content-Type": json, "Origin": own, "Sec-Fetch-Site": "same-site"]),
                ("?token=s3cret", ["Content-Type": json, "Sec-Fetch-Site": "none"]),
            ]
            for (query, headers) in refused {
                let response = try await post(path + query, port, headers)
                #expect(response.status == 403, "\(query) \(headers)")
            }
            for headers: KeyValuePairs<String, String> in [
                [:], ["Content-Type": "text/plain"], ["Content-Type": "application/x-www-form-urlencoded"],
                ["Content-Type": "text/plain; application/json"], ["Content-Type": "multipart/form-data"],
            ] {
                let response = try await post(path + "?token=s3cret", port, headers)
                #expect(response.status == 415, "\(headers)")
            }
            #expect(app.telemetry.readings.developerActions.uses.isEmpty)
            let read = try await HTTPExchange.perform("GET", "\(path)?token=s3cret", port: port)
            #expect(read.status == 405)
        }
    }

    @Test("An action from a page of the server and from a script acts, and the list has it with its end")
    func acts() async throws {
        try await serving(Self.allowed) { port, app in
            let own =
                [
                    "Content-Type": "application/json", "Origin": "http://127.0.0.1:\(port)",
                    "Sec-Fetch-Site": "same-origin",
                ] as KeyValuePairs
            let first = try await post("/api/actions/fault?token=s3cret", port, own)
            #expect(
                first.status == 200
                    && first.text.contains("Errors injected into 100 % of the calls of TillClient until")
            )
            let second = try await post(
                "/api/actions/capability?token=s3cret",
                port,
                body: #"{"component":"Vault","set":"away","seconds":60}"#
            )
            #expect(second.status == 200)
            #expect(app.telemetry.readings.developerActions.inForce.count == 2)
            let list = try await HTTPExchange.perform("GET", "/api/actions?token=s3cret", port: port)
            let json = try #require(try JSONSerialization.jsonObject(with: list.body) as? [String: Any])
            let inForce = try #require(json["inForce"] as? [[String: Any]])
            #expect(inForce.map { $0["part"] as? String } == ["errors", "capability"])
            for row in inForce {
                let (since, until) = (row["since"] as? Double ?? 0, row["until"] as? Double ?? 0)
                #expect((until - since - 60).magnitude < 0.01)
            }
            #expect((json["uses"] as? [[String: Any]])?.count == 2)
            #expect(try await HTTPExchange.perform("GET", "/api/actions", port: port).status == 403)
        }
    }

    @Test("A mistake is 400 with the member, an unknown component 404, and a long body 413")
    func mistakes() async throws {
        try await serving(Self.allowed) { port, app in
            let path = "/api/actions/fault?token=s3cret"
            let wrong = try await post(path, port, body: Self.fault.replacing(":60", with: ":601"))
            #expect(wrong.status == 400 && wrong.text.contains("\"parameter\":\"seconds\""))
            #expect(wrong.text.contains("from 1 to 600"))
            let unknown = try await post(path, port, body: Self.fault.replacing("TillClient", with: "Other"))
            #expect(unknown.status == 404 && unknown.text.contains("Other"))
            #expect(try await post(path, port, body: String(repeating: " ", count: 5_000)).status == 413)
            #expect(app.telemetry.readings.developerActions.uses.isEmpty)
        }
    }
}
#endif
