// SPDX-License-Identifier: Apache-2.0

#if Instrumented
import Axiom
import AxiomBase
import AxiomInstrumentation
import AxiomTestSupport
import Foundation
import Testing

@testable import AxiomDashboard

/// Three clients of a gateway, which uses a vault and a logger. All of them use a cache too.
private struct Trips {
    struct Fault: AxiomError {
        let code: ErrorCode
        var cause: (any Error)?
        var message: String { "Failed." }
        var recoverySuggestion: String { "Wait." }
    }

    static let clients = ["Search", "Map", "Booking"].map { ComponentDescriptor(kind: .client, name: "\($0)Client") }
    static let capabilities = ["Gateway", "Cache", "Vault", "Logger"].map {
        ComponentDescriptor(kind: .capability, name: $0)
    }
    static let vault = capabilities[2]

    let workshop: Workshop

    init() throws {
        workshop = try Workshop([])
        let (gateway, cache) = (Self.capabilities[0], Self.capabilities[1])
        let uses = Self.clients.flatMap { [($0, gateway), ($0, cache)] }
        for (from, to) in uses + [(gateway, Self.vault), (gateway, Self.capabilities[3])] {
            workshop.telemetry.resolved(ComponentDependency(from: from, to: to))
        }
        for component in Self.clients + Self.capabilities { workshop.telemetry.registered(component, module: "Trips") }
    }

    /// Lets errors of a client end, whose deepest cause `thrower` threw.
    func fail(_ client: Int, _ codes: [String], from thrower: ComponentDescriptor? = vault, times: Int = 1) throws {
        let made = codes.reversed().reduce(nil as Fault?) { Fault(code: ErrorCode(rawValue: $1), cause: $0) }
        let error = try #require(made)
        let chain = ErrorChain(error) { ($0 as? Fault)?.cause == nil ? thrower : nil }
        let component = Self.clients[client]
        for _ in 0..<times {
            workshop.telemetry.ended(EndedError(error, origin: component, boundary: component, chain: chain))
        }
    }

    func rows(_ list: String) throws -> [[String: JSONItem]] {
        let lists = try Viewer(workshop.dashboard.snapshot()).lists
        return lists[list]?.sorted { $0.key < $1.key }.map(\.value) ?? []
    }

    /// The problems that follow from no other one.
    func causes() throws -> [String] {
        workshop.tick()
        return try rows("problems").filter { $0["cause"]?.number == nil }.compactMap { $0["text"]?.string }.sorted()
    }
}

