// SPDX-License-Identifier: Apache-2.0

public import AxiomBase

/// An error in the registration or collection of a metric. The message names the input and the remedy.
public struct MetricsError: MessageError, Hashable, CustomStringConvertible {
    /// The kind of a ``MetricsError``. More codes may be added.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The code as it is printed, in camel case.
        public let description: String

        /// A metric name that no reader accepts, or a counter's that does not end in `_total`.
        public static let invalidName = Code(description: "invalidName")
        /// A label name that is malformed, reserved or used twice.
        public static let invalidLabel = Code(description: "invalidLabel")
        /// A missing help text.
        public static let invalidHelp = Code(description: "invalidHelp")
        /// A unit that is not the end of the metric's name, or that belongs to a metric without a quantity.
        public static let invalidUnit = Code(description: "invalidUnit")
        /// An option that is out of its range.
        public static let invalidOption = Code(description: "invalidOption")
        /// Histogram bounds that are empty, too many, not finite or not increasing.
        public static let invalidBuckets = Code(description: "invalidBuckets")
        /// A name that is already registered with another definition.
        public static let conflictingDefinition = Code(description: "conflictingDefinition")
        /// A name that another family uses for its samples, such as `x_count` beside the histogram `x`.
        public static let nameClash = Code(description: "nameClash")
        /// A collector or callback threw an error.
        public static let collectorFailed = Code(description: "collectorFailed")
        /// An asynchronous collector did not answer before the deadline.
        public static let collectorLate = Code(description: "collectorLate")
        /// A collected sample whose value or number of labels does not fit its family.
        public static let invalidSample = Code(description: "invalidSample")
        /// Two collected samples with the same labels.
        public static let duplicateSeries = Code(description: "duplicateSeries")
    }

    /// The kind of error.
    public let code: Code
    /// The input and the remedy, as a sentence.
    public let message: String
    /// The metric family; nil if a collector failed before it returned one.
    public let family: String?
    /// The error that a collector or callback threw, as text.
    package let cause: String?
    /// Where the metric was registered, as `Module/File.swift`; empty for errors of a collection.
    package let file: String
    /// The line in ``file``.
    package let line: Int

    init(
        _ code: Code,
        _ message: String,
        family: String?,
        cause: (any Error)? = nil,
        file: String = "",
        line: Int = 0
    ) {
        self.code = code
        self.message = message
        self.family = family
        self.cause = cause.map { String(describing: $0) }
        self.file = file
        self.line = line
    }

    /// The message, followed by the cause and the source location if they are known.
    public var description: String {
        let reason = cause.map { ": \($0)" } ?? ""
        let location = file.isEmpty ? "" : " (\(file):\(line))"
        return message + reason + location
    }

    /// The same error with a source location.
    func at(_ file: String, _ line: Int) -> MetricsError {
        MetricsError(copying: self, file: file, line: line)
    }

    private init(copying other: MetricsError, file: String, line: Int) {
        code = other.code
        message = other.message
        family = other.family
        cause = other.cause
        self.file = file
        self.line = line
    }
}
