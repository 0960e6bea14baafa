// SPDX-License-Identifier: Apache-2.0

/// A violation of the architecture's rules, found by an ``ArchitectureValidator``.
public struct ArchitectureViolation: Sendable, Hashable, Codable, CustomStringConvertible {
    /// How severe a violation is.
    public enum Severity: String, Sendable, Hashable, Codable, CaseIterable {
        /// The application cannot work, or breaks a rule that the scopes enforce.
        case error
        /// The application works, but a user may miss an error or not see what was intended.
        case warning
        /// A fact to know.
        case info
    }

    /// The name of the rule, as it labels metrics: one of ``ArchitectureRule``.
    public let rule: String
    /// The name of the rule in `axiom-verify`, which finds the same mistake in source code; nil if it has no such rule.
    public let ruleID: String?
    /// The components involved and what is wrong, in a sentence.
    public let message: String
    /// How severe it is.
    public let severity: Severity
    /// What to change; nil if there is no general remedy.
    public let suggestedFix: String?
    /// The names of the components along the dependencies: for a cycle, the first one is repeated at the end.
    public let path: [String]

    /// Makes a violation of a rule of the application's own.
    ///
    /// - Parameters:
    ///   - rule: The name of the rule, as it labels metrics.
    ///   - message: The components involved and what is wrong, in a sentence.
    ///   - severity: How severe it is.
    ///   - suggestedFix: What to change; nil if there is no general remedy.
    ///   - path: The names of the components along the dependencies.
    ///   - ruleID: The name of the rule in `axiom-verify`; nil if it has no such rule.
    public init(
        rule: String,
        message: String,
        severity: Severity = .error,
        suggestedFix: String? = nil,
        path: [String] = [],
        ruleID: String? = nil
    ) {
        (self.rule, self.message, self.severity) = (rule, message, severity)
        (self.suggestedFix, self.path, self.ruleID) = (suggestedFix, path, ruleID)
    }

    package init(_ rule: ArchitectureRule, _ message: String, fix: String?, _ path: [ComponentDescriptor]) {
        self.rule = rule.rawValue
        self.message = message
        severity = rule.severity
        suggestedFix = fix
        self.path = path.map(\.name)
        ruleID = rule.id(for: path.map(\.kind))
    }

    /// The severity, the rule, the message and the remedy, in one line.
    public var description: String {
        "\(severity.rawValue) \(rule): \(message)" + (suggestedFix.map { " \($0)" } ?? "")
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
    /// The errors of a component end at no context.
    case missingErrorHandling = "missing_error_handling"
    /// A route requires a signed-in user and is shown in a modal screen.
    case modalAuthentication = "modal_authentication"
    /// Any other dependency against the direction of the architecture.
    case wrongFlow = "wrong_flow"

    /// The name of the rule in `axiom-verify` for components of these kinds along the dependencies; nil if it has none.
    func id(for path: [ComponentKind]) -> String? {
        switch self {
        case .clientToClient: "client-holds-client"
        case .contextToCapability: "context-uses-capability"
        case .capabilityDependencies: path.last == .capability ? "capability-is-leaf" : "capability-reaches-up"
        case .cycle:
            switch Set(path) {
            case [.capability]: "capability-cycle"
            case [.context]: "context-cycle"
            default: nil
            }
        case .wrongFlow: path.first == .client ? "client-reaches-up" : nil
        case .missingErrorHandling, .modalAuthentication: nil
        }
    }

    /// How severe its violations are.
    public var severity: ArchitectureViolation.Severity {
        switch self {
        case .missingErrorHandling, .modalAuthentication: .warning
        case .clientToClient, .contextToCapability, .capabilityDependencies, .cycle, .wrongFlow: .error
        }
    }
}
