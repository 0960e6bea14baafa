// SPDX-License-Identifier: Apache-2.0

#if Instrumented
import AxiomBase
import Observation
import Testing

@testable import Axiom

private enum WayAction: Action {
    case client
    case capability
    case caught
}

private actor WayCapability: Capability {
    nonisolated let identity: ComponentIdentity
    init(_ scope: borrowing CapabilityScope) { identity = scope.identity }
    func fail() throws { throw SampleError("capability") }
}

/// Advances the clock between the throw of its capability and its own.
private actor WayClient: StatelessClient, Component {
    nonisolated let identity: ComponentIdentity
    private let capability: CapabilityRef<WayCapability>
    private let time: ManualTime

    init(_ scope: borrowing ClientScope, _ time: ManualTime) throws {
        identity = scope.identity
        capability = try scope.capability(WayCapability.self)
        self.time = time
    }

    func process(_ action: WayAction) async throws {
        if action == .client { throw SampleError("client") }
        do {
            try await capability.call { try await $0.fail() }
        } catch {
            time.advance(by: .milliseconds(3))
            throw error
        }
    }
}

@Observable
private final class WayContext: Context {
    @ObservationIgnored let identity: ComponentIdentity
    @ObservationIgnored private let client: any StatelessClient<WayAction>
    @ObservationIgnored private let time: ManualTime

    init(_ scope: borrowing ContextScope, _ time: ManualTime) throws {
        identity = scope.identity
        client = try scope.client(WayClient.self)
        self.time = time
    }

    func handle(_ action: WayAction) async throws {
        do {
            try await client.process(action)
        } catch {
            time.advance(by: .milliseconds(2))
            if action == .caught { throw SampleError("context") }
            throw error
        }
    }
}

/// Keeps the durations of operations.
private struct Timing: Instrumentation, ContextProbe {
    let journal = Journal<String>()

    func contextProbe<C: Context>(for context: ComponentDescriptor, of type: C.Type) -> (any ContextProbe)? { self }
    func clientProbe<C: StatelessClient>(
        for client: ComponentDescriptor,
        of type: C.Type,
        calledBy caller: ComponentDescriptor?
    ) -> (any ClientProbe)? { Calls() }
    func actionEnded(caseIndex: Int, outcome: ActionOutcome, nanoseconds: Int64) {}
    func phaseEnded(_ phase: LifecyclePhase, nanoseconds: Int64) {}
    func operationEnded(_ operation: ComponentOperation, nanoseconds: Int64) {
        switch operation {
        case .clientErrorPropagation: journal.write("client \(nanoseconds / 1_000_000)")
        case .capabilityErrorPropagation: journal.write("capability \(nanoseconds / 1_000_000)")
        default: break
        }
    }

    private final class Calls: ClientProbe {
        func began(caseIndex: Int) {}
        func ended(caseIndex: Int, outcome: ActionOutcome, nanoseconds: Int64) {}
        func refused(caseIndex: Int) {}
    }
}

@MainActor
@Suite("The way of an error to its boundary", .timeLimit(.minutes(10)))
struct ErrorArrivalTests {
    @Test(
        "It is measured from the throw in the client or in the capability to the boundary, once for each error (ERR-05)"
    )
    func measured() async throws {
        let (time, timing) = (ManualTime(), Timing())
        let orchestrator = Orchestrator(instrumentation: timing, clock: .manual(time))
        orchestrator.register(WayCapability.self) { WayCapability($0) }
        orchestrator.register(WayClient.self) { try WayClient($0, time) }
        orchestrator.register(WayContext.self) { try WayContext($0, time) }
        try await orchestrator.start()
        let context = try orchestrator.makeContext(WayContext.self)
        for action in [WayAction.client, .capability, .caught] { await context.send(action) }
        #expect(timing.journal.entries == ["client 2", "capability 5"])
        #expect(context.errorBoundary.count == 3)
        await orchestrator.shutdown()
    }
}
#endif
