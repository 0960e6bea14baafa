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
        let text: String
        fileprivate let response: HTTPURLResponse

        var type: String { header("Content-Type") ?? "" }

        func header(_ name: String) -> String? { response.value(forHTTPHeaderField: name) }
    }

    /// The server as a service, and the ports that it gets.
    struct Parts {
        let application: Application<RouterResponder<BasicRequestContext>>
        fileprivate let ports: AsyncStream<Int>
        fileprivate let running: AsyncStream<Int>.Continuation

        /// Waits until the server runs; nil if it ended.
        func server() async -> LiveServer? { await ports.first { _ in true }.map(LiveServer.init) }
    }

    let port: Int

    static func parts(_ router: Router<BasicRequestContext>) -> Parts {
        let (ports, running) = AsyncStream.makeStream(of: Int.self)
        let application = Application(
            router: router,
            configuration: .init(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { channel in
                if let port = channel.localAddress?.port { running.yield(port) }
            }
        )
        return Parts(application: application, ports: ports, running: running)
    }

    /// Serves the routes until `body` has ended.
    nonisolated(nonsending) static func serving(
        _ router: Router<BasicRequestContext>,
        _ body: (LiveServer) async throws -> Void
    ) async throws {
        let parts = parts(router)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                defer { parts.running.finish() }
                try await parts.application.run()
            }
            guard let server = await parts.server() else {
                try await group.waitForAll()
                Issue.record("The server ended before it served.")
                return
            }
            try await body(server)
            group.cancelAll()
        }
    }

    func send(_ path: String, method: String = "GET", _ headers: [String: String] = [:]) async throws -> Answer {
        var request = URLRequest(url: try #require(URL(string: "http://127.0.0.1:\(port)\(path)")))
        request.httpMethod = method
        for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
        let (data, response) = try await URLSession.shared.data(for: request)
        let answer = try #require(response as? HTTPURLResponse)
        return Answer(status: answer.statusCode, text: String(decoding: data, as: UTF8.self), response: answer)
    }
}
