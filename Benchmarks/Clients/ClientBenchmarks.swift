// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomInstrumentation
import BenchmarkSupport
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
/// is instrumented or, in a build without the trait `Instrumented`, the client itself.
@main
struct ClientBenchmarks {
    #if Instrumented
    static let resolvedID = "client.instrumented"
    #else
    static let resolvedID = "client.traitoff"
    #endif

    @MainActor
    static func main() async throws {
        let bare = Mutex<TallyClient?>(nil)
        let orchestrator = Orchestrator(instrumentation: try Telemetry())
        orchestrator.register(TallyClient.self) { scope in
            let client = TallyClient(scope)
            bare.withLock { $0 = client }
            return client
        }
        orchestrator.register(ProbeContext.self) { try ProbeContext($0) }
        try await orchestrator.start()
        let resolved = try orchestrator.makeContext(ProbeContext.self).client
        guard let client = bare.withLock({ $0 }) else { return }
        try await report(client, resolved)
    }

    private static func report(
        _ client: TallyClient,
        _ resolved: any Client<TallyClient.State, TallyClient.Action>
    ) async throws {
        var run = BenchmarkRun(iterations: 20_000)
        run.addFloors()
        run.add("client.bare") { iterations in
            for _ in 0..<iterations { await client.process(.increment) }
        }
        let existential: any Client<TallyClient.State, TallyClient.Action> = client
        run.add("client.existential") { iterations in
            for _ in 0..<iterations { try? await existential.process(.increment) }
        }
        let wrapper: any Client<TallyClient.State, TallyClient.Action> = EmptyWrapper(client)
        run.add("client.emptywrapper") { iterations in
            for _ in 0..<iterations { try? await wrapper.process(.increment) }
        }
        run.add(resolvedID) { iterations in
            for _ in 0..<iterations { try? await resolved.process(.increment) }
        }
        let report = await run.run()
        print(CommandLine.arguments.contains("json") ? report.json : report.table(floor: "floor/clock.read"))
    }
}
