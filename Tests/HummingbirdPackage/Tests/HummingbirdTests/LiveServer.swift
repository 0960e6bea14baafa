// SPDX-License-Identifier: Apache-2.0

import Foundation
import FoundationNetworking
import Hummingbird
import NIOCore
import Testing

/// A server of Hummingbird on a free port of the loopback interface, and requests to it.
///
/// HummingbirdTesting has the like, with a client of its own, which takes more than half of the build.
struct LiveServer: Sendable {
    struct Answer {
        let status: Int
        let type: String
        let text: String
    }

    private let port: Int

    /// Serves the routes until `body` has ended.
    nonisolated(nonsending) static func serving(
        _ router: Router<BasicRequestContext>,
        _ body: (LiveServer) async throws -> Void
    ) async throws {
        let (ports, running) = AsyncStream.makeStream(of: Int.self)
        let application = Application(
            router: router,
            configuration: .init(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { channel in
                if let port = channel.localAddress?.port { running.yield(port) }
            }
        )
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                defer { running.finish() }
                try await application.run()
            }
            guard let port = await ports.first(where: { _ in true }) else {
                try await group.waitForAll()
                Issue.record("The server ended before it served.")
                return
            }
            try await body(LiveServer(port: port))
            group.cancelAll()
        }
    }

    func send(_ path: String, method: String = "GET", accept: String? = nil) async throws -> Answer {
        var request = URLRequest(url: try #require(URL(string: "http://127.0.0.1:\(port)\(path)")))
        request.httpMethod = method
        if let accept { request.setValue(accept, forHTTPHeaderField: "Accept") }
        let (data, response) = try await URLSession.shared.data(for: request)
        let answer = try #require(response as? HTTPURLResponse)
        return Answer(
            status: answer.statusCode,
            type: answer.value(forHTTPHeaderField: "Content-Type") ?? "",
            text: String(decoding: data, as: UTF8.self)
        )
    }
}
