// SPDX-License-Identifier: Apache-2.0

#if Instrumented
import Axiom
import AxiomBase
import AxiomInstrumentation
import AxiomTestSupport
import Foundation
import Testing

@testable import AxiomDashboard

/// A client whose state has secrets in all places.
private actor SafeClient: Client, Component {
    static let canary = "c4n4ry-4711"

    struct Code: RedactedState, Hashable, Sendable, CustomStringConvertible {
        var digits = SafeClient.canary
        var description: String { digits }
    }

    enum Door: Hashable, Sendable {
        case open(Code, by: String)
        case locked(Code?)
    }

    struct Safe: OwnedState, CustomStringConvertible, CustomReflectable {
        @Redacted var token = SafeClient.canary
        @Redacted var code: Code? = Code()
        var codes = [Code()]
        var optional: Code? = Code()
        var byName = ["a": Code()]
        var byCode = [Code(): 1]
        var set: Set<Code> = [Code()]
        var door = Door.open(Code(), by: "me")
        var locked = Door.locked(Code())
        var opened = 0

        var description: String { token + "\(code as Any)" }
        var customMirror: Mirror {
            Mirror(
                self,
                children: [
                    "codes": codes, "optional": optional as Any, "byName": byName, "byCode": byCode, "set": set,
                    "door": door, "locked": locked, "opened": opened, "_token": _token,
                ]
            )
        }
    }

    enum Job: Action {
        case open(Code)

        static var caseNames: [String] { ["open"] }
        var caseIndex: Int { 0 }
    }

    nonisolated let identity: ComponentIdentity
    private let store: StateStore<Safe>

    init(_ scope: borrowing ClientScope) {
        identity = scope.identity
        store = scope.store(Safe())
    }

    var state: Safe { store.state }
    nonisolated var stateStream: StateStream<Safe> { store.stream }

    func process(_ job: Job) {
        store.update { safe in
            safe.opened += 1
            safe.codes.append(Code())
            safe.token += "x"
        }
    }
}

@Suite("The states that a dashboard serves", .timeLimit(.minutes(10)))
@MainActor
struct StateTests {
    private nonisolated static let python = ExternalTool.schemaPython

    private let telemetry: Telemetry
    private let client: any StatelessClient<SafeClient.Job>

    init() async throws {
        // Time stands still, because an inspection ends ten seconds after the latest request.
        let clock = TimeSource.manual(ManualTime())
        telemetry = try Telemetry(onBudgetViolation: { _ in }, clock: clock)
        let orchestrator = Orchestrator(instrumentation: telemetry, clock: clock)
        let made = Lock<SafeClient?>(nil)
        orchestrator.register(SafeClient.self) { scope in
            let client = SafeClient(scope)
            made.withLock { $0 = client }
            return client
        }
        try await orchestrator.start()
        client = try #require(made.withLock { $0 })
        keep = orchestrator
    }

    private let keep: Orchestrator

    private func dashboard(_ inspects: Bool) -> Dashboard {
        Dashboard(telemetry: telemetry, name: "Safe", features: inspects ? [.inspectsState] : [])
    }

    private func object(_ answer: StateAnswer) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(answer.json)) as? [String: Any])
    }

    @Test("Without the option they are not found, the answer names the option, and the snapshot does not offer them")
    func off() throws {
        let dashboard = dashboard(false)
        for answer in [dashboard.states(), dashboard.state("1"), dashboard.state("1", update: "x")] {
            #expect(answer.status == 404)
            #expect(
                try object(answer)["error"] as? String
                    == "States are not inspected. Set DashboardOptions(inspectsState: true)."
            )
        }
        #expect(!String(decoding: dashboard.snapshot(), as: UTF8.self).contains("inspects"))
    }

    @Test("They are listed, and shown with what each update changed; an update that does not exist is not found")
    func shown() async throws {
        let dashboard = dashboard(true)
        let first = try #require(try object(dashboard.states(of: "SafeClient"))["clients"] as? [[String: Any]])
        let id = "\(try #require(first.first?["id"] as? Int))"
        try await client.process(.open(.init()))
        try await client.process(.open(.init()))
        let state = try object(dashboard.state(id))
        #expect(state["shown"] as? Int == 2 && state["before"] as? Int == 1)
        let changes = try #require(state["changes"] as? [[String: Any]])
        #expect(changes.map { ($0["path"] as? [String])?.joined(separator: ".") } == ["codes.2", "opened"])
        #expect(changes.last?["before"] as? String == "1" && changes.last?["after"] as? String == "2")
        #expect((state["list"] as? [[String: Any]])?.map { $0["update"] as? Int } == [0, 1, 2])
        #expect(try object(dashboard.state(id, update: "1"))["shown"] as? Int == 1)
        #expect(dashboard.state(id, update: "9").status == 404)
        #expect(dashboard.state("x").status == 404)
        #expect(dashboard.state(id, update: "-1").status == 400)
        #expect(try object(dashboard.states(of: "Other"))["clients"] as? [[String: String]] == [])
        #expect(String(decoding: dashboard.snapshot(), as: UTF8.self).contains("\"inspects\":true"))
    }

    @Test("Redacted values are in no byte that a dashboard serves or exports")
    func canary() async throws {
        let dashboard = dashboard(true)
        _ = dashboard.states()
        for _ in 0..<3 { try await client.process(.open(.init())) }
        dashboard.sample()
        let id =
            "\(try #require((try object(dashboard.states())["clients"] as? [[String: Any]])?.first?["id"] as? Int))"
        let served = [
            dashboard.states().json, dashboard.state(id).json, dashboard.state(id, update: "1").json,
            dashboard.snapshot(), dashboard.exportedPage(), dashboard.page(),
        ]
        for bytes in served { #expect(!String(decoding: bytes, as: UTF8.self).contains(SafeClient.canary)) }
        let text = String(decoding: served[1], as: UTF8.self)
        #expect(text.components(separatedBy: "\\u003credacted>").count > 8)
    }

    @Test(
        "Answers fit their schema",
        .enabled(if: python.mayRun, Comment(rawValue: python.installation))
    )
    func schema() async throws {
        let dashboard = dashboard(true)
        _ = dashboard.states()
        for _ in 0..<3 { try await client.process(.open(.init())) }
        let schema = Repository.root.appending(path: "Dashboards/web/state-1.schema.json").path
        let script = """
            import json, sys, jsonschema
            schema = json.load(open(sys.argv[1]))
            jsonschema.Draft202012Validator.check_schema(schema)
            for error in jsonschema.Draft202012Validator(schema).iter_errors(json.load(sys.stdin)): print(error)
            """
        for answer in [
            dashboard.states(), dashboard.state("1"), dashboard.state("1", update: "1"), dashboard.state("9"),
        ] {
            let output = try await Self.python.run(["-c", script, schema], input: Data(answer.json))
            #expect(output.output + output.errors == "")
        }
    }
}
#endif
