// SPDX-License-Identifier: Apache-2.0

public import AxiomBase

/// An error that states what happened, its severity, and a remedy. Axiom throws such errors; an application can throw
/// its own, which are then shown and counted in the same way.
///
/// An application's error states a code, a message and a suggestion; everything else has a default.
public protocol AxiomError: MessageError, CustomStringConvertible {
    /// The code, for comparisons in programs and for metric labels. Never changes for one kind of error.
    var code: ErrorCode { get }

    /// What happened, for the user: names the components involved, in whole sentences.
    var message: String { get }

    /// The remedy, for the user or a developer.
    var recoverySuggestion: String { get }

    /// The severity.
    var severity: ErrorSeverity { get }

    /// Whether the same operation may succeed later, with the same program. A retry checks this before each attempt.
    var isRecoverable: Bool { get }

    /// The action to offer to the user.
    var suggestedAction: ErrorAction { get }

    /// The component in which it originated, if the error itself knows it; otherwise the ``ErrorTrail`` does.
    var origin: ComponentDescriptor? { get }

    /// The cause of this error.
    var cause: (any Error)? { get }

    /// Technical details for developers; empty in release builds.
    var debugInformation: String { get }
}

extension AxiomError {
    /// The code, the message and the suggestion, in one line.
    public var description: String {
        "\(code.rawValue): \(message) \(recoverySuggestion)"
    }

    // For Foundation's `LocalizedError`. Declared here as well as on `MessageError`, so that an application's error
    // needs to import only Axiom.

    /// The text of the code in the language of the user, or the message: for `localizedDescription`. See
    /// ``ErrorLocalization``.
    public var errorDescription: String? { ErrorLocalization.text(of: self)?.message ?? message }

    /// The suggestion, in the language of the user if there is one for the code.
    public var recoverySuggestion: String? {
        let text: String = recoverySuggestion
        return ErrorLocalization.text(of: self)?.suggestion ?? text
    }

    /// None.
    public var failureReason: String? { nil }

    /// For a code of the framework, the code: the anchor of its explanation in `Documentation/error-codes.md` and on the page
    /// `/codes` of the exporter. Nil for a code of an application. One dictionary look-up.
    public var helpAnchor: String? { ErrorCatalog.entry(for: code)?.code.rawValue }

    /// ``ErrorSeverity/nonCritical``.
    public var severity: ErrorSeverity { .nonCritical }

    /// True unless the error is critical.
    public var isRecoverable: Bool { severity != .critical }

    /// ``ErrorAction/dismiss``.
    public var suggestedAction: ErrorAction { .dismiss }

    /// Nil: the error itself does not know it.
    public var origin: ComponentDescriptor? { nil }

    /// None.
    public var cause: (any Error)? { nil }

    /// The error's type, code and origin, and the chain of its causes; empty in release builds.
    public var debugInformation: String {
        #if DEBUG
        ErrorChain(self).description
        #else
        ""
        #endif
    }
}

/// The severity of an error.
public enum ErrorSeverity: String, Sendable, Hashable, CaseIterable {
    /// Core functions do not work; needs attention now.
    case critical
    /// One function does not work, the rest continues.
    case nonCritical = "non_critical"
    /// Nothing stopped, but it may become a problem.
    case warning
}

extension ErrorSeverity: Comparable {
    /// Whether the left severity is lower.
    public static func < (left: ErrorSeverity, right: ErrorSeverity) -> Bool {
        left.rank < right.rank
    }

    private var rank: Int {
        switch self {
        case .warning: 0
        case .nonCritical: 1
        case .critical: 2
        }
    }
}

/// The action to offer to the user whose operation failed.
public enum ErrorAction: String, Sendable, Hashable, CaseIterable {
    /// Try again.
    case retry
    /// Sign in.
    case authenticate
    /// Install a newer version of the application.
    case update
    /// Ask for help.
    case contactSupport = "contact_support"
    /// Take note.
    case dismiss
}

/// An error and its causes, the root cause last.
struct ErrorChain: CustomStringConvertible {
    /// The maximum length. A cause that is a class may lead back to itself.
    private static let limit = 8

    let errors: [any Error]

    init(_ error: any Error) {
        var errors: [any Error] = []
        var next: (any Error)? = error
        while let error = next, errors.count < Self.limit {
            errors.append(error)
            next = (error as? any AxiomError)?.cause
        }
        self.errors = errors
    }

    var description: String {
        errors.map(Self.describe).joined(separator: ", caused by ")
    }

    private static func describe(_ error: any Error) -> String {
        let type = "\(type(of: error))"
        guard let error = error as? any AxiomError else { return "\(type) (\(error))" }
        return "\(type) \(error.code.rawValue)" + (error.origin.map { " in the \($0)" } ?? "")
    }
}
