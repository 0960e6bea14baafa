// SPDX-License-Identifier: Apache-2.0

#if Instrumented
@testable import Axiom
import AxiomBase
import AxiomMetrics
import AxiomTestSupport
import Observation
import Testing

@testable import AxiomInstrumentation

private struct Fault: AxiomError {
    let code: ErrorCode
    var cause: (any Error)?
    var message: String { "Secret of ada@example.org." }
    var recoverySuggestion: String { "Wait." }
}

private enum Key: Error {
    case expired(user: String)
    case missing(user: String)
}

@Suite("Errors with causes", .timeLimit(.minutes(10)))
struct CauseChainTests {
    private static let vault = ComponentDescriptor(kind: .capability, name: "Vault")
    private static let gateway = ComponentDescriptor(kind: .capability, name: "Gateway")
    private static let client = ComponentDescriptor(kind: .client, name: "SearchClient")

    private func ended(_ error: any Error, _ throwers: [String: ComponentDescriptor] = [:]) -> EndedError {
        let chain = ErrorChain(error) { throwers[SpanError($0).codeOrType] }
        return EndedError(error, origin: Self.client, boundary: Self.client, chain: chain)
    }

    private func wrapped(_ codes: String..., around root: (any Error)? = nil) -> Fault {
        let inner = codes.dropFirst().reversed().reduce(root) { Fault(code: ErrorCode(rawValue: $1), cause: $0) }
        return Fault(code: ErrorCode(rawValue: codes[0]), cause: inner)
    }

    @Test("The text has the codes, and the component of the deepest cause for which it is known; no message, no value")
    func texts() throws {
        let all = ["FAILED": Self.client, "REFUSED": Self.gateway, "KEY": Self.vault]
        let three = wrapped("FAILED", "REFUSED", "KEY")
        #expect(ended(three, all).chain?.text == "FAILED ← REFUSED ← KEY (Vault)")
        #expect(ended(three, ["REFUSED": Self.gateway]).chain?.text == "FAILED ← REFUSED (Gateway) ← KEY")
        #expect(ended(three, ["FAILED": Self.client]).chain?.text == "FAILED ← REFUSED ← KEY")
        #expect(ended(wrapped("FAILED", around: Key.expired(user: "ada"))).chain?.text == "FAILED ← expired")
        #expect(ended(wrapped("FAILED", around: SecretError(name: "ada"))).chain?.text == "FAILED ← SecretError")
        let codes = (1...20).map { "L\($0)" }
        let deep = codes.reversed().reduce(nil as Fault?) { Fault(code: ErrorCode(rawValue: $1), cause: $0) }
        let text = ended(try #require(deep)).chain?.text
        #expect(text == codes.prefix(8).joined(separator: " ← ") + " ← …")
    }

    private struct SecretError: Error { let name: String }

    @Test("Two causes under one wrapper are two groups, whatever is between them; the metric has one series")
    func twoCauses() throws {
        let telemetry = try Telemetry(logsErrors: false)
        let throwers = ["KEY": Self.vault]
        for _ in 0..<3 { telemetry.ended(ended(wrapped("FAILED", "REFUSED", "KEY"), throwers)) }
        telemetry.ended(ended(wrapped("FAILED", "LATE", "KEY"), throwers))
        for _ in 0..<2 { telemetry.ended(ended(wrapped("FAILED", around: Key.missing(user: "bob")))) }
        telemetry.ended(ended(wrapped("FAILED", around: Key.expired(user: "bob"))))
        telemetry.ended(ended(wrapped("FAILED")))
        telemetry.ended(ended(wrapped("FAILED", "KEY")))
        let report = telemetry.errors.report
        let counts = report.groups.map { "\($0.sample.chain ?? "none") \($0.count)" }
        #expect(
            counts == [
                "FAILED ← KEY 1", "none 1", "FAILED ← expired 1", "FAILED ← missing 2",
                "FAILED ← LATE ← KEY (Vault) 4",
            ]
        )
        #expect(report.groups.map(\.root?.component) == [nil, nil, nil, nil, Self.vault])
        let series = telemetry.registry.collect().family("axiom_errors_total").map(Array.init) ?? []
        #expect(series.map(\.value) == [9])
        #expect(series.first?.labels["code"] == "FAILED")
    }

