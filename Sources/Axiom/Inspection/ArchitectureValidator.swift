// SPDX-License-Identifier: Apache-2.0

/// Checks a component graph against the rules of the architecture.
///
/// ```swift
/// let violations = ArchitectureValidator.validate(orchestrator.graph)
/// #expect(violations.isEmpty, "\(violations)")
/// ```
/// The scopes of an orchestrator resolve only permitted dependencies. A forbidden edge therefore comes from a graph
/// that a test declares. In the graph of an application it finds what scopes permit: components that no context or request handler uses,
/// and with ``Options/capabilitiesAreLeaves``, capabilities that depend on each other.
///
/// The result depends only on the graph: it has the order of the graph's edges and nodes, and is the same on every run.
/// The cost is linear in nodes and edges for a graph without cycles. In one with a cycle, each dependency costs one
/// search.
public enum ArchitectureValidator {
    /// What a validation permits.
    public struct Options: Sendable, Hashable {
        /// Whether a capability that depends on another capability is a violation. Default false: capabilities form a
        /// graph without cycles.
        public var capabilitiesAreLeaves: Bool
        /// Whether to find components whose errors end at no context or request handler. Default true. Dependencies of
        /// contexts are known when the first one was made, so a graph without any of them is never checked for this.
        public var checksErrorHandling: Bool

        /// Makes options.
        public init(capabilitiesAreLeaves: Bool = false, checksErrorHandling: Bool = true) {
            self.capabilitiesAreLeaves = capabilitiesAreLeaves
            self.checksErrorHandling = checksErrorHandling
        }

        /// Capabilities may not depend on each other.
        public static let capabilitiesAreLeaves = Options(capabilitiesAreLeaves: true)
    }

    /// All violations: forbidden edges in the order of the graph, then cycles without a
    /// recursive context, then components without error handling.
    public static func validate(_ graph: ComponentGraph, _ options: Options = Options()) -> [ArchitectureViolation] {
        var violations = graph.edges.compactMap { violation(of: $0, options) }
        for cycle in graph.shortestCycles where graph.recursiveContexts.isDisjoint(with: cycle.path) {
            violations.append(violation(of: cycle))
        }
        if options.checksErrorHandling { violations += missingErrorHandling(in: graph) }
        return violations
    }

    private static func violation(of edge: ComponentDependency, _ options: Options) -> ArchitectureViolation? {
        guard let objection = objection(to: edge, options) else { return nil }
        let message = "The \(edge.from) depends on the \(edge.to), but \(objection.text)."
        let path = [edge.from, edge.to]
        return ArchitectureViolation(objection.rule, message, fix: objection.fix, path)
    }

    private static func objection(
        to edge: ComponentDependency,
        _ options: Options
    ) -> (rule: ArchitectureRule, text: String, fix: String)? {
        guard let text = edge.objection else {
            guard options.capabilitiesAreLeaves, edge.from.kind == .capability else { return nil }
            let fix = "Let a client use both capabilities, or permit dependencies between capabilities."
            return (.capabilityDependencies, "the options permit no dependencies of capabilities", fix)
        }
        return switch (edge.from.kind, edge.to.kind) {
        case (.client, .client):
            (.clientToClient, text, "Let a context use both clients, or move the shared part to a capability.")
        case (.context, .capability):
            (.contextToCapability, text, "Use the capability in a client, and let the context send it an action.")
        case (.capability, _):
            (.capabilityDependencies, text, "Move what the capability needs to another capability.")
        default:
            (.wrongFlow, text, "Turn the dependency around: the upper component observes the lower one.")
        }
    }

    /// The texts are those of the errors that a start or a mount throws for the same cycle.
    private static func violation(of cycle: ComponentGraph.Cycle) -> ArchitectureViolation {
        let kinds = Set(cycle.path.map(\.kind))
        let (message, fix) =
            switch kinds {
            case [.capability]: CompositionError.capabilityCycle(cycle).texts
            case [.context]: CompositionError.contextCycle(cycle).texts
            default: (cycle.message, "Remove the dependency that points upwards.")
            }
        return ArchitectureViolation(.cycle, message, fix: fix, cycle.path)
    }

    /// The clients and capabilities that no context or request handler uses, directly or indirectly: their errors end at
    /// none.
    private static func missingErrorHandling(in graph: ComponentGraph) -> [ArchitectureViolation] {
        var waiting = graph.nodes.filter { $0.kind == .context || $0.kind == .request }
        guard !waiting.isEmpty else { return [] }
        var handled = Set(waiting)
        while let next = waiting.popLast() {
            for target in graph.dependencies(of: next) where handled.insert(target).inserted { waiting.append(target) }
        }
        return graph.nodes.filter { ($0.kind == .client || $0.kind == .capability) && !handled.contains($0) }.map {
            let message = "No context or request handler uses the \($0), so its errors end at none."
            let fix = "Resolve it in a context or a request handler, or remove its registration."
            return ArchitectureViolation(.missingErrorHandling, message, fix: fix, [$0])
        }
    }
}

extension CompositionError {
    fileprivate var texts: (String, String) { (message, recoverySuggestion) }
}
