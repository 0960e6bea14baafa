// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import Foundation

/// A child of this process that is killed.
public final class KilledProgram: Sendable {
    /// The program could not be started.
    public struct Failure: Error {
        /// The `errno`.
        public let code: Int32
    }

    private let process: pid_t
    private let output: Int32

    /// Starts the program at `path`.
    ///
    /// - Throws: ``Failure``.
    public init(_ path: String, _ arguments: [String]) throws {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw Failure(code: errno) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        defer { close(ends[1]) }
        do throws(FileError) {
            process = try ChildProcess.startClosed(path, arguments, [(ends[1], STDOUT_FILENO)])
        } catch {
            close(ends[0])
            throw Failure(code: error.code ?? 0)
        }
        output = ends[0]
    }

    /// Kills the process some time after it wrote some lines.
    ///
    /// - Returns: The numbers that it wrote.
    public func killed(afterLines count: Int, microseconds: Int) async -> [Int] {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { [self] in
                var text: [UInt8] = []
                let newline = UInt8(ascii: "\n")
                while text.count(where: { $0 == newline }) < count, read(into: &text) {}
                usleep(UInt32(microseconds))
                kill(process, SIGKILL)
                while read(into: &text) {}
                close(output)
                _ = ChildProcess.wait(process)
                let lines = String(decoding: text, as: UTF8.self).split(separator: "\n")
                continuation.resume(returning: lines.compactMap { Int($0) })
            }
        }
    }

    private func read(into text: inout [UInt8]) -> Bool {
        var buffer = [UInt8](repeating: 0, count: 4_096)
        let count = Foundation.read(output, &buffer, buffer.count)
        text += buffer.prefix(max(0, count))
        return count > 0
    }
}
