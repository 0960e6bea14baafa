// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// An error that states its message: every public error type of Axiom.
///
/// `localizedDescription` returns ``message``. Without this protocol Foundation would return a sentence that names the
/// type alone.
public protocol MessageError: LocalizedError, Sendable {
    /// What happened, in words.
    var message: String { get }
}

extension MessageError {
    /// The message.
    public var errorDescription: String? { message }
    /// None.
    public var failureReason: String? { nil }
    /// None; an `AxiomError` states one.
    public var recoverySuggestion: String? { nil }
    /// None.
    public var helpAnchor: String? { nil }
}

extension String {
    /// What `error` says, as the end of a sentence that goes on with a full stop: the message of an error that has one,
    /// else its text.
    package init(clause error: any Error) {
        let text =
            switch error {
            case let error as any MessageError: error.message
            case is CancellationError: "it was cancelled"
            case let error as any LocalizedError: error.errorDescription ?? "\(error)"
            default: "\(error)"
            }
        self = text.clause
    }

    /// The text without the full stops and the blanks at its end.
    package var clause: String {
        var text = self[...]
        while let last = text.last, last.isWhitespace || last == "." { text.removeLast() }
        return String(text)
    }
}
