// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// Lines over a pair of descriptors. Reading waits no longer than it is told.
///
/// Not for several threads: each side has one.
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

    /// Writes a line; false when the other side is gone.
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

    /// What came of waiting for a line.
    enum Reception: Equatable {
        case line(String)
        /// The other side closed its end.
        case closed
        /// The time was over.
        case late
    }

    /// The next line, without its end. Waits for `milliseconds` for each piece of it; -1 waits until the other side is
    /// gone.
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
