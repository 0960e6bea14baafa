// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// A system call on a socket failed.
struct SocketError: Error, Hashable, CustomStringConvertible {
    let operation: String
    let code: CInt

    init(_ operation: String, code: CInt = errno) {
        self.operation = operation
        self.code = code
    }

    var isReset: Bool { code == ECONNRESET || code == EPIPE }

    var description: String { "\(operation): \(String(cString: strerror(code)))" }
}
