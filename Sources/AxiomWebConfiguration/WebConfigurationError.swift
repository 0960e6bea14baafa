// SPDX-License-Identifier: Apache-2.0

public import AxiomBase

/// A web configuration file cannot be used. No message quotes a hash, a token or a key.
public struct WebConfigurationError: MessageError, Hashable, CustomStringConvertible {
    /// The path of the web configuration file.
    public let file: String
    /// The line of the cause, from 1; nil if the whole file is.
    public let line: Int?
    /// The cause and the remedy in one sentence.
    public let message: String

    init(_ file: String, line: Int?, _ message: String) {
        (self.file, self.line, self.message) = (file, line, message)
    }

    /// The file, the line and the message, as compilers print them.
    public var description: String { "\(file)\(line.map { ":\($0)" } ?? ""): \(message)" }

    /// The description, for programs that print errors without knowing their type.
    public var errorDescription: String? { description }
}
