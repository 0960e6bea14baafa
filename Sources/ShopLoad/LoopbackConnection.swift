// SPDX-License-Identifier: Apache-2.0

package import AxiomBase
internal import AxiomStorage
internal import Synchronization

/// A connection to a port of this machine that is kept open for several requests, one after the other.
///
/// On such a connection, a request that the server resets looks like one that met the end of an idle connection. So it is for
/// requests that may be sent again: those that change nothing, or have an idempotency key.
package final class LoopbackConnection: PooledConnection {
    private let port: Int
    private let socket: LoopbackSocket
    /// Whether a request failed: its response may still arrive, and is not that of the next one.
    private let isBroken = Atomic(false)

    /// Connects.
    ///
    /// - Throws: ``LoopbackClient/Failure``; `CancellationError` if the task is cancelled.
    package init(port: Int) async throws {
        self.port = port
        socket = try await LoopbackClient.translated { try await LoopbackSocket(port: port) }
    }

    package var isValid: Bool {
        get async { !isBroken.load(ordering: .relaxed) && socket.isIdle }
    }

    package func close() async {
        socket.end()
    }

    /// Sends a request, and waits for the response.
    ///
    /// - Parameter headers: Besides the host and the length.
    /// - Throws: ``LoopbackClient/Failure``; `CancellationError` if the task is cancelled.
    package func send(
        _ method: String,
        _ path: String,
        headers: [(name: String, value: String)],
        body: [UInt8],
        within deadline: Duration,
        clock: TimeSource
    ) async throws -> (status: Int, body: [UInt8]) {
        let line = "\(method) \(path) HTTP/1.1"
        let request = LoopbackClient.request(line, [("Host", "127.0.0.1:\(port)")] + headers, body)
        do {
            return try await LoopbackClient.translated {
                let response = try await withDeadline(deadline, clock) { try await self.socket.exchange(request) }
                return (response.status, response.body)
            }
        } catch {
            isBroken.store(true, ordering: .relaxed)
            throw error
        }
    }
}
