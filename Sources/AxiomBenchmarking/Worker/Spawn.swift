// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import CAxiomProcess
internal import Foundation

/// Starts processes and waits for them, with system calls, because their cost is part of measurements.
enum Spawn {
    struct Worker {
        let processID: pid_t
        let requests: Int32
        let replies: Int32
        let log: Int32
    }

    /// A request to a worker that has ended must fail; without this the signal would end this process.
    private static let ignoresBrokenPipes: Void = { _ = signal(SIGPIPE, SIG_IGN) }()

    /// Starts a worker: requests on its standard input, replies on descriptor 3, its output into a file without a name.
    static func worker(_ command: [String], _ environment: [String: String]) throws(BenchmarkError) -> Worker {
        ignoresBrokenPipes
        // Closed at the end, also if a later step fails; the worker's own ends are removed from the list.
        var opened: [Int32] = []
        defer { for descriptor in opened { close(descriptor) } }
        let requests = try pipe()
        opened += [requests.read, requests.write]
        let replies = try pipe()
        opened += [replies.read, replies.write]
        let log = try temporaryFile()
        opened.append(log)
        let processID = try start(
            command,
            environment,
            [
                (requests.read, STDIN_FILENO), (log, STDOUT_FILENO), (log, STDERR_FILENO),
                (replies.write, Channel.replyDescriptor),
            ]
        )
        opened = [requests.read, replies.write]
        return Worker(processID: processID, requests: requests.write, replies: replies.read, log: log)
    }

    private static func pipe() throws(BenchmarkError) -> (read: Int32, write: Int32) {
        var ends: [Int32] = [0, 0]
        guard axiom_private_pipe(&ends) == 0 else { throw .system("could not make a pipe") }
        return (ends[0], ends[1])
    }

    /// Starts a process; each pair maps a descriptor of this process to one of the new process.
    ///
    /// - Parameters:
    ///   - environment: Variables beside the inherited ones.
    ///   - inherited: The variables of this process, or a part of them.
    static func start(
        _ command: [String],
        _ environment: [String: String],
        _ descriptors: [(Int32, Int32)],
        inherited: [String: String] = ProcessInfo.processInfo.environment
    ) throws(BenchmarkError) -> pid_t {
        guard let path = command.first else { throw BenchmarkError(.usage, "the command is empty: name a program") }
        do throws(FileError) {
            return try ChildProcess.start(command, inherited.merging(environment) { $1 }, descriptors)
        } catch {
            throw BenchmarkError(.crashed, "could not start \(path)", cause: error.cause)
        }
    }

    private static func temporaryFile() throws(BenchmarkError) -> Int32 {
        let descriptor = axiom_private_file(NSTemporaryDirectory())
        guard descriptor >= 0 else { throw .system("could not make a file in \(NSTemporaryDirectory())") }
        return descriptor
    }
}

extension BenchmarkError {
    /// A system call failed just now; `errno` still says why.
    static func system(_ what: String) -> BenchmarkError {
        BenchmarkError(.system, what, cause: String(cString: strerror(errno)))
    }
}

struct ProgramOutput {
    /// Its standard output.
    let text: String
    let status: Int32
    /// Whether it was ended because it took too long.
    var isOverdue = false

    /// Where the standard error of a program goes.
    enum Errors {
        /// To that of this program.
        case shown
        /// Nowhere.
        case dropped
        /// Into the text.
        case kept
    }

    /// Runs a program from `PATH` and waits for its end. The repository of a hook that runs this process is not passed on:
    /// git, and swift, act on that of the folder that they are given.
    ///
    /// - Parameter limit: How long it may take; nil for any time. It is killed then.
    static func run(
        _ command: [String],
        errors: Errors = .shown,
        within limit: Duration? = nil
    ) throws(BenchmarkError) -> ProgramOutput {
        var pipe: [Int32] = [0, 0]
        guard axiom_private_pipe(&pipe) == 0 else { throw .system("could not make a pipe") }
        let nothing = open("/dev/null", O_RDWR | O_CLOEXEC)
        defer {
            close(pipe[0])
            close(nothing)
        }
        var descriptors = [(nothing, STDIN_FILENO), (pipe[1], STDOUT_FILENO)]
        switch errors {
        case .shown: break
        case .dropped: descriptors.append((nothing, STDERR_FILENO))
        case .kept: descriptors.append((pipe[1], STDERR_FILENO))
        }
        let processID: pid_t
        do {
            let inherited = GitEnvironment.withoutRepository(ProcessInfo.processInfo.environment)
            processID = try Spawn.start(command, [:], descriptors, inherited: inherited)
        } catch {
            close(pipe[1])
            throw error
        }
        close(pipe[1])
        let (bytes, isWhole) = drain(pipe[0], until: limit.map { ContinuousClock.now.advanced(by: $0) })
        if !isWhole { kill(processID, SIGKILL) }
        let status = ChildProcess.wait(processID)?.status ?? -1
        return ProgramOutput(text: String(decoding: bytes, as: UTF8.self), status: status, isOverdue: !isWhole)
    }

    /// The path of an executable file of this name in `PATH`.
    static func find(_ name: String) -> String? {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        return folders.map { "\($0)/\(name)" }.first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    /// Reads up to the end, or up to the deadline.
    private static func drain(
        _ descriptor: Int32,
        until deadline: ContinuousClock.Instant?
    ) -> (bytes: [UInt8], isWhole: Bool) {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            if let deadline {
                let left = deadline - .now
                guard left > .zero else { return (bytes, false) }
                var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
                guard poll(&waiting, 1, Int32(clamping: left.clampedNanoseconds / 1_000_000 + 1)) > 0 else { continue }
            }
            let count = read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return (bytes, true) }
            bytes += buffer[..<count]
        }
    }
}
