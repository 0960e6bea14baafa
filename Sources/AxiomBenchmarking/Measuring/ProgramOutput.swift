// SPDX-License-Identifier: Apache-2.0

internal import CAxiomCounters
internal import Foundation

/// What a program printed.
struct ProgramOutput {
    /// Its standard output.
    let text: String
    let status: Int32

    /// Runs a program that `PATH` finds, and waits for its end. Its standard error is this program's unless `isQuiet`.
    static func run(_ command: [String], isQuiet: Bool = false) throws(BenchmarkError) -> ProgramOutput {
        var pipe: [Int32] = [0, 0]
        guard axiom_private_pipe(&pipe) == 0 else { throw .system("could not make a pipe") }
        let nothing = open("/dev/null", O_RDWR | O_CLOEXEC)
        defer {
            close(pipe[0])
            close(nothing)
        }
        var descriptors = [(nothing, STDIN_FILENO), (pipe[1], STDOUT_FILENO)]
        if isQuiet { descriptors.append((nothing, STDERR_FILENO)) }
        let processID: pid_t
        do {
            processID = try Spawn.start(command, [:], descriptors)
        } catch {
            close(pipe[1])
            throw error
        }
        close(pipe[1])
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = read(pipe[0], &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            bytes += buffer[..<count]
        }
        let status = Spawn.wait(processID)?.status ?? -1
        return ProgramOutput(text: String(decoding: bytes, as: UTF8.self), status: status)
    }
}
