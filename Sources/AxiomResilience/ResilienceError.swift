// SPDX-License-Identifier: Apache-2.0

public import AxiomBase

/// What is wrong with what a strategy of this module was made of: which input, and what to do about it.
///
/// These are errors of configuration. What a strategy throws while it works, such as ``CircuitOpenError``, has a type
/// of its own.
public struct ResilienceError: MessageError, Hashable, CustomStringConvertible {
    /// The kind of a ``ResilienceError``. More codes may be added.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The code as it is printed, in camel case.
        public let description: String

        /// A name that is empty.
        public static let invalidName = Code(description: "invalidName")
        /// An option that is out of its range, or that contradicts another.
        public static let invalidOption = Code(description: "invalidOption")
        /// A name that is taken already, with another configuration.
        public static let conflictingConfiguration = Code(description: "conflictingConfiguration")
        /// An exported state that this version does not understand or that contradicts itself.
        public static let invalidRecord = Code(description: "invalidRecord")
        /// Strategies that cannot be put together in this way.
        public static let invalidComposition = Code(description: "invalidComposition")
    }

    /// The kind of error, to decide on.
    public let code: Code
    /// The error in words: the input and the remedy.
    public let message: String
    /// The error behind this one, as text; nil where there is none.
    public let cause: String?
    /// Where the strategy was made, as `Module/File.swift`; empty where it is not known.
    public let file: String
    /// The line in ``file``.
    public let line: Int

    init(_ code: Code, _ message: String, cause: (any Error)? = nil, file: String = "", line: Int = 0) {
        self.code = code
        self.message = message
        self.cause = cause.map { String(describing: $0) }
        self.file = file
        self.line = line
    }

    /// The message, followed by the cause and the place where they are known.
    public var description: String {
        let reason = cause.map { ": \($0)" } ?? ""
        let place = file.isEmpty ? "" : " (\(file):\(line))"
        return message + reason + place
    }
}
