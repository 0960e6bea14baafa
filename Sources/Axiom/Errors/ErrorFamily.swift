// SPDX-License-Identifier: Apache-2.0

/// A family of errors that are told apart by their codes and consist of the same facts.
public protocol ErrorFamily: AxiomError {
    /// What the error says.
    var facts: ErrorFacts { get }

    /// Makes an error of this family that says `facts`.
    init(_ facts: ErrorFacts)
}

/// What an error of a family says.
public struct ErrorFacts: Sendable {
    /// What programs compare and metrics are labelled with.
    public let code: ErrorCode
    /// What happened, for a person.
    public let message: String
    /// What a person or a developer can do about it.
    public let recoverySuggestion: String
    /// How much harm it does.
    public let severity: ErrorSeverity
    /// What to offer the person whose action failed.
    public let suggestedAction: ErrorAction
    /// Whether the same operation may succeed later.
    public let isRecoverable: Bool
    /// The component in which it arose, where that is known.
    public let origin: ComponentDescriptor?
    /// The error that led to this one.
    public let cause: (any Error)?

    /// Collects facts. What is left out is taken from the code's entry in the ``ErrorCatalog``; for a code that has
    /// none, severity is non-critical, the action is to dismiss, and the suggestion is empty.
    ///
    /// - Parameter isRecoverable: Unless told, whether a retry is what the code suggests.
    public init(
        _ code: ErrorCode,
        _ message: String,
        recoverySuggestion: String? = nil,
        severity: ErrorSeverity? = nil,
        suggestedAction: ErrorAction? = nil,
        isRecoverable: Bool? = nil,
        origin: ComponentDescriptor? = nil,
        cause: (any Error)? = nil
    ) {
        let entry = ErrorCatalog.entry(for: code)
        let action = suggestedAction ?? entry?.suggestedAction ?? .dismiss
        self.code = code
        self.message = message
        self.recoverySuggestion = recoverySuggestion ?? entry?.remedy ?? ""
        self.severity = severity ?? entry?.severity ?? .nonCritical
        self.suggestedAction = action
        self.isRecoverable = isRecoverable ?? (action == .retry)
        self.origin = origin
        self.cause = cause
    }
}

extension ErrorFamily {
    /// What programs compare and metrics are labelled with.
    public var code: ErrorCode { facts.code }
    /// What happened, for a person.
    public var message: String { facts.message }
    /// What a person or a developer can do about it.
    public var recoverySuggestion: String { facts.recoverySuggestion }
    /// How much harm it does.
    public var severity: ErrorSeverity { facts.severity }
    /// What to offer the person whose action failed.
    public var suggestedAction: ErrorAction { facts.suggestedAction }
    /// Whether the same operation may succeed later.
    public var isRecoverable: Bool { facts.isRecoverable }
    /// The component in which it arose, where that is known.
    public var origin: ComponentDescriptor? { facts.origin }
    /// The error that led to this one.
    public var cause: (any Error)? { facts.cause }
}
