// SPDX-License-Identifier: Apache-2.0

/// What was entered cannot be accepted. The person can mend it and go on.
public struct ValidationError: ErrorFamily {
    /// What the error says.
    public let facts: ErrorFacts

    /// Makes an error that says `facts`.
    public init(_ facts: ErrorFacts) {
        self.facts = facts
    }
}

// MARK: - Its codes

extension ValidationError {
    /// `field` is needed and was left out.
    public static func missing(_ field: String) -> Self {
        ValidationError(ErrorFacts(.missingValue, "\(field) is missing.", isRecoverable: true))
    }

    /// `field` does not have the form that is needed.
    ///
    /// - Parameter expected: The form, as in `name@host`.
    public static func invalidFormat(_ field: String, expected: String) -> Self {
        ValidationError(
            ErrorFacts(.invalidFormat, "\(field) does not have the form \(expected).", isRecoverable: true)
        )
    }

    /// `field` lies outside of `range`.
    public static func outOfRange<Value: Comparable & Sendable>(_ field: String, _ range: ClosedRange<Value>) -> Self {
        ValidationError(
            ErrorFacts(
                .outOfRange,
                "\(field) must lie between \(range.lowerBound) and \(range.upperBound).",
                isRecoverable: true
            )
        )
    }
}