    @Test("An error and the recovery from it are of one group, and each latest error has its own chain")
    func occurrences() throws {
        let telemetry = try Telemetry(logsErrors: false)
        let error = ended(wrapped("FAILED", "REFUSED", "KEY"))
        telemetry.ended(error)
        telemetry.recoveryEnded(
            RecoveryReport(
                strategy: "retry",
                outcome: .recovered,
                nanoseconds: 1,
                attempts: 1,
                error: error.error,
                origin: Self.client,
                boundary: Self.client,
                chain: error.chain
            )
        )
        telemetry.ended(ended(wrapped("FAILED", "KEY")))
        let groups = telemetry.errors.report.groups
        #expect(groups.count == 1)
        let latest = try #require(telemetry.errors.occurrences(of: groups).first)
        #expect(
            latest.map(\.occurrence.sample.chain) == [
                "FAILED ← KEY", "FAILED ← REFUSED ← KEY", "FAILED ← REFUSED ← KEY",
            ]
        )
    }

    @Test("Random histories: no error is lost, each is in the group of its wrapper and root", arguments: 0..<20)
    func conservation(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let limit = [5, 500][Int(seed) % 2]
        let telemetry = try Telemetry(errorGroupLimit: limit, logsErrors: false)
        var expected: [[String]: UInt64] = [:]
        for step in 1...600 {
            let depth = Int.random(in: 1...11, using: &random)
            let codes = (0..<depth).map { "L\($0)_\(Int.random(in: 0..<2, using: &random))" }
            let error = codes.reversed().reduce(nil as Fault?) { Fault(code: ErrorCode(rawValue: $1), cause: $0) }
            telemetry.ended(ended(try #require(error)))
            expected[[codes[0], depth == 1 ? "" : codes[min(depth, 8) - 1]], default: 0] += 1
            #expect(telemetry.errors.report.count == UInt64(step), "seed \(seed)")
        }
        let groups = telemetry.errors.report.groups
        #expect(groups.count <= limit)
        guard limit == 500 else { return }
        let counts = groups.map { ([$0.code ?? "", $0.root?.error.codeOrType ?? ""], $0.count) }
        #expect(Dictionary(uniqueKeysWithValues: counts) == expected, "seed \(seed)")
    }
}

// MARK: - In an application

private protocol Safe: Sendable { func key() throws }
private protocol Line: Sendable { func send() async throws }

private actor Vault: Capability, Safe {
    nonisolated let identity: ComponentIdentity

    init(_ scope: borrowing CapabilityScope) { identity = scope.identity }

    nonisolated func key() throws { throw Fault(code: "TRIPS_VAULT_KEY") }
}

private actor Gateway: Capability, Line {
    nonisolated let identity: ComponentIdentity
    private let safe: CapabilityRef<any Safe>

    init(_ scope: borrowing CapabilityScope) throws {
        identity = scope.identity
        safe = try scope.capability((any Safe).self)
    }

    func send() async throws {
        do {
            try await safe.call { try $0.key() }
        } catch {
            throw Fault(code: "TRIPS_GATEWAY_401", cause: error)
        }
    }
}

private enum Find: Action { case find }

private actor SearchClient: StatelessClient, Component {
    nonisolated let identity: ComponentIdentity
    private let line: CapabilityRef<any Line>

    init(_ scope: borrowing ClientScope) throws {
        identity = scope.identity
        line = try scope.capability((any Line).self)
    }

    func process(_ action: Find) async throws {
        do {
            try await line.call { try await $0.send() }
        } catch {
            throw Fault(code: "TRIPS_FAILED", cause: error)
        }
    }
}

@MainActor
@Observable
private final class SearchContext: Context {
    nonisolated let identity: ComponentIdentity
    @ObservationIgnored private let search: any StatelessClient<Find>
    @ObservationIgnored var strategy = RecoveryStrategy.surface

    init(_ scope: borrowing ContextScope) throws {
        identity = scope.identity
        search = try scope.client(SearchClient.self)
    }

    func handle(_ action: Find) async throws { try await search.process(action) }
    func recovery(for error: any Error) -> RecoveryStrategy { strategy }
}

@MainActor
@Suite("The causes of an application's errors", .timeLimit(.minutes(10)))
struct ApplicationCauseTests {
    @Test("A wrapped error of a capability of a capability is named with its component, ended or not")
    func wrapped() async throws {
        let telemetry = try Telemetry(logsErrors: false)
        let orchestrator = Orchestrator(instrumentation: telemetry, limits: .endless)
        orchestrator.register(Vault.self, as: (any Safe).self) { Vault($0) }
        orchestrator.register(Gateway.self, as: (any Line).self) { try Gateway($0) }
        orchestrator.register(SearchClient.self) { try SearchClient($0) }
        orchestrator.register(SearchContext.self) { try SearchContext($0) }
        try await orchestrator.start()
        let context = try orchestrator.makeContext(SearchContext.self)
        await context.send(.find)
        context.strategy = RecoveryStrategy("undo") { _ in }
        await context.send(.find)
        let groups = telemetry.errors.report.groups
        #expect(groups.map(\.sample.chain) == ["TRIPS_FAILED ← TRIPS_GATEWAY_401 ← TRIPS_VAULT_KEY (Vault)"])
        #expect(groups.first?.component.name == "SearchClient")
        #expect(groups.first?.root?.component == ComponentDescriptor(kind: .capability, name: "Vault"))
        #expect(groups.first?.count == 1 && groups.first?.recoveries.succeeded == 1)
        await orchestrator.shutdown()
    }
}
#endif
