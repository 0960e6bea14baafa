// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import AxiomInstrumentation
import AxiomTracing
import InMemoryTracing
import Testing

private enum NoteAction: Action {
    case write(Int)
    case read(Int)

    static let queries: Set = ["read"]

    var number: Int {
        switch self {
        case .write(let number), .read(let number): number
        }
    }
}

private actor Pen: Capability {
    nonisolated let identity: ComponentIdentity

    init(_ scope: borrowing CapabilityScope) { identity = scope.identity }
}

/// Notes its actions in the order in which they run. It has a capability, so its calls bind a span.
private actor NoteClient: StatelessClient, Component {
    nonisolated let identity: ComponentIdentity
    private let pen: CapabilityRef<Pen>
    private(set) var numbers: [Int] = []

    init(_ scope: borrowing ClientScope) throws {
        identity = scope.identity
        pen = try scope.capability(Pen.self)
    }

    func process(_ action: NoteAction) { numbers.append(action.number) }
    func clear() { numbers = [] }
}

private final class NoteContext: Context {
    nonisolated let identity: ComponentIdentity
    let notes: any StatelessClient<NoteAction>

    init(_ scope: borrowing ContextScope) throws {
        identity = scope.identity
        notes = try scope.client(NoteClient.self)
    }
}

@Suite("Calls of one actor run in their order", .timeLimit(.minutes(10)))
@MainActor
struct CallOrderTests {
    /// What is done around a call.
    enum Path: CaseIterable {
        case recorded, watched, recordedAndWatched, exported
    }

    @Test("Whatever is bound around an action, calls of the main actor run in their order", arguments: Path.allCases)
    func bound(path: Path) async throws {
        var limits = WaitLimits()
        if path == .watched || path == .recordedAndWatched { limits.overdue = .seconds(60) }
        let telemetry = try Telemetry()
        if path == .exported { try telemetry.exportSpans(to: InMemoryTracer()) }
        let client = Lock<NoteClient?>(nil)
        let orchestrator =
            path == .watched
            ? Orchestrator(limits: limits) : Orchestrator(instrumentation: telemetry, limits: limits)
        orchestrator.register(Pen.self) { Pen($0) }
        orchestrator.register(NoteClient.self) { scope in
            let made = try NoteClient(scope)
            client.withLock { $0 = made }
            return made
        }
        orchestrator.register(NoteContext.self) { try NoteContext($0) }
        try await orchestrator.start()
        let notes = try orchestrator.makeContext(NoteContext.self).notes
        let actual = try #require(client.withLock { $0 })
        // A call that leaves the main actor on its way is overtaken in about half of the rounds.
        for _ in 0..<20 {
            let calls = (0..<300).map { number in
                Task { try await notes.process(number.isMultiple(of: 2) ? .write(number) : .read(number)) }
            }
            for call in calls { try await call.value }
            #expect(await actual.numbers == Array(0..<300))
            await actual.clear()
        }
        await orchestrator.shutdown()
    }
}
