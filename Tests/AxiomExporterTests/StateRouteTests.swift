// SPDX-License-Identifier: Apache-2.0

#if Instrumented
import Axiom
import AxiomExporter
import AxiomHTTP
import AxiomInstrumentation
import AxiomTestSupport
import Testing

private actor VaultClient: Client, Component {
    static let canary = "c4n4ry-4711"

    struct Content: OwnedState {
        @Redacted var key = VaultClient.canary
        var opened = 0
    }

    enum Job: Action { case open }

    nonisolated let identity: ComponentIdentity
    private let store: StateStore<Content>

    init(_ scope: borrowing ClientScope) {
        identity = scope.identity
        store = scope.store(Content())
    }

    var state: Content { store.state }
    nonisolated var stateStream: StateStream<Content> { store.stream }
    func process(_ job: Job) { store.update { $0.opened += 1 } }
}

@Suite("States over HTTP", .timeLimit(.minutes(10)))
@MainActor
struct StateRouteTests {
    private nonisolated static let paths = ["/api/state", "/api/state/1"]

    /// Serves an application with one state.
    private func serving(_ options: DashboardOptions, _ body: (_ port: Int) async throws -> Void) async throws {
        let telemetry = try Telemetry(onBudgetViolation: { _ in })
        let orchestrator = Orchestrator(instrumentation: telemetry, limits: .endless)
        orchestrator.register(VaultClient.self) { VaultClient($0) }
        try await orchestrator.start()
        let configuration = HTTPServerConfiguration(port: 0)
        try await Exporter(telemetry: telemetry, configuration: configuration, dashboard: options).serving(body)
        withExtendedLifetime(orchestrator) {}
    }

    @Test("They are off by default: 404 in JSON that names the option", arguments: paths)
    func off(_ path: String) async throws {
        #expect(!DashboardOptions().inspectsState)
        try await serving(DashboardOptions()) { port in
            let response = try await HTTPExchange.perform("GET", path, port: port)
            #expect(response.status == 404)
            #expect(response["Content-Type"] == "application/json")
            #expect(response.text.contains("DashboardOptions(inspectsState: true)"))
        }
    }

    @Test(
        "They have the rules of the snapshot: not cached, no other origin, the token, nothing but GET",
        arguments: paths
    )
    func rules(_ path: String) async throws {
        try await serving(DashboardOptions(token: "s3cret", inspectsState: true)) { port in
            #expect(try await HTTPExchange.perform("GET", path, port: port).status == 403)
            let allowed = path + "?token=s3cret"
            let response = try await HTTPExchange.perform("GET", allowed, port: port)
            #expect(response.status == 200 && response["Cache-Control"] == "no-store")
            #expect(response["X-Content-Type-Options"] == "nosniff")
            let foreign = try await HTTPExchange.perform(
                "GET",
                allowed,
                port: port,
                headers: ["Origin": "http://evil.example"]
            )
            #expect(foreign.status == 403)
            #expect(try await HTTPExchange.perform("POST", allowed, port: port).status == 405)
        }
    }

    @Test("A redacted value is in no byte of any path, and an unknown state or update is an error in JSON")
    func canary() async throws {
        try await serving(DashboardOptions(inspectsState: true)) { port in
            let state = try await HTTPExchange.perform("GET", "/api/state/1", port: port)
            #expect(state.text.contains("\"name\":\"key\",\"text\":\"\\u003credacted>\""))
            for path in Self.paths + ["/", "/api/snapshot", "/export.html", "/metrics"] {
                let response = try await HTTPExchange.perform("GET", path, port: port)
                #expect(response.status == 200 && !response.text.contains(VaultClient.canary))
            }
            for (path, status) in [
                ("/api/state/2", 404), ("/api/state/1?update=7", 404), ("/api/state/1?update=x", 400),
            ] {
                let response = try await HTTPExchange.perform("GET", path, port: port)
                #expect(response.status == status && response.text.contains("\"error\":"))
            }
        }
    }
}
#endif
