// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// Why a benchmark could not be measured or judged, and what to do about it.
package struct BenchmarkError: MessageError, Hashable, CustomStringConvertible {
    /// The kind of a ``BenchmarkError``. More codes may be added.
    package struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The code as it is printed.
        package let description: String

        private init(_ description: String) {
            self.description = description
        }

        /// An invalid option or suite.
        package static let usage = Code("usage")
        /// A benchmark's process crashed, hung or failed.
        package static let crashed = Code("crashed")
        /// A revision could not be checked out or built.
        package static let buildFailed = Code("buildFailed")
        /// A baseline that cannot be read or written.
        package static let baseline = Code("baseline")
        /// A call of the operating system failed.
        package static let system = Code("system")
    }

    /// The kind of error.
    package let code: Code
    /// The input and the remedy.
    package let message: String
    /// What another program or the system said, if anything.
    package let cause: String?
    /// The source file in which the error arose, as `Module/File.swift`.
    package let file: String
    /// The line in ``file``.
    package let line: Int

    /// Makes an error.
    package init(_ code: Code, _ message: String, cause: String? = nil, file: String = #fileID, line: Int = #line) {
        self.code = code
        self.message = message
        self.cause = cause
        self.file = file
        self.line = line
    }

    /// The message, followed by the cause if there is one.
    package var description: String {
        message + (cause.map { ": \($0)" } ?? "")
    }
}
