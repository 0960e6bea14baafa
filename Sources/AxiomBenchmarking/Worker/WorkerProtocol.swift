// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// Sends and receives lines over a pair of descriptors.
///
/// Not thread-safe: each side uses one thread.
final class Channel {
    private let input: Int32
    private let output: Int32
    private var pending: [UInt8] = []

    /// The descriptor on which a worker answers: its standard output belongs to the benchmarks.
    static let replyDescriptor: Int32 = 3

    init(input: Int32, output: Int32) {
        self.input = input
        self.output = output
    }

    /// Writes a line. Returns false if the other side is closed.
    func send(_ line: String) -> Bool {
        var rest = Array(line.utf8) + [UInt8(ascii: "\n")]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(output, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            rest.removeFirst(count)
        }
        return true
    }

    /// The result of waiting for a line.
    enum Reception: Equatable {
        case line(String)
        /// The other side closed its end.
        case closed
        /// The time limit passed.
        case late
    }

    /// The next line without its end. Waits up to `milliseconds` for each piece of it; -1 waits until the other side
    /// closes.
    func receive(within milliseconds: Int32 = -1) -> Reception {
        while true {
            if let end = pending.firstIndex(of: UInt8(ascii: "\n")) {
                defer { pending.removeFirst(end + 1) }
                return .line(String(decoding: pending[..<end], as: UTF8.self))
            }
            var waiting = pollfd(fd: input, events: Int16(POLLIN), revents: 0)
            let ready = poll(&waiting, 1, milliseconds)
            if ready < 0, errno == EINTR { continue }
            guard ready > 0 else { return ready == 0 ? .late : .closed }
            var buffer = [UInt8](repeating: 0, count: 4_096)
            let count = read(input, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return .closed }
            pending += buffer[..<count]
        }
    }
}

/// A request to a worker, as a line of text. The answer is `ok` with numbers, or `error` with a message.
///
/// Both sides may be of different builds, so the greeting has a version.
enum WorkerCommand: Equatable {
    /// Finds the iterations that fill a time. Answer: iterations, nanoseconds for each, and the ratio of the time of four
    /// times as many iterations.
    case calibrate(nanoseconds: Int64)
    /// Takes one sample. Answer: nanoseconds on the clock and of the processor, for the whole sample.
    case sample(iterations: Int)
    /// Counts. Answer: allocations, bytes and instructions of all iterations; -1 for what is not counted.
    case count(iterations: Int)
    /// Counts references. Answer: retains and releases; -1 if the runtime has no hooks. Later samples are slower.
    case references(iterations: Int)
    /// Measures the value. Answer: the value.
    case value
    /// Samples the stacks of the process while the body runs for a time, each time with as many iterations, and writes
    /// ``StackCosts/text`` to a file. Answer: all iterations, and the samples. Earlier versions do not know it.
    case profile(milliseconds: Int, iterations: Int, path: String)
    /// Answer: peak resident size in bytes, page faults, context switches.
    case facts

    /// The first line of a worker.
    static let greeting = "axiom-worker 1"

    var line: String {
        switch self {
        case .calibrate(let nanoseconds): "calibrate \(nanoseconds)"
        case .sample(let iterations): "sample \(iterations)"
        case .count(let iterations): "count \(iterations)"
        case .references(let iterations): "references \(iterations)"
        case .value: "value"
        case .profile(let milliseconds, let iterations, let path): "profile \(milliseconds) \(iterations) \(path)"
        case .facts: "facts"
        }
    }

    init?(_ line: String) {
        let words = line.split(separator: " ", maxSplits: 3)
        let number = words.count > 1 ? Int(words[1]) : nil
        switch (words.first, number) {
        case ("calibrate", let number?): self = .calibrate(nanoseconds: Int64(number))
        case ("sample", let number?): self = .sample(iterations: number)
        case ("count", let number?): self = .count(iterations: number)
        case ("references", let number?): self = .references(iterations: number)
        case ("value", nil): self = .value
        case ("profile", let milliseconds?) where words.count == 4:
            guard let iterations = Int(words[2]) else { return nil }
            self = .profile(milliseconds: milliseconds, iterations: iterations, path: String(words[3]))
        case ("facts", nil): self = .facts
        default: return nil
        }
    }
}

/// The arguments with which a program starts itself as a worker, as a list of benchmarks, or as load.
enum WorkerArguments: Equatable {
    /// Measures one benchmark, pinned to a processor if there is one. `injected` makes it slower: 0.05 is 5 %.
    case worker(id: String, processor: Int?, injected: Double)
    /// Prints the benchmarks.
    case list
    /// Keeps a processor busy until the parent ends.
    case hog

    private static let workerFlag = "--axiom-worker"
    private static let listFlag = "--axiom-worker-list"
    private static let hogFlag = "--axiom-worker-hog"

    var arguments: [String] {
        switch self {
        case .worker(let id, let processor, let injected):
            [Self.workerFlag, id, processor.map(String.init) ?? "any", "\(injected)"]
        case .list: [Self.listFlag]
        case .hog: [Self.hogFlag]
        }
    }

    init?(_ arguments: [String]) {
        switch arguments.first {
        case Self.workerFlag where arguments.count == 4:
            self = .worker(id: arguments[1], processor: Int(arguments[2]), injected: Double(arguments[3]) ?? 0)
        case Self.listFlag: self = .list
        case Self.hogFlag: self = .hog
        default: return nil
        }
    }
}
