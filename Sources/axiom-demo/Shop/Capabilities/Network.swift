// SPDX-License-Identifier: Apache-2.0

/// Access to the shop's servers.
protocol Network: Sendable {
    /// Sends a request and waits for the answer's body.
    ///
    /// - Throws: ``UpstreamError``; `CancellationError` when the task is cancelled.
    func send(_ request: NetworkRequest) async throws -> [UInt8]
}

extension Network {
    /// Reads what is at `path`.
    func get(_ path: String) async throws -> [UInt8] {
        try await send(NetworkRequest(method: "GET", path: path))
    }

    /// Sends `value` to `path` and reads the answer.
    func post<Answer: Decodable>(_ path: String, _ value: some Encodable, answer: Answer.Type) async throws -> Answer {
        let request = NetworkRequest(method: "POST", path: path, body: try JSON.encode(value))
        return try JSON.decode(answer, from: try await send(request))
    }
}
