// SPDX-License-Identifier: Apache-2.0

#if Instrumented
import Axiom
import AxiomExporter
import AxiomHTTP
import AxiomInstrumentation
import AxiomTestSupport
import Foundation
import Testing

private struct LockerState: OwnedState {
    var key = "c4n4ry-4712"
}

private enum LockerAction: Action { case open }

private actor LockerClient: Client, Component {
    nonisolated let identity: ComponentIdentity
    private let store: StateStore<LockerState>

    init(_ scope: borrowing ClientScope) {
        identity = scope.identity
        store = scope.store(LockerState())
    }

    var state: LockerState { store.state }
    nonisolated var stateStream: StateStream<LockerState> { store.stream }
    func process(_ action: LockerAction) { store.update { $0.key += "!" } }
}

/// The document that `/api/inspect` answers.
private struct Document: Decodable {
    let schema: String
    let version: Int
    let instance: String
    let inspection: Inspection
}

@Suite("The inspection over HTTP", .timeLimit(.minutes(10)))
@MainActor
struct InspectRouteTests {
    private func serving(
        _ options: DashboardOptions = DashboardOptions(),
        starts: Bool = true,
        _ body: (_ port: Int, Orchestrator) async throws -> Void
    ) async throws {
        let telemetry = try Telemetry(onBudgetViolation: { _ in })
        let orchestrator = Orchestrator(instrumentation: telemetry, limits: .endless)
        orchestrator.register(LockerClient.self) { LockerClient($0) }
        if starts { try await orchestrator.start() }
        let configuration = HTTPServerConfiguration(port: 0)
        let exporter = try Exporter(telemetry: telemetry, configuration: configuration, dashboard: options)
        try await exporter.serving { try await body($0, orchestrator) }
    }

    @Test("It is the inspection of the orchestrator, without states, and the same twice (INS-02)")
    func document() async throws {
        try await serving { port, orchestrator in
            let response = try await HTTPExchange.perform("GET", "/api/inspect", port: port)
            #expect(response.status == 200)
            #expect(response["Content-Type"] == "application/json")
            #expect(response["Cache-Control"] == "no-store")
            #expect(!response.text.contains("c4n4ry"))
            let document = try JSONDecoder().decode(Document.self, from: Data(response.text.utf8))
            #expect(document.schema == "axiom/inspection" && document.version == 1)
            #expect(document.inspection == orchestrator.inspect())
            #expect(document.inspection.clients.map(\.name) == ["LockerClient"])
            #expect(document.inspection.clients.map(\.actionsInFlight) == [0])
            let again = try await HTTPExchange.perform("GET", "/api/inspect", port: port)
            #expect(again.text == response.text)
        }
    }

    @Test("It needs the token of the dashboard (INS-02)")
    func token() async throws {
        try await serving(DashboardOptions(token: "t0ken")) { port, _ in
            let refused = try await HTTPExchange.perform("GET", "/api/inspect", port: port)
            let allowed = try await HTTPExchange.perform("GET", "/api/inspect?token=t0ken", port: port)
            #expect(refused.status == 403 && allowed.status == 200)
        }
    }

    @Test("Before the first start there is nothing to inspect (INS-02)")
    func notStarted() async throws {
        try await serving(starts: false) { port, _ in
            let response = try await HTTPExchange.perform("GET", "/api/inspect", port: port)
            #expect(response.status == 404 && response.text.contains("No orchestrator"))
        }
    }

    @Test("The published schema names every field of the document (INS-02)")
    func schema() throws {
        let file = Repository.root.appending(path: "Dashboards/web/inspection-1.schema.json")
        let text = try String(contentsOf: file, encoding: .utf8)
        let inspection = Orchestrator().inspect()
        let encoder = JSONEncoder()
        let fields = try JSONSerialization.jsonObject(with: encoder.encode(inspection)) as? [String: Any] ?? [:]
        #expect(fields.count == 12)
        for field in fields.keys { #expect(text.contains("\"\(field)\""), "\(field)") }
    }
}
#endif
