// SPDX-License-Identifier: Apache-2.0

@_spi(AxiomTools) internal import AxiomBase
internal import Foundation
internal import Synchronization

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
    /// - Parameter limit: How long it may take, in seconds. Then it is ended, with the programs that it started.
    /// - Throws: ``MigrationError`` if it cannot be started, or if the process is interrupted while it runs.
    static func run(_ arguments: [String], in folder: String, limit: TimeInterval) throws(MigrationError) -> Result {
        let log = FileManager.default.temporaryDirectory.appending(path: "axiom-migrate-\(UUID().uuidString).log")
        defer { try? FileManager.default.removeItem(at: log) }
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = arguments
        process.currentDirectoryURL = URL(filePath: folder)
        process.environment = ToolSupport.withoutRepository(ProcessInfo.processInfo.environment)
        process.standardInput = FileHandle.nullDevice
        let isTimedOut: Bool
        let output: String
        do {
            try Data().write(to: log)
            let handle = try FileHandle(forWritingTo: log)
            process.standardOutput = handle
            process.standardError = handle
            let ended = DispatchSemaphore(value: 0)
            process.terminationHandler = { _ in ended.signal() }
            try process.run()
            isTimedOut = wait(for: process, ended, until: .now() + limit)
            output = String(decoding: try Data(contentsOf: log), as: UTF8.self)
        } catch {
            throw MigrationError("\(arguments.first ?? "A program") cannot be started: \(error.localizedDescription)")
        }
        try Interruption.check()
        let status = process.terminationStatus
        return Result(succeeded: status == 0 && !isTimedOut, status: status, output: output, isTimedOut: isTimedOut)
    }

    /// Waits until the program ends, and ends it at the deadline or when the process is interrupted.
    ///
    /// - Returns: Whether the deadline passed.
    private static func wait(for process: Process, _ ended: DispatchSemaphore, until deadline: DispatchTime) -> Bool {
        while ended.wait(timeout: .now() + 0.1) == .timedOut {
            let isTimedOut = DispatchTime.now() >= deadline
            guard isTimedOut || Interruption.isRequested else { continue }
            // To the group that Foundation made for the program: a shell does not pass signals on.
            kill(-process.processIdentifier, SIGINT)
            _ = ended.wait(timeout: .now() + 5)
            kill(-process.processIdentifier, SIGKILL)
            process.waitUntilExit()
            return isTimedOut
        }
        return false
    }
}

/// A signal that asks the process to end, such as that of Ctrl-C.
///
/// Once one is expected, it no longer ends the process: the copy of the project has to go first, and files are written as a
/// whole or not at all.
package enum Interruption {
    private static let received = Atomic<Int32>(0)

    /// Remembers signals from here on. Programs that are started do not inherit this.
    static func expect() {
        received.store(0, ordering: .relaxed)
        var signals = sigset_t()
        sigemptyset(&signals)
        for number in [SIGINT, SIGTERM, SIGHUP] {
            signal(number) { Interruption.received.store($0, ordering: .relaxed) }
            sigaddset(&signals, number)
        }
        // What started this process may have blocked them, as libdispatch does in its threads.
        pthread_sigmask(SIG_UNBLOCK, &signals, nil)
    }

    static var isRequested: Bool { received.load(ordering: .relaxed) != 0 }

    /// - Throws: ``MigrationError`` if a signal came.
    package static func check() throws(MigrationError) {
        guard isRequested else { return }
        throw MigrationError("interrupted. Nothing was written.")
    }
}
