// SPDX-License-Identifier: Apache-2.0

public import AxiomBase
internal import Foundation

/// An error of a server, its routes or a response. The message names the cause and the remedy.
public struct HTTPServerError: MessageError, Hashable, CustomStringConvertible {
    /// The kind of an error. New kinds may be added.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The name of the kind.
        public let description: String

        private init(_ description: String) { self.description = description }

        /// An option of the configuration lies outside its range.
        public static let invalidConfiguration = Code("invalidConfiguration")
        /// A route is malformed or a duplicate.
        package static let invalidRoute = Code("invalidRoute")
        /// A handler made a response that cannot be sent.
        package static let invalidResponse = Code("invalidResponse")
        /// Another socket listens at the address.
        public static let addressInUse = Code("addressInUse")
        /// The machine has no such address.
        public static let addressUnavailable = Code("addressUnavailable")
        /// The process may not listen at the address.
        public static let permissionDenied = Code("permissionDenied")
        /// The server runs already.
        public static let alreadyStarted = Code("alreadyStarted")
        /// The server was stopped, which is final.
        package static let stopped = Code("stopped")
        /// The operating system refused a resource that the server needs.
        public static let systemFailure = Code("systemFailure")
    }

    /// The kind.
    public let code: Code
    /// The cause and the remedy in one sentence.
    public let message: String

    package init(_ code: Code, _ message: String) { (self.code, self.message) = (code, message) }

    /// The kind and the message.
    public var description: String { "\(code): \(message)" }

    /// A system call that watches connections failed with `code`, mostly because the process is out of descriptors.
    static func descriptors(_ code: Int32) -> HTTPServerError {
        HTTPServerError(
            .systemFailure,
            "cannot watch connections: \(String(cString: strerror(code))); "
                + "look at the limits of descriptors and threads (ulimit -n, ulimit -u)"
        )
    }
}
