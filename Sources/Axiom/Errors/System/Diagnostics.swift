// SPDX-License-Identifier: Apache-2.0

public import AxiomBase

/// The state of an application at the moment of an error, for whoever looks for the reason.
public struct Diagnostics: Sendable, CustomStringConvertible {
    /// A capability and how much of it works.
    public struct CapabilityState: Sendable, Hashable {
        /// The capability.
        public let component: ComponentDescriptor
        /// How much of it works.
        public let degradation: DegradationLevel
    }

    /// A mounted context and what its boundary keeps.
    public struct ContextState: Sendable {
        /// The context.
        public let component: ComponentDescriptor
        /// How many errors ended there.
        public let errorCount: Int
        /// What was settled there most recently, the oldest first.
        public let history: [ErrorBoundary.Entry]
    }

    /// The error.
    public let error: any Error
    /// The components that the error passed, the one in which it arose first.
    public let path: [ComponentDescriptor]
    /// When the state was collected.
    public let time: Instant
    /// What the orchestrator does: `starting`, `running` and so on.
    public let phase: String
    /// Whether the application runs in emergency mode.
    public let isInEmergencyMode: Bool
    /// The component types and their dependencies.
    public let graph: ComponentGraph
    /// All capabilities, each after those that it depends on.
    public let capabilities: [CapabilityState]
    /// All mounted contexts, each before those that it owns.
    public let contexts: [ContextState]

    /// Everything, one fact on each line.
    public var description: String {
        let head = [
            "error: \(ErrorChain(error)) (\(error))",
            "path: \(path.map(\.name).joined(separator: " → "))",
            "phase: \(phase)\(isInEmergencyMode ? ", emergency mode" : "")",
        ]
        let parts = capabilities.map { "\($0.component): \($0.degradation)" }
        let shown = contexts.map { "\($0.component): \($0.errorCount) errors" }
        let edges = graph.edges.map { "\($0.from) depends on \($0.to)" }
        return (head + parts + shown + edges).joined(separator: "\n")
    }
}

extension Orchestrator {
    func diagnostics(of operation: FailedOperation) -> Diagnostics {
        Diagnostics(
            error: operation.error,
            path: operation.path,
            time: operation.clock.now,
            phase: phase.rawValue,
            isInEmergencyMode: isInEmergencyMode,
            graph: graph,
            capabilities: capabilities?.states ?? [],
            contexts: mounts.hosts.compactMap(\.root).flatMap(Self.states)
        )
    }

    /// What the boundaries of a context and of all below it keep.
    private static func states(of context: ContextRuntime) -> [Diagnostics.ContextState] {
        let state = Diagnostics.ContextState(
            component: context.descriptor,
            errorCount: context.boundary.count,
            history: context.boundary.history
        )
        return [state] + context.downstreamContexts.flatMap { states(of: $0.runtime) }
    }
}
