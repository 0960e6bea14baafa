// SPDX-License-Identifier: Apache-2.0

public import AxiomBase

/// What went wrong with a statistic, a baseline file or a fingerprint: which input, and what to do about it.
public struct ProfileError: MessageError, Hashable, CustomStringConvertible {
    /// The kind of a ``ProfileError``. More codes may be added.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The code as it is printed, in camel case.
        public let description: String

        private init(_ description: String) {
            self.description = description
        }

        /// A sample that is too small, or holds a number that is not finite.
        public static let invalidSample = Code("invalidSample")
        /// A parameter outside its range.
        public static let invalidParameter = Code("invalidParameter")
        /// A value that a file cannot hold, such as NaN.
        public static let invalidValue = Code("invalidValue")
        /// There is no such file.
        public static let missingFile = Code("missingFile")
        /// A file that is no whole JSON, or a baseline whose contents break the rules of its version.
        public static let damagedFile = Code("damagedFile")
        /// A baseline whose contents are not those that its checksum was made from.
        public static let editedFile = Code("editedFile")
        /// A file that something else wrote.
        public static let foreignFile = Code("foreignFile")
        /// A baseline of a later version than this program knows.
        public static let newerFile = Code("newerFile")
        /// The operating system refused to read or write.
        public static let fileSystem = Code("fileSystem")
    }

    /// The kind of error, to decide on.
    public let code: Code
    /// The error in words: the input and the remedy.
    public let message: String
    /// What the operating system or another error said; nil when there is nothing of the kind.
    public let cause: String?
    /// The source file in which the error arose, as `Module/File.swift`.
    public let file: String
    /// The line in ``file``.
    public let line: Int

    /// Makes an error.
    public init(_ code: Code, _ message: String, cause: String? = nil, file: String = #fileID, line: Int = #line) {
        self.code = code
        self.message = message
        self.cause = cause
        self.file = file
        self.line = line
    }

    /// The message, followed by the cause where one is known.
    public var description: String {
        message + (cause.map { ": \($0)" } ?? "")
    }
}
