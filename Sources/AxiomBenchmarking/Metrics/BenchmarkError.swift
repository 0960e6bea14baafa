// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// Why a benchmark could not be measured or judged, and what to do about it.
struct BenchmarkError: MessageError, Hashable, CustomStringConvertible {
    enum Code: Hashable, Sendable {
        /// An invalid option or suite.
        case usage
        /// A benchmark's process crashed, hung or failed.
        case crashed
        /// A revision could not be checked out or built.
        case buildFailed
        /// A baseline that cannot be read or written.
        case baseline
        /// A call of the operating system failed.
        case system
    }

    let code: Code
    /// The input and the remedy.
    let message: String
    /// What another program or the system said, if anything.
    let cause: String?

    init(_ code: Code, _ message: String, cause: String? = nil) {
        (self.code, self.message, self.cause) = (code, message, cause)
    }

    /// The message, followed by the cause if there is one.
    var description: String { message + (cause.map { ": \($0)" } ?? "") }
}
