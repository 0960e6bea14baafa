// SPDX-License-Identifier: Apache-2.0

import AxiomExporter
import AxiomHTTP
import AxiomInstrumentation
import AxiomSampleApp
import AxiomTestSupport
import Foundation
import Testing

@Suite("Activity and traces over HTTP", .timeLimit(.minutes(10)))
struct TraceRouteTests {
    private static let someID = "0123456789abcdef0123456789abcdef"

    /// Serves an application that has run.
    private func serving(token: String? = nil, _ body: (_ port: Int, SampleApp) async throws -> Void) async throws {
        let app = try await SampleApp.started()
        try await app.runOnce()
        let exporter = try Exporter(
            telemetry: app.telemetry,
            configuration: HTTPServerConfiguration(port: 0),
            dashboard: DashboardOptions(token: token)
        )
        try await exporter.serving { try await body($0, app) }
    }

    private func json(_ response: HTTPExchange.Response) throws -> [String: Any] {
        #expect(response["Content-Type"] == "application/json")
        #expect(response["Cache-Control"] == "no-store")
        return try #require(try JSONSerialization.jsonObject(with: Data(response.body)) as? [String: Any])
    }

    @Test(
        "A parameter that is not permitted is 400 with its name, in JSON",
        arguments: [
            ("/api/activity?limit=0", "limit"), ("/api/activity?min=x", "min"), ("/api/activity?outcome=", "outcome"),
            ("/api/activity?failures=2", "failures"), ("/api/snapshot?version=3", "version"),
            ("/api/traces/123", "id"), ("/api/traces/\(String(repeating: "0", count: 32))", "id"),
            ("/trace/%3Cscript%3E", "id"), ("/trace/\(String(repeating: "g", count: 32))", "id"),
        ]
    )
    func refusals(_ path: String, _ parameter: String) async throws {
        try await serving { port, _ in
            let response = try await HTTPExchange.perform("GET", path, port: port)
            #expect(response.status == 400)
            let error = try json(response)
            #expect(error["parameter"] as? String == parameter)
            #expect((error["error"] as? String)?.hasPrefix("\(parameter) is ") == true)
        }
    }

    @Test("A trace that is not known is 404, with a text that names the remedy, in JSON")
    func unknown() async throws {
        try await serving { port, _ in
            let response = try await HTTPExchange.perform("GET", "/api/traces/\(Self.someID)", port: port)
            #expect(response.status == 404)
            #expect((try json(response)["error"] as? String)?.contains("/api/traces") == true)
        }
    }

    @Test("A link to a trace opens the page on it, with the token", arguments: [nil, "s3cret/+&"])
    func link(_ token: String?) async throws {
        let query = token == nil ? "" : "?token=s3cret%2F%2B%26"
        try await serving(token: token) { port, _ in
            let path = "/trace/\(Self.someID.uppercased())"
            let response = try await HTTPExchange.perform("GET", path + query, port: port)
            #expect(response.status == 303)
            #expect(response["Location"] == "../\(query)#trace=\(Self.someID)")
            #expect(response["Cache-Control"] == "no-store")
            let bare = try await HTTPExchange.perform("GET", path, port: port)
            #expect(bare.status == (token == nil ? 303 : 403))
            #expect(token == nil || bare["Location"] == nil)
            let evil = try await HTTPExchange.perform("GET", "/trace/a%0d%0aSet-Cookie:%20a" + query, port: port)
            #expect(evil.status == 400)
            #expect(evil["Set-Cookie"] == nil)
        }
    }

    @Test(
        "A page of another server cannot read a trace or follow a link to it",
        arguments: ["/api/traces/\(someID)", "/trace/\(someID)"]
    )
    func origins(_ path: String) async throws {
        try await serving { port, _ in
            for origin in ["http://evil.example", "null", "http://127.0.0.1:1"] {
                let response = try await HTTPExchange.perform("GET", path, port: port, headers: ["Origin": origin])
                #expect(response.status == 403)
                #expect(response["Location"] == nil)
            }
        }
    }

    #if Instrumented
    private static let python = ExternalTool.schemaPython

    private func complaints(_ document: Data, _ schema: String) async throws -> String {
        let path = Repository.root.appending(path: "Dashboards/web/\(schema).schema.json").path
        let script = """
            import json, sys, jsonschema
            schema = json.load(open(sys.argv[1]))
            for error in jsonschema.Draft202012Validator(schema).iter_errors(json.load(sys.stdin)): print(error)
            """
        let output = try await Self.python.run(["-c", script, path], input: document)
        return output.output + output.errors
    }

    @Test("An application that has run shows its actions, and each leads to its trace, as the schemas describe")
    func application() async throws {
        try await serving { port, _ in
            let answer = try await HTTPExchange.perform("GET", "/api/activity?limit=1000", port: port)
            let rows = try #require(try json(answer)["activity"] as? [[String: Any]])
            let kinds = Set(rows.compactMap { $0["kind"] as? String })
            #expect(kinds.isSuperset(of: ["context_action", "client_action", "lifecycle_phase"]))
            let refund = try #require(rows.first { $0["name"] as? String == "refund" && $0["parent"] is String })
            #expect((refund["by"] as? [String: Any])?["component"] as? String == "CounterContext")
            for row in rows {
                let id = try #require(row["trace"] as? String)
                let trace = try await HTTPExchange.perform("GET", "/api/traces/\(id)", port: port)
                #expect(trace.status == 200)
                let spans = try #require(try json(trace)["spans"] as? [[String: Any]])
                #expect(spans.contains { $0["id"] as? String == row["id"] as? String })
            }
            guard Self.python.mayRun else { return }
            let id = refund["trace"] as? String ?? ""
            let paths = [
                ("/api/activity", "activity-1"), ("/api/traces", "traces-1"), ("/api/traces/\(id)", "trace-1"),
                ("/api/snapshot?version=2", "snapshot-2"), ("/api/snapshot", "snapshot-1"),
            ]
            for (path, schema) in paths {
                let response = try await HTTPExchange.perform("GET", path, port: port)
                #expect(try await complaints(Data(response.body), schema) == "", "\(path)")
            }
        }
    }
    #endif
}
