// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
public import Foundation

/// A program that runs in parallel to a test. The test reads its output line by line and ends it with a signal.
public final class RunningProgram: Sendable {
    /// The program, or its output, ended before the expected line.
    public struct Ended: Error, CustomStringConvertible {
        /// The expected line, and what the program wrote instead.
        public let description: String
    }

    /// Started once. Any thread may signal it and wait for it.
    private let process: Process
    /// The output so far, of standard output and standard error.
    private let transcript = Transcript()
    private let lines: AsyncStream<String>
    private let exit: AsyncStream<Int32>

    /// Starts the program at `path`.
    ///
    /// - Throws: The error of `Process` if it cannot be started.
    public init(_ path: String, _ arguments: [String]) throws {
        process = Process()
        process.executableURL = URL(filePath: path)
        process.arguments = arguments
        let output = Pipe()
        process.standardOutput = output
        process.standardError = output
        let (lines, lineContinuation) = AsyncStream.makeStream(of: String.self)
        let (exit, exitContinuation) = AsyncStream.makeStream(of: Int32.self)
        self.lines = lines
        self.exit = exit
        let outputEnded = DispatchSemaphore(value: 0)
        process.terminationHandler = { process in
            // What it wrote last may not have been read yet. A program that it started may keep its output open.
            _ = outputEnded.wait(timeout: .now() + .seconds(5))
            exitContinuation.yield(process.terminationStatus)
            exitContinuation.finish()
        }
        try process.run()
        let reader = output.fileHandleForReading
        // Reads block, so they have their own thread. It does not retain the program, and ends with the program's output.
        Thread.detachNewThread { [transcript] in
            var rest = Data()
            while case let data = reader.availableData, !data.isEmpty {
                rest.append(data)
                transcript.append(String(decoding: data, as: UTF8.self))
                while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                    lineContinuation.yield(String(decoding: rest[rest.startIndex..<end], as: UTF8.self))
                    rest = Data(rest[(end + 1)...])
                }
            }
            lineContinuation.finish()
            outputEnded.signal()
        }
    }

    deinit {
        if process.isRunning { process.terminate() }
    }

    /// The number of the process.
    public var processIdentifier: Int32 { process.processIdentifier }

    /// The output so far.
    public var output: String {
        transcript.text
    }

    /// Waits for a line of output for which `match` returns a value. Each line is read only once.
    ///
    /// - Throws: ``Ended`` if the output ends first.
    public func firstLine<Value>(_ what: String, _ match: (String) -> Value?) async throws -> Value {
        for await line in lines {
            if let value = match(line) { return value }
        }
        throw Ended(description: "The program ended before it wrote \(what). It wrote:\n\(output)")
    }

    /// False once it has ended; true while it is stopped.
    public var isRunning: Bool { process.isRunning }

    /// Whether the effect of a signal ended the program, whose number is then the exit code. False while it runs.
    public var endedBySignal: Bool { !process.isRunning && process.terminationReason == .uncaughtSignal }

    /// Sends a signal; the default is SIGTERM.
    public func signal(_ signal: Int32 = SIGTERM) {
        if process.isRunning { kill(process.processIdentifier, signal) }
    }

    /// How many seconds the threads that the program has now were ready to run and waited for a processor, as Linux counts:
    /// other programs had it.
    public var processorWait: Double {
        let tasks = "/proc/\(process.processIdentifier)/task"
        let threads = (try? FileManager.default.contentsOfDirectory(atPath: tasks)) ?? []
        return threads.reduce(0) { sum, thread in
            // The time on a processor, the time of waiting, both in nanoseconds, and a count.
            let text = (try? String(contentsOfFile: "\(tasks)/\(thread)/schedstat", encoding: .utf8)) ?? ""
            let waited = text.split(separator: " ").dropFirst().first.flatMap { Double($0) } ?? 0
            return sum + waited / 1e9
        }
    }

    /// Waits for the program's end and returns its exit code; ``output`` is whole then. Call it once.
    public func exitCode() async -> Int32 {
        for await code in exit { return code }
        return process.terminationStatus
    }
}

/// A text that one thread appends to and others read.
private final class Transcript: Sendable {
    /// Guarded by its lock.
    private let storage = Lock("")

    var text: String {
        storage.withLock { $0 }
    }

    func append(_ more: String) {
        storage.withLock { $0 += more }
    }
}
