// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import Dispatch
internal import Glibc

/// SIGINT and SIGTERM, as the cancellation of what runs.
///
/// A signal handler writes a byte into a pipe, and Dispatch reads the pipe. No signal is lost: the handler replaces the
/// default disposition in one step, and the byte stays in the pipe until Dispatch is there. A signal source of Dispatch
/// needs a disposition that ignores the signal, and hears it some time later: what comes in between is lost.
final class Termination: Sendable {
    private struct State {
        var isRequested = false
        var task: Task<Void, any Error>?
    }

    private static let signals = [SIGINT, SIGTERM]

    /// Guarded by the lock.
    private let state = Lock(State())
    /// Never changed after the initializer; Dispatch does not declare that its sources may be shared.
    nonisolated(unsafe) private let source: (any DispatchSourceRead)?

    /// From now on a signal requests the end of the process; a second one ends it at once. Where no pipe can be made,
    /// signals end the process as they do by default. One instance at a time.
    init() {
        var ends: [CInt] = [-1, -1]
        guard pipe(&ends) == 0 else {
            source = nil
            return
        }
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        let (reading, writing) = (ends[0], ends[1])
        let source = DispatchSource.makeReadSource(fileDescriptor: reading, queue: .global())
        self.source = source
        source.setEventHandler { [weak self] in
            var bytes = [UInt8](repeating: 0, count: 16)
            if read(reading, &bytes, bytes.count) > 0 { self?.request() }
        }
        source.setCancelHandler {
            close(reading)
            close(writing)
        }
        source.activate()
        signalPipe = writing
        for signal in Self.signals { Self.handle(signal) }
    }

    deinit {
        for signal in Self.signals { Glibc.signal(signal, SIG_DFL) }
        signalPipe = -1
        source?.cancel()
    }

    /// Installs the handler, which is called once: then the disposition is the default again.
    private static func handle(_ signal: CInt) {
        var action = sigaction()
        action.__sigaction_handler.sa_handler = { _ in
            // Only what may be called in a signal handler: signal-safety(7). The error of what was interrupted is kept.
            let (error, byte) = (errno, UInt8(1))
            _ = withUnsafePointer(to: byte) { write(signalPipe, $0, 1) }
            errno = error
        }
        // SA_RESETHAND is the sign bit, and no CInt by itself.
        action.sa_flags = CInt(bitPattern: UInt32(SA_RESETHAND)) | SA_RESTART
        sigaction(signal, &action, nil)
    }

    /// Whether a signal came.
    var isRequested: Bool { state.withLock { $0.isRequested } }

    /// Runs `work`, cancelled when a signal comes or has come.
    ///
    /// - Throws: What `work` throws.
    func cancelling(_ work: @escaping @Sendable () async throws -> Void) async throws {
        let task = Task(operation: work)
        let isRequested = state.withLock { state in
            state.task = task
            return state.isRequested
        }
        if isRequested { task.cancel() }
        try await task.value
    }

    private func request() {
        for signal in Self.signals { Glibc.signal(signal, SIG_DFL) }
        let task = state.withLock { state in
            state.isRequested = true
            return state.task
        }
        task?.cancel()
    }
}

/// Where the signal handler writes. Written before the handler is installed and after it was taken away.
nonisolated(unsafe) private var signalPipe: CInt = -1
