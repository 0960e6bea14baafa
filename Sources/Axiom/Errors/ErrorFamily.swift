// SPDX-License-Identifier: Apache-2.0

/// A family of errors that share one set of facts and differ in their codes.
///
/// Users see each family as an ``AxiomError``. The members of the extension are public, because they implement the
/// requirements of that protocol.
package protocol ErrorFamily: AxiomError {
    var facts: ErrorFacts { get }

    init(_ facts: ErrorFacts)
}

/// The facts of an error of a family.
package struct ErrorFacts: Sendable {
    /// The code, for comparisons in programs and for metric labels.
    package let code: ErrorCode
    /// What happened, for the user.
    package let message: String
    /// The remedy, for the user or a developer.
    package let recoverySuggestion: String
    package let severity: ErrorSeverity
    /// The action to offer to the user.
    package let suggestedAction: ErrorAction
    /// Whether the same operation may succeed later.
    package let isRecoverable: Bool
    /// The component in which it originated, if known.
    package let origin: ComponentDescriptor?
    package let cause: (any Error)?
    /// The status of an HTTP response; nil for an error of another kind.
    package var status: Int?

    /// Collects facts. The defaults come from the code's entry in the ``ErrorCatalog``. For a code without an entry,
    /// the severity is non-critical, the action is to dismiss, and the suggestion is empty.
    ///
    /// - Parameter isRecoverable: By default, whether the code's suggested action is a retry.
    package init(
        _ code: ErrorCode,
        _ message: String,
        recoverySuggestion: String? = nil,
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
        severity = entry?.severity ?? .nonCritical
        self.suggestedAction = action
        self.isRecoverable = isRecoverable ?? (action == .retry)
        self.origin = origin
        self.cause = cause
    }
}

extension ErrorFamily {
    /// Makes an error of this family with the defaults of its code.
    package init(
        _ code: ErrorCode,
        _ message: String,
        recoverySuggestion: String? = nil,
        isRecoverable: Bool? = nil,
        origin: ComponentDescriptor? = nil,
        cause: (any Error)? = nil
    ) {
        self.init(
            ErrorFacts(
                code,
                message,
                recoverySuggestion: recoverySuggestion,
                isRecoverable: isRecoverable,
                origin: origin,
                cause: cause
            )
        )
    }

    /// The code, for comparisons in programs and for metric labels.
    public var code: ErrorCode { facts.code }
    /// What happened, for the user.
    public var message: String { facts.message }
    /// The remedy, for the user or a developer.
    public var recoverySuggestion: String { facts.recoverySuggestion }
    /// The severity.
    public var severity: ErrorSeverity { facts.severity }
    /// The action to offer to the user.
    public var suggestedAction: ErrorAction { facts.suggestedAction }
    /// Whether the same operation may succeed later.
    public var isRecoverable: Bool { facts.isRecoverable }
    /// The component in which it originated, if known.
    public var origin: ComponentDescriptor? { facts.origin }
    /// The cause of this error.
    public var cause: (any Error)? { facts.cause }
}
