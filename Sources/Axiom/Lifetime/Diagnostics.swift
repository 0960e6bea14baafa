// SPDX-License-Identifier: Apache-2.0

public import AxiomBase

/// The state of an application at the moment of an error, for its diagnosis.
public struct Diagnostics: Sendable, CustomStringConvertible {
    /// A capability and its level.
    public struct CapabilityState: Sendable, Hashable {
        /// The capability.
        public let component: ComponentDescriptor
        /// The level of the capability.
        public let degradation: DegradationLevel
    }

    /// A mounted context and the errors of its boundary.
    public struct ContextState: Sendable {
        /// The context.
        public let component: ComponentDescriptor
        /// How many errors ended there.
        public let errorCount: Int
        /// The most recent errors settled there, the oldest first.
        public let history: [ErrorBoundary.Entry]
    }

    /// The error.
    public let error: any Error
    /// The components that the error passed, its origin first.
    public let path: [ComponentDescriptor]
    /// When the state was collected.
    public let time: Instant
    /// The orchestrator's phase: `starting`, `running` and so on.
    public let phase: String
    /// Whether the application runs in emergency mode.
    public let isInEmergencyMode: Bool
    /// The component types and their dependencies.
    public let graph: ComponentGraph
    /// All capabilities, each after its dependencies.
    public let capabilities: [CapabilityState]
    /// All mounted contexts, each before its downstream contexts.
    public let contexts: [ContextState]

    /// All facts, one on each line.
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

    /// The errors kept by the boundaries of a context and of all contexts below it.
    private static func states(of context: ContextRuntime) -> [Diagnostics.ContextState] {
        let state = Diagnostics.ContextState(
            component: context.descriptor,
            errorCount: context.boundary.count,
            history: context.boundary.history
        )
        return [state] + context.downstreamContexts.flatMap { states(of: $0.runtime) }
    }
}
