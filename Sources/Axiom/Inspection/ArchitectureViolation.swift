// SPDX-License-Identifier: Apache-2.0

/// A violation of the architecture's rules, found by an ``ArchitectureValidator``.
public struct ArchitectureViolation: Sendable, Hashable, Codable, CustomStringConvertible {
    /// How severe a violation is.
    public enum Severity: String, Sendable, Hashable, Codable, CaseIterable {
        /// The application cannot work, or breaks a rule that the scopes enforce.
        case error
        /// The application works, but a user may miss an error or not see what was intended.
        case warning
    }

    /// The rule.
    public let rule: ArchitectureRule
    /// The components involved and what is wrong, in a sentence.
    public let message: String
    /// What to change.
    public let suggestedFix: String
    /// The names of the components along the dependencies: for a cycle, the first one is repeated at the end.
    public let path: [String]

    package init(_ rule: ArchitectureRule, _ message: String, fix: String, _ path: [ComponentDescriptor]) {
        (self.rule, self.message, suggestedFix) = (rule, message, fix)
        self.path = path.map(\.name)
    }

    /// How severe it is.
    public var severity: Severity { rule.severity }

    /// The severity, the rule, the message and the remedy, in one line.
    public var description: String {
        "\(severity.rawValue) \(rule.rawValue): \(message) \(suggestedFix)"
    }
}

/// The rules that an ``ArchitectureValidator`` checks.
public enum ArchitectureRule: String, Sendable, Hashable, Codable, CaseIterable {
    /// A client depends on a client.
    case clientToClient = "client_to_client"
    /// A context depends on a capability.
    case contextToCapability = "context_to_capability"
    /// A capability depends on something that it may not use.
    case capabilityDependencies = "capability_dependencies"
    /// Components depend on each other in a cycle.
    case cycle
    /// The errors of a component end at no context and at no request handler.
    case missingErrorHandling = "missing_error_handling"
    /// A route requires a signed-in user and is shown in a modal screen.
    case modalAuthentication = "modal_authentication"
    /// Any other dependency against the direction of the architecture.
    case wrongFlow = "wrong_flow"

    /// How severe its violations are.
    public var severity: ArchitectureViolation.Severity {
        switch self {
        case .missingErrorHandling, .modalAuthentication: .warning
        case .clientToClient, .contextToCapability, .capabilityDependencies, .cycle, .wrongFlow: .error
        }
    }
}
