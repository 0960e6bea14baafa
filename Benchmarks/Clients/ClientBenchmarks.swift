// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomInstrumentation
import BenchmarkSupport
import CAllocations
import Observation
import Synchronization

/// Hands out what an orchestrator gives to contexts in the place of the client.
@MainActor
@Observable
final class ProbeContext: Context {
    nonisolated let identity: ComponentIdentity
    let client: any Client<TallyClient.State, TallyClient.Action>

    init(_ scope: borrowing ContextScope) throws {
        identity = scope.identity
        client = try scope.client(TallyClient.self)
    }
}

/// Measures a call of a client: bare, through a wrapper that does nothing, and as the orchestrator hands it out, which
/// is instrumented or, in a build without the trait `Instrumented`, the client itself; also while durations are recorded
/// for a profile.
@main
struct ClientBenchmarks {
    #if Instrumented
    static let resolvedID = "instrumentation/client.instrumented"
    #else
    static let resolvedID = "instrumentation/client.traitoff"
    #endif

    typealias TheClient = any Client<TallyClient.State, TallyClient.Action>

    static func main() async throws {
        let (client, resolved) = try await clients(Telemetry())
        let (_, recorded) = try await clients(Telemetry(regressions: .recording()))
        await report(client, resolved, recorded)
    }

    /// A client, and the same as its orchestrator hands it out.
    @MainActor
    private static func clients(_ telemetry: Telemetry) async throws -> (bare: TallyClient, resolved: TheClient) {
        let bare = Mutex<TallyClient?>(nil)
        let orchestrator = Orchestrator(instrumentation: telemetry)
        orchestrator.register(TallyClient.self) { scope in
            let client = TallyClient(scope)
            bare.withLock { $0 = client }
            return client
        }
        orchestrator.register(ProbeContext.self) { try ProbeContext($0) }
        try await orchestrator.start()
        let resolved = try orchestrator.makeContext(ProbeContext.self).client
        guard let client = bare.withLock({ $0 }) else { throw NoClient() }
        return (client, resolved)
    }

    private struct NoClient: Error {}

    private static func report(_ client: TallyClient, _ resolved: TheClient, _ recorded: TheClient) async {
        let existential: TheClient = client
        let wrapper: TheClient = EmptyWrapper(client)
        let bodies: [(id: String, body: @Sendable (Int) async -> Void)] = [
            ("instrumentation/client.bare", { for _ in 0..<$0 { await client.process(.increment) } }),
            ("instrumentation/client.existential", { for _ in 0..<$0 { try? await existential.process(.increment) } }),
            ("instrumentation/client.emptywrapper", { for _ in 0..<$0 { try? await wrapper.process(.increment) } }),
            (resolvedID, { for _ in 0..<$0 { try? await resolved.process(.increment) } }),
            (resolvedID + ".recorded", { for _ in 0..<$0 { try? await recorded.process(.increment) } }),
        ]
        var run = BenchmarkRun(iterations: 20_000)
        run.addFloors()
        for (id, body) in bodies { run.add(id, body) }
        let times = await run.run()
        var allocations: [String: Double] = [:]
        for (id, body) in bodies { allocations[id] = await Self.allocations(body) }
        show(ClientReport(times: times, allocations: allocations, resolvedID: resolvedID))
    }

    private static func show(_ report: ClientReport) {
        print(CommandLine.arguments.contains("json") ? report.json : report.table)
    }

    /// How often one action allocates. Nobody else calls the client, so that the body stays on one thread.
    private static func allocations(_ body: @escaping @Sendable (Int) async -> Void) async -> Double {
        await Task.detached {
            await body(2_000)
            let before = axiom_allocations_of_thread()
            await body(10_000)
            return Double(axiom_allocations_of_thread() - before) / 10_000
        }.value
    }
}
