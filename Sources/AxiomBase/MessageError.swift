// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// An error with a message. All public error types of Axiom conform.
///
/// `localizedDescription` returns ``message``. Without this protocol Foundation would return a sentence that only names
/// the type.
public protocol MessageError: LocalizedError, Sendable {
    /// What happened, as a sentence.
    var message: String { get }
}

extension MessageError {
    /// The message: the default of types that conform to `CustomStringConvertible`.
    public var description: String { message }
    /// The message.
    public var errorDescription: String? { message }
    /// None.
    public var failureReason: String? { nil }
    /// None; an `AxiomError` has one.
    public var recoverySuggestion: String? { nil }
    /// None.
    public var helpAnchor: String? { nil }
}

extension String {
    /// The text of `error` without a full stop, for use inside a sentence: its message, otherwise its description.
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

    /// The text without trailing full stops and white space.
    package var clause: String {
        var text = self[...]
        while let last = text.last, last.isWhitespace || last == "." { text.removeLast() }
        return String(text)
    }
}
