// SPDX-License-Identifier: Apache-2.0

public import AxiomBase

extension ArchitectureValidator {
    /// A violation as an error, with the components involved.
    public enum ValidationError: MessageError, Hashable, CustomStringConvertible {
        /// A client depends on a client.
        case clientToClientDependency(client: String, dependency: String)
        /// A context depends on a capability.
        case contextHasCapability(context: String, capability: String)
        /// A capability depends on something that it may not use.
        case capabilityHasDependencies(capability: String, dependency: String)
        /// Components depend on each other in a cycle. The first one is repeated at the end.
        case circularDependency(components: [String])
        /// The errors of a component end at no context.
        case missingErrorHandling(component: String)
        /// Any other dependency against the direction of the architecture.
        case invalidStateFlow(from: String, to: String)
        /// A rule of the application's own, or of a module, with its message.
        case other(rule: String, message: String)

        /// The error of a violation.
        public init(_ violation: ArchitectureViolation) {
            let (first, last) = (violation.path.first ?? "", violation.path.last ?? "")
            switch ArchitectureRule(rawValue: violation.rule) {
            case .clientToClient: self = .clientToClientDependency(client: first, dependency: last)
            case .contextToCapability: self = .contextHasCapability(context: first, capability: last)
            case .capabilityDependencies: self = .capabilityHasDependencies(capability: first, dependency: last)
            case .cycle: self = .circularDependency(components: violation.path)
            case .missingErrorHandling: self = .missingErrorHandling(component: first)
            case .wrongFlow: self = .invalidStateFlow(from: first, to: last)
            case .modalAuthentication, nil: self = .other(rule: violation.rule, message: violation.message)
            }
        }

        /// What is wrong, in a sentence.
        public var message: String {
            switch self {
            case .clientToClientDependency(let client, let dependency):
                "The client \(client) depends on the client \(dependency)."
            case .contextHasCapability(let context, let capability):
                "The context \(context) depends on the capability \(capability)."
            case .capabilityHasDependencies(let capability, let dependency):
                "The capability \(capability) depends on \(dependency)."
            case .circularDependency(let components):
                "The dependencies form a cycle: \(components.joined(separator: " → "))."
            case .missingErrorHandling(let component):
                "The errors of \(component) end at no context."
            case .invalidStateFlow(let from, let to):
                "\(from) depends on \(to), which is above it."
            case .other(_, let message):
                message
            }
        }
    }
}

#if DEBUG
extension Component {
    /// Checks the dependencies that this component's type has resolved. Only in debug builds.
    ///
    /// - Throws: The first dependency that the architecture forbids, or a cycle that contains the component. A cycle of
    ///   contexts is reported even if one of them is registered as recursive; ``ArchitectureValidator`` permits it.
    public nonisolated func validateConstraints() throws(ArchitectureValidator.ValidationError) {
        let (graph, component) = (identity.port.graph.withLock { $0 }, identity.descriptor)
        let options = ArchitectureValidator.Options(checksErrorHandling: false)
        for violation in ArchitectureValidator.validate(graph, options) {
            let isCycle = violation.rule == ArchitectureRule.cycle.rawValue
            guard isCycle ? violation.path.contains(component.name) : violation.path.first == component.name
            else { continue }
            throw ArchitectureValidator.ValidationError(violation)
        }
    }
}
#endif
