// SPDX-License-Identifier: Apache-2.0

/// Whether an orchestrator is the only one of its process.
///
/// The rule of one orchestrator for each application is enforced only for ``application``. A process of tests runs many
/// orchestrators at the same time, and a program with several isolated parts may too: they do not share anything, so
/// the framework cannot tell a mistake from an intention. An application states its intention once, where it makes its
/// orchestrator; its tests make theirs with the default.
public enum OrchestratorRole: Sendable, Hashable {
    /// The orchestrator of the application. ``Orchestrator/start()`` throws while another one with this role runs.
    case application
    /// One of any number that run at the same time, as in tests.
    case independent
}

/// The orchestrator of the application that was started last. Weak: one that was released does not run.
@MainActor
private enum ApplicationSlot {
    static weak var last: Orchestrator?
}

extension Orchestrator {
    /// Makes this the orchestrator of the application, if it has that role.
    ///
    /// - Throws: ``CompositionError`` if another one runs.
    func claimApplication() throws(CompositionError) {
        guard role == .application else { return }
        if let other = ApplicationSlot.last, other !== self, other.life.run != nil {
            throw CompositionError(
                .secondOrchestrator,
                "A second orchestrator of the application was started, while another one is \(other.phase.rawValue).",
                "Await shutdown() of the first one. Tests, which run several at once, use the role .independent."
            )
        }
        ApplicationSlot.last = self
    }
}
