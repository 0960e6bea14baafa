// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import Observation

/// A context that does nothing.
@Observable
final class PlainContext: Context {
    @ObservationIgnored let identity: ComponentIdentity

    init(_ scope: borrowing ContextScope) {
        identity = scope.identity
    }
}

/// What a ``ScriptContext`` is to do; a test decides what that means.
struct ScriptAction: Action {
    let run: @MainActor @Sendable (ScriptContext) async throws -> Void

    init(_ run: @escaping @MainActor @Sendable (ScriptContext) async throws -> Void) {
        self.run = run
    }
}

/// A context whose life a test writes: what it does in each phase, and a value that can be observed.
@Observable
final class ScriptContext: Context {
    struct Script: Sendable {
        typealias Step = @MainActor @Sendable (ScriptContext) async throws -> Void

        var onAppear: Step = { _ in }
        var onDisappear: Step = { _ in }
        var onBackground: Step = { _ in }
        var onForeground: Step = { _ in }
    }

    @ObservationIgnored let identity: ComponentIdentity
    @ObservationIgnored let tally: any Client<TallyState, TallyAction>
    @ObservationIgnored private let script: Script
    var value = 0
    var other = 0

    init(_ scope: borrowing ContextScope, _ script: Script = Script()) throws {
        identity = scope.identity
        tally = try scope.client(TallyClient.self)
        self.script = script
    }

    func handle(_ action: ScriptAction) async throws { try await action.run(self) }
    func onAppear() async throws { try await script.onAppear(self) }
    func onDisappear() async throws { try await script.onDisappear(self) }
    func onBackground() async throws { try await script.onBackground(self) }
    func onForeground() async throws { try await script.onForeground(self) }
}

/// Shows a context's value as text.
struct ScriptPresentation: Presentation {
    let context: ScriptContext

    var body: String { "value \(context.value)" }
}

extension Orchestrator {
    /// An orchestrator with ``TallyClient`` and ``ScriptContext``, not started.
    static func scripted(
        _ script: ScriptContext.Script = ScriptContext.Script(),
        instrumentation: any Instrumentation = Instrumentations(),
        clock: TimeSource? = nil
    ) -> Orchestrator {
        let limits = clock == nil ? WaitLimits.endless : WaitLimits()
        let orchestrator = Orchestrator(instrumentation: instrumentation, clock: clock ?? .live, limits: limits)
        orchestrator.register(TallyClient.self) { TallyClient($0) }
        orchestrator.register(ScriptContext.self) { try ScriptContext($0, script) }
        return orchestrator
    }
}
