// SPDX-License-Identifier: Apache-2.0

public import AxiomBase

/// Why a benchmark could not be measured or judged: what went wrong, and what to do about it.
public struct BenchmarkError: MessageError, Hashable, CustomStringConvertible {
    /// The kind of a ``BenchmarkError``. More codes may be added.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The code as it is printed.
        public let description: String

        private init(_ description: String) {
            self.description = description
        }

        /// An option, or a suite, that cannot be.
        public static let usage = Code("usage")
        /// A benchmark's process ended, hung or failed.
        public static let crashed = Code("crashed")
        /// A revision could not be checked out or built.
        public static let buildFailed = Code("buildFailed")
        /// A baseline that cannot be read or written.
        public static let baseline = Code("baseline")
        /// The operating system refused something.
        public static let system = Code("system")
    }

    /// The kind of error.
    public let code: Code
    /// The error in words: the input and the remedy.
    public let message: String
    /// What another program or the system said; nil when there is nothing of the kind.
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
