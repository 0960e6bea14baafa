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

    var severity: ErrorSeverity { get }

    /// Whether the same operation may succeed later, with the same program. A retry checks this before each attempt.
    var isRecoverable: Bool { get }

    /// The action to offer to the user.
    var suggestedAction: ErrorAction { get }

    /// The component in which it originated, if the error itself knows it; otherwise the ``ErrorTrail`` does.
    var origin: ComponentDescriptor? { get }

    var cause: (any Error)? { get }

    /// Technical details for developers; empty in release builds.
    var debugInformation: String { get }
}

extension AxiomError {
    /// The code, the message and the suggestion, in one line.
    public var description: String { "\(code.rawValue): \(message) \(recoverySuggestion)" }

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
        ErrorChain.text(of: self)
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

/// An error that has a cause, and its causes: the deepest one last. It has at most 8 errors, and no object twice, so that
/// an error that is its own cause makes a chain with an end.
package struct ErrorChain: Sendable {
    /// One error of a chain.
    package struct Link: Sendable {
        package let error: any Error
        /// The component that threw it: as the error itself knows it, or else as the operation noted it; nil if neither does.
        package let component: ComponentDescriptor?
    }

    private static let limit = 8

    /// The error, and at least one cause unless the error is its own cause.
    package let links: [Link]
    /// Whether more causes follow, or the same ones again.
    package let isCut: Bool

    /// Makes the chain of an error; nil if it has no cause, which costs one check. Calls the code of the errors.
    ///
    /// - Parameter thrower: The component that threw an error which does not know it itself.
    package init?(_ error: any Error, thrower: (any Error) -> ComponentDescriptor? = { _ in nil }) {
        guard let error = error as? any AxiomError, error.cause != nil else { return nil }
        let (errors, isCut) = Self.errors(from: error)
        self.isCut = isCut
        links = errors.map { Link(error: $0, component: ($0 as? any AxiomError)?.origin ?? thrower($0)) }
    }

    private static func errors(from error: any Error) -> (errors: [any Error], isCut: Bool) {
        var (errors, objects) = ([any Error](), Set<ObjectIdentifier>())
        var next: (any Error)? = error
        while let error = next {
            guard errors.count < limit, isNew(error, &objects) else { return (errors, true) }
            errors.append(error)
            next = (error as? any AxiomError)?.cause
        }
        return (errors, false)
    }

    /// Whether an error that is an object is not among those before. Any other error is new.
    private static func isNew(_ error: any Error, _ objects: inout Set<ObjectIdentifier>) -> Bool {
        guard type(of: error) is AnyClass else { return true }
        return objects.insert(ObjectIdentifier(error as AnyObject)).inserted
    }

    /// The types, codes, origins and descriptions of an error and its causes, for developers.
    static func text(of error: any Error) -> String {
        errors(from: error).errors.map(describe).joined(separator: ", caused by ")
    }

    private static func describe(_ error: any Error) -> String {
        let type = "\(type(of: error))"
        guard let error = error as? any AxiomError else { return "\(type) (\(error))" }
        return "\(type) \(error.code.rawValue)" + (error.origin.map { " in the \($0)" } ?? "")
    }
}
