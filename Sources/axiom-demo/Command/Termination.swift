// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import Dispatch
internal import Glibc

/// SIGINT and SIGTERM, as the cancellation of what runs.
final class Termination: Sendable {
    private struct State {
        var isRequested = false
        var task: Task<Void, any Error>?
        /// How many sources the system tells of their signal.
        var registered = 0
        /// Those who wait until that is all of them.
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    /// Guarded by the lock.
    private let state = Lock(State())
    /// Never changed after the initializer; Dispatch does not declare that its sources may be shared.
    nonisolated(unsafe) private let sources: [any DispatchSourceSignal]

    /// From now on the signals no longer end the process by themselves. A second one does, at once. One that comes before
    /// ``listen()`` returns may be lost.
    init() {
        sources = [SIGINT, SIGTERM].map { signal in
            Glibc.signal(signal, SIG_IGN)
            return DispatchSource.makeSignalSource(signal: signal, queue: .global())
        }
        for source in sources {
            source.setRegistrationHandler { [weak self] in self?.noteRegistration() }
            source.setEventHandler { [weak self] in self?.request() }
            source.activate()
        }
    }

    deinit {
        for source in sources { source.cancel() }
    }

    /// Returns when every signal is heard: Dispatch begins to listen on a thread of its own, some time after it was told.
    func listen() async {
        await withCheckedContinuation { continuation in
            let listens = state.withLock { state in
                if state.registered < sources.count { state.waiting.append(continuation) }
                return state.registered == sources.count
            }
            if listens { continuation.resume() }
        }
    }

    private func noteRegistration() {
        let ready = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            state.registered += 1
            guard state.registered == sources.count else { return [] }
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in ready { continuation.resume() }
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
        for signal in [SIGINT, SIGTERM] { Glibc.signal(signal, SIG_DFL) }
        let task = state.withLock { state in
            state.isRequested = true
            return state.task
        }
        task?.cancel()
    }
}
