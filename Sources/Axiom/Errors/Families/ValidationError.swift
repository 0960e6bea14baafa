// SPDX-License-Identifier: Apache-2.0

/// An input is not valid. The user can correct it and continue.
public struct ValidationError: ErrorFamily {
    /// The facts of the error.
    public let facts: ErrorFacts

    /// Makes an error from `facts`.
    public init(_ facts: ErrorFacts) {
        self.facts = facts
    }
}

// MARK: - Codes

extension ValidationError {
    /// `field` is required and missing.
    public static func missing(_ field: String) -> Self {
        ValidationError(ErrorFacts(.missingValue, "\(field) is missing.", isRecoverable: true))
    }

    /// `field` does not have the required format.
    ///
    /// - Parameter expected: The format, as in `name@host`.
    public static func invalidFormat(_ field: String, expected: String) -> Self {
        ValidationError(
            ErrorFacts(.invalidFormat, "\(field) does not have the form \(expected).", isRecoverable: true)
        )
    }

    /// `field` is outside `range`.
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
