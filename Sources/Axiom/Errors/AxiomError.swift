// SPDX-License-Identifier: Apache-2.0

/// An error that says what happened, how bad it is, and what can be done: what Axiom throws, and what an application
/// may throw to be shown and counted as well.
public protocol AxiomError: Error, CustomStringConvertible {
    /// What programs compare and metrics are labelled with. Never changes for one kind of error.
    var code: ErrorCode { get }

    /// What happened, for a person: names the parties, in whole sentences.
    var message: String { get }

    /// What a person or a developer can do about it.
    var recoverySuggestion: String { get }

    /// How much harm it does.
    var severity: ErrorSeverity { get }
}

extension AxiomError {
    /// The code, what happened and what can be done, in one line.
    public var description: String {
        "\(code.rawValue): \(message) \(recoverySuggestion)"
    }

    /// ``ErrorSeverity/nonCritical``.
    public var severity: ErrorSeverity { .nonCritical }
}

/// How much harm an error does.
public enum ErrorSeverity: String, Sendable, Hashable, CaseIterable {
    /// Core functions do not work; it wants attention now.
    case critical
    /// Something does not work, the rest goes on.
    case nonCritical = "non_critical"
    /// Nothing stopped, but it may become a problem.
    case warning
}
