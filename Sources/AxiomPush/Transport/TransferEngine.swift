// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import CCurl
internal import Foundation

/// Runs all requests of the process on one thread of its own, so that no request blocks a thread of Swift's pool, and
/// connections are used again.
///
/// The thread starts with the first request and stays. It blocks all signals: a connection that breaks would otherwise raise
/// SIGPIPE.
final class TransferEngine: Sendable {
    static let shared = TransferEngine()

    private enum Command {
        case start(UInt64, TransferRequest, CheckedContinuation<TransferResponse, any Error>)
        case cancel(UInt64)
    }

    private struct State {
        var commands: [Command] = []
        var lastID: UInt64 = 0
        var isRunning = false
        /// Requests whose cancellation may arrive before they start.
        var cancelled: Set<UInt64> = []
    }

    /// Guards the commands. libcurl runs outside of it.
    private let state = Lock(State())
    /// Used by the thread only, except for `curl_multi_wakeup`, which any thread may call. Never freed. Nil if libcurl cannot
    /// start.
    nonisolated(unsafe) private let multi: UnsafeMutableRawPointer?

    private init() { multi = axiom_curl_start() == CURLE_OK ? curl_multi_init() : nil }

    /// Sends a request and waits for the response, whatever its status. If the task is cancelled, the transfer is aborted.
    ///
    /// - Throws: ``PushError`` if there is no response; `CancellationError`.
    func response(to request: TransferRequest) async throws -> TransferResponse {
        guard multi != nil else {
            throw PushError(
                .unreachable,
                "libcurl cannot start, so that \(request.url) cannot be reached; install it again"
            )
        }
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        defer { _ = state.withLock { $0.cancelled.remove(id) } }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { submit(.start(id, request, $0)) }
        } onCancel: {
            _ = state.withLock { $0.cancelled.insert(id) }
            submit(.cancel(id))
        }
    }

    private func submit(_ command: Command) {
        let mustStart = state.withLock { state in
            state.commands.append(command)
            defer { state.isRunning = true }
            return !state.isRunning
        }
        if mustStart {
            Thread.detachNewThread { [self] in run() }
        } else if let multi {
            curl_multi_wakeup(multi)
        }
    }

    private func takeCommands() -> [Command] {
        state.withLock { state in
            defer { state.commands = [] }
            return state.commands
        }
    }

    private func isCancelled(_ id: UInt64) -> Bool {
        state.withLock { $0.cancelled.contains(id) }
    }

    // MARK: - The thread

    private func run() {
        Thread.current.name = "axiom-push"
        var signals = sigset_t()
        sigfillset(&signals)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        var transfers: [UInt64: CurlTransfer] = [:]
        while true {
            for command in takeCommands() { execute(command, &transfers) }
            var running: CInt = 0
            curl_multi_perform(multi, &running)
            finishEnded(&transfers)
            // Waits for a socket, for a timer of libcurl or for curl_multi_wakeup, whichever comes first.
            curl_multi_poll(multi, nil, 0, 60_000, nil)
        }
    }

    private func execute(_ command: Command, _ transfers: inout [UInt64: CurlTransfer]) {
        switch command {
        case .start(let id, let request, let continuation):
            if isCancelled(id) { return continuation.resume(throwing: CancellationError()) }
            guard let multi, let transfer = CurlTransfer(request, continuation) else {
                let error = PushError(
                    .unreachable,
                    "libcurl has no memory for a request to \(request.url); give the process more"
                )
                return continuation.resume(throwing: error)
            }
            let code = transfer.prepare()
            guard code == CURLE_OK, curl_multi_add_handle(multi, transfer.handle) == CURLM_OK else {
                return transfer.finish(code == CURLE_OK ? CURLE_FAILED_INIT : code)
            }
            transfers[id] = transfer
        case .cancel(let id):
            guard let transfer = transfers.removeValue(forKey: id) else { return }
            curl_multi_remove_handle(multi, transfer.handle)
            transfer.cancel()
        }
    }

    private func finishEnded(_ transfers: inout [UInt64: CurlTransfer]) {
        var rest: CInt = 0
        var ended: [(handle: UnsafeMutableRawPointer, code: CURLcode)] = []
        while let message = curl_multi_info_read(multi, &rest) {
            guard message.pointee.msg == CURLMSG_DONE, let handle = message.pointee.easy_handle else { continue }
            ended.append((handle, message.pointee.data.result))
        }
        for (handle, code) in ended {
            guard let id = transfers.first(where: { $0.value.handle == handle })?.key,
                let transfer = transfers.removeValue(forKey: id)
            else { continue }
            curl_multi_remove_handle(multi, handle)
            transfer.finish(code)
        }
    }
}