@Suite("The deepest cause of errors", .timeLimit(.minutes(10)))
struct RootCauseTests {
    @Test("Three clients that wrap an error of one capability in three codes are one problem, which names it")
    func oneVault() throws {
        let trips = try Trips()
        for client in 0..<3 { try trips.fail(client, ["TRIPS_\(client)", "GATEWAY_401", "VAULT_KEY"], times: 6) }
        #expect(try trips.causes() == ["Vault fails: VAULT_KEY, 3 of 3 clients fail"])
        let symptoms = try trips.rows("problems").filter { $0["cause"]?.number != nil }
        #expect(symptoms.count == 3)
        #expect(
            symptoms.contains {
                $0["text"]?.string == "SearchClient: TRIPS_0 ← GATEWAY_401 ← VAULT_KEY (Vault), 6 errors in 5 minutes"
            }
        )
    }

    @Test("An error of the same code that does not name its component belongs to the component that others name")
    func unnamed() throws {
        let trips = try Trips()
        for client in 0..<3 {
            try trips.fail(client, ["TRIPS_\(client)", "VAULT_KEY"], from: client == 0 ? nil : Trips.vault, times: 6)
        }
        #expect(try trips.causes() == ["Vault fails: VAULT_KEY, 3 of 3 clients fail"])
    }

    @Test("Two deepest causes of one code in two components are two problems")
    func twoRoots() throws {
        let trips = try Trips()
        for client in 0..<3 {
            try trips.fail(client, ["TRIPS_FAILED", "TIMEOUT"], times: 6)
            try trips.fail(client, ["TRIPS_FAILED", "TIMEOUT"], from: Trips.capabilities[3], times: 6)
        }
        #expect(
            try trips.causes() == [
                "Logger fails: TIMEOUT, 3 of 3 clients fail", "Vault fails: TIMEOUT, 3 of 3 clients fail",
            ]
        )
    }

    @Test("A capability in which an error arose is not explained by another one that threw an error of the same code")
    func sameCode() throws {
        let trips = try Trips()
        for client in 0..<3 { try trips.fail(client, ["TRIPS_\(client)", "TIMEOUT"], times: 6) }
        let (error, gateway) = (Trips.Fault(code: "TIMEOUT"), Trips.capabilities[0])
        for _ in 0..<6 { trips.workshop.telemetry.ended(EndedError(error, origin: gateway, boundary: gateway)) }
        #expect(
            try trips.causes() == [
                "Gateway: TIMEOUT, 6 errors in 5 minutes", "Vault fails: TIMEOUT, 3 of 3 clients fail",
            ]
        )
    }

    @Test("A component that is not below those that fail is not their cause; the graph is searched as without it")
    func elsewhere() throws {
        let trips = try Trips()
        let other = ComponentDescriptor(kind: .capability, name: "Elsewhere")
        for client in 0..<3 { try trips.fail(client, ["TRIPS_\(client)", "KEY"], from: other, times: 6) }
        let causes = try trips.causes()
        #expect(causes.count == 1 && causes.allSatisfy { !$0.contains("Elsewhere") }, "\(causes)")
    }

    @Test("Causes of one error that are too rare each are one problem together")
    func rare() throws {
        let trips = try Trips()
        for root in 0..<6 { try trips.fail(0, ["TRIPS_FAILED", "KEY_\(root)"], times: root == 0 ? 5 : 1) }
        #expect(try trips.causes() == ["Vault fails: KEY_0, 1 of 3 clients fails"])
        let symptoms = try trips.rows("problems").filter { $0["cause"]?.number != nil }.map { $0["text"]?.string }
        #expect(
            symptoms == [
                "SearchClient: TRIPS_FAILED ← KEY_0 (Vault), 5 errors in 5 minutes",
                "SearchClient: TRIPS_FAILED of 5 causes, 5 errors in 5 minutes",
            ]
        )
    }

    @Test("A wrapped refusal of an open circuit is a refusal, and not a failure of what opened it")
    func refusal() throws {
        let trips = try Trips()
        for client in 0..<3 { try trips.fail(client, ["TRIPS_\(client)", "AXIOM_CIRCUIT_001", "KEY"], times: 6) }
        #expect(try trips.causes().allSatisfy { !$0.contains("Vault fails") })
    }

    @Test("A cause that fails itself because of another one belongs to that one, in any order of names")
    func joined() {
        for names in [["A", "B", "C"], ["C", "B", "A"], ["B", "C", "A"]] {
            let nodes = names.map { ComponentDescriptor(kind: .capability, name: $0) }
            let edges = (0..<2).map { ComponentDependency(from: nodes[$0], to: nodes[$0 + 1]) }
            var (components, folding) = (ComponentIndex(), CauseFolding(edges, CallTimes()))
            for node in nodes { _ = components.id(node) }
            let findings = (0..<2).map { index in
                Problem(
                    key: "\(index)",
                    level: .bad,
                    kind: .error,
                    component: nil,
                    text: "\(index)",
                    symptom: .failing(code: "CODE_\(index)"),
                    subjects: [names[index]],
                    root: names[index + 1]
                )
            }
            let folded = folding.fold(findings, components)
            #expect(folded.compactMap(\.cause) == ["cause/\(names[2])", "cause/\(names[2])"], "\(names)")
        }
    }

    @Test("The rows of errors and of the latest errors have the chain, and so has the page without JavaScript")
    func rows() throws {
        let trips = try Trips()
        try trips.fail(0, ["TRIPS_FAILED", "GATEWAY_401", "VAULT_KEY"])
        try trips.fail(0, ["TRIPS_FAILED"])
        trips.workshop.tick()
        let chain = "TRIPS_FAILED ← GATEWAY_401 ← VAULT_KEY (Vault)"
        let errors = try trips.rows("errors")
        #expect(Set(errors.map { $0["chain"]?.string }) == [chain, nil])
        #expect(errors.allSatisfy { $0["code"]?.string == "TRIPS_FAILED" })
        let group = try #require(errors.first { $0["chain"]?.string != nil }?["id"]?.number)
        let served = try JSONItem(try #require(trips.workshop.dashboard.errors(ofGroup: Int(group)))).object
        #expect(served["occurrences"]?.list.map { $0.object["chain"]?.string } == [chain])
        let page = String(decoding: trips.workshop.dashboard.exportedPage(), as: UTF8.self)
        let begin = try #require(page.firstRange(of: "<noscript>")).upperBound
        #expect(page[begin...].contains(chain))
    }

    private static let python = ExternalTool.schemaPython

    @Test(
        "An export with chains fits its schema, which does not permit a number there",
        .enabled(if: python.mayRun, Comment(rawValue: python.installation))
    )
    func schema() async throws {
        let trips = try Trips()
        try trips.fail(0, ["TRIPS_FAILED", "VAULT_KEY"])
        try trips.fail(1, ["TRIPS_FAILED"])
        trips.workshop.tick()
        let script = """
            import json, sys, jsonschema
            check = jsonschema.Draft202012Validator(json.load(open(sys.argv[1])))
            data = json.load(sys.stdin)
            for error in check.iter_errors(data): print(error.message)
            for name in ["errors", "occurrences"]:
                data[name][0]["chain"] = 1
                print(len(list(check.iter_errors(data))))
            """
        let schema = Repository.root.appending(path: "Dashboards/web/snapshot-2.schema.json").path
        let input = Data(trips.workshop.dashboard.exportedSnapshot())
        let output = try await Self.python.run(["-c", script, schema], input: input)
        #expect(output.output + output.errors == "1\n2\n")
    }
}
#endif
