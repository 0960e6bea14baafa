// SPDX-License-Identifier: Apache-2.0

#if Tools
internal import AxiomBase
internal import Foundation

/// An input of axiom-migrate that cannot be used. The message names the input and the remedy.
package struct MigrationError: MessageError, Hashable, CustomStringConvertible {
    package let message: String

    package init(_ message: String) {
        self.message = message
    }
}

/// Runs programs and waits for them.
enum Program {
    struct Result {
        /// Whether the program ended by itself with 0.
        var succeeded: Bool
        var status: Int32
        /// Its standard output and standard error together.
        var output: String
        var isTimedOut = false
    }

    /// Runs a program in a folder. Its output goes through a file: a pipe would fill.
    ///
    /// - Parameter limit: How long it may take, in seconds. Then it is ended.
    static func run(_ arguments: [String], in folder: String, limit: TimeInterval) throws(MigrationError) -> Result {
        let log = FileManager.default.temporaryDirectory.appending(path: "axiom-migrate-\(UUID().uuidString).log")
        defer { try? FileManager.default.removeItem(at: log) }
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = arguments
        process.currentDirectoryURL = URL(filePath: folder)
        process.standardInput = FileHandle.nullDevice
        do {
            try Data().write(to: log)
            let handle = try FileHandle(forWritingTo: log)
            process.standardOutput = handle
            process.standardError = handle
            let ended = DispatchSemaphore(value: 0)
            process.terminationHandler = { _ in ended.signal() }
            try process.run()
            let isTimedOut = ended.wait(timeout: .now() + limit) == .timedOut
            if isTimedOut {
                process.terminate()
                if ended.wait(timeout: .now() + 5) == .timedOut { kill(process.processIdentifier, SIGKILL) }
                process.waitUntilExit()
            }
            let output = String(decoding: try Data(contentsOf: log), as: UTF8.self)
            let status = process.terminationStatus
            return Result(succeeded: status == 0 && !isTimedOut, status: status, output: output, isTimedOut: isTimedOut)
        } catch {
            throw MigrationError("\(arguments.first ?? "A program") cannot be started: \(error.localizedDescription)")
        }
    }
}
#endif
