// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import Foundation

/// A worker, in its parent. It ends with the object.
final class WorkerProcess {
    let processID: pid_t
    private let channel: Channel
    private var descriptors: [Int32]
    private let log: Int32
    private let id: String
    /// The time limit of an answer, in milliseconds.
    private let patience: Int32
    private var isReaped = false

    /// Starts a command: a program with its arguments, which a wrapper such as valgrind may precede.
    ///
    /// - Throws: ``BenchmarkError`` with the code `crashed` if it does not start or is not a worker.
    init(
        _ command: [String],
        id: String,
        environment: [String: String] = [:],
        patience: Duration = .seconds(60)
    ) throws(BenchmarkError) {
        self.id = id
        self.patience = Int32(clamping: patience.clampedNanoseconds / 1_000_000)
        let spawned = try Spawn.worker(command, environment)
        (processID, descriptors, log) = (spawned.processID, [spawned.requests, spawned.replies], spawned.log)
        channel = Channel(input: spawned.replies, output: spawned.requests)
        let greeting = try line("at its start")
        guard greeting == WorkerCommand.greeting else {
            throw failure(
                "speaks another language (\(greeting)): both builds must use one version of AxiomBenchmarking"
            )
        }
    }

    deinit {
        end()
        for descriptor in descriptors + [log] { close(descriptor) }
    }

    /// Sends a request and returns the numbers of the answer.
    ///
    /// - Throws: ``BenchmarkError`` with the code `crashed` if the worker ended, is late, or reports an error.
    func ask(_ command: WorkerCommand) throws(BenchmarkError) -> [Double] {
        // The answer to an earlier request may be there even if the worker has ended.
        _ = channel.send(command.line)
        let reply = try line("at \"\(command.line)\"")
        guard reply.hasPrefix("ok") else { throw failure("failed: \(reply.dropFirst("error ".count))") }
        return reply.dropFirst(2).split(separator: " ").compactMap { Double($0) }
    }

    /// The next line from the worker.
    ///
    /// - Throws: ``BenchmarkError`` with the code `crashed`, which states whether the worker ended or is late.
    private func line(_ moment: String) throws(BenchmarkError) -> String {
        switch channel.receive(within: patience) {
        case .line(let line): return line
        case .late: throw failure("hung \(moment): it gave no answer for \(patience / 1_000) s")
        case .closed:
            let status = reap().map(Self.words) ?? "ended"
            throw failure("\(status) \(moment)")
        }
    }

    /// Describes an exit status.
    private static func words(_ ended: ChildProcess.Ended) -> String {
        guard ended.status > 128, let name = strsignal(ended.status - 128) else { return "exited with \(ended.status)" }
        return "was ended by signal \(ended.status - 128) (\(String(cString: name)))"
    }

    /// Kills the worker if it still runs. It has nothing to save.
    private func end() {
        guard !isReaped else { return }
        kill(processID, SIGKILL)
        _ = reap()
    }

    /// Waits for the worker to end. It has been killed or its channel is closed, so the wait is short.
    private func reap() -> ChildProcess.Ended? {
        guard !isReaped else { return nil }
        isReaped = true
        return ChildProcess.wait(processID)
    }

    /// Closes the channel, so that the worker ends, and returns its output.
    func finish() -> String {
        close(descriptors.removeFirst())
        _ = reap()
        return printed
    }

    private var printed: String {
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = pread(log, &bytes, bytes.count, 0)
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }

    private func failure(_ what: String) -> BenchmarkError {
        end()
        let words = printed.split(whereSeparator: \.isNewline).prefix(8).joined(separator: " | ")
        return BenchmarkError(.crashed, "the process of \(id) \(what)", cause: words.isEmpty ? nil : words)
    }
}
