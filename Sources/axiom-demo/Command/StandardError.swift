// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Where the command says what went wrong.
enum StandardError {
    /// Writes a line under the command's name, at once: the C stream may be held by a thread that is stuck.
    static func say(_ message: String) {
        let line = "axiom-demo: \(message)\n"
        _ = write(STDERR_FILENO, line, line.utf8.count)
    }
}
