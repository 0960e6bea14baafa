// SPDX-License-Identifier: Apache-2.0

public import AxiomBase

/// An error that says what happened, how bad it is, and what can be done: what Axiom throws, and what an application
/// may throw to be shown and counted as well.
///
/// An application's error states a code, a message and a suggestion; all else has a default.
public protocol AxiomError: MessageError, CustomStringConvertible {
    /// What programs compare and metrics are labelled with. Never changes for one kind of error.
    var code: ErrorCode { get }

    /// What happened, for a person: names the parties, in whole sentences.
    var message: String { get }

    /// What a person or a developer can do about it.
    var recoverySuggestion: String { get }

    /// How much harm it does.
    var severity: ErrorSeverity { get }

    /// Whether the same operation may succeed later, with the same program: what a retry asks before it tries again.
    var isRecoverable: Bool { get }

    /// What to offer the person whose action failed.
    var suggestedAction: ErrorAction { get }

    /// The component in which it arose, where the error itself knows it; else the ``ErrorTrail`` tells.
    var origin: ComponentDescriptor? { get }

    /// The error that led to this one.
    var cause: (any Error)? { get }

    /// Technical details for developers; empty in release builds.
    var debugInformation: String { get }
}

extension AxiomError {
    /// The code, what happened and what can be done, in one line.
    public var description: String {
        "\(code.rawValue): \(message) \(recoverySuggestion)"
    }

    // For Foundation's `LocalizedError`. They stand here as well as at `MessageError`, so that an application's error
    // needs no import but that of Axiom.

    /// The message: what `localizedDescription` returns.
    public var errorDescription: String? { message }

    /// What can be done, the same text.
    public var recoverySuggestion: String? {
        let text: String = recoverySuggestion
        return text
    }

    /// None.
    public var failureReason: String? { nil }

    /// None.
    public var helpAnchor: String? { nil }

    /// ``ErrorSeverity/nonCritical``.
    public var severity: ErrorSeverity { .nonCritical }

    /// Whether the error is anything but critical.
    public var isRecoverable: Bool { severity != .critical }

    /// ``ErrorAction/dismiss``.
    public var suggestedAction: ErrorAction { .dismiss }

    /// Unknown to the error itself.
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

/// How much harm an error does.
public enum ErrorSeverity: String, Sendable, Hashable, CaseIterable {
    /// Core functions do not work; it wants attention now.
    case critical
    /// Something does not work, the rest goes on.
    case nonCritical = "non_critical"
    /// Nothing stopped, but it may become a problem.
    case warning
}

extension ErrorSeverity: Comparable {
    /// Whether the left one does less harm.
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

/// What to offer the person whose action failed.
public enum ErrorAction: String, Sendable, Hashable, CaseIterable {
    /// To try again.
    case retry
    /// To sign in.
    case authenticate
    /// To install a newer version of the application.
    case update
    /// To ask for help.
    case contactSupport = "contact_support"
    /// To take note.
    case dismiss
}
