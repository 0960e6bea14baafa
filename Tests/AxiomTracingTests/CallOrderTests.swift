// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomInstrumentation
import AxiomTracing
import Foundation
import InMemoryTracing
import Testing

// Tests/KitPackage has a link to this file, and uses what is public: its build has no coverage.

/// Has a validation, so that its calls pass the steps before the client.
private enum NumberAction: Action {
    case write(Int)

    func validate() throws(ValidationError) {
        if case .write(..<0) = self { throw .actionRefused("the number is negative") }
    }
}

private actor Pen: Capability {
    nonisolated let identity: ComponentIdentity

    init(_ scope: borrowing CapabilityScope) { identity = scope.identity }
}

private struct Numbers: OwnedState {
    var all: [Int] = []
}

/// Notes its actions in the order in which they run. It has a capability, so its calls bind a span.
private actor NumberClient: Client, Component {
    nonisolated let identity: ComponentIdentity
    private let pen: CapabilityRef<Pen>
    private let store: StateStore<Numbers>
    private var numbers: [Int] = []

    init(_ scope: borrowing ClientScope) throws {
        identity = scope.identity
        pen = try scope.capability(Pen.self)
        store = scope.store(Numbers())
    }

    var state: Numbers { Numbers(all: numbers) }
    nonisolated var stateStream: StateStream<Numbers> { store.stream }

    func process(_ action: NumberAction) {
        switch action {
        case .write(let number): numbers.append(number)
        }
    }
}

@MainActor
private final class NumberContext: Context {
    nonisolated let identity: ComponentIdentity
    let numbers: any Client<Numbers, NumberAction>

    init(_ scope: borrowing ContextScope) throws {
        identity = scope.identity
        numbers = try scope.client(NumberClient.self)
    }
}

private struct NumberView: Presentation {
    let context: NumberContext
    var body: Void { () }
}

@Suite(
    "Calls of one actor run in their order",
    .timeLimit(.minutes(10)),
    .disabled(
        if: ProcessInfo.processInfo.environment["LLVM_PROFILE_FILE"] != nil,
        "With the counters of a coverage build, calls overtake each other. The build without the trait and Tests/KitPackage run it."
    )
)
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
        let orchestrator =
            path == .watched
            ? Orchestrator(limits: limits) : Orchestrator(instrumentation: telemetry, limits: limits)
        orchestrator.register(Pen.self) { Pen($0) }
        orchestrator.register(NumberClient.self) { try NumberClient($0) }
        orchestrator.register(NumberContext.self) { try NumberContext($0) }
        try await orchestrator.start()
        let host = PresentationHost(NumberView.self, orchestrator) { _ in }
        try await host.mount()
        let numbers = try #require(host.context).numbers
        // A call that leaves the main actor on its way is overtaken in about half of the rounds.
        for round in 0..<20 {
            let calls = (0..<300).map { number in Task { try await numbers.process(.write(number)) } }
            for call in calls { try await call.value }
            #expect(await numbers.state.all.dropFirst(round * 300) == Array(0..<300)[...])
        }
        await host.unmount()
        await orchestrator.shutdown()
    }
}
