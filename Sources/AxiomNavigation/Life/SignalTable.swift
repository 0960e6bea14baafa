// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import Dispatch
internal import Foundation
internal import Synchronization

/// The receivers of this process, and the effects that the signals had before.
///
/// A handler of a signal may call almost nothing, so it writes the number of the signal to a pipe, which Dispatch reads.
/// Dispatch's own source of signals is not used: it installs its handler some time after `resume()`, and a signal that
/// comes before is lost or ends the process.
enum SignalTable {
    struct Receiver: Sendable {
        let signals: [CInt: AppPhase]
        let continuation: AsyncStream<AppPhase>.Continuation
        /// Whether a signal came that ends the process. Then only such signals count.
        var isEnding = false
    }

    private struct State {
        var receivers: [UInt64: Receiver] = [:]
        var last: UInt64 = 0
        /// Of the signals that have a receiver.
        var former: [CInt: sigaction] = [:]
        /// Made with the first receiver and kept, as a handler may still run when its receiver is gone.
        var reader: (any DispatchSourceRead)?
    }

    /// Guarded by its lock, also while a handler is installed or removed. The handler does not take it.
    private static let state = Lock(State())
    /// The end of the pipe to which the handler writes.
    private static let output = Atomic<CInt>(-1)

    static func add(_ receiver: Receiver) -> UInt64 {
        state.withLock { state in
            if state.reader == nil { state.reader = makeReader() }
            state.last += 1
            state.receivers[state.last] = receiver
            // Without a pipe the signals keep their effect, so that they still end the process.
            for number in receiver.signals.keys where state.reader != nil && state.former[number] == nil {
                var former = sigaction()
                sigaction(number, nil, &former)
                state.former[number] = former
                signal(number, handler)
            }
            return state.last
        }
    }

    static func remove(_ id: UInt64) {
        state.withLock { state in
            state.receivers[id] = nil
            for (number, former) in state.former {
                guard !state.receivers.values.contains(where: { $0.signals[number] != nil }) else { continue }
                var former = former
                sigaction(number, &former, nil)
                state.former[number] = nil
            }
        }
    }

    private static let handler: @convention(c) (CInt) -> Void = { number in
        let saved = errno
        var byte = UInt8(truncatingIfNeeded: number)
        // If the pipe is full, 64 Ki signals wait already.
        _ = write(SignalTable.output.load(ordering: .relaxed), &byte, 1)
        errno = saved
    }

    /// Nil if the process has no descriptors left.
    private static func makeReader() -> (any DispatchSourceRead)? {
        var ends: [CInt] = [-1, -1]
        guard pipe(&ends) == 0 else { return nil }
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        output.store(ends[1], ordering: .relaxed)
        let input = ends[0]
        let source = DispatchSource.makeReadSource(fileDescriptor: input, queue: DispatchQueue(label: "axiom.signals"))
        // Explicitly not isolated: Dispatch calls it on its own queue.
        let deliverAll: @Sendable () -> Void = {
            var numbers = [UInt8](repeating: 0, count: 64)
            let count = read(input, &numbers, numbers.count)
            for number in numbers.prefix(max(0, count)) { deliver(CInt(number)) }
        }
        source.setEventHandler(handler: deliverAll)
        source.resume()
        return source
    }

    private static func deliver(_ number: CInt) {
        let deliveries = state.withLock { state in
            state.receivers.compactMap { id, receiver -> (AsyncStream<AppPhase>.Continuation, AppPhase)? in
                guard let phase = receiver.signals[number] else { return nil }
                if phase == .terminating { state.receivers[id]?.isEnding = true }
                guard phase == .terminating || !receiver.isEnding else { return nil }
                return (receiver.continuation, phase)
            }
        }
        for (continuation, phase) in deliveries { continuation.yield(phase) }
    }
}
