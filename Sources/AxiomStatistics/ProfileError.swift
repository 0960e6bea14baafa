// SPDX-License-Identifier: Apache-2.0

public import AxiomBase

/// An error of a statistic, a baseline file or a policy. The message names the input and the remedy.
public struct ProfileError: MessageError, Hashable, CustomStringConvertible {
    /// The kind of a ``ProfileError``. More codes may be added.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The code as it is printed, in camel case.
        public let description: String

        private init(_ description: String) { self.description = description }

        /// A sample that is too small or has a number that is not finite.
        public static let invalidSample = Code("invalidSample")
        /// A parameter outside its range.
        package static let invalidParameter = Code("invalidParameter")
        /// A value that a file cannot store, such as NaN.
        package static let invalidValue = Code("invalidValue")
        /// There is no such file.
        public static let missingFile = Code("missingFile")
        /// A file that is not complete JSON, or a baseline that violates the rules of its version.
        public static let damagedFile = Code("damagedFile")
        /// A baseline whose contents do not match its checksum.
        public static let editedFile = Code("editedFile")
        /// A file that another program wrote.
        public static let foreignFile = Code("foreignFile")
        /// A baseline of a newer version than this program knows.
        public static let newerFile = Code("newerFile")
        /// The operating system refused to read or write.
        public static let fileSystem = Code("fileSystem")
    }

    /// The kind of error, to decide on.
    public let code: Code
    /// The input and the remedy.
    public let message: String
    /// The message of the operating system or of another error, if there is one.
    package let cause: String?
    /// The source file in which the error arose, as `Module/File.swift`.
    package let file: String
    /// The line in ``file``.
    package let line: Int

    package init(_ code: Code, _ message: String, cause: String? = nil, file: String = #fileID, line: Int = #line) {
        self.code = code
        self.message = message
        self.cause = cause
        self.file = file
        self.line = line
    }

    /// The message, followed by the cause if there is one.
    public var description: String { message + (cause.map { ": \($0)" } ?? "") }
}

/// Checks of the inputs of statistics.
enum Check {
    /// - Throws: ``ProfileError`` if there are fewer than `least` values, or one is NaN or infinite.
    static func sample(
        _ values: [Double],
        _ name: String = "the sample",
        atLeast least: Int = 1
    ) throws(ProfileError) {
        guard values.count >= least else {
            throw ProfileError(
                .invalidSample,
                "\(name) has \(values.count) values and needs at least \(least): collect more"
            )
        }
        if let position = values.firstIndex(where: { !$0.isFinite }) {
            throw ProfileError(
                .invalidSample,
                "value \(position) of \(name) is \(values[position]): leave out what was not measured"
            )
        }
    }

    /// - Throws: ``ProfileError`` if `value` is not strictly between 0 and 1.
    static func probability(_ value: Double, _ name: String) throws(ProfileError) {
        guard value > 0, value < 1 else {
            throw ProfileError(.invalidParameter, "\(name) is \(value) and must lie between 0 and 1, both excluded")
        }
    }

    /// - Throws: ``ProfileError`` if `value` is less than `least`.
    static func count(_ value: Int, _ name: String, atLeast least: Int) throws(ProfileError) {
        guard value >= least else {
            throw ProfileError(.invalidParameter, "\(name) is \(value) and must be at least \(least)")
        }
    }
}
