// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// A worker as its parent sees it. Ends with the object.
final class WorkerProcess {
    let processID: pid_t
    private let channel: Channel
    private var descriptors: [Int32]
    private let log: Int32
    private let id: String
    /// How long an answer may take.
    private let patience: Int32
    private var isReaped = false

    /// Starts `path` with `arguments`, which a wrapper such as valgrind may precede.
    ///
    /// - Throws: ``BenchmarkError`` with the code `crashed` when it does not start, or does not speak as a worker.
    init(
        _ command: [String],
        id: String,
        environment: [String: String] = [:],
        patience: Duration = .seconds(60)
    ) throws(BenchmarkError) {
        self.id = id
        self.patience = Int32(clamping: patience.components.seconds * 1_000)
        let spawned = try Spawn.worker(command, environment)
        (processID, descriptors, log) = (spawned.processID, [spawned.requests, spawned.replies], spawned.log)
        channel = Channel(input: spawned.replies, output: spawned.requests)
        guard let greeting = channel.receive(within: self.patience) else {
            throw failure("did not start: it ended, or said nothing")
        }
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

    /// Asks, and returns the numbers of the answer.
    ///
    /// - Throws: ``BenchmarkError`` with the code `crashed` when the worker ends, is late, or says that it failed.
    func ask(_ command: WorkerCommand) throws(BenchmarkError) -> [Double] {
        // What it said before it ended is there, even if it can be asked nothing any more.
        _ = channel.send(command.line)
        guard let reply = channel.receive(within: patience) else {
            throw failure("ended or hung at \"\(command.line)\"")
        }
        guard reply.hasPrefix("ok") else { throw failure("failed: \(reply.dropFirst("error ".count))") }
        return reply.dropFirst(2).split(separator: " ").compactMap { Double($0) }
    }

    /// Ends the worker. It holds nothing that must be put away.
    private func end() {
        guard !isReaped else { return }
        isReaped = true
        kill(processID, SIGKILL)
        _ = Spawn.wait(processID)
    }

    /// Closes the channel, so that the worker ends by itself, and returns what it printed.
    func finish() -> String {
        close(descriptors.removeFirst())
        isReaped = true
        _ = Spawn.wait(processID)
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
