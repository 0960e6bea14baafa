// SPDX-License-Identifier: Apache-2.0

internal import CAxiomCounters
internal import Foundation

/// Starts processes and waits for them, with the system's own calls: what they cost is part of measurements.
enum Spawn {
    struct Worker {
        let processID: pid_t
        let requests: Int32
        let replies: Int32
        let log: Int32
    }

    struct Ended {
        /// The exit code; 128 and the signal for a process that one ended.
        let status: Int32
        /// Processor time, in nanoseconds.
        let processorTime: Double
        /// The largest resident size, in bytes.
        let peakBytes: Double
    }

    /// Asking a worker that has ended must fail: the signal would end this process without a word.
    private static let ignoresBrokenPipes: Void = { _ = signal(SIGPIPE, SIG_IGN) }()

    /// Starts a worker: requests on its standard input, replies on descriptor 3, all that it prints into a file that
    /// has no name.
    static func worker(_ command: [String], _ environment: [String: String]) throws(BenchmarkError) -> Worker {
        ignoresBrokenPipes
        // Closed at the end unless the worker takes them over: nothing stays open when a later step fails.
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

    /// Starts a process with descriptors of this one in the places of its own.
    static func start(
        _ command: [String],
        _ environment: [String: String],
        _ descriptors: [(Int32, Int32)]
    ) throws(BenchmarkError) -> pid_t {
        guard let path = command.first else { throw BenchmarkError(.usage, "the command is empty: name a program") }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for (own, other) in descriptors { posix_spawn_file_actions_adddup2(&actions, own, other) }
        var attributes = toldOfBrokenPipes()
        defer { posix_spawnattr_destroy(&attributes) }
        let merged = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        let variables = merged.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        var processID = pid_t()
        let problem = withCStrings(command) { arguments in
            withCStrings(variables) { posix_spawnp(&processID, path, &actions, &attributes, arguments, $0) }
        }
        guard problem == 0 else {
            throw BenchmarkError(.crashed, "could not start \(path)", cause: String(cString: strerror(problem)))
        }
        return processID
    }

    /// Attributes of a program that is told of broken pipes as it is used to, whatever this process ignores.
    private static func toldOfBrokenPipes() -> posix_spawnattr_t {
        var (attributes, signals) = (posix_spawnattr_t(), sigset_t())
        posix_spawnattr_init(&attributes)
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))
        return attributes
    }

    /// Waits for a process.
    static func wait(_ processID: pid_t) -> Ended? {
        var (status, usage) = (Int32(0), rusage())
        while wait4(processID, &status, 0, &usage) < 0 {
            guard errno == EINTR else { return nil }
        }
        let signal = status & 0x7f
        func nanoseconds(_ time: timeval) -> Double { Double(time.tv_sec) * 1e9 + Double(time.tv_usec) * 1e3 }
        return Ended(
            status: signal == 0 ? status >> 8 & 0xff : 128 + signal,
            processorTime: nanoseconds(usage.ru_utime) + nanoseconds(usage.ru_stime),
            peakBytes: Double(usage.ru_maxrss) * 1_024
        )
    }

    private static func temporaryFile() throws(BenchmarkError) -> Int32 {
        let descriptor = axiom_private_file(NSTemporaryDirectory())
        guard descriptor >= 0 else { throw .system("could not make a file in \(NSTemporaryDirectory())") }
        return descriptor
    }

    private static func withCStrings<Result>(
        _ strings: [String],
        _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
    ) -> Result {
        let pointers = strings.map { strdup($0) }
        defer { for pointer in pointers { free(pointer) } }
        return body(pointers + [nil])
    }
}

extension BenchmarkError {
    /// A system call failed just now; `errno` still says why.
    static func system(_ what: String) -> BenchmarkError {
        BenchmarkError(.system, what, cause: String(cString: strerror(errno)))
    }
}
