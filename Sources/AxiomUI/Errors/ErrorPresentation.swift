// SPDX-License-Identifier: Apache-2.0

public import Axiom
internal import Foundation

/// An error as a terminal, a test and a view show it.
///
/// It is a value: two presentations are equal if they show the same. Make it from an `ErrorBoundary`, draw it, and pass
/// the option that the user chose back to the boundary:
/// ```swift
/// if let error = ErrorPresentation(context.errorBoundary) {
///     print(error.text(width: 72))
///     await context.errorBoundary.choose(1, of: error)
/// }
/// ```
public struct ErrorPresentation: Sendable, Hashable, Identifiable {
    /// What a presentation was made from.
    public struct ID: Sendable, Hashable {
        enum Source: Hashable {
            case entry(Int)
            case notification(Int)
            case error
        }

        let source: Source
        /// The boundary; nil for an error that belongs to none.
        let boundary: ObjectIdentifier?
    }

    /// An option that the user can choose.
    public struct Option: Sendable, Hashable, Identifiable {
        /// Its number among the options of the error, from 1.
        public let id: Int
        /// The text of its button.
        public let title: String
        /// The suggested action, for the renderer.
        public let action: ErrorAction
        /// Whether it is the one to emphasise. The first option is, unless it is the only one and only dismisses.
        public let isPrimary: Bool
    }

    /// What it was made from.
    public let id: ID
    /// The kind of the error, which has the icon.
    public let kind: ErrorKind
    /// A short heading, the same for all errors of one kind.
    public let title: String
    /// What happened, for the user.
    public let message: String
    /// The remedy; nil if the error has none.
    public let suggestion: String?
    /// The action that the error suggests.
    public let suggestedAction: ErrorAction
    /// The code of the error, for a report to the developers.
    public let code: ErrorCode
    /// The severity of the error.
    public let severity: ErrorSeverity
    /// The options to choose from. Empty for an error that is not the boundary's current one.
    public let options: [Option]
    /// Whether a recovery strategy of the boundary runs. Options then wait.
    public let isRecovering: Bool
    /// The label for ``isRecovering``.
    public let recoveringLabel: String

    /// Whether the user may remove the error without choosing an option, for example by a tap beside it. A critical
    /// error has to be acknowledged.
    public var isDismissable: Bool { severity != .critical }

    init(
        _ error: any Error,
        id: ID = ID(source: .error, boundary: nil),
        message: String? = nil,
        options: [RecoveryOption] = [],
        isRecovering: Bool = false,
        labels: ErrorLabels
    ) {
        let known = error as? any AxiomError
        let kind = ErrorKind(of: error)
        self.id = id
        self.kind = kind
        self.message = message ?? Self.message(of: error) ?? labels.unknownMessage
        self.options = Self.options(options, labels)
        self.isRecovering = isRecovering
        title = labels.title(of: kind)
        suggestion = Self.suggestion(of: error)
        suggestedAction = known?.suggestedAction ?? .dismiss
        code = ErrorCode(of: error)
        severity = known?.severity ?? .nonCritical
        recoveringLabel = labels.recovering
    }

    // MARK: - Texts

    /// The text of the error, in the language of the user; nil if it has none that was written for people.
    private static func message(of error: any Error) -> String? {
        let text =
            switch error {
            case let error as any LocalizedError: error.errorDescription
            case let error as any CustomStringConvertible: error.description
            default: String?.none
            }
        return text.flatMap(nonblank)
    }

    private static func suggestion(of error: any Error) -> String? {
        (error as? any LocalizedError)?.recoverySuggestion.flatMap(nonblank)
    }

    private static func nonblank(_ text: String) -> String? {
        text.allSatisfy(\.isWhitespace) ? nil : text
    }

    private static func options(_ options: [RecoveryOption], _ labels: ErrorLabels) -> [Option] {
        let hasPrimary = options.count > 1 || options.first.map { $0.action != .dismiss } == true
        return options.enumerated().map { index, option in
            Option(
                id: index + 1,
                title: labels.title(of: option),
                action: option.action,
                isPrimary: hasPrimary && index == 0
            )
        }
    }
}
